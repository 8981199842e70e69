"""The JSON of a verdict → the verdict: what ``verdict_json`` wrote, read back.

Numbers come back as they were written (six digits of a probability), so the verdict that is written
again is the same JSON. Fields that this version does not know are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spanproof.core.citation import Claim
from spanproof.core.digest import Digest
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

JsonObject = Mapping[str, Any]


def read_verdict(raw: JsonObject) -> Verdict:
    """The verdict; KeyError, TypeError or ValueError where the JSON is not that of a verdict."""
    claim, attribution = raw["claim"], raw["attribution"]
    return Verdict(
        anchor=raw["anchor"],
        citation=raw["citation"],
        claim=Claim(
            text=claim["text"],
            span=Span(claim["start"], claim["end"]),
            hypothesis=claim["hypothesis"],
        ),
        identity=_read_identity(raw["identity"]),
        existence=_read_existence(raw["existence"]),
        locator=_read_locator(raw["locator"]),
        support=_read_support(raw["support"]),
        attribution=Attribution(
            status=AttributionStatus(attribution["status"]),
            supported_by=tuple(map(_read_candidate, attribution["supported_by"])),
        ),
        outcome=Outcome(raw["outcome"]),
        codes=tuple(raw["codes"]),
        notes=raw["notes"],
        view_url=raw["view_url"],
        origin=raw["origin"],
        repaired=raw["repaired"],
        quotations=tuple(
            QuotationCheck(
                text=each["text"],
                span=Span(each["start"], each["end"]),
                status=ExistenceStatus(each["status"]),
                found=_read_span(each),
            )
            for each in raw["quotations"]
        ),
    )


def _read_identity(raw: JsonObject) -> Identity:
    newest = raw["newest"]
    return Identity(
        status=IdentityStatus(raw["status"]),
        doc_hash=_read_digest(raw["doc_hash"]),
        extraction_id=_read_digest(raw["extraction_id"]),
        chunk=ChunkStatus(raw["chunk"]),
        newest=None
        if newest is None
        else NewestExtraction(
            extraction_id=Digest.parse(newest["extraction_id"]),
            status=ExistenceStatus(newest["status"]),
            span=_read_span(newest),
        ),
    )


def _read_existence(raw: JsonObject) -> Existence:
    difference = raw["difference"]
    return Existence(
        status=ExistenceStatus(raw["status"]),
        span=_read_span(raw),
        folds=tuple(raw["folds"]),
        candidates=tuple(map(_read_candidate, raw["candidates"])),
        difference=None
        if difference is None
        else Difference(
            source=difference["source"], edits=tuple(map(_read_edit, difference["edits"]))
        ),
        degraded_pages=tuple(raw.get("degraded_pages", ())),
    )


def _read_edit(raw: JsonObject) -> Edit:
    return Edit(
        kind=raw["kind"],
        quote=raw["quote"],
        source=raw["source"],
        span=Span(raw["char_start"], raw["char_end"]),
        protected=raw["protected"],
        touches=tuple(
            TouchedToken(side=each["side"], kind=each["kind"], text=each["text"])
            for each in raw["touches"]
        ),
    )


def _read_locator(raw: JsonObject) -> LocatorCheck:
    bbox, witness = raw["bbox"], raw["witness"]
    return LocatorCheck(
        status=LocatorStatus(raw["status"]),
        page=raw["page"],
        bbox=None if bbox is None else Rect(*bbox),
        quads=tuple((each["page"], _read_quad(each["points"])) for each in raw["quads"]),
        iou=raw["iou"],
        cross_check=CrossCheck(
            status=CrossCheckStatus(witness["status"]),
            engine=witness["engine"],
            read=witness["read"],
            moved=witness["moved"],
            reason=witness["reason"],
        ),
    )


def _read_quad(points: list[float]) -> Quad:
    x0, y0, x1, y1, x2, y2, x3, y3 = points
    return Quad((x0, y0), (x1, y1), (x2, y2), (x3, y3))


def _read_support(raw: JsonObject) -> Support:
    evidence, read, joint = raw["evidence"], raw["read"], raw["joint"]
    return Support(
        status=SupportStatus(raw["status"]),
        reason=raw["reason"],
        p_entailment=raw["p_entailment"],
        p_neutral=raw["p_neutral"],
        p_contradiction=raw["p_contradiction"],
        windows=raw["windows"],
        coverage=raw["coverage"],
        evidence=None if evidence is None else _read_span(evidence),
        vetoes=tuple(map(_read_veto, raw["vetoes"])),
        logits=tuple(raw["logits"].items()),
        terms=tuple(
            ScoreTerm(name=each["name"], value=each["value"], weight=each["weight"])
            for each in raw["terms"]
        ),
        grade=raw["grade"],
        subclaims=tuple(map(_read_subclaim, raw["subclaims"])),
        context=raw["context"],
        read=None
        if read is None
        else ReadTexts(premise=read["premise"], hypothesis=read["hypothesis"]),
        joint=None if joint is None else _read_joint(joint),
        ordered_coverage=raw["ordered_coverage"],
        unsupported_parts=tuple(
            UnsupportedPart(claim=each["claim"], span=Span(each["claim_start"], each["claim_end"]))
            for each in raw["unsupported_parts"]
        ),
    )


def _read_veto(raw: JsonObject) -> Veto:
    return Veto(
        kind=raw["kind"],
        claim=raw["claim"],
        claim_span=Span(raw["claim_start"], raw["claim_end"]),
        source=raw["source"],
        source_span=_read_span(raw),
    )


def _read_subclaim(raw: JsonObject) -> SubClaim:
    return SubClaim(
        text=raw["text"],
        span=Span(raw["start"], raw["end"]),
        hypothesis=raw["hypothesis"],
        status=SupportStatus(raw["status"]),
        reason=raw["reason"],
        p_entailment=raw["p_entailment"],
        p_neutral=raw["p_neutral"],
        p_contradiction=raw["p_contradiction"],
        logits=tuple(raw["logits"].items()),
        vetoes=tuple(map(_read_veto, raw["vetoes"])),
    )


def _read_joint(raw: JsonObject) -> JointSupport:
    return JointSupport(
        citations=tuple(raw["citations"]),
        status=SupportStatus(raw["status"]),
        reason=raw["reason"],
        p_entailment=raw["p_entailment"],
        alone=SupportStatus(raw["alone"]["status"]),
        p_alone=raw["alone"]["p_entailment"],
    )


def _read_candidate(raw: JsonObject) -> Candidate:
    return Candidate(
        span=Span(raw["char_start"], raw["char_end"]),
        doc_hash=Digest.parse(raw["doc_hash"]),
        folds=tuple(raw["folds"]),
    )


def _read_span(raw: JsonObject) -> Span | None:
    start, end = raw["char_start"], raw["char_end"]
    return None if start is None else Span(start, end)


def _read_digest(text: str | None) -> Digest | None:
    return None if text is None else Digest.parse(text)
