"""Paragraphs of text without blocks: by the gaps between a page's lines, else by blank lines.

A PDF's lines are parted by their places: a wider step than the page's usual one, a step upwards (a
new column), another direction or another height begins a paragraph. Text without places is parted
by blank lines; in Markdown a line of ``#`` is a heading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Extraction

_MARKDOWN = "text/markdown"
# A step this much wider than the usual one of its page is a gap between paragraphs.
_WIDE = 1.3
# Lines whose heights differ by more than this share are of another kind (a heading, a note).
_OTHER_HEIGHT = 0.15

_PARAGRAPH_END = re.compile(r"(?:\r\n?|\n)(?:[^\S\r\n]*(?:\r\n?|\n))+")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")

Ints = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True, eq=False)
class PlacedLines:
    """The lines of an extraction with places, and which of them begin a paragraph."""

    start: Ints
    end: Ints
    fresh: Mask

    def paragraphs(self, span: Span) -> Iterator[Span]:
        """The paragraphs inside a span, without the separators at its edges."""
        first = int(np.searchsorted(self.end, span.start, side="right"))
        last = int(np.searchsorted(self.start, span.end, side="left"))
        if first >= last:
            return
        heads = first + np.flatnonzero(self.fresh[first + 1 : last]) + 1
        starts = [first, *heads.tolist()]
        for head, after in zip(starts, [*starts[1:], last], strict=True):
            start = max(span.start, int(self.start[head]))
            yield Span(start, min(span.end, int(self.end[after - 1])))


def place_lines(extraction: Extraction) -> PlacedLines | None:
    """The lines by their places; None for an extraction without a layout."""
    layout = extraction.layout
    if layout is None or not len(layout.run_start):
        return None
    ends = np.flatnonzero(layout.flags & np.uint16(CharFlag.SEPARATOR))
    ends = np.append(ends, len(layout)) if not len(ends) or ends[-1] < len(layout) - 1 else ends
    starts = np.append(0, ends[:-1] + 1)
    filled = starts < ends
    starts, ends = starts[filled], ends[filled]
    run = np.searchsorted(layout.run_end, starts, side="right").clip(max=len(layout.run_end) - 1)
    page_starts = np.array([page.span.start for page in extraction.pages])
    page = np.searchsorted(page_starts, starts, side="right") - 1
    cos, sin = layout.run_cos[run].astype(np.float64), layout.run_sin[run].astype(np.float64)
    x, y = layout.run_x[run].astype(np.float64), layout.run_y[run].astype(np.float64)
    height = np.maximum(1, (layout.run_ascent[run] - layout.run_descent[run]).astype(np.float64))
    # How far each line is below the one before, measured across the direction of its writing.
    step = np.diff(x) * sin[1:] - np.diff(y) * cos[1:]
    same_page = np.diff(page) == 0
    turned = (np.diff(cos) != 0) | (np.diff(sin) != 0)
    taller = np.abs(np.diff(height)) > _OTHER_HEIGHT * np.maximum(height[1:], height[:-1])
    usual = _usual_steps(
        step, page[1:], same_page & ~turned & ~taller & (step > 0), len(page_starts)
    )
    fresh = np.ones(len(starts), bool)
    fresh[1:] = ~same_page | turned | taller | (step > _WIDE * usual) | (step < -height[1:] / 2)
    return PlacedLines(starts, ends, fresh)


def _usual_steps(step: Any, page: Ints, plain: Mask, pages: int) -> Any:  # noqa: ANN401 - arrays
    """For each step the lower quartile of its page's plain steps: the step inside a paragraph."""
    order = np.lexsort((step[plain], page[plain]))
    steps, owners = step[plain][order], page[plain][order]
    first = np.searchsorted(owners, np.arange(pages), side="left")
    count = np.searchsorted(owners, np.arange(pages), side="right") - first
    usual = np.full(pages, np.inf)
    usual[count > 0] = steps[(first + count // 4)[count > 0]]
    return usual[page]


def parted_paragraphs(extraction: Extraction, span: Span) -> Iterator[tuple[Span, bool]]:
    """Paragraphs of text without places, with the blank lines after them; which are headings."""
    text, start = extraction.text.text, span.start
    if extraction.document.media_type == _MARKDOWN:
        yield from _markdown(text, span)
        return
    for match in _PARAGRAPH_END.finditer(text, span.start, span.end):
        yield Span(start, match.end()), False
        start = match.end()
    if start < span.end:
        yield Span(start, span.end), False


def _markdown(text: str, span: Span) -> Iterator[tuple[Span, bool]]:
    start, blank, fenced = span.start, False, False
    for match in _LINE.finditer(text, span.start, span.end):
        line, at = match.group(), match.start()
        if not line:
            continue
        if _FENCE.match(line):
            fenced = not fenced
        heading = not fenced and _HEADING.match(line) is not None
        empty = not line.strip()
        if start < at and (heading or (blank and not empty and not fenced)):
            yield Span(start, at), False
            start = at
        if heading:
            yield Span(start, match.end()), True
            start = match.end()
        blank = empty
    if start < span.end:
        yield Span(start, span.end), False
