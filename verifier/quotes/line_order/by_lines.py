"""The order of a reader that follows what draws the page, and puts each line from left to right.

As PDFium does (``cpdf_textpage.cpp``, read, not copied): pieces of text that are drawn one after
the other on one baseline are a line; in it they are sorted by where they begin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.quotes.line_order.page_glyphs import Glyph

#: Widths of the wider glyph by which baselines of one line differ at most.
_SAME_LINE = 0.5
#: Points between the baselines of one piece, and heights of the gap that ends it.
_LEVEL, _GAP = 0.05, 0.2


def read_by_lines(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """The glyphs line by line, as they are drawn; the pieces of a line from left to right."""
    found: list[Glyph] = []
    line: list[list[Glyph]] = []
    for piece in _pieces(glyphs):
        if line and not _is_one_line(line[-1], piece):
            found += _sorted(line)
            line = []
        line.append(piece)
    return found + _sorted(line)


def _pieces(glyphs: Sequence[Glyph]) -> list[list[Glyph]]:
    """Glyphs that stand close behind each other on one baseline."""
    pieces: list[list[Glyph]] = []
    for glyph in glyphs:
        if pieces and _goes_on(pieces[-1][-1], glyph):
            pieces[-1].append(glyph)
        else:
            pieces.append([glyph])
    return pieces


def _goes_on(last: Glyph, glyph: Glyph) -> bool:
    near = last.x0 <= glyph.x0 and glyph.x0 - last.x1 <= _GAP * last.height
    return near and abs(last.base - glyph.base) <= _LEVEL


def _is_one_line(one: list[Glyph], other: list[Glyph]) -> bool:
    last, first = one[-1], other[0]
    far = _SAME_LINE * max(last.width, first.width)
    level = last.is_level and first.is_level
    return level and abs(one[0].base - first.base) <= far


def _sorted(line: list[list[Glyph]]) -> list[Glyph]:
    return [glyph for piece in sorted(line, key=lambda p: p[0].x0) for glyph in piece]
