"""White space that the page does not show: the letters on both sides of it touch.

Some producers draw a word in pieces and set an unpainted blank after each of them, over what stands
there already. The text then has white space, even line breaks, inside words (``TDRs m⏎ ⏎ay have``).
Where the layout proves that two letters stand side by side on one baseline, and that no blank
stands between them, a reader sees one word.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.core.span import Span

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.layout import Layout

#: Parts of the letters' size. The narrowest blank that is set on purpose takes a tenth of it;
#: letters of one word lie closer than this, and overlap no more.
_MOST_GAP = 0.04
#: How far two baselines, and two heights, of one word may differ.
_MOST_SHIFT, _MOST_TALLER = 0.03, 0.1
_TURNED = 1e-3
_OURS = int(CharFlag.SEPARATOR)
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])\s+(?=[^\W\d_])")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Box:
    """Where a character stands along its line and across it, in quanta of the first one's frame."""

    left: float
    right: float
    base: float
    height: float
    direction: tuple[float, float]


def shows_no_space(extraction: Extraction, left: int, right: int) -> bool:
    """Whether ``text[left:right]``, white space between two letters, is nowhere between them."""
    layout, text = extraction.layout, extraction.text.text
    if layout is None or not 0 < left < right < len(text):
        return False
    if not (text[left - 1].isalpha() and text[right].isalpha()):
        return False
    if not extraction.page_at(left).span.contains(Span(left - 1, right + 1)):
        return False
    kept = [at for at in range(left, right) if not layout.flags[at] & _OURS]
    boxes = [_place(layout, at, beside=left - 1) for at in (left - 1, *kept, right)]
    first, *blanks, last = boxes
    if first is None or last is None or not _touch(first, last):
        return False
    # A blank that reaches past the first letter is set between the two, however close they are:
    # the widths that a file states are not always those that it draws.
    most = first.right + _MOST_GAP * _size(first, last)
    return all(blank is not None and blank.right <= most for blank in blanks)


def find_unseen(extraction: Extraction, span: Span) -> tuple[Span, ...]:
    """All such white space inside a span, in its order."""
    layout = extraction.layout
    if layout is None or not extraction.has_geometry:
        return ()
    found = [m.span() for m in _BETWEEN_LETTERS.finditer(extraction.text.text, *_edges(span))]
    if not found:
        return ()
    # Most words stand apart in one run, or in rows of level letters: that is told at a glance.
    left, right = np.array(found, np.int32).T  # As the columns are, or numpy would copy those.
    last = len(layout.run_end) - 1
    one, other = (
        np.minimum(np.searchsorted(layout.run_end, at, side="right"), last)
        for at in (left - 1, right)
    )
    room = layout.left[right] - layout.right[left - 1]
    heights = [layout.run_ascent[run] - layout.run_descent[run] for run in (one, other)]
    apart = (one == other) & (room > _MOST_GAP * heights[0])
    is_level = (layout.run_cos[one] == 1) & (layout.run_cos[other] == 1)
    tallest = np.maximum(*heights)
    apart |= is_level & (np.abs(layout.run_y[one] - layout.run_y[other]) > _MOST_SHIFT * tallest)
    between = layout.run_x[other] - layout.run_x[one] + room
    apart |= is_level & (np.abs(between) > _MOST_GAP * tallest)
    return tuple(
        Span(*found[index])
        for index in np.flatnonzero(~apart).tolist()
        if shows_no_space(extraction, *found[index])
    )


def _edges(span: Span) -> tuple[int, int]:
    """Where white space of a span may begin and end: its first and last letters are its own."""
    return min(span.start + 1, span.end), span.end


def _place(layout: Layout, at: int, *, beside: int) -> _Box | None:
    """The box of a character in the frame of another one's run; None where it has none."""
    runs, own = (layout.runs_of(Span(one, one + 1)) for one in (at, beside))
    # What extraction made of a gap has no box, and is the proof of the gap.
    if not runs or not own or layout.left[at] == layout.right[at]:
        return None
    run, frame = runs.start, own.start
    cos, sin = float(layout.run_cos[frame]), float(layout.run_sin[frame])
    dx = float(layout.run_x[run]) - float(layout.run_x[frame])
    dy = float(layout.run_y[run]) - float(layout.run_y[frame])
    along = dx * cos + dy * sin
    return _Box(
        left=along + float(layout.left[at]),
        right=along + float(layout.right[at]),
        base=dy * cos - dx * sin,
        height=float(layout.run_ascent[run]) - float(layout.run_descent[run]),
        direction=(float(layout.run_cos[run]), float(layout.run_sin[run])),
    )


def _touch(one: _Box, other: _Box) -> bool:
    """Whether the second letter begins where the first ends, both of one size and baseline."""
    height = min(one.height, other.height)
    alike = height >= (1 - _MOST_TALLER) * max(one.height, other.height)
    level = abs(other.base - one.base) <= _MOST_SHIFT * height
    turned = math.dist(one.direction, other.direction) > _TURNED
    near = abs(other.left - one.right) <= _MOST_GAP * _size(one, other)
    return height > 0 and alike and level and near and not turned


def _size(one: _Box, other: _Box) -> float:
    """The letters' height, or twice their width: fonts with absurd heights are not rare."""
    widest = max(one.right - one.left, other.right - other.left)
    return min(one.height, other.height, 2 * widest)
