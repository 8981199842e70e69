"""Columns of pages → the stream of characters that ``assemble`` takes.

pdfium's own line ends are two made-up characters; behind a hyphen it makes none. Text of another
direction starts a line too. A space that pdfium made up at either end of a line is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.ingest.assembly.stream import CharStream
from spanproof.ingest.engine.pdfium.boxes import measure_boxes, read_directions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.geometry import PageFrame
    from spanproof.ingest.assembly.stream import Ints, Mask, Points
    from spanproof.ingest.engine.pdfium.boxes import Doubles
    from spanproof.ingest.engine.pdfium.columns import Columns

_SPACE = 0x20
_HIGH, _LOW, _SURROGATE = 0xD800, 0xDC00, 0xFC00
# Neighbours are of one direction when the sine between them is less: half a degree.
_TURN = 0.01


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cut:
    """Which characters stay, and the line (a number that only grows) of each of those."""

    kept: Ints
    line: Ints
    points: Points


def make_stream(pages: Sequence[Columns], frames: Sequence[PageFrame]) -> CharStream:
    """Put pages together, one frame for each."""
    page = np.repeat(np.arange(len(pages)), [len(one) for one in pages])
    pieces = np.cumsum([0, *(len(one.sizes) for one in pages)])[:-1]
    every = {name: _join(pages, name) for name in ("points", "generated", "hyphens")}
    piece = _join(pages, "piece") + pieces[page]
    boxes, origins = _join(pages, "boxes"), _join(pages, "origins")
    matrices, sizes = _join(pages, "matrices"), _join(pages, "sizes")
    direction = read_directions(matrices)[_of_neighbour(piece, every["generated"])]
    cut = _cut_lines(page, direction, **every)
    kept, line = cut.kept, cut.line
    fresh = np.flatnonzero(np.diff(line, prepend=-1))
    length = np.diff(fresh, append=len(line))
    synthetic = every["generated"][kept]
    direction = direction[kept]
    vertical = _find_vertical(origins[kept], direction, synthetic, fresh, length)
    metrics = np.stack([_join(pages, "ascents"), _join(pages, "descents")])
    quads = measure_boxes(
        boxes=boxes[kept],
        origins=origins[kept],
        direction=direction,
        vertical=np.repeat(vertical, length),
        piece=piece[kept],
        matrices=matrices,
        sizes=sizes,
        metrics=metrics,
    )
    unit = np.array([frame.user_unit for frame in frames])[page[kept]]
    left = np.array([frame.view_box.x0 for frame in frames])[page[kept]]
    top = np.array([frame.view_box.y1 for frame in frames])[page[kept]]
    a, b, c, d = matrices[piece[kept], :4].T.astype(np.float64)
    flow = direction[fresh]
    flow[vertical] = np.stack([flow[vertical, 1], -flow[vertical, 0]], axis=1)
    return CharStream(
        page_lines=np.bincount(page[kept][fresh], minlength=len(frames)),
        line_length=length,
        line_direction=(flow * (1, -1)).astype(np.float32),
        line_vertical=vertical,
        points=cut.points,
        synthetic=synthetic,
        invisible=_join(pages, "unpainted")[piece[kept]] & ~synthetic,
        drawn=np.zeros(len(kept), bool),
        quads=_to_frame(quads, left, top, unit),
        origins=_to_frame(origins[kept].T, left, top, unit),
        sizes=(sizes[piece[kept]] * np.sqrt(np.abs(a * d - b * c)) * unit).astype(np.float32),
    )


def _join(pages: Sequence[Columns], name: str) -> Any:  # noqa: ANN401 - arrays of several types
    return np.concatenate([getattr(one, name) for one in pages])


def _of_neighbour(piece: Ints, generated: Mask) -> Ints:
    """Each character's piece; for one that pdfium made up that of the real one before it."""
    real = np.maximum.accumulate(np.where(generated, 0, np.arange(len(piece))))
    found: Ints = piece[real]
    return found


def _cut_lines(
    page: Ints, direction: Doubles, *, points: Points, generated: Mask, hyphens: Mask
) -> _Cut:
    """Remove all that is not a character of the page, and number the lines of the rest."""
    ends = generated & (points != _SPACE)
    points, second = _join_surrogates(points)
    count = len(points)
    fresh = np.zeros(count, bool)
    if count:
        fresh[0] = True
        sine = direction[1:, 0] * direction[:-1, 1] - direction[1:, 1] * direction[:-1, 0]
        back = (direction[1:] * direction[:-1]).sum(axis=1) < 0
        fresh[1:] = (page[1:] != page[:-1]) | (np.abs(sine) > _TURN) | back
        # A line end or a hyphen cuts behind itself.
        fresh[1:] |= ends[:-1] | hyphens[:-1]
    line = np.cumsum(fresh)
    kept = np.flatnonzero(~ends & ~second)
    while len(kept):
        here = line[kept]
        edge = np.diff(here, prepend=-1) != 0
        edge |= np.diff(here, append=-1) != 0
        made_up = edge & generated[kept]
        if not made_up.any():
            break
        kept = kept[~made_up]
    return _Cut(kept=kept, line=line[kept], points=points[kept])


def _join_surrogates(points: Points) -> tuple[Points, Mask]:
    """UTF-16 pairs as one code point each, and which characters were second halves of one."""
    second = np.zeros(len(points), bool)
    high = np.flatnonzero((points[:-1] & _SURROGATE) == _HIGH)
    high = high[(points[high + 1] & _SURROGATE) == _LOW]
    if not len(high):
        return points, second
    joined = points.copy()
    joined[high] = 0x10000 + ((points[high] - _HIGH) << 10) + (points[high + 1] - _LOW)
    second[high + 1] = True
    return joined, second


def _find_vertical(
    origins: Doubles, direction: Doubles, synthetic: Mask, fresh: Ints, length: Ints
) -> Mask:
    """Which lines run across their glyphs: most of the way from origin to origin is across.

    pdfium does not say whether a font writes vertically.
    """
    vertical = np.zeros(len(fresh), bool)
    if len(origins) <= 1:
        return vertical
    step = np.diff(origins, axis=0)
    along = np.abs((step * direction[:-1]).sum(axis=1))
    across = np.abs(step[:, 0] * direction[:-1, 1] - step[:, 1] * direction[:-1, 0])
    inside = ~(synthetic[1:] | synthetic[:-1])
    inside[fresh[1:] - 1] = False
    more = np.append(np.where(inside, across - along, 0.0), 0.0)
    vertical = np.add.reduceat(more, fresh) > 0
    return vertical & (length > 1)


def _to_frame(corners: Doubles, left: Doubles, top: Doubles, unit: Doubles) -> Any:  # noqa: ANN401
    """Rows of x and y in turn: user space → the frame of the unrotated page."""
    moved = np.empty(corners.shape, np.float32)
    moved[0::2] = (corners[0::2] - left) * unit
    moved[1::2] = (top - corners[1::2]) * unit
    return moved
