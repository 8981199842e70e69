"""The lines of a page as boxes, and where white space parts two cells or rows rather than words.

A line is what stands between two separators of ours: often a fragment of what a reader sees as one
line. Boxes are of the displayed page, y downwards, in points.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

from spanproof.core.span import Span

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.documents.text_block import Block
    from spanproof.core.geometry import Rect

#: What white space parts beside words: cells of one row, or rows.
Crossing = Literal["cell", "row"]
#: A wider gap in a line, in heights of its letters, parts cells: prose is never set so wide.
CELL_GAP = 1.2
#: The share of the lower line's height by which two lines of one row overlap.
_ROW_SHARE = 0.5
#: Fragments of one row that are looked at to either side.
_MOST_FRAGMENTS = 40
#: "1.", "(a)", "–": what stands before the text of an item is no cell.
_ITEM_MARK = re.compile(r"[(\[]?\w{1,4}[.)\]:]|[^\w\s]{1,2}|(?:\d+\.)+\d*")
_SEPARATOR = re.compile(r"[\n\f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLine:
    """One line: its canonical span without separators, its page, its box."""

    span: Span
    page: int
    box: Rect

    @property
    def height(self) -> float:
        """Points from its top to its bottom."""
        return self.box.y1 - self.box.y0


def is_one_row(one: PageLine, other: PageLine) -> bool:
    """Whether two lines stand beside each other."""
    if one.page != other.page:
        return False
    shared = min(one.box.y1, other.box.y1) - max(one.box.y0, other.box.y0)
    return shared >= _ROW_SHARE * min(one.height, other.height)


def overlap_across(one: Rect, other: Rect) -> bool:
    """Whether one stands above the other, were both as high as the page."""
    return min(one.x1, other.x1) > max(one.x0, other.x0)


class PageLines:
    """The lines of an extraction with geometry, made a page at a time."""

    def __init__(self, extraction: Extraction) -> None:
        # No reference back: these live as long as the extraction that they belong to.
        self._pages: dict[int, tuple[PageLine, ...]] = {}
        self._cells = _cells_of(extraction.blocks)

    def of_page(self, extraction: Extraction, page: Page) -> tuple[PageLine, ...]:
        """The lines of a page that have a box, in canonical order."""
        lines = self._pages.get(page.number)
        if lines is None:
            lines = self._pages[page.number] = tuple(_lines_of(extraction, page))
        return lines

    def find_crossing(self, extraction: Extraction, left: int, right: int) -> Crossing | None:
        """What the white space ``text[left:right]`` parts beside words; None: words alone."""
        if self._cells is not None:
            return self._cells.find_crossing(left, right)
        if not extraction.has_geometry:
            return None
        if not _SEPARATOR.search(extraction.text.text, left, right):
            return None
        page = extraction.page_at(left)
        if not page.span.contains(Span(left, right)) or page.span.end == right:
            return None  # Text goes on from page to page.
        lines = self.of_page(extraction, page)
        before = bisect_right(lines, left - 1, key=lambda line: line.span.start) - 1
        behind = bisect_right(lines, right, key=lambda line: line.span.start) - 1
        if before < 0 or behind <= before:
            return None
        return _compare(extraction.text.text, lines, before, behind)


_LINES: WeakKeyDictionary[Extraction, PageLines] = WeakKeyDictionary()


def lines_of(extraction: Extraction) -> PageLines:
    """The lines of an extraction, made once while it lives."""
    lines = _LINES.get(extraction)
    if lines is None:
        lines = _LINES[extraction] = PageLines(extraction)
    return lines


def _lines_of(extraction: Extraction, page: Page) -> list[PageLine]:
    layout, frame, found = extraction.layout, page.frame, []
    if layout is None or frame is None:
        return []
    start = page.span.start
    for match in _SEPARATOR.finditer(extraction.text.text, start, page.span.end):
        span = Span(start, match.start())
        quads = layout.quads(span) if span else []
        if quads:
            found.append(PageLine(span=span, page=page.number, box=frame.display_box(quads)))
        start = match.end()
    return found


def _compare(text: str, lines: tuple[PageLine, ...], before: int, behind: int) -> Crossing | None:
    one, other = lines[before], lines[behind]
    mark = text[one.span.start : one.span.end].strip()
    if is_one_row(one, other):
        gap = max(other.box.x0 - one.box.x1, one.box.x0 - other.box.x1)
        wide = gap > CELL_GAP * min(one.height, other.height)
        return "cell" if wide and not _ITEM_MARK.fullmatch(mark) else None
    middle = (one.box.y0 + one.box.y1) / 2
    if other.box.y0 < middle:
        return None  # Up, to the next column: the text of one goes on in the other.
    # Rows of a reader's lines, whole: the fragments that stand close beside these two.
    left = min(lines[i].box.x0 for i in _beside(lines, before, -1))
    right = max(lines[i].box.x1 for i in _beside(lines, behind, 1))
    reaches = one.box.x1 > other.box.x0 and right > left
    return None if reaches else "row"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cells:
    """The cells of a document that says itself what its cells and rows are."""

    cells: tuple[Span, ...]
    rows: tuple[Span, ...]

    def find_crossing(self, left: int, right: int) -> Crossing | None:
        one, other = (_holding(self.cells, at) for at in (left - 1, right))
        if one == other:
            return None
        rows = [_holding(self.rows, at) for at in (left - 1, right)]
        return "cell" if rows[0] is not None and rows[0] == rows[1] else "row"


def _cells_of(blocks: tuple[Block, ...]) -> _Cells | None:
    cells, rows = (
        tuple(block.span for block in blocks if block.kind == kind and block.span)
        for kind in ("cell", "row")
    )
    return _Cells(cells=cells, rows=rows) if cells else None


def _holding(spans: tuple[Span, ...], at: int) -> Span | None:
    """The innermost span that holds an offset; spans are ordered, outer ones first."""
    index = bisect_right(spans, at, key=lambda span: span.start) - 1
    while index >= 0 and spans[index].end <= at:
        index -= 1
        # Cells nest a few deep at most: farther back nothing reaches this far.
        if index < bisect_right(spans, at, key=lambda span: span.start) - 64:
            return None
    return spans[index] if index >= 0 else None
