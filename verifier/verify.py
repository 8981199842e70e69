"""The procedure, numbered. A test compares the numbers with ``docs/reference/verification.md``.

For every claim and citation:

(1) Claims: the sentence that each anchor marks; orphans, marks that are not read, unused
    citations, uncited sentences; what a claim puts in quotation marks stands in what it cites.
(2) Identity: the document is the one cited (whole hash), the extraction is known.
(3) Existence: the quote stands at its offsets, or the ladder says how it fails.
(4) Locator: the given page and box hold the span; the span lies in the cited chunk; a second
    engine, where it is asked, reads the same words there.
(5) Support: the span, as the source has it, entails the claim, whole and in its parts; alone,
    else in its context, else together with the claim's other citations.
(6) Attribution: here, elsewhere in what was supplied, or nowhere.
(7) Outcome: what the axes come to under the policy.

For the answer:

(8) Summary: result, densities, recommended action.
(9) Digest: what was decided, in bytes that replay.

A step that did not run never makes a pass: without its input it says NOT_RUN.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanproof.core.citation import Answer, Citation, Quote
from spanproof.core.digest import digest_text
from spanproof.core.documents.document import Library, Source
from spanproof.core.shown import show_value
from spanproof.core.span import Span
from spanproof.core.verdicts.block_json import digest_verdicts
from spanproof.core.verdicts.calibration import check_calibration
from spanproof.core.verdicts.status import ExistenceStatus, IdentityStatus, SupportStatus
from spanproof.core.verdicts.verdict import Candidate, Verdict
from spanproof.core.verdicts.verification_block import ImportReport, VerificationBlock
from spanproof.verifier.claims.obscured import find_obscured
from spanproof.verifier.claims.pairing import pair_claims
from spanproof.verifier.claims.unread import find_unread
from spanproof.verifier.identity.snippet import leave_out, list_snippets
from spanproof.verifier.identity.source import check_index, has_accepted_tier
from spanproof.verifier.identity.standing import find_standing
from spanproof.verifier.notes import write_note
from spanproof.verifier.outcome import Axes, find_over_cited, judge_outcome, summarise
from spanproof.verifier.quotes.cuts import repeats_cut
from spanproof.verifier.quotes.existence import AT_SPAN, find_quote
from spanproof.verifier.quotes.locator import check_locator
from spanproof.verifier.quotes.quotations import check_quotations, quotation_codes
from spanproof.verifier.span_check import check_span
from spanproof.verifier.support.claim import support_claims
from spanproof.verifier.support.elsewhere import check_attribution
from spanproof.verifier.support.joint import Cited
from spanproof.verifier.support.judge import SupportJudge, find_model_codes, find_scope_codes
from spanproof.verifier.support.scope import SCOPE_CUT
from spanproof.verifier.version import verifier_version

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from spanproof.core.citation import Claim
    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Extraction
    from spanproof.core.ports import CrossChecker, EntailmentModel
    from spanproof.core.verdicts.answer_findings import QuotationCheck
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verdict import Support
    from spanproof.verifier.span_check import SpanCheck

NATIVE = ImportReport(
    format="native", declared_unit="codepoint", observed_unit=None, ambiguous=False
)


def verify(  # noqa: PLR0913 - the five inputs of the judgement and the clock
    answer: Answer,
    library: Library,
    model: EntailmentModel,
    policy: Policy,
    *,
    verified_at: datetime,
    imported: ImportReport = NATIVE,
    cross_checker: CrossChecker | None = None,
) -> VerificationBlock:
    """Check every citation of the answer against the supplied documents; report, never raise.

    ``library`` has every document that the answer names (documents, retrieved, citations); a
    missing one is UNKNOWN_DOCUMENT. ``model`` may be one that only says NOT_RUN; ``cross_checker``
    decides which spans it reads.
    """
    # (1) Claims.
    pairing = pair_claims(answer)
    if imported.format == NATIVE.format:
        # A provider's format has marks of its own, and places its citations by offsets.
        pairing = replace(pairing, unread=find_unread(answer))
    found = [
        _with_standing(
            check_span(citation, answer, library, cross_checker), answer, library, verified_at
        )
        for citation in answer.citations
    ]
    library = leave_out(library, {item.lifted for item in found})
    identity = model.identity
    calibration = check_calibration(identity.record, identity.weights_digest, answer, verified_at)
    judge = SupportJudge(model, policy)
    # (5) Support: of a claim by all of its citations at once, because they may support it together.
    cites = [_to_cited(index, item) for index, item in enumerate(found)]
    supports = support_claims(judge, answer, pairing.pairs, cites)
    # (1) Claims: their quotations, for which the documents had to be found.
    quotations = check_quotations(answer, pairing.pairs, cites)
    case = _Case(
        answer=answer,
        library=library,
        places=_supplied_places(answer, found, library),
        judge=judge,
        policy=policy,
        obscured=find_obscured(claim for claim, _ in pairing.pairs),
        scope_codes=find_scope_codes(calibration) + find_model_codes(model.identity),
    )
    verdicts = tuple(
        case.judge_claim(
            claim,
            index,
            found[index],
            supports[claim.span, index],
            quotations.get((claim.span, index), ()),
        )
        for claim, index in pairing.pairs
    )
    # (8) Summary.
    summary = summarise(answer, verdicts, pairing=pairing, imported=imported, policy=policy)
    return VerificationBlock(
        answer=answer,
        verifier_version=verifier_version(policy, model.identity),
        verified_at=verified_at,
        verdicts=verdicts,
        result=summary.result,
        citation_level=summary.citation_level,
        citation_density=summary.density,
        declared_count=summary.declared_count,
        declared_density=summary.declared_density,
        recommended_action=summary.action,
        abstention_reason=summary.abstention_reason,
        orphan_anchors=pairing.orphans,
        unread_citations=pairing.unread,
        unused_citations=pairing.unused,
        codes=summary.codes,
        uncited_sentences=pairing.uncited,
        over_cited=find_over_cited(verdicts),
        snippets=list_snippets(answer, library, verdicts),
        sentences=pairing.sentences,
        policy=policy,
        model=model.identity,
        calibration=calibration,
        imported=_observe_unit(imported, found),
        # (9) Digest.
        verdicts_digest=digest_verdicts(verdicts, policy, model.identity),
    )


def _with_standing(
    item: SpanCheck, answer: Answer, library: Library, verified_at: datetime
) -> SpanCheck:
    # (2) Identity: what the operator says of the document.
    codes = find_standing(item, library, generated_at=answer.generated_at, verified_at=verified_at)
    return replace(item, codes=item.codes + codes) if codes else item


def verify_pair(
    premise: Extraction, hypothesis: str, judge: SupportJudge, policy: Policy
) -> Verdict | None:
    """The verdict on a hypothesis that cites a whole document; None if it states nothing.

    What could support it elsewhere is not looked for: that decides no outcome.
    """
    text, doc_hash = premise.text.text, premise.document.doc_hash
    citation = Citation(
        anchor=1,
        quote=Quote(text=text, start=0, end=len(text)),
        doc_hash=doc_hash,
        segment=Span(0, len(hypothesis)),
    )
    answer = Answer(prose=hypothesis, anchors=(), citations=(citation,))
    library = Library(sources=(Source(document=premise.document, extractions=(premise,)),))
    pairs = pair_claims(answer).pairs
    if not pairs:
        return None
    ((claim, _),) = pairs
    item = check_span(citation, answer, library, None)
    cites = [_to_cited(0, item)]
    case = _Case(
        answer=answer,
        library=Library(),
        places=(),
        judge=judge,
        policy=policy,
        obscured=find_obscured((claim,)),
        scope_codes=find_model_codes(judge.model),
    )
    support = support_claims(judge, answer, pairs, cites)[claim.span, 0]
    quotations = check_quotations(answer, pairs, cites).get((claim.span, 0), ())
    return case.judge_claim(claim, 0, item, support, quotations)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """The inputs that all verdicts of one answer share."""

    answer: Answer
    library: Library
    places: tuple[Candidate, ...]
    judge: SupportJudge
    policy: Policy
    scope_codes: tuple[str, ...]
    #: Claims that a reader may read otherwise than the model.
    obscured: frozenset[Span]

    def judge_claim(
        self,
        claim: Claim,
        index: int,
        item: SpanCheck,
        support: Support,
        quotations: tuple[QuotationCheck, ...],
    ) -> Verdict:
        """Steps 4, 6 and 7 for one claim and citation, after step 5."""
        existence, extraction = item.existence, item.extraction
        span = existence.span if existence.status in AT_SPAN else None
        codes = item.codes
        # (4) Locator.
        locator = replace(
            check_locator(item.citation.locator, extraction, span, item.citation.cell),
            cross_check=item.cross_check,
        )
        # (5) Support: the codes that it adds.
        if span is not None and extraction is not None:
            codes += ("SPAN_COARSE",) if len(span) > self.policy.max_span_chars else ()
            if "SPAN_CUTS_TOKEN" in codes and repeats_cut(
                extraction.text.text, span, claim.hypothesis
            ):
                codes += ("SPAN_CUTS_MEANING",)
        if support.reason == SCOPE_CUT:
            codes += ("SPAN_SCOPE_CUT",)
        if support.context != "bare":
            codes += ("SUPPORT_IN_CONTEXT",)
        if support.status is not SupportStatus.NOT_RUN:
            codes += self.scope_codes
        # (6) Attribution.
        elsewhere = [
            place
            for place in self.places
            if (place.span, place.doc_hash) != (span, item.identity.doc_hash)
        ]
        if existence.status is ExistenceStatus.MISATTRIBUTED:
            elsewhere.extend(existence.candidates)
        attribution = check_attribution(
            claim.hypothesis, support, elsewhere, self.library, self.judge
        )
        # (7) Outcome.
        axes = Axes(
            identity=item.identity,
            existence=existence,
            locator=locator,
            support=support,
            attribution=attribution,
        )
        if not set(existence.folds) <= set(self.policy.folds):
            codes += ("FOLD_NOT_ACCEPTED",)
        codes += quotation_codes(quotations)
        if claim.span in self.obscured:
            codes += ("CLAIM_OBSCURED",)
        if not has_accepted_tier(item.citation, self.answer, self.policy):
            codes += ("SOURCE_UNTRUSTED",)
        codes += check_index(item.citation, self.library)
        codes = tuple(dict.fromkeys(axes.codes() + codes))
        outcome = judge_outcome(axes, codes, self.policy)
        return Verdict(
            anchor=item.citation.anchor,
            citation=index,
            claim=claim,
            identity=axes.identity,
            existence=axes.existence,
            locator=axes.locator,
            support=axes.support,
            attribution=axes.attribution,
            outcome=outcome,
            codes=codes,
            notes=write_note(axes, outcome, codes, _name_document(item.citation)),
            view_url=_view_url(item),
            origin=item.citation.origin,
            repaired=item.citation.repaired,
            quotations=quotations,
        )


def _name_document(citation: Citation) -> str:
    return show_value(citation.doc_id or str(citation.doc_hash))


def _to_cited(index: int, item: SpanCheck) -> Cited:
    existence = item.existence
    return Cited(
        citation=index,
        extraction=item.extraction,
        span=existence.span if existence.status in AT_SPAN else None,
        # Words that differ from those cited, or that no reader sees, must not support others.
        may_join=existence.status is not ExistenceStatus.ALTERED
        and not {"HIDDEN_TEXT", "LOST_GLYPHS"} & set(item.codes),
    )


def _supplied_places(
    answer: Answer, found: Sequence[SpanCheck], library: Library
) -> tuple[Candidate, ...]:
    """Every span that came with the answer: resolved citations and retrieved chunks."""
    places = [
        Candidate(span=item.existence.span, doc_hash=item.identity.doc_hash)
        for item in found
        if item.existence.span is not None
        and item.identity.doc_hash is not None
        and item.existence.status in AT_SPAN - {ExistenceStatus.ALTERED}
    ]
    for chunk in answer.retrieved:
        doc_hash: Digest | None = chunk.doc_hash
        if doc_hash is None and chunk.doc_id is not None:
            doc_hash = library.resolve(chunk.doc_id, at=answer.generated_at)
        span = chunk.span
        if chunk.text and (doc_hash is None or library.find(doc_hash) is None):
            own = digest_text(chunk.text)
            if own is not None and library.find(own) is not None:
                # A snippet: the chunk's offsets count in a document that is not here.
                doc_hash, span = own, Span(0, len(chunk.text))
        if span is None and chunk.text and doc_hash is not None:
            source = library.find(doc_hash)
            extraction = source.find_extraction(None) if source else None
            span = find_quote(chunk.text, extraction).span if extraction else None
        if doc_hash is not None and span is not None:
            places.append(Candidate(span=span, doc_hash=doc_hash))
    return tuple(dict.fromkeys(places))


def _observe_unit(imported: ImportReport, found: Sequence[SpanCheck]) -> ImportReport:
    units = {item.observed_unit for item in found if item.observed_unit is not None}
    # ASCII before the span's end looks the same in every unit, where offsets were given at all.
    seen = [
        (item.extraction.text.text, item.existence.span.end)
        for item in found
        if item.extraction is not None and item.existence.span is not None
        if item.citation.quote is not None and item.citation.quote.start is not None
    ]
    # A whole ASCII text answers at once; only for other texts is the part before the span copied.
    ambiguous = bool(seen) and all(text.isascii() or text[:end].isascii() for text, end in seen)
    units |= set() if imported.observed_unit is None else {imported.observed_unit}
    observed = units.pop() if len(units) == 1 else "mixed" if units else None
    return replace(imported, observed_unit=observed, ambiguous=ambiguous or imported.ambiguous)


def _view_url(item: SpanCheck) -> str | None:
    """The permanent address of the span's page; relative, so that it replays anywhere."""
    span = item.existence.span
    identity = item.identity
    known = identity.status in {IdentityStatus.MATCH, IdentityStatus.SUPERSEDED}
    if span is None or not known:
        return None
    return f"/view/{identity.doc_hash}/{identity.extraction_id}/{span.start}/{span.end}"
