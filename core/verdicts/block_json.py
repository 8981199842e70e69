"""The verification block as the JSON of the contract: plain dicts in the shapes of ``…_shapes``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core import canonical_json
from spanproof.core.moment import write_moment
from spanproof.core.verdicts.verdict_json import verdict_to_json, write_offsets

if TYPE_CHECKING:
    from spanproof.core.citation import Citation
    from spanproof.core.digest import Digest
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
    from spanproof.core.verdicts.verdict import Verdict
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
            {"anchor": anchor, **write_offsets(span)} for anchor, span in block.orphan_anchors
        ],
        "unread_citations": [
            {**write_offsets(span), "text": block.answer.prose[span.start : span.end]}
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
        "refuted": report.refuted,
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
        "segment": write_offsets(segment),
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
