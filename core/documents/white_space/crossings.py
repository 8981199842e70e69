"""Where white space parts two cells or rows rather than words.

The document's own cells are asked first, then the tables that were found on its pages. Elsewhere
the boxes of lines decide: what stands beside each other with a wide gap between are cells, and a
line goes on in the one below if it reaches over it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

import numpy as np

from spanproof.core.documents.blocks import Blocks
from spanproof.core.documents.page_lines import is_one_row, lines_of
from spanproof.core.documents.white_space.cell_edges import block_cells_of, page_cells_of
from spanproof.core.geometry import Rect
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.documents.layout import Layout
    from spanproof.core.documents.page_lines import PageLine
    from spanproof.core.documents.white_space.cell_edges import CellPair, Crossing

#: A wider gap in a line, in heights of its letters, parts cells: prose is never set so wide.
CELL_GAP = 1.2
#: So wide a gap parts columns also in what was found to be one cell, whose blanks are stretched.
_COLUMN_GAP = 4
#: In a narrower line, in heights of its letters, few blanks are stretched to make it full.
_NARROW = 20
#: The narrowest blank, in heights of letters.
_BLANK = 0.2
#: Fragments of one row that are looked at to either side.
_MOST_FRAGMENTS = 40
#: "1.", "(a)", "–": what stands before the text of an item is no cell.
_ITEM_MARK = re.compile(r"[(\[]?\w{1,4}[.)\]:]|[^\w\s]{1,2}|(?:\d+\.)+\d*")
_SEPARATOR = re.compile(r"[\n\f]")
_WORD, _BLANKS = re.compile(r"\S+"), re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What stands between two wide gaps of a line: where it starts, and its box."""

    start: int
    box: Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """The page of white space, its lines, and which of them end before and begin behind it."""

    page: Page
    lines: tuple[PageLine, ...]
    before: int
    behind: int
    right: int

    @property
    def one(self) -> PageLine:
        return self.lines[self.before]

    @property
    def other(self) -> PageLine:
        return self.lines[self.behind]

    @property
    def gap(self) -> float:
        """How far the two lines stand apart if they are in one row, in heights of the lower one."""
        one, other = self.one, self.other
        if not is_one_row(one, other):
            return 0
        gap = max(other.box.x0 - one.box.x1, one.box.x0 - other.box.x1)
        return gap / min(one.height, other.height)


