"""The verification block as the JSON of the contract: plain dicts in the shapes of ``…_shapes``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spanproof.core import canonical_json
from spanproof.core.moment import write_moment

if TYPE_CHECKING:
    from spanproof.core.citation import Citation
    from spanproof.core.digest import Digest
    from spanproof.core.span import Span
    from spanproof.core.verdicts.block_shapes import (
        BlockOut,
        BoundOut,
        CalibrationOut,
        ModelOut,
        PolicyOut,
        RepairedOut,
        RepairOut,
    )
    from spanproof.core.verdicts.calibration import CalibrationCheck, ErrorBound
    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.core.verdicts.policy import Policy
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
    from spanproof.core.verdicts.verification_block import RepairReport, VerificationBlock


def block_to_json(block: VerificationBlock) -> BlockOut:
    """The object under ``verification``."""
    return {
        "verifier_version": block.verifier_version,
        "verified_at": write_moment(block.verified_at),
        "all_spans_present": block.all_spans_present,
        "all_claims_entailed": block.all_claims_entailed,
        "result": block.result.value,
        "citation_level": block.citation_level,
        "citation_density": round(block.citation_density, 6),
        "declared": {"count": block.declared_count, "density": round(block.declared_density, 6)},
        "recommended_action": block.recommended_action,
        "abstention_reason": block.abstention_reason,
        "codes": list(block.codes),
        "orphan_anchors": [
            {"anchor": anchor, **_offsets(span)} for anchor, span in block.orphan_anchors
        ],
        "unread_citations": [
            {**_offsets(span), "text": block.answer.prose[span.start : span.end]}
            for span in block.unread_citations
        ],
        "unused_citations": list(block.unused_citations),
        "uncited_sentences": [sentence.to_json() for sentence in block.uncited_sentences],
        "over_cited": [claim.to_json() for claim in block.over_cited],
        "snippets": [snippet.to_json() for snippet in block.snippets],
        "sentences": block.sentences,
        "policy": policy_to_json(block.policy),
        "model": model_to_json(block.model),
        "calibration": calibration_to_json(block.calibration, block.policy.name),
        "verdicts_digest": str(block.verdicts_digest),
        "import": {
            "format": block.imported.format,
            "declared_unit": block.imported.declared_unit,
            "observed_unit": block.imported.observed_unit,
            "ambiguous": block.imported.ambiguous,
            "unmapped": list(block.imported.unmapped),
            "remarks": [
                {"pointer": remark.pointer, "code": remark.code, "detail": remark.detail}
                for remark in block.imported.remarks
            ],
        },
        "repair": None if block.repair is None else repair_to_json(block.repair),
        "verdicts": [verdict_to_json(verdict) for verdict in block.verdicts],
    }


def repair_to_json(report: RepairReport) -> RepairOut:
    """The citations attached to an answer; they are not among the caller's."""
    return {
        "sentences": report.sentences,
        "max_repairs": report.max_repairs,
        "considered": report.considered,
        "unconsidered": report.unconsidered,
        "attached": report.attached,
        "rejected_not_entailed": report.rejected_not_entailed,
        "skipped": report.skipped,
        "citations": [_repaired_to_json(citation) for citation in report.citations],
    }


def _repaired_to_json(citation: Citation) -> RepairedOut:
    quote, segment, doc_hash = citation.quote, citation.segment, citation.doc_hash
    if quote is None or quote.start is None or quote.end is None:
        msg = "Expected the words that a repaired citation quotes, got a citation without them."
        raise ValueError(msg)
    if segment is None or doc_hash is None:
        msg = "Expected the document and the sentence of a repaired citation, got one without them."
        raise ValueError(msg)
    return {
        "anchor": citation.anchor,
        "doc_hash": str(doc_hash),
        "chunk_id": citation.chunk_id,
        "doc_title": citation.doc_title,
        "span": {"text": quote.text, "char_start": quote.start, "char_end": quote.end},
        "segment": _offsets(segment),
    }


def digest_verdicts(verdicts: tuple[Verdict, ...], policy: Policy, model: ModelIdentity) -> Digest:
    """SHA-256 of JCS(verdicts, policy, model), numbers as decimal strings: what replays."""
    parts = [
        [verdict_to_json(verdict) for verdict in verdicts],
        policy_to_json(policy),
        model_to_json(model),
    ]
    return canonical_json.digest(canonical_json.with_decimal_strings(parts))


def policy_to_json(policy: Policy) -> PolicyOut:
    """Name and digest."""
    return {"name": policy.name, "version": policy.version, "digest": str(policy.digest)}


def model_to_json(model: ModelIdentity) -> ModelOut:
    """Name, weights, runtime, calibration, thresholds, label map."""
    return {
        "name": model.name,
        "weights_sha256": None if model.weights_digest is None else model.weights_digest.hex,
        "runtime": model.runtime,
        "calibration": model.calibration,
        "threshold": model.threshold,
        "thresholds": dict(model.thresholds),
        "labels": list(model.labels),
        "replayable": model.replayable,
    }


def calibration_to_json(check: CalibrationCheck, policy: str) -> CalibrationOut:
    """Whether the chosen calibration applies to the answer, and its bound for the policy."""
    record = check.record
    bound = None if record is None else record.bound_for(policy)
    return {
        "status": check.status.value,
        "name": None if record is None else record.name,
        "digest": None if record is None else str(record.digest),
        "n": None if record is None else record.n,
        "date": None if record is None else record.made_on.isoformat(),
        "bound": None if bound is None else bound_to_json(bound),
    }


def bound_to_json(bound: ErrorBound) -> BoundOut:
    """What a calibration states of the claims that are reported ENTAILED."""
    return {
        "alpha": bound.alpha,
        "delta": bound.delta,
        "n": bound.n,
        "threshold": bound.threshold,
        "selected": bound.selected,
        "errors": bound.errors,
        "upper": bound.upper,
        "method": bound.method,
    }


def verdict_to_json(verdict: Verdict) -> VerdictOut:
    """One verdict of the block."""
    claim, identity = verdict.claim, verdict.identity
    return {
        "anchor": verdict.anchor,
        "citation": verdict.citation,
        "claim": {
            "text": claim.text,
            **_offsets(claim.span),
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
    return {
        "status": existence.status.value,
        "char_start": None if span is None else span.start,
        "char_end": None if span is None else span.end,
        "folds": list(existence.folds),
        "candidates": [_candidate_to_json(candidate) for candidate in existence.candidates],
        "difference": _difference_to_json(existence.difference),
    }


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
        **_offsets(subclaim.span),
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


def _offsets(span: Span) -> OffsetsOut:
    return {"start": span.start, "end": span.end}


def _char_offsets(span: Span) -> SourceSpanOut:
    return {"char_start": span.start, "char_end": span.end}
