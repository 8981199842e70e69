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
        if not values:
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


def _word_before(position: int, ends: dict[int, str]) -> str:
    while position > 0 and position not in ends:
        position -= 1
    return ends.get(position, "")
