"""The slice self-check: the unit and the end with which given offsets cut out a given text.

Providers' own pages contradict their payloads about units and ends. Where a format carries the
text, every reading of its offsets is tried, and only one whose slice equals the text is believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.span import OFFSET_UNITS, OffsetUnit, Span, to_codepoint

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Sliced:
    """Offsets that were understood.

    ``span`` is in code points, half-open. ``unit`` is what they were given in, None if several
    units cut out the same text (``ambiguous``). ``is_inclusive`` says that the given end was the
    last character's own place; ``trimmed`` that white space at the slice's end was left out.
    """

    span: Span
    unit: OffsetUnit | None
    is_inclusive: bool = False
    trimmed: bool = False

    @property
    def ambiguous(self) -> bool:
        """Whether more than one unit cuts out the same text."""
        return self.unit is None


def check_slice(
    text: str, start: int, end: int, expected: str, *, units: Sequence[OffsetUnit] = OFFSET_UNITS
) -> Sliced | None:
    """The reading of ``start`` and ``end`` whose slice of ``text`` is ``expected``.

    An exclusive end is believed before an inclusive one, and an equal slice before one that is
    longer by white space at its end. None if no unit cuts it out, or two units cut it out at
    different places.
    """
    if not expected.strip() or start < 0 or end < start:
        return None
    for is_inclusive, trimmed in ((False, False), (False, True), (True, False)):
        spans: dict[OffsetUnit, Span] = {}
        for unit in units:
            first, last = to_codepoint(text, start, unit), to_codepoint(text, end, unit)
            if first is None or last is None:
                continue
            span = _fit(text, Span(first, last + is_inclusive), expected, trimmed=trimmed)
            if span is not None:
                spans[unit] = span
        if len(set(spans.values())) == 1:
            only, found = next(iter(spans.items()))
            return Sliced(
                span=found,
                unit=only if len(spans) == 1 else None,
                is_inclusive=is_inclusive,
                trimmed=trimmed,
            )
        if spans:
            return None
    return None


def _fit(text: str, span: Span, expected: str, *, trimmed: bool) -> Span | None:
    found = text[span.start : span.end]
    if found == expected:
        return span
    wanted = expected.rstrip()
    if trimmed and found.rstrip() == wanted:
        return Span(span.start, span.start + len(wanted))
    return None
