"""Gaps in the rows of a page, and the words of another place of the text that appear in them.

The text of a page is in the order in which its file draws it. A word drawn later into a gap of a
line is seen in that line and stands elsewhere in the text: the line says more than a span of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from spanproof.core.documents.layout import HIDDEN

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.layout import Layout
    from spanproof.core.span import Span

# Parts of a line's height: a gap that could hold a word, how far lines of one row lie apart, and
# how much of a word has to lie in a gap.
_GAP, _ROW, _PART = 0.4, 0.25, 0.25
# The least cosine of a run that is level: gaps of turned words are not looked at.
_LEVEL = 0.999
# A span of more runs than a page of prose has is judged by its first ones.
_MOST_RUNS = 120

#: The characters of a text from the first to the last of a run.
_Characters = tuple[int, int]


@dataclass(slots=True, kw_only=True)
class _PageGaps:
    """The gaps between neighbouring characters of a page, in the order of its text.

    ``before`` and ``behind`` are the characters about each gap; places and lengths are in quanta.
    ``rows`` are the places of the page's runs across its rows, in order; ``runs`` their indexes.
    """

    before: list[int]
    behind: list[int]
    y: list[float]
    left: list[float]
    right: list[float]
    height: list[float]
    rows: list[int]
    runs: np.ndarray[tuple[int], np.dtype[np.intp]]
    #: Of each gap that was looked at, what appears in it.
    words: dict[int, tuple[_Characters, ...]] = field(default_factory=dict)


_GAPS: WeakKeyDictionary[Extraction, dict[int, _PageGaps]] = WeakKeyDictionary()


def shows_more_words(cited: Extraction, span: Span, page: Span) -> bool:
    """Whether words that the span has not appear within its rows on this page."""
    layout, part = cited.layout, span.intersection(page)
    if layout is None or not part:
        return False
    kept = _GAPS.setdefault(cited, {})
    gaps = kept.get(page.start)
    if gaps is None:
        gaps = kept[page.start] = _find_gaps(layout, page)
    end = part.end
    runs = layout.runs_of(part)
    if len(runs) > _MOST_RUNS:
        end = min(end, int(layout.run_end[runs.start + _MOST_RUNS - 1]))
    inside = range(bisect_left(gaps.before, part.start), bisect_left(gaps.behind, end))
    return any(
        last < span.start or first >= span.end
        for index in inside
        for first, last in _find_words(cited, layout, gaps, index)
    )


def _find_gaps(layout: Layout, page: Span) -> _PageGaps:
    runs = layout.runs_of(page)
    part = slice(runs.start, runs.stop)
    first = np.maximum(layout.run_start[part], page.start).astype(np.int64)
    lengths = np.minimum(layout.run_end[part], page.end) - first
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
    found = np.flatnonzero(
        is_gap & ((run[1:] == run[:-1]) | (in_row & (turned[1:] == turned[:-1])))
    )
    rows = layout.run_y[part]
    order = np.argsort(rows, kind="stable")
    return _PageGaps(
        before=at[found].tolist(),
        behind=at[found + 1].tolist(),
        y=y[found + 1].tolist(),
        left=right[found].tolist(),
        right=left[found + 1].tolist(),
        height=tall[found + 1].tolist(),
        rows=rows[order].tolist(),
        runs=order + runs.start,
    )


def _find_words(
    cited: Extraction, layout: Layout, gaps: _PageGaps, index: int
) -> tuple[_Characters, ...]:
    """The runs with a visible letter or digit in this gap."""
    known = gaps.words.get(index)
    if known is not None:
        return known
    reach = _ROW * gaps.height[index]
    lowest = bisect_right(gaps.rows, gaps.y[index] - reach)
    highest = bisect_left(gaps.rows, gaps.y[index] + reach)
    runs = gaps.runs[lowest:highest]
    first, last = layout.run_start[runs], layout.run_end[runs] - 1
    x = layout.run_x[runs].astype(np.float64)
    left, right = x + layout.left[first], x + layout.right[last]
    shared = np.minimum(right, gaps.right[index]) - np.maximum(left, gaps.left[index])
    found: list[_Characters] = []
    for at in np.flatnonzero(shared > _PART * gaps.height[index]).tolist():
        characters = int(first[at]), int(last[at])
        if _has_visible_word(cited, layout, *characters):
            found.append(characters)
    gaps.words[index] = tuple(found)
    return gaps.words[index]


def _has_visible_word(cited: Extraction, layout: Layout, first: int, last: int) -> bool:
    words = cited.text.text[first : last + 1]
    seen = (layout.flags[first : last + 1] & np.uint16(HIDDEN)) == 0
    return any(c.isalnum() for c, is_seen in zip(words, seen.tolist(), strict=True) if is_seen)
