"""The verification block as the JSON of the contract: plain dicts of plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core import canonical_json

if TYPE_CHECKING:
    from core.digest import Digest
    from core.policy import Policy
    from core.span import Span
    from core.verdict import (
        Candidate,
        Difference,
        Existence,
        LocatorCheck,
        ModelIdentity,
        Support,
        Verdict,
        VerificationBlock,
        WitnessCheck,
    )

Json = dict[str, Any]


def block_to_json(block: VerificationBlock) -> Json:
    """The object that stands under ``verification``."""
    return {
        "verifier_version": block.verifier_version,
        "verified_at": block.verified_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "all_spans_present": block.all_spans_present,
        "all_claims_entailed": block.all_claims_entailed,
        "result": block.result.value,
        "level": block.level,
        "citation_density": round(block.citation_density, 6),
        "declared": {"count": block.declared_count, "density": round(block.declared_density, 6)},
        "recommended_action": block.recommended_action,
        "abstention_reason": block.abstention_reason,
        "orphan_anchors": [
            {"anchor": anchor} | _offsets(span) for anchor, span in block.orphan_anchors
        ],
        "unused_citations": list(block.unused_citations),
        "uncited_sentences": [_offsets(span) for span in block.uncited_sentences],
        "sentences": block.sentences,
        "policy": policy_to_json(block.policy),
        "model": model_to_json(block.model),
        "verdicts_digest": str(block.verdicts_digest),
        "import": {
            "format": block.imported.format,
            "declared_unit": block.imported.declared_unit,
            "observed_unit": block.imported.observed_unit,
            "ambiguous": block.imported.ambiguous,
            "unmapped": list(block.imported.unmapped),
        },
        "verdicts": [verdict_to_json(verdict) for verdict in block.verdicts],
    }


def digest_verdicts(verdicts: tuple[Verdict, ...], policy: Policy, model: ModelIdentity) -> Digest:
    """SHA-256 of JCS(verdicts, policy, model), numbers as decimal strings: what replays."""
    parts = [
        [verdict_to_json(verdict) for verdict in verdicts],
        policy_to_json(policy),
        model_to_json(model),
    ]
    return canonical_json.digest(canonical_json.with_decimal_strings(parts))


def policy_to_json(policy: Policy) -> Json:
    """Name and digest."""
    return {"name": policy.name, "version": policy.version, "digest": str(policy.digest)}


def model_to_json(model: ModelIdentity) -> Json:
    """Name, weights, runtime, calibration, threshold, label map."""
    return {
        "name": model.name,
        "weights_sha256": None if model.weights_digest is None else model.weights_digest.hex,
        "runtime": model.runtime,
        "calibration": model.calibration,
        "threshold": model.threshold,
        "labels": list(model.labels),
    }


def verdict_to_json(verdict: Verdict) -> Json:
    """One verdict of the block."""
    claim, identity = verdict.claim, verdict.identity
    return {
        "anchor": verdict.anchor,
        "citation": verdict.citation,
        "claim": {"text": claim.text} | _offsets(claim.span) | {"hypothesis": claim.hypothesis},
        "identity": {
            "status": identity.status.value,
            "doc_hash": _text(identity.doc_hash),
            "extraction_id": _text(identity.extraction_id),
            "chunk": identity.chunk.value,
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
    }


def _existence_to_json(existence: Existence) -> Json:
    span = existence.span
    return {
        "status": existence.status.value,
        "char_start": None if span is None else span.start,
        "char_end": None if span is None else span.end,
        "folds": list(existence.folds),
        "candidates": [_candidate_to_json(candidate) for candidate in existence.candidates],
        "difference": _difference_to_json(existence.difference),
    }


def _difference_to_json(difference: Difference | None) -> Json | None:
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
            }
            for edit in difference.edits
        ],
    }


def _locator_to_json(locator: LocatorCheck) -> Json:
    return {
        "status": locator.status.value,
        "page": locator.page,
        "bbox": None if locator.bbox is None else locator.bbox.to_list(),
        "quads": [{"page": page, "points": quad.to_list()} for page, quad in locator.quads],
        "iou": None if locator.iou is None else round(locator.iou, 4),
        "witness": _witness_to_json(locator.witness),
    }


def _witness_to_json(witness: WitnessCheck) -> Json:
    return {
        "status": witness.status.value,
        "engine": witness.engine,
        "read": witness.read,
        "moved": None if witness.moved is None else round(witness.moved, 4),
        "reason": witness.reason,
    }


def _support_to_json(support: Support) -> Json:
    return {
        "status": support.status.value,
        "reason": support.reason,
        "p_entailment": _probability(support.p_entailment),
        "p_neutral": _probability(support.p_neutral),
        "p_contradiction": _probability(support.p_contradiction),
        "windows": support.windows,
        "coverage": round(support.coverage, 6),
        "evidence": None if support.evidence is None else _char_offsets(support.evidence),
        "vetoes": [
            {
                "kind": veto.kind,
                "claim": veto.claim,
                "claim_start": veto.claim_span.start,
                "claim_end": veto.claim_span.end,
                "source": veto.source,
                "char_start": None if veto.source_span is None else veto.source_span.start,
                "char_end": None if veto.source_span is None else veto.source_span.end,
            }
            for veto in support.vetoes
        ],
    }


def _candidate_to_json(candidate: Candidate) -> Json:
    return (
        {"doc_hash": str(candidate.doc_hash)}
        | _char_offsets(candidate.span)
        | {"folds": list(candidate.folds)}
    )


def _probability(value: float | None) -> float | None:
    # Six decimals: the digest is taken over the same digits that are shown.
    return None if value is None else round(float(value), 6)


def _text(digest: Digest | None) -> str | None:
    return None if digest is None else str(digest)


def _offsets(span: Span) -> Json:
    return {"start": span.start, "end": span.end}


def _char_offsets(span: Span) -> Json:
    return {"char_start": span.start, "char_end": span.end}
