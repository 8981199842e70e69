from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

from spanproof.core.citation import Claim
from spanproof.core.digest import Digest
from spanproof.core.errors import SpanproofError
from spanproof.core.geometry import Quad, Rect
from spanproof.core.span import Span
from spanproof.core.verdicts.answer_findings import QuotationCheck
from spanproof.core.verdicts.model import ScoreTerm
from spanproof.core.verdicts.status import (
    AttributionStatus,
    ChunkStatus,
    CrossCheckStatus,
    ExistenceStatus,
    IdentityStatus,
    LocatorStatus,
    Outcome,
    SupportStatus,
)
from spanproof.core.verdicts.verdict import (
    Attribution,
    Candidate,
    CrossCheck,
    Difference,
    Edit,
    Existence,
    Identity,
    JointSupport,
    LocatorCheck,
    NewestExtraction,
    ReadTexts,
    SubClaim,
    Support,
    TouchedToken,
    UnsupportedPart,
    Verdict,
    Veto,
)
from spanproof.core.verdicts.verdict_json import verdict_to_json
from spanproof.core.verdicts.verdict_reading import read_verdict

ONE, TWO = Digest.of(b"one"), Digest.of(b"two")
VETO = Veto(
    kind="number", claim="900", claim_span=Span(1, 4), source="850", source_span=Span(7, 10)
)
PLACE = Candidate(span=Span(3, 9), doc_hash=TWO, folds=("white_space",))
FULL = Verdict(
    anchor=2,
    citation=1,
    claim=Claim(text="The rent is 900 euros [2].", span=Span(5, 31), hypothesis="The rent is 900."),
    identity=Identity(
        status=IdentityStatus.MATCH,
        doc_hash=ONE,
        extraction_id=TWO,
        chunk=ChunkStatus.MATCH,
        newest=NewestExtraction(extraction_id=ONE, status=ExistenceStatus.EXACT, span=Span(1, 2)),
    ),
    existence=Existence(
        status=ExistenceStatus.ALTERED,
        span=Span(0, 12),
        folds=("spacing",),
        candidates=(PLACE,),
        difference=Difference(
            source="850 euros",
            edits=(
                Edit(
                    kind="replace",
                    quote="900",
                    source="850",
                    span=Span(4, 7),
                    protected=True,
                    touches=(TouchedToken(side="quote", kind="number", text="900"),),
                ),
            ),
        ),
        degraded_pages=(3,),
    ),
    locator=LocatorCheck(
        status=LocatorStatus.MATCH,
        page=3,
        bbox=Rect(1.0, 2.0, 3.0, 4.5),
        quads=((3, Quad((1.0, 2.0), (3.0, 2.0), (3.0, 4.5), (1.0, 4.5))),),
        iou=0.9712,
        cross_check=CrossCheck(
            status=CrossCheckStatus.NOT_RUN, engine="pdfium", read="x", moved=0.25, reason="size"
        ),
    ),
    support=Support(
        status=SupportStatus.NEUTRAL,
        reason="veto",
        p_entailment=0.25,
        p_neutral=0.5,
        p_contradiction=0.25,
        windows=2,
        coverage=0.75,
        evidence=Span(2, 8),
        vetoes=(VETO,),
        logits=(("entailment", 0.5),),
        terms=(ScoreTerm(name="overlap", value=0.5, weight=0.25),),
        grade="partial",
        subclaims=(
            SubClaim(
                text="The rent",
                span=Span(5, 13),
                hypothesis="The rent.",
                status=SupportStatus.ENTAILED,
                reason="verbatim",
                p_entailment=0.5,
                p_neutral=0.25,
                p_contradiction=0.25,
                logits=(("neutral", 1.5),),
                vetoes=(replace(VETO, source=None, source_span=None),),
            ),
        ),
        context="headers",
        read=ReadTexts(premise="p", hypothesis="h"),
        joint=JointSupport(
            citations=(1, 2),
            status=SupportStatus.ENTAILED,
            reason="joint",
            p_entailment=0.875,
            alone=SupportStatus.NEUTRAL,
            p_alone=0.125,
        ),
        ordered_coverage=0.5,
        unsupported_parts=(UnsupportedPart(claim="900", span=Span(1, 4)),),
    ),
    attribution=Attribution(status=AttributionStatus.ELSEWHERE, supported_by=(PLACE,)),
    outcome=Outcome.FAIL,
    codes=("VETO_NUMBER",),
    notes="The claim says '900' where the span says '850' (number).",
    view_url="/view/1",
    origin="native",
    repaired=True,
    quotations=(
        QuotationCheck(
            text="euros", span=Span(20, 25), status=ExistenceStatus.EXACT, found=Span(8, 13)
        ),
    ),
)


def find_defaults(value: object, path: str = "verdict") -> list[str]:
    """The fields that are empty, where a reader that forgets them would not be found out."""
    if isinstance(value, tuple):
        return [each for item in value for each in find_defaults(item, f"{path}[]")]
    if not is_dataclass(value):
        return [path] if value in (None, (), "", 0) else []
    return [
        each
        for field in fields(value)
        for each in find_defaults(getattr(value, field.name), f"{path}.{field.name}")
        if not isinstance(value, Span)
    ]


def write(verdict: Verdict) -> Any:
    return json.loads(json.dumps(verdict_to_json(verdict)))


def test_a_verdict_is_read_back_as_it_was_written() -> None:
    empty = find_defaults(FULL)
    assert empty == [
        f"verdict.support.subclaims[].vetoes[].{name}" for name in ("source", "source_span")
    ]
    assert read_verdict(write(FULL)) == FULL
    short = replace(
        FULL,
        identity=Identity(
            status=IdentityStatus.UNKNOWN_DOCUMENT, doc_hash=None, extraction_id=None
        ),
        existence=Existence(status=ExistenceStatus.NOT_RUN),
        locator=LocatorCheck(status=LocatorStatus.NOT_RUN),
        support=Support(status=SupportStatus.NOT_RUN, reason="no_span"),
        quotations=(replace(FULL.quotations[0], found=None),),
    )
    assert read_verdict(write(short)) == short


def test_fields_of_a_later_version_are_passed_over() -> None:
    raw = write(FULL)
    raw["later"], raw["identity"]["later"] = 1, 2
    assert read_verdict(raw) == FULL


@pytest.mark.parametrize("axis", ["identity", "existence", "locator", "support", "attribution"])
def test_a_status_of_a_later_version_is_refused(axis: str) -> None:
    raw = write(FULL)
    raw[axis]["status"] = "LATER"
    with pytest.raises((ValueError, SpanproofError), match="LATER"):
        read_verdict(raw)
