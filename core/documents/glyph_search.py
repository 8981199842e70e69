"""Places on a page → the characters that appear there: the way back from quads to offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from spanproof.core.documents.layout import QUANTUM

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.documents.layout import Layout
    from spanproof.core.geometry import Quad
    from spanproof.core.span import Span

Indexes = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
#: How far, as a share of its sides, a glyph's centre may lie outside of a quad that holds it.
MARGIN = 0.1


class _Centres:
    """Index and centre (user space) of every character of a layout that has a box."""

    def __init__(self, layout: Layout) -> None:
        runs = np.repeat(np.arange(len(layout.run_start)), layout.run_end - layout.run_start)
        starts = layout.run_start[runs] if len(runs) else np.zeros(0, np.int64)
        counts = layout.run_end - layout.run_start
        within = np.arange(len(runs)) - np.repeat(np.cumsum(counts) - counts, counts)
        indexes = starts.astype(np.int64) + within
        boxed = layout.left[indexes] != layout.right[indexes]
        indexes, runs = indexes[boxed], runs[boxed]
        middle = (layout.left[indexes] + layout.right[indexes].astype(np.float64)) / 2
        across = (layout.run_ascent[runs] + layout.run_descent[runs].astype(np.float64)) / 2
        cos, sin = layout.run_cos[runs].astype(np.float64), layout.run_sin[runs].astype(np.float64)
        self.indexes: Indexes = indexes
        self.x: Floats = (layout.run_x[runs] + middle * cos - across * sin) * QUANTUM
        self.y: Floats = (layout.run_y[runs] + middle * sin + across * cos) * QUANTUM

    def within(self, span: Span) -> slice:
        """The stretch of the columns that belongs to a span."""
        first, last = np.searchsorted(self.indexes, [span.start, span.end])
        return slice(int(first), int(last))


_CENTRES: WeakKeyDictionary[Extraction, _Centres] = WeakKeyDictionary()


def find_characters(extraction: Extraction, page: Page, quads: Iterable[Quad]) -> Indexes:
    """The offsets of the page's characters whose centres lie in one of the quads, in text order.

    Quads are parallelograms in user space, of this document's own bytes. Empty without a layout.
    """
    centres = _centres_of(extraction)
    if centres is None:
        return np.zeros(0, np.int64)
    part = centres.within(page.span)
    x, y = centres.x[part], centres.y[part]
    inside = np.zeros(len(x), dtype=np.bool_)
    for quad in quads:
        inside |= _lie_within(x, y, quad)
    return centres.indexes[part][inside]


def _centres_of(extraction: Extraction) -> _Centres | None:
    if extraction.layout is None:
        return None
    known = _CENTRES.get(extraction)
    if known is None:
        known = _CENTRES[extraction] = _Centres(extraction.layout)
    return known


def _lie_within(x: Floats, y: Floats, quad: Quad) -> np.ndarray[Any, np.dtype[np.bool_]]:
    along_x, along_y = quad.ur[0] - quad.ul[0], quad.ur[1] - quad.ul[1]
    down_x, down_y = quad.ll[0] - quad.ul[0], quad.ll[1] - quad.ul[1]
    area = along_x * down_y - along_y * down_x
    if area == 0:
        return np.zeros(len(x), dtype=np.bool_)
    from_x, from_y = x - quad.ul[0], y - quad.ul[1]
    along = (from_x * down_y - from_y * down_x) / area
    down = (along_x * from_y - along_y * from_x) / area
    low, high = -MARGIN, 1 + MARGIN
    # Along the line a neighbour's centre is half a glyph away: no margin there.
    return (along >= 0) & (along <= 1) & (down >= low) & (down <= high)
