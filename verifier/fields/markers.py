"""Track one: ``[[PREFIX:field]]`` in the prose, compared with the context of the same turn.

A marker is the model's own report. A marker without such a field is dropped and counted: it is the
first sign that a prompt and its context have drifted apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.verifier.formats.cleaning import strip_tokens
from spanproof.verifier.formats.grammars import tokenize

if TYPE_CHECKING:
    from spanproof.core.span import Span
    from spanproof.verifier.fields.context import Context
    from spanproof.verifier.fields.registry import FieldRegistry
    from spanproof.verifier.fields.types import Field
    from spanproof.verifier.formats.cleaning import CleanText
    from spanproof.verifier.formats.grammars import Token

GRAMMAR = "field"


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedMarker:
    """A marker that is not believed; ``code`` says why, ``span`` is its place in the prose.

    UNKNOWN_PREFIX, UNKNOWN_FIELD: this turn's context has no such field. HIDDEN_SECTION: it names a
    section that the prompt did not show. FIELD_AMBIGUOUS: it may mean several fields. FIELD_EMPTY:
    the field has no value that could be cited.
    """

    prefix: str
    name: str
    span: Span
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMarkers:
    """The fields that markers name, each with every place in the prose, first one first."""

    kept: tuple[tuple[Field, tuple[Span, ...]], ...]
    dropped: tuple[DroppedMarker, ...]
    total: int

    @property
    def duplicates(self) -> int:
        """Markers beyond the first of their field."""
        return sum(len(spans) - 1 for _, spans in self.kept)


def find_markers(prose: str) -> tuple[Token, ...]:
    """The markers of the field grammar in the prose."""
    return tokenize(prose, (GRAMMAR,))


def strip_markers(prose: str) -> CleanText:
    """The text that a person reads: the prose without its markers, and the way back to it."""
    return strip_tokens(prose, find_markers(prose))


def read_markers(
    tokens: tuple[Token, ...], context: Context, visible: Context, registry: FieldRegistry
) -> ReadMarkers:
    """Hold each marker against the context: ``visible`` may be cited, the rest of it is hidden."""
    kept: dict[str, tuple[Field, list[Span]]] = {}
    dropped: list[DroppedMarker] = []
    resolved: dict[tuple[str, ...], Field | str] = {}
    for token in tokens:
        if token.values not in resolved:
            resolved[token.values] = _resolve(token.values, context, visible, registry)
        found = resolved[token.values]
        if isinstance(found, str):
            prefix, name = token.values
            dropped.append(DroppedMarker(prefix=prefix, name=name, span=token.span, code=found))
        else:
            kept.setdefault(found.path, (found, []))[1].append(token.span)
    return ReadMarkers(
        kept=tuple((field, tuple(spans)) for field, spans in kept.values()),
        dropped=tuple(dropped),
        total=len(tokens),
    )


def _resolve(
    values: tuple[str, ...], context: Context, visible: Context, registry: FieldRegistry
) -> Field | str:
    prefix, name = values
    section_name = registry.find_section(prefix, context.by_name)
    if section_name is None:
        return "UNKNOWN_PREFIX"
    section = context.by_name.get(section_name)
    if section is None:
        return "UNKNOWN_FIELD"
    if section_name not in visible.by_name:
        # For any field: errors must not reveal which names of a hidden section exist.
        return "HIDDEN_SECTION"
    found = section.find(name)
    if not found:
        return "UNKNOWN_FIELD"
    if len(found) > 1:
        return "FIELD_AMBIGUOUS"
    return "FIELD_EMPTY" if found[0].is_empty else found[0]
