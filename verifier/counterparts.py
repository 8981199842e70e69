"""Numbers that fill the same place in a claim and in its source: same word before, same word after.

Finds what has no unit or noun of its own: ``a ratio of 4.75 (95`` against ``a ratio of 3.75 (95``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.quantities import read_amount

if TYPE_CHECKING:
    from decimal import Decimal

    from core.span import Span
    from verifier.protected import ProtectedToken

_WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*|%")
_KINDS = frozenset({"number", "percent", "currency", "quantity", "number_word", "ordinal"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedNumber:
    """A number, its value, and the words around it (empty at the text's edge)."""

    span: Span
    text: str
    values: tuple[Decimal, ...]
    before: str
    after: str


def place_numbers(text: str, tokens: tuple[ProtectedToken, ...]) -> tuple[PlacedNumber, ...]:
    """Every number of the text with its neighbours."""
    ends = {match.end(): match.group() for match in _WORD.finditer(text)}
    placed = []
    for token in tokens:
        values = read_amount(token) if token.kind in _KINDS else ()
        if not values or _says_no_amount(text, token, values):
            continue
        before = _word_before(token.span.start, ends)
        following = _WORD.search(text, token.span.end)
        placed.append(
            PlacedNumber(
                span=token.span,
                text=token.text,
                values=values,
                before=before.lower(),
                after=following.group().lower() if following else "",
            )
        )
    return tuple(placed)


def _says_no_amount(text: str, token: ProtectedToken, values: tuple[Decimal, ...]) -> bool:
    """Whether it is a reference mark ``[3]``, a list number, or the ``one`` of "one of them"."""
    start, end = token.span.start, token.span.end
    if token.kind == "number_word":
        return values[0] <= 1
    marked = text[start - 1 : start] == "[" and text[end : end + 1] == "]"
    opens_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    return marked or (opens_line and text[end : end + 1] in {".", ")"})


def _word_before(position: int, ends: dict[int, str]) -> str:
    while position > 0 and position not in ends:
        position -= 1
    return ends.get(position, "")