class Crossings:
    """What the white space of an extraction parts; made once while the extraction lives."""

    def __init__(self, extraction: Extraction) -> None:
        # No reference back: these live as long as the extraction that they belong to.
        self._blocks = block_cells_of(Blocks.of(extraction.blocks))
        self._cells = page_cells_of(extraction)
        self._parts: dict[int, tuple[_Part, ...]] = {}
        self._found: dict[tuple[int, int], Crossing | None] = {}

    def find(self, extraction: Extraction, left: int, right: int) -> Crossing | None:
        """What the white space ``text[left:right]`` parts beside words; None: words alone."""
        if (left, right) not in self._found:
            self._found[left, right] = self._find(extraction, left, right)
        return self._found[left, right]

    def _find(self, extraction: Extraction, left: int, right: int) -> Crossing | None:
        if self._blocks is not None:
            return self._blocks.find_crossing(left, right)
        pair = None if self._cells is None else self._cells.find_pair(left, right)
        around = _lines_around(extraction, left, right)
        if pair is not None and pair.is_one_cell:
            # Its lines are no rows; but who finds tables may take two columns for one.
            return "cell" if around is not None and around.gap > _COLUMN_GAP else None
        if pair is not None:
            may_wrap = around is not None and _may_wrap(extraction, pair, around)
            if pair.crossing == "cell" or not may_wrap:
                return pair.crossing
        found = None if around is None else self._compare(extraction, around)
        if pair is None or found == "row":
            return found
        # A name in two lines, or the names of two rows: a person sees the difference.
        text = extraction.text.text
        return None if text[right].islower() else "cell"

    def find_all(self, extraction: Extraction, span: Span) -> tuple[Span, ...]:
        """The white space inside a span that parts cells or rows, in its order."""
        text, layout = extraction.text.text, extraction.layout
        found = [blank.span() for blank in _BLANKS.finditer(text, span.start + 1, span.end - 1)]
        if self._blocks is None and found:
            if layout is None or not extraction.has_geometry:
                return ()
            # Most words of a line stand close together, in one cell: that is told at a glance.
            wide = _find_wide(layout, found).tolist()
            found = [
                blank
                for blank, far in zip(found, wide, strict=True)
                if far or _SEPARATOR.search(text, *blank) or self._leaves_cell(*blank)
            ]
        return tuple(Span(*blank) for blank in found if self.find(extraction, *blank) is not None)

    def _leaves_cell(self, left: int, right: int) -> bool:
        pair = None if self._cells is None else self._cells.find_pair(left, right)
        return pair is not None and not pair.is_one_cell

    def _compare(self, extraction: Extraction, around: _Around) -> Crossing | None:
        """What the boxes of lines say."""
        lines, one, other = around.lines, around.one, around.other
        own, theirs = (self._split(extraction, around.page, line) for line in (one, other))
        if one is other:
            return "cell" if any(part.start == around.right for part in own[1:]) else None
        if is_one_row(one, other):
            mark = extraction.text.slice(one.span).strip()
            wide = around.gap > CELL_GAP
            return "cell" if wide and not _ITEM_MARK.fullmatch(mark) else None
        if _goes_up(one, other):
            return None  # To the next column: the text of one goes on in the other.
        last, first = own[-1].box, theirs[0].box
        # Rows of a reader's lines, whole: what stands close beside these two.
        left, right = last.x0, first.x1
        if len(own) == 1:
            left = min(lines[i].box.x0 for i in _beside(lines, around.before, -1))
        if len(theirs) == 1:
            right = max(lines[i].box.x1 for i in _beside(lines, around.behind, 1))
        reaches = last.x1 > first.x0 and right > left
        return None if reaches else "row"

    def _split(self, extraction: Extraction, page: Page, line: PageLine) -> tuple[_Part, ...]:
        """A line's parts, from left to right."""
        parts = self._parts.get(line.span.start)
        if parts is None:
            parts = self._parts[line.span.start] = _split(extraction, page, line)
        return parts


_CROSSINGS: WeakKeyDictionary[Extraction, Crossings] = WeakKeyDictionary()


def _crossings_of(extraction: Extraction) -> Crossings:
    crossings = _CROSSINGS.get(extraction)
    if crossings is None:
        crossings = _CROSSINGS[extraction] = Crossings(extraction)
    return crossings


def find_crossing(extraction: Extraction, left: int, right: int) -> Crossing | None:
    """What the white space ``text[left:right]`` parts beside words; None: words alone."""
    return _crossings_of(extraction).find(extraction, left, right)


def find_crossings(extraction: Extraction, span: Span) -> tuple[Span, ...]:
    """The white space inside a span that parts cells or rows, in its order."""
    return _crossings_of(extraction).find_all(extraction, span)


def _lines_around(extraction: Extraction, left: int, right: int) -> _Around | None:
    if not extraction.has_geometry:
        return None
    page = extraction.page_at(left)
    lines = lines_of(extraction).of_page(extraction, page)
    before, behind = _index_at(lines, left - 1), _index_at(lines, right)
    if before < 0:
        return None
    return _Around(page=page, lines=lines, before=before, behind=behind, right=right)


def _index_at(lines: tuple[PageLine, ...], offset: int) -> int:
    return bisect_right(lines, offset, key=lambda line: line.span.start) - 1


def _lines_of(lines: tuple[PageLine, ...], span: Span) -> tuple[PageLine, ...]:
    return lines[max(0, _index_at(lines, span.start)) : _index_at(lines, span.end - 1) + 1]


