"""The fields that an answer uses, found again from the stored payload."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from spanproof.core.citation import Generator
from spanproof.core.json_reader.object_reader import ObjectReader
from spanproof.core.shown import first_words
from spanproof.verifier.fields.attribution import attribute_fields
from spanproof.verifier.fields.guardrails import ASSISTANT
from spanproof.verifier.fields.markers import GRAMMAR
from spanproof.verifier.fields.turn import Turn, read_sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.verifier.fields.attribution import FieldAttribution

#: Characters shown of a value; the payload has all of it.
_SHOWN_CHARACTERS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """One field: its value shortened, how it was found, and whether only a marker says so."""

    name: str
    value: str
    confidence: str
    method: str
    is_self_report: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldsView:
    """The fields as the template shows them, highest confidence first in each section."""

    source: str
    is_over_cited: bool
    density: str
    sections: tuple[tuple[str, tuple[FieldRow, ...]], ...]
    dropped: tuple[tuple[str, str], ...]
    hidden: tuple[str, ...]


def make_fields_view(payload: Mapping[str, Any], names: str, prose: str) -> FieldsView | None:
    """The view of an answer read as ``names``; None if these have no field markers."""
    if GRAMMAR not in names.split(","):
        return None
    context, registry = read_sources(ObjectReader(payload, "", []))
    report = attribute_fields(
        Turn(
            role=payload.get("role") or ASSISTANT,
            response=prose,
            context=context,
            registry=registry,
            generator=Generator(),
        )
    )
    return FieldsView(
        source=report.attribution_source,
        is_over_cited=report.density.is_over_cited,
        density=f"{report.density.markers} markers in {report.density.tokens} tokens",
        sections=tuple(
            (name, tuple(_make_row(each) for each in fields))
            for name, fields in groupby(report.attributed, key=lambda each: each.field.section)
        ),
        dropped=tuple((f"[[{d.prefix}:{d.name}]]", d.code) for d in report.dropped),
        hidden=report.hidden,
    )


def _make_row(each: FieldAttribution) -> FieldRow:
    value = each.field.value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return FieldRow(
        name=each.field.name,
        value=first_words(text, _SHOWN_CHARACTERS),
        confidence=f"{each.confidence:.2f}",
        method=each.method,
        is_self_report=bool(each.markers) and each.match is None,
    )
