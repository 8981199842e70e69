"""The lines of a page as boxes.

A line is what stands between two separators of ours: often a fragment of what a reader sees as one
line. Boxes are of the displayed page, y downwards, in points.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanproof.core.documents.layout import CharFlag
from spanproof.core.span import Span

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.documents.layout import Layout
    from spanproof.core.geometry import Quad, Rect

#: The share of the lower line's height by which two lines of one row overlap.
_ROW_SHARE = 0.5
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

    def __init__(self) -> None:
        # No reference back: these live as long as the extraction that they belong to.
        self._pages: dict[int, tuple[PageLine, ...]] = {}

    def of_page(self, extraction: Extraction, page: Page) -> tuple[PageLine, ...]:
        """The lines of a page that have a box, in canonical order."""
        lines = self._pages.get(page.number)
        if lines is None:
            lines = self._pages[page.number] = tuple(_lines_of(extraction, page))
        return lines


_LINES: WeakKeyDictionary[Extraction, PageLines] = WeakKeyDictionary()


def lines_of(extraction: Extraction) -> PageLines:
    """The lines of an extraction, made once while it lives."""
    lines = _LINES.get(extraction)
    if lines is None:
        lines = _LINES[extraction] = PageLines()
    return lines


def _lines_of(extraction: Extraction, page: Page) -> list[PageLine]:
    layout, frame = extraction.layout, page.frame
    if layout is None or frame is None:
        return []
    spans, start = [], page.span.start
    for match in _SEPARATOR.finditer(extraction.text.text, start, page.span.end):
        spans.append(Span(start, match.start()))
        start = match.end()
    return [
        PageLine(span=span, page=page.number, box=frame.display_box(quads))
        for span, quads in zip(spans, _quads_of(layout, page.span, spans), strict=True)
        if quads
    ]


def _quads_of(layout: Layout, page: Span, lines: list[Span]) -> list[list[Quad]]:
    """The quads of each line of a page."""
    if layout.any_flag(page, CharFlag.CONTROL):
        return [layout.quads(line) for line in lines]
    # No run holds a line end of the document's own, so each is in one line: all are placed at once.
    runs = layout.run_quads(page)
    starts = [start for start, _ in runs]
    return [
        [quad for _, quad in runs[bisect_left(starts, line.start) : bisect_left(starts, line.end)]]
        for line in lines
    ]
