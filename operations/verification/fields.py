"""A turn's payload → the fields that its answer draws on; what the guardrails drop is counted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from spanproof.verifier.fields.attribution import attribute_fields
from spanproof.verifier.fields.markers import GRAMMAR
from spanproof.verifier.fields.turn import parse_turn

if TYPE_CHECKING:
    from spanproof.operations.metrics.counters import Metrics
    from spanproof.verifier.fields.attribution import FieldReport
    from spanproof.verifier.formats.parsed import ParsedAnswer


def attribute_turn(raw: bytes, metrics: Metrics) -> FieldReport:
    """Attribute one turn; raise MalformedAnswerError where the payload is none."""
    report = attribute_fields(parse_turn(raw))
    counts = {**report.drift, "over_cited": int(report.density.is_over_cited)}
    metrics.fields.count_turn(
        report.turn.generator, report.attribution_source, counts, grammar=GRAMMAR
    )
    return report


def count_field_remarks(parsed: ParsedAnswer, metrics: Metrics) -> None:
    """Count what an import of field markers dropped."""
    codes = Counter(remark.code for remark in parsed.imported.remarks)
    metrics.fields.count_remarks(parsed.answer.generator, codes)
