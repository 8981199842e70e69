"""The fields of a context as a prompt shows them: each with the marker that would cite it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.verifier.fields.context import snapshot_context
from spanproof.verifier.fields.markers import GRAMMAR, find_markers
from spanproof.verifier.formats.grammars import GRAMMARS

if TYPE_CHECKING:
    from spanproof.verifier.fields.context import Context
    from spanproof.verifier.fields.registry import FieldRegistry
    from spanproof.verifier.fields.types import Field


@dataclass(frozen=True, slots=True, kw_only=True)
class CitableField:
    """One field, its line of the snapshot, and its marker; None if no marker can name it."""

    field: Field
    line: str
    marker: str | None


def list_citable_fields(visible: Context, registry: FieldRegistry) -> tuple[CitableField, ...]:
    """Every field with a value, in the snapshot's order; give it what ``visible_context`` gave."""
    snapshot = snapshot_context(visible)
    prefixes = {section: prefix for prefix, section in reversed(tuple(registry.prefixes.items()))}
    found: list[CitableField] = []
    for section in visible.sections:
        prefix = prefixes.get(section.name) if registry.prefixes else section.name
        for field in section.fields:
            span = snapshot.find_line(field)
            if field.is_group or field.is_empty or span is None:
                continue
            found.append(
                CitableField(
                    field=field,
                    line=snapshot.text[span.start : span.end],
                    marker=None if prefix is None else _write(prefix, field),
                )
            )
    return tuple(found)


def write_field_list(visible: Context, registry: FieldRegistry) -> str:
    """The part of a prompt that shows the context: a marker and a line for each citable field.

    A field that no marker can name (its section has no prefix) is shown without one.
    """
    rows = list_citable_fields(visible, registry)
    return "".join(f"{row.marker or '-'} {row.line}\n" for row in rows)


def _write(prefix: str, field: Field) -> str | None:
    marker = GRAMMARS[GRAMMAR].write(((prefix, field.name),))
    # A section's name may not be a prefix, or a name is too long: only lines that are read back are
    # shown.
    read_back = [(token.values, len(token.span)) for token in find_markers(marker)]
    return marker if read_back == [((prefix, field.name), len(marker))] else None
