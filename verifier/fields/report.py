"""A report as JSON: every place in the raw response and in the clean text."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.verifier.fields.attribution import find_source

if TYPE_CHECKING:
    from spanproof.core.span import Span
    from spanproof.verifier.fields.attribution import FieldAttribution, FieldReport
    from spanproof.verifier.fields.markers import DroppedMarker
    from spanproof.verifier.fields.types import FieldMatch
    from spanproof.verifier.formats.cleaning import CleanText

#: Places of one value that are reported; ``places`` counts all of them.
MAX_REPORTED = 100
#: Bytes of the shortest place: raw and clean, a start and an end each.
PLACE_BYTES = 55


def count_places(report: FieldReport) -> int:
    """How many places the report lists, those of a marker once."""
    fields = (*report.attributed, *report.weak)
    spans = (() if each.match is None else each.match.spans for each in fields)
    return len(report.dropped) + sum(min(len(each), MAX_REPORTED) for each in spans)


def report_to_json(report: FieldReport) -> dict[str, Any]:
    """The report with the field names of docs/how-to/fields.md."""
    turn, clean = report.turn, report.clean
    return {
        "clean_text": clean.text,
        "role": turn.role,
        "parsed": turn.is_assistant,
        "reason": None if turn.is_assistant else "role_not_assistant",
        "attribution_source": report.attribution_source,
        "sections": [
            _section_to_json(name, list(fields), report)
            for name, fields in groupby(report.attributed, key=lambda each: each.field.section)
        ],
        "below_threshold": [_field_to_json(each, clean) for each in report.weak],
        "dropped": [_dropped_to_json(each, clean) for each in report.dropped],
        "hidden_sections": list(report.hidden),
        "over_cited": report.density.is_over_cited,
        "density": {"markers": report.density.markers, "tokens": report.density.tokens},
        "drift": dict(report.drift),
        "response_sha256": str(Digest.of(turn.response.encode())),
        "snapshot": {"sha256": str(report.snapshot.digest), "text": report.snapshot.text},
    }


def _section_to_json(
    name: str, fields: list[FieldAttribution], report: FieldReport
) -> dict[str, Any]:
    return {
        "name": name,
        "completeness": report.turn.context.by_name[name].completeness,
        "attribution_source": find_source(fields),
        "fields": [_field_to_json(each, report.clean) for each in fields],
    }


def _field_to_json(each: FieldAttribution, clean: CleanText) -> dict[str, Any]:
    field, match = each.field, each.match
    # Of several markers the first counts: a repeated one adds nothing.
    positions = (
        [_marker_position(each.markers[0], clean)]
        if each.markers
        else [
            _match_position(span, clean) for span in (match.spans[:MAX_REPORTED] if match else ())
        ]
    )
    return {
        "path": field.path,
        "field": field.name,
        "type": "group" if field.is_group else field.type,
        "value": field.value,
        "match_confidence": each.confidence,
        "match_method": each.method,
        "positions": positions,
        "markers": len(each.markers),
        "self_reported": bool(each.markers),
        "value_match": None if match is None else _match_to_json(match, clean),
    }


def _match_to_json(match: FieldMatch, clean: CleanText) -> dict[str, Any]:
    return {
        "match_confidence": match.confidence,
        "match_method": match.method,
        "places": len(match.spans),
        "positions": [_match_position(span, clean) for span in match.spans[:MAX_REPORTED]],
        "items_named": list(match.items),
        "items_total": match.items_total,
        "capped": match.capped,
    }


def _dropped_to_json(dropped: DroppedMarker, clean: CleanText) -> dict[str, Any]:
    return {
        "prefix": dropped.prefix,
        "field": dropped.name,
        "code": dropped.code,
        "position": _marker_position(dropped.span, clean),
    }


def _marker_position(span: Span, clean: CleanText) -> dict[str, Any]:
    # In the clean text a marker is the point where it stood.
    place = clean.to_clean(span.start)
    return {
        "raw": {"start": span.start, "end": span.end},
        "clean": {"start": place, "end": place},
    }


def _match_position(span: Span, clean: CleanText) -> dict[str, Any]:
    raw = clean.span_to_raw(span)
    return {
        "raw": {"start": raw.start, "end": raw.end},
        "clean": {"start": span.start, "end": span.end},
    }
