"""An answer's block, put together: verdicts, a policy, a model whose calibration is stale.

No verdict was reached here: each is there so that the parts of a receipt can be told apart by their
values. They agree with each other all the same, as ``spanproof.receipt.statement.agreement`` has
it. Every word passes through ``say``, which gives a text of the same length.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from spanproof.core.citation import Claim
from spanproof.core.digest import Digest
from spanproof.core.geometry import Rect
from spanproof.core.span import Span
from spanproof.core.verdicts.answer_findings import QuotationCheck, UncitedSentence
from spanproof.core.verdicts.block_json import digest_verdicts
from spanproof.core.verdicts.calibration import (
    CalibrationCheck,
    CalibrationRecord,
    CalibrationStatus,
    ErrorBound,
)
from spanproof.core.verdicts.model import ModelIdentity
from spanproof.core.verdicts.policy import Policy
from spanproof.core.verdicts.status import (
    AttributionStatus,
    ExistenceStatus,
    IdentityStatus,
    LocatorStatus,
    Outcome,
    SupportStatus,
)
from spanproof.core.verdicts.verdict import (
    Attribution,
    Difference,
    Edit,
    Existence,
    Identity,
    LocatorCheck,
    Support,
    Verdict,
    Veto,
)
from spanproof.core.verdicts.verification_block import ImportRemark, ImportReport, VerificationBlock

if TYPE_CHECKING:
    from spanproof.core.citation import Answer
    from spanproof.core.documents.document import Extraction

Say = Callable[[str], str]
MOMENT = datetime(2026, 11, 20, 14, 0, 1, 123987, tzinfo=UTC)


def judge(
    say: Say,
    answer: Answer,
    index: int,
    extraction: Extraction | None,
    status: ExistenceStatus,
    span: Span | None,
    outcome: Outcome,
) -> Verdict:
    """A verdict on a citation: entailed where there is a span, else support did not run."""
    entailed = Support(
        status=SupportStatus.ENTAILED,
        p_entailment=0.97,
        p_neutral=0.02,
        p_contradiction=0.01,
        windows=1,
        coverage=1.0,
        evidence=span,
    )
    identity = Identity(status=IdentityStatus.UNKNOWN_DOCUMENT, doc_hash=None, extraction_id=None)
    if extraction is not None:
        identity = Identity(
            status=IdentityStatus.MATCH,
            doc_hash=extraction.document.doc_hash,
            extraction_id=extraction.extraction_id,
        )
    citation = answer.citations[index]
    verdict = Verdict(
        anchor=citation.anchor,
        citation=index,
        claim=Claim(text=say("Invoices"), span=Span(0, 8), hypothesis=say("Invoices!")),
        identity=identity,
        existence=Existence(status=status, span=span),
        locator=LocatorCheck(
            status=LocatorStatus.MATCH, page=3, bbox=Rect(72, 312.5, 540, 348.25), iou=0.5
        ),
        support=Support(status=SupportStatus.NOT_RUN) if span is None else entailed,
        attribution=Attribution(status=AttributionStatus.HERE),
        outcome=outcome,
        codes=(),
        notes=say("Here are notes."),
        repaired=citation.repaired,
    )
    return with_codes(verdict)


def contradict(say: Say, answer: Answer, rented: Extraction) -> Verdict:
    """The verdict on the second citation, which fails, and says why in words of both sides."""
    verdict = judge(
        say, answer, 1, rented, ExistenceStatus.ALTERED, Span(0, 15), outcome=Outcome.FAIL
    )
    edit = Edit(
        kind="replaced", quote=say("800"), source=say("900"), span=Span(12, 15), protected=True
    )
    veto = Veto(
        kind="number",
        claim=say("low"),
        claim_span=Span(0, 3),
        source=say("900"),
        source_span=Span(12, 15),
    )
    quoted = QuotationCheck(text=say("rent"), span=Span(35, 39), status=ExistenceStatus.ABSENT)
    found = replace(
        verdict.existence, difference=Difference(source=say("The rent is 900"), edits=(edit,))
    )
    support = Support(
        status=SupportStatus.CONTRADICTED,
        reason=say("The numbers differ."),
        vetoes=(veto,),
        logits=(("entailed", -1.5), ("contradicted", 2.25)),
    )
    return with_codes(replace(verdict, existence=found, support=support, quotations=(quoted,)))


def with_codes(verdict: Verdict) -> Verdict:
    """The verdict with the codes of its axes."""
    axes = ("identity", "existence", "locator", "support", "attribution")
    codes = tuple(f"{axis.upper()}_{getattr(verdict, axis).status}" for axis in axes)
    return replace(verdict, codes=codes)


def make_block(say: Say, answer: Answer, verdicts: tuple[Verdict, ...]) -> VerificationBlock:
    """The block of these verdicts; no two of its numbers are the same."""
    policy, model = make_policy(), make_model()
    spans = ((Span(0, 3), True), (Span(3, 6), False), (Span(6, 9), True))
    remarks = (("/a", "CITATION_UNMAPPED"), ("/b", "OFFSET_UNIT_AMBIGUOUS"))
    return VerificationBlock(
        answer=answer,
        verifier_version="spanproof 1.2.3",
        verified_at=MOMENT,
        verdicts=verdicts,
        result=Outcome.FAIL,
        citation_level="RED",
        citation_density=2 / 3,
        declared_count=6,
        declared_density=6 / 7,
        recommended_action="withhold",
        abstention_reason="no_source",
        orphan_anchors=((9, Span(10, 13)),),
        unused_citations=(6,),
        uncited_sentences=tuple(
            UncitedSentence(span=span, check_worthy=worthy, reason="number")
            for span, worthy in spans
        ),
        policy=policy,
        model=model,
        calibration=CalibrationCheck(status=CalibrationStatus.STALE, record=model.record),
        imported=ImportReport(
            format="native",
            declared_unit="undocumented",
            observed_unit="utf16",
            ambiguous=True,
            unmapped=(say("/a"), say("/b"), say("/c")),
            remarks=tuple(
                ImportRemark(pointer=say(pointer), code=code, detail=say("It names no file."))
                for pointer, code in remarks
            ),
        ),
        verdicts_digest=digest_verdicts(verdicts, policy, model),
        sentences=7,
        codes=("UNGROUNDED",),
    )


def make_policy() -> Policy:
    """A policy with thresholds that can be told apart; it takes the model's own."""
    return Policy(
        name="careful",
        version=3,
        effects=(),
        folds=(),
        threshold=None,
        contradiction_threshold=0.6,
        review_above=0.05,
        review_below=0.04,
        guard_band=0.001,
        max_span_chars=2000,
        green_count=2,
        green_density=0.3,
        fail_action="badge",
        digest=Digest.of(b"policy"),
    )


def make_model() -> ModelIdentity:
    """A model whose calibration has a threshold for the policy, and none for another."""
    bound = ErrorBound(
        alpha=0.05,
        delta=0.1,
        n=500,
        threshold=0.98,
        selected=300,
        errors=2,
        upper=0.0209,
        method="clopper-pearson",
    )
    record = CalibrationRecord(
        name="fitted",
        digest=Digest.of(b"calibration"),
        weights_sha256=None,
        labelled_sha256=None,
        n=400,
        made_on=date(2026, 10, 31),
        bounds=(("careful", bound),),
    )
    return ModelIdentity(
        name="model",
        weights_digest=Digest.of(b"weights"),
        runtime="runtime 1.0",
        calibration="older",
        threshold=0.9,
        labels=("entailed", "neutral", "contradicted"),
        thresholds=(("careful", 0.98), ("strict", None)),
        record=record,
        replayable=False,
    )
