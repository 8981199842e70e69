"""One verdict of a block as the JSON of the contract, in the shapes of ``verdict_shapes``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import (
        Candidate,
        CrossCheck,
        Difference,
        Existence,
        JointSupport,
        LocatorCheck,
        NewestExtraction,
        SubClaim,
        Support,
        Verdict,
        Veto,
    )
    from spanproof.core.verdicts.verdict_shapes import (
        CandidateOut,
        DifferenceOut,
        ExistenceOut,
        JointOut,
        LocatorOut,
        NewestOut,
        OffsetsOut,
        SourceSpanOut,
        SubclaimOut,
        SupportOut,
        VerdictOut,
        VetoOut,
        WitnessOut,
    )


def verdict_to_json(verdict: Verdict) -> VerdictOut:
    """The four axes of one claim and one citation, its outcome and what explains it."""
    claim, identity = verdict.claim, verdict.identity
    return {
        "anchor": verdict.anchor,
        "citation": verdict.citation,
        "claim": {
            "text": claim.text,
            **write_offsets(claim.span),
            "hypothesis": claim.hypothesis,
        },
        "identity": {
            "status": identity.status.value,
            "doc_hash": _text(identity.doc_hash),
            "extraction_id": _text(identity.extraction_id),
            "chunk": identity.chunk.value,
            "newest": None if identity.newest is None else _newest_to_json(identity.newest),
        },
        "existence": _existence_to_json(verdict.existence),
        "locator": _locator_to_json(verdict.locator),
        "support": _support_to_json(verdict.support),
        "attribution": {
            "status": verdict.attribution.status.value,
            "supported_by": [_candidate_to_json(c) for c in verdict.attribution.supported_by],
        },
        "outcome": verdict.outcome.value,
        "codes": list(verdict.codes),
        "notes": verdict.notes,
        "view_url": verdict.view_url,
        "origin": verdict.origin,
        "repaired": verdict.repaired,
        "quotations": [quotation.to_json() for quotation in verdict.quotations],
    }


def _newest_to_json(newest: NewestExtraction) -> NewestOut:
    span = newest.span
    return {
        "extraction_id": str(newest.extraction_id),
        "status": newest.status.value,
        "char_start": None if span is None else span.start,
        "char_end": None if span is None else span.end,
    }


def _existence_to_json(existence: Existence) -> ExistenceOut:
    span = existence.span
    out: ExistenceOut = {
        "status": existence.status.value,
        "char_start": None if span is None else span.start,
        "char_end": None if span is None else span.end,
        "folds": list(existence.folds),
        "candidates": [_candidate_to_json(candidate) for candidate in existence.candidates],
        "difference": _difference_to_json(existence.difference),
    }
    if existence.degraded_pages:
        out["degraded_pages"] = list(existence.degraded_pages)
    return out


def _difference_to_json(difference: Difference | None) -> DifferenceOut | None:
    if difference is None:
        return None
    return {
        "source": difference.source,
        "edits": [
            {
                "kind": edit.kind,
                "quote": edit.quote,
                "source": edit.source,
                "char_start": edit.span.start,
                "char_end": edit.span.end,
                "protected": edit.protected,
                "touches": [
                    {"side": token.side, "kind": token.kind, "text": token.text}
                    for token in edit.touches
                ],
            }
            for edit in difference.edits
        ],
    }


def _locator_to_json(locator: LocatorCheck) -> LocatorOut:
    return {
        "status": locator.status.value,
        "page": locator.page,
        "bbox": None if locator.bbox is None else locator.bbox.to_list(),
        "quads": [{"page": page, "points": quad.to_list()} for page, quad in locator.quads],
        "iou": None if locator.iou is None else round(locator.iou, 4),
        "witness": _cross_check_to_json(locator.cross_check),
    }


def _cross_check_to_json(check: CrossCheck) -> WitnessOut:
    return {
        "status": check.status.value,
        "engine": check.engine,
        "read": check.read,
        "moved": None if check.moved is None else round(check.moved, 4),
        "reason": check.reason,
    }


def _support_to_json(support: Support) -> SupportOut:
    read = support.read
    return {
        "status": support.status.value,
        "reason": support.reason,
        "p_entailment": _probability(support.p_entailment),
        "p_neutral": _probability(support.p_neutral),
        "p_contradiction": _probability(support.p_contradiction),
        "windows": support.windows,
        "coverage": round(support.coverage, 6),
        "evidence": None if support.evidence is None else _char_offsets(support.evidence),
        "vetoes": [_veto_to_json(veto) for veto in support.vetoes],
        "logits": _logits_to_json(support.logits),
        "terms": [
            {"name": term.name, "value": round(term.value, 6), "weight": round(term.weight, 6)}
            for term in support.terms
        ],
        "grade": support.grade,
        "subclaims": [_subclaim_to_json(subclaim) for subclaim in support.subclaims],
        "context": support.context,
        "read": None if read is None else {"premise": read.premise, "hypothesis": read.hypothesis},
        "joint": None if support.joint is None else _joint_to_json(support.joint),
        "ordered_coverage": _probability(support.ordered_coverage),
        "unsupported_parts": [
            {"claim": part.claim, "claim_start": part.span.start, "claim_end": part.span.end}
            for part in support.unsupported_parts
        ],
    }


def _veto_to_json(veto: Veto) -> VetoOut:
    source = veto.source_span
    return {
        "kind": veto.kind,
        "claim": veto.claim,
        "claim_start": veto.claim_span.start,
        "claim_end": veto.claim_span.end,
        "source": veto.source,
        "char_start": None if source is None else source.start,
        "char_end": None if source is None else source.end,
    }


def _subclaim_to_json(subclaim: SubClaim) -> SubclaimOut:
    return {
        "text": subclaim.text,
        **write_offsets(subclaim.span),
        "hypothesis": subclaim.hypothesis,
        "status": subclaim.status.value,
        "reason": subclaim.reason,
        "p_entailment": _probability(subclaim.p_entailment),
        "p_neutral": _probability(subclaim.p_neutral),
        "p_contradiction": _probability(subclaim.p_contradiction),
        "logits": _logits_to_json(subclaim.logits),
        "vetoes": [_veto_to_json(veto) for veto in subclaim.vetoes],
    }


def _joint_to_json(joint: JointSupport) -> JointOut:
    return {
        "citations": list(joint.citations),
        "status": joint.status.value,
        "reason": joint.reason,
        "p_entailment": _probability(joint.p_entailment),
        "alone": {"status": joint.alone.value, "p_entailment": _probability(joint.p_alone)},
    }


def _logits_to_json(logits: tuple[tuple[str, float], ...]) -> dict[str, float]:
    # The model's float32 values, in the fewest digits that read back to the same bits.
    return {label: float(str(np.float32(value))) for label, value in logits}


def _candidate_to_json(candidate: Candidate) -> CandidateOut:
    return {
        "doc_hash": str(candidate.doc_hash),
        **_char_offsets(candidate.span),
        "folds": list(candidate.folds),
    }


def _probability(value: float | None) -> float | None:
    # Six decimals: the digest covers the digits that are shown.
    return None if value is None else round(float(value), 6)


def _text(digest: Digest | None) -> str | None:
    return None if digest is None else str(digest)


def write_offsets(span: Span) -> OffsetsOut:
    """Where a span of the answer begins and ends, in code points."""
    return {"start": span.start, "end": span.end}


def _char_offsets(span: Span) -> SourceSpanOut:
    return {"char_start": span.start, "char_end": span.end}