def _goes_up(one: PageLine, other: PageLine) -> bool:
    return other.box.y0 < (one.box.y0 + one.box.y1) / 2


def _may_wrap(extraction: Extraction, pair: CellPair, around: _Around) -> bool:
    """Whether the line below may go on with a cell: its first word had no room above."""
    one, other, page = around.one, around.other, around.page
    layout, frame = extraction.layout, page.frame
    word = _WORD.match(extraction.text.text, around.right)
    if layout is None or frame is None or word is None or one is other:
        return False
    quads = layout.quads(Span(*word.span()))
    if not quads or not pair.may_wrap(extraction.text):
        return False
    edges = (
        line.box.x1
        for cell in pair.table.cells
        if (cell.column, cell.columns) == (pair.one.column, pair.one.columns)
        for span in cell.spans
        if page.span.contains(span)
        for line in _lines_of(around.lines, span)
    )
    box = frame.display_box(quads)
    return one.box.x1 + _BLANK * one.height + (box.x1 - box.x0) > max(edges, default=one.box.x1)


def _split(extraction: Extraction, page: Page, line: PageLine) -> tuple[_Part, ...]:
    layout, frame, text = extraction.layout, page.frame, extraction.text.text
    whole = _Part(start=line.span.start, box=line.box)
    words = list(_WORD.finditer(text, line.span.start, line.span.end))
    blanks = [(one.end(), other.start()) for one, other in pairwise(words)]
    if layout is None or frame is None or not blanks or not _find_wide(layout, blanks).any():
        return (whole,)
    parts: list[_Part] = []
    after_mark = False
    for word in words:
        quads = layout.quads(Span(*word.span()))
        if not quads:
            continue
        box = frame.display_box(quads)
        if parts and (after_mark or box.x0 - parts[-1].box.x1 <= CELL_GAP * line.height):
            parts[-1] = _Part(start=parts[-1].start, box=_join(parts[-1].box, box))
        else:
            parts.append(_Part(start=word.start(), box=box))
        after_mark = len(parts) == 1 and bool(_ITEM_MARK.fullmatch(word.group()))
    wide = parts and parts[-1].box.x1 - parts[0].box.x0 > _NARROW * line.height
    return tuple(parts) if wide else (whole,)


def _find_wide(layout: Layout, blanks: Sequence[tuple[int, int]]) -> NDArray[np.bool_]:
    """Which white space may be a wide gap in a line, told by level letters beside it."""
    left, right = np.array(blanks, np.int32).T
    last = len(layout.run_end) - 1
    one, other = (
        np.minimum(np.searchsorted(layout.run_end, at, side="right"), last)
        for at in (left - 1, right)
    )
    gaps = layout.run_x[other] - layout.run_x[one] + layout.left[right] - layout.right[left - 1]
    heights = layout.run_ascent[one] - layout.run_descent[one]
    level = (layout.run_cos[one] == 1) & (layout.run_cos[other] == 1)
    found: NDArray[np.bool_] = ~level | (gaps > CELL_GAP * heights)
    return found


def _join(one: Rect, other: Rect) -> Rect:
    return Rect(
        x0=min(one.x0, other.x0),
        y0=min(one.y0, other.y0),
        x1=max(one.x1, other.x1),
        y1=max(one.y1, other.y1),
    )


def _beside(lines: tuple[PageLine, ...], at: int, step: Literal[-1, 1]) -> list[int]:
    """A line and those before or behind it in its row, with no wide gap between."""
    found = [at]
    for index in range(at + step, at + step * _MOST_FRAGMENTS, step):
        if not 0 <= index < len(lines) or not is_one_row(lines[index], lines[found[-1]]):
            break
        inner, outer = sorted((lines[index].box, lines[found[-1]].box), key=lambda box: box.x0)
        if outer.x0 - inner.x1 > CELL_GAP * lines[at].height:
            break
        found.append(index)
    return found
