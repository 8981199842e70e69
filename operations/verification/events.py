"""Verdicts as OpenTelemetry events, beside the trace of the answer: scores and codes, no words.

Source: open-telemetry/semantic-conventions-genai, event ``gen_ai.evaluation.result``. Two events a
verdict, through the Logs API alone: where the process has no SDK nothing happens.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from spanproof.operations.metrics.sampling import judge_span, judge_support

if TYPE_CHECKING:
    from spanproof.core.citation import Answer
    from spanproof.core.verdicts.verdict import Verdict
    from spanproof.core.verdicts.verification_block import VerificationBlock

EVENT = "gen_ai.evaluation.result"
SPAN, ENTAILMENT = "citation.span", "citation.entailment"
_TRACE = re.compile(r"(?!0{32})[0-9a-f]{32}", re.ASCII)
_SPAN_ID = re.compile(r"(?!0{16})[0-9a-f]{16}", re.ASCII)


def emit_evaluations(answer: Answer, block: VerificationBlock, *, verification_id: str) -> None:
    """``citation.span`` and ``citation.entailment`` for each verdict of a block that is kept.

    They belong to the answer's ``trace_id`` and to the span of its label ``span_id``; without a
    trace to what runs here. Its label ``response_id`` becomes ``gen_ai.response.id``. A telemetry
    pipeline that fails is logged and fails nothing else.
    """
    import structlog
    from opentelemetry import _logs

    try:
        logger = _logs.get_logger("spanproof")
        labels = dict(answer.labels)
        common: dict[str, Any] = {"spanproof.verification.id": verification_id}
        if labels.get("response_id"):
            common["gen_ai.response.id"] = labels["response_id"]
        parent = _find_parent(answer.trace_id, labels.get("span_id"))
        for verdict in block.verdicts:
            named = common | {"spanproof.citation.anchor": verdict.anchor}
            for attributes in (describe_span(verdict), describe_entailment(verdict)):
                logger.emit(
                    _logs.LogRecord(event_name=EVENT, attributes=named | attributes, **parent)
                )
    except Exception as error:  # noqa: BLE001 - the answer is verified, logged and kept
        structlog.get_logger().warning(
            "evaluation_events_lost", verification_id=verification_id, kind=type(error).__name__
        )


def describe_span(verdict: Verdict) -> dict[str, Any]:
    """Whether the words stand where they are cited: 1 or 0; no score where nothing was checked."""
    identity, existence = verdict.identity.status.value, verdict.existence.status.value
    label = judge_span(identity, existence)
    attributes = {
        "gen_ai.evaluation.name": SPAN,
        "gen_ai.evaluation.score.label": label,
        "gen_ai.evaluation.explanation": f"IDENTITY_{identity} EXISTENCE_{existence}",
    }
    if label == "error":
        return attributes | {"error.type": f"EXISTENCE_{existence}"}
    return attributes | {"gen_ai.evaluation.score.value": float(label == "pass")}


def describe_entailment(verdict: Verdict) -> dict[str, Any]:
    """The calibrated probability of entailment; no score where the model did not run."""
    support = verdict.support
    status = support.status.value
    reason = "" if support.reason is None else f" {support.reason}"
    attributes = {
        "gen_ai.evaluation.name": ENTAILMENT,
        "gen_ai.evaluation.score.label": judge_support(status),
        "gen_ai.evaluation.explanation": f"SUPPORT_{status}{reason}",
    }
    if support.p_entailment is None:
        return attributes | {"error.type": f"SUPPORT_{status}"}
    return attributes | {"gen_ai.evaluation.score.value": support.p_entailment}


def _find_parent(trace_id: str | None, span_id: str | None) -> dict[str, Any]:
    from opentelemetry.trace import NonRecordingSpan, SpanContext, set_span_in_context

    if trace_id is None or not _TRACE.fullmatch(trace_id):
        return {}
    # An unknown span is 0: our own spans do not belong to the answer's trace.
    known = span_id is not None and _SPAN_ID.fullmatch(span_id)
    parent = SpanContext(int(trace_id, 16), int(span_id or "0", 16) if known else 0, is_remote=True)
    return {"context": set_span_in_context(NonRecordingSpan(parent))}


def log_citations(answer: Answer, block: VerificationBlock, *, answer_id: str) -> None:
    """``citation_extraction_complete``, and ``citation_repair`` where a repair was asked for.

    ``intent`` and ``query_type`` are the answer's labels of these names.
    """
    import structlog

    labels = dict(answer.labels)
    repair = block.repair
    common: dict[str, Any] = {
        "answer_id": answer_id,
        "session_id": answer.session_id,
        "intent": labels.get("intent"),
        "query_type": labels.get("query_type"),
    }
    log = structlog.get_logger()
    log.info(
        "citation_extraction_complete",
        **common,
        citations_extracted=block.declared_count,
        orphans=len(block.orphan_anchors),
        evidence_chunks_available=len(answer.retrieved),
        citation_density=round(block.citation_density, 6),
        citation_level=block.citation_level,
        repaired=0 if repair is None else repair.attached,
    )
    if repair is not None:
        log.info(
            "citation_repair",
            **common,
            attached=repair.attached,
            rejected_not_entailed=repair.rejected_not_entailed,
            skipped=repair.skipped,
        )
