"""A turn's payload → the fields that its answer draws on; what the guardrails drop is counted."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import MalformedAnswerError, MalformedLabelsError
from spanproof.core.json_reader.object_reader import load_json
from spanproof.verifier.extent import most_response_bytes, require_at_most, require_short
from spanproof.verifier.fields.attribution import attribute_fields
from spanproof.verifier.fields.calibration import calibrate_fields
from spanproof.verifier.fields.labelled import dump_rows, parse_labelled
from spanproof.verifier.fields.markers import GRAMMAR
from spanproof.verifier.fields.report import PLACE_BYTES, count_places, report_to_json
from spanproof.verifier.fields.turn import parse_turn

if TYPE_CHECKING:
    from spanproof.operations.metrics.counters import Metrics
    from spanproof.verifier.fields.attribution import FieldReport
    from spanproof.verifier.formats.parsed import ParsedAnswer


def attribute_turn(raw: bytes, metrics: Metrics) -> FieldReport:
    """Attribute one turn; raise MalformedAnswerError for a malformed payload."""
    report = attribute_fields(parse_turn(raw))
    counts = {**report.drift, "over_cited": int(report.density.is_over_cited)}
    metrics.fields.count_turn(
        report.turn.generator, report.attribution_source, counts, grammar=GRAMMAR
    )
    return report


def describe_turn(raw: bytes, metrics: Metrics) -> dict[str, Any]:
    """The same as JSON; raise AnswerTooDenseError where that is too long for the payload."""
    report, most = attribute_turn(raw, metrics), most_response_bytes(len(raw))
    what = f"bytes of places for a payload of {len(raw)} bytes"
    require_at_most("/response", what, most=most, got=PLACE_BYTES * count_places(report))
    return require_short(report_to_json(report), "/response", "fields", size=len(raw))


def count_field_remarks(parsed: ParsedAnswer, metrics: Metrics) -> None:
    """Count what an import of field markers dropped."""
    codes = Counter(remark.code for remark in parsed.imported.remarks)
    metrics.fields.count_remarks(parsed.answer.generator, codes)


def calibrate_lines(content: bytes) -> dict[str, Any]:
    """Measure JSON lines; raise MalformedLabelsError where they are no labelled turns."""
    return calibrate_fields(parse_labelled(content))


def calibrate_rows(raw: bytes) -> dict[str, Any]:
    """Measure ``{"rows": [...]}``; the digest is that of the rows as lines."""
    try:
        body = load_json(raw)
    except MalformedAnswerError as error:
        raise MalformedLabelsError(error.message, hint=error.hint) from error
    rows = body.get("rows") if isinstance(body, dict) else None
    if not isinstance(rows, list) or set(body) != {"rows"}:
        got = json.dumps(body, ensure_ascii=False)[:80]
        msg = f'Expected {{"rows": [...]}}, got {got}.'
        raise MalformedLabelsError(msg, hint="Send one turn with its labels a row.")
    return calibrate_lines(dump_rows(rows))
