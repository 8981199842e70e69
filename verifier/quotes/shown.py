"""What a page shows of a span: nothing, other glyphs, or more words than the text has there.

The text of a page is in the order in which its file draws it. A word drawn later into a gap of a
line is seen in that line and stands elsewhere in the text: the line says more than the span.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.documents.layout import HIDDEN, CharFlag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.documents.layout import Layout
    from spanproof.core.span import Span

Codes = tuple[str, ...]
# Parts of a line's height: a gap that could hold a word, how far lines of one row lie apart, and
# how much of a word has to lie in a gap.
_GAP, _ROW, _PART = 0.4, 0.25, 0.25
# The least cosine of a run that is level: gaps of turned words are not looked at.
_LEVEL = 0.999
# Letters with a stroke through them, controls that turn the order of characters, letters as tags.
_DISGUISED = re.compile(r"(?:\w[\u0335-\u0338]){2}|[\u202d\u202e]|[\U000e0020-\U000e007e]{2}")
_TURNS, _TURNED_BACK = ("\u202d", "\u202e"), "\u202c"
_MOST_LINE = 2_000
# Of glyphs without a character of the text: white space between them and the span.
_NEAR = 8
# A span of more runs than a page of prose has is judged by its first ones.
_MOST_RUNS = 120


def shown_codes(cited: Extraction, span: Span, pages: Sequence[Page]) -> Codes:
    """HIDDEN_TEXT and LOST_GLYPHS of a span."""
    codes: Codes = ()
    if rests_on_hidden(cited, span, pages) or _is_disguised(cited.text.text, span):
        codes += ("HIDDEN_TEXT",)
    if _loses_glyphs(cited, span) or _loses_words(cited, span, pages):
        codes += ("LOST_GLYPHS",)
    return codes


def _is_disguised(text: str, span: Span) -> bool:
    """Whether characters strike the span's words out, turn their order, or say more unseen."""
    sliced = text[span.start : span.end]
    if sliced.isascii():
        sliced = ""
    line = text[max(text.rfind("\n", 0, span.start) + 1, span.start - _MOST_LINE) : span.start]
    turned = not line.isascii() and max(map(line.rfind, _TURNS)) > line.rfind(_TURNED_BACK)
    return turned or bool(sliced and _DISGUISED.search(sliced))


def rests_on_hidden(cited: Extraction, span: Span, pages: Sequence[Page]) -> bool:
    """Whether the page, of those that the span touches, does not show some of the span's words.

    A recogniser's text over the picture that it read is no such case: the picture shows the words.
    """
    layout = cited.layout
    if layout is None or not layout.any_flag(span, HIDDEN):
        return False
    # Off the page, struck out, or the page shows other characters than the text says.
    if layout.any_flag(span, HIDDEN & ~CharFlag.INVISIBLE):
        return True
    # Invisible text under a page-wide image is what a scanner's OCR leaves: OCR_LAYER, not hidden.
    return any(
        layout.any_flag(span.intersection(page.span), CharFlag.INVISIBLE)
        for page in pages
        if page.text_source != "ocr_layer"
    )


def _loses_glyphs(cited: Extraction, span: Span) -> bool:
    """Whether the page shows other glyphs there, or glyphs of which the text says nothing."""
    text = cited.text.text
    for one in cited.glyph_texts:
        if len(one.span):
            if one.span.overlaps(span):
                return True
            continue
        place = one.span.start
        # Just before or behind the span they are in its sentence.
        if not span.start - _NEAR <= place <= span.end + _NEAR:
            continue
        before, behind = text[place : span.start], text[span.end : place]
        if not (before + behind).strip():
            return True
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gap:
    """A stretch of a row without a character of the span; lengths in quanta."""

    y: float
    start: float
    end: float
    height: float


def _loses_words(cited: Extraction, span: Span, pages: Sequence[Page]) -> bool:
    layout = cited.layout
    if layout is None or not len(layout.run_start):
        return False
    for page in pages:
        gaps = _find_gaps(layout, span.intersection(page.span))
        if gaps and _is_filled(layout, cited, gaps, span, page):
            return True
    return False


def _find_gaps(layout: Layout, span: Span) -> list[_Gap]:
    runs = layout.runs_of(span)[:_MOST_RUNS]
    part = slice(runs.start, runs.stop)
    first = np.maximum(layout.run_start[part], span.start).astype(np.int64)
    lengths = np.minimum(layout.run_end[part], span.end) - first
    height = (layout.run_ascent[part] - layout.run_descent[part]).astype(np.float64)
    is_turned = layout.run_cos[part] < _LEVEL
    # The characters of level runs that have a box, and the run of each.
    run = np.repeat(np.arange(len(lengths)), lengths)
    at = np.arange(len(run)) + (first - np.cumsum(lengths) + lengths)[run]
    boxed = np.flatnonzero((layout.left[at] < layout.right[at]) & ~is_turned[run])
    run, at = run[boxed], at[boxed]
    x = layout.run_x[part].astype(np.float64)[run]
    left, right = x + layout.left[at], x + layout.right[at]
    y = layout.run_y[part].astype(np.float64)[run]
    tall = height[run]
    turned = np.cumsum(is_turned)[run]
    is_gap = left[1:] - right[:-1] > _GAP * tall[1:]
    in_row = np.abs(np.diff(y)) < _ROW * tall[1:]
    found = is_gap & ((run[1:] == run[:-1]) | (in_row & (turned[1:] == turned[:-1])))
    return [
        _Gap(
            y=float(y[index + 1]),
            start=float(right[index]),
            end=float(left[index + 1]),
            height=float(tall[index + 1]),
        )
        for index in np.flatnonzero(found).tolist()
    ]


def _is_filled(
    layout: Layout, cited: Extraction, gaps: Sequence[_Gap], span: Span, page: Page
) -> bool:
    """Whether words that the span has not appear in one of its gaps."""
    runs = layout.runs_of(page.span)
    part = slice(runs.start, runs.stop)
    lowest = min(gap.y - _ROW * gap.height for gap in gaps)
    highest = max(gap.y + _ROW * gap.height for gap in gaps)
    first, last = layout.run_start[part], layout.run_end[part] - 1
    own = layout.run_y[part]
    apart = (last < span.start) | (first >= span.end)
    # Most pages have hundreds of runs, few of them in the rows of the gaps.
    near = np.flatnonzero(apart & (own > lowest) & (own < highest))
    if not len(near):
        return False
    first, last = first[near], last[near]
    y, x = own[near].astype(np.float64), layout.run_x[part][near].astype(np.float64)
    left, right = x + layout.left[first], x + layout.right[last]
    for gap in gaps:
        shared = np.minimum(right, gap.end) - np.maximum(left, gap.start)
        inside = (np.abs(y - gap.y) < _ROW * gap.height) & (shared > _PART * gap.height)
        for run in np.flatnonzero(inside).tolist():
            words = cited.text.text[int(first[run]) : int(last[run]) + 1]
            flags = layout.flags[int(first[run]) : int(last[run]) + 1]
            seen = (flags & np.uint16(HIDDEN)) == 0
            if any(c.isalnum() for c, kept in zip(words, seen.tolist(), strict=True) if kept):
                return True
    return False
