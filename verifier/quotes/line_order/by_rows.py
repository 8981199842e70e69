"""The order of a reader that goes by rows: all glyphs of one height, from left to right.

As pdfplumber does with its own settings (``utils/text.py``).
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanproof.verifier.quotes.line_order.page_glyphs import Glyph

#: Glyphs whose tops differ by no more, in points, stand in one row.
_TOLERANCE = 3.0
_Item = TypeVar("_Item")


def read_by_rows(glyphs: Sequence[Glyph], height: Callable[[Glyph], float]) -> list[Glyph]:
    """The glyphs row by row; level ones and others are told apart, as they follow each other."""
    words: list[list[Glyph]] = []
    for is_level, group in groupby(glyphs, attrgetter("is_level")):
        for row in _cluster(list(group), height if is_level else attrgetter("x0")):
            row.sort(key=attrgetter("x0") if is_level else attrgetter("y0"))
            words += _words(row, is_level=is_level)
    rows = _cluster(words, lambda word: min(map(height, word)))
    return [glyph for row in rows for word in row for glyph in word]


def _words(row: list[Glyph], *, is_level: bool) -> Iterator[list[Glyph]]:
    word: list[Glyph] = []
    for glyph in row:
        if glyph.is_blank:
            if word:
                yield word
            word = []
            continue
        if word:
            last = word[-1]
            gap = glyph.x0 - last.x1 if is_level else glyph.y0 - last.y1
            shift = glyph.y0 - last.y0 if is_level else glyph.x0 - last.x0
            if max(gap, abs(shift)) > _TOLERANCE:
                yield word
                word = []
        word.append(glyph)
    if word:
        yield word


def _cluster(items: list[_Item], height: Callable[[_Item], float]) -> list[list[_Item]]:
    """Items whose heights follow each other closely; the order inside a cluster stays."""
    rows: dict[float, int] = {}
    last, number = None, -1
    for value in sorted({height(item) for item in items}):
        if last is None or value > last + _TOLERANCE:
            number += 1
        rows[value] = number
        last = value
    found: list[list[_Item]] = [[] for _ in range(number + 1)]
    for item in items:
        found[rows[height(item)]].append(item)
    return found
