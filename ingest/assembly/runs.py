"""Where characters appear: quads of the engine's frame → runs along their direction, in user space.

Everything is projected on the line's direction and across it, so that level, turned and skewed text
take one path. Numbers become whole hundredths of a user unit only at the end, measured from the
run's own rounded origin: so rounding never adds up along a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import QUANTUM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.geometry import PageFrame
    from spanproof.ingest.assembly.stream import CharStream, Ints, Mask

Doubles = np.ndarray[Any, np.dtype[np.float64]]
Quanta = np.ndarray[Any, np.dtype[np.int32]]

# A direction this near to an axis is the axis: over 500 units it moves a glyph by half a quantum.
_AXIS = 1e-5
# Neighbours are of one run when both edges across it agree to one and a half quanta.
_SAME = 1.5 * QUANTUM
# A glyph that appears this share of its size before the one that it follows begins a run: the quad
# of a run that turned back would be the hull over both ways.
_LEAP = 0.3
# Below this share of the font size a glyph's box is a font's fault: it then gets the usual heights.
_FLAT = 0.1
_USUAL_ASCENT, _USUAL_DESCENT = 0.8, -0.2
_MOST = 2e9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Runs:
    """The columns of ``spanproof.core.documents.layout.Layout`` without the flags."""

    start: Ints
    end: Ints
    x: Quanta
    y: Quanta
    cos: np.ndarray[Any, np.dtype[np.float32]]
    sin: np.ndarray[Any, np.dtype[np.float32]]
    ascent: Quanta
    descent: Quanta
    left: Quanta
    right: Quanta

    def spread(self, where: Ints, total: int) -> Runs:
        """The same runs with character ``i`` moved to offset ``where[i]`` among ``total``."""
        left, right = np.zeros(total, np.int32), np.zeros(total, np.int32)
        left[where], right[where] = self.left, self.right
        return Runs(
            start=where[self.start],
            end=where[self.end - 1] + 1,
            x=self.x,
            y=self.y,
            cos=self.cos,
            sin=self.sin,
            ascent=self.ascent,
            descent=self.descent,
            left=left,
            right=right,
        )


def find_runs(
    stream: CharStream,
    frames: Sequence[PageFrame],
    page_of_char: Ints,
    ends_line: Mask,
) -> tuple[Runs, Mask]:
    """The runs of a stream (offsets count its characters), and which characters are off-page."""
    count = len(stream)
    units = np.array([frame.user_unit for frame in frames])
    direction = _directions(stream)
    line_of_char = np.repeat(np.arange(len(stream.line_length)), stream.line_length)
    low, high, bottom, top, base = _project(stream, direction, line_of_char)
    flat = top - bottom < _FLAT * stream.sizes
    if flat.any():
        bottom = np.where(flat, base + _USUAL_DESCENT * stream.sizes, bottom)
        top = np.where(flat, base + _USUAL_ASCENT * stream.sizes, top)
    offpage = off_page(stream, frames, page_of_char)

    fresh = np.zeros(count, bool)
    line_starts = np.cumsum(stream.line_length) - stream.line_length
    new_line = np.concatenate([[True], ends_line[:-1]]) if len(ends_line) else ends_line
    fresh[line_starts[new_line & (stream.line_length > 0)]] = True
    if stream.synthetic.any():
        # A space that the engine made up has no box: it takes the place right behind its neighbour.
        near, made = _nearest_real(stream.synthetic, fresh)
        bottom[made], top[made], base[made] = bottom[near], top[near], base[near]
        low[made] = high[made] = high[near]
    if count:
        limit = _SAME * units[page_of_char[1:]]
        moved = (np.abs(np.diff(bottom)) > limit) | (np.abs(np.diff(top)) > limit)
        turned = (
            np.any(direction[line_of_char[1:]] != direction[line_of_char[:-1]], axis=1)
            if (not ends_line.all())
            else False
        )
        leapt = high[1:] < low[:-1] - _LEAP * stream.sizes[1:]
        fresh[1:] |= moved | turned | leapt
    start = np.flatnonzero(fresh)
    end = np.append(start[1:], count) if count else start
    run_line, run_page = line_of_char[start], page_of_char[start]
    dx, dy = direction[run_line].T
    unit = units[run_page]
    left_edge = np.array([frame.view_box.x0 for frame in frames])[run_page]
    top_edge = np.array([frame.view_box.y1 for frame in frames])[run_page]
    along, across = low[start], base[start]
    x = _quanta((left_edge + (along * dx + across * dy) / unit) / QUANTUM)
    y = _quanta((top_edge - (along * dy - across * dx) / unit) / QUANTUM)
    # The origin as stored, back in the engine's frame: lengths are measured from there.
    px, py = (x * QUANTUM - left_edge) * unit, (top_edge - y * QUANTUM) * unit
    along, across = px * dx + py * dy, px * dy - py * dx
    scale = 1 / (unit * QUANTUM)
    length = end - start
    every_along, every_scale = np.repeat(along, length), np.repeat(scale, length)
    highest = np.maximum.reduceat(top, start) if count else top
    lowest = np.minimum.reduceat(bottom, start) if count else bottom
    runs = Runs(
        start=start,
        end=end,
        x=x,
        y=y,
        cos=dx.astype(np.float32),
        sin=(0.0 - dy).astype(np.float32),
        ascent=_quanta((highest - across) * scale),
        descent=_quanta((lowest - across) * scale),
        left=_quanta((low - every_along) * every_scale),
        right=_quanta((high - every_along) * every_scale),
    )
    return runs, offpage


def _directions(stream: CharStream) -> Doubles:
    """Unit directions of the lines; an invalid direction (0, NaN) counts as level."""
    direction = stream.line_direction.astype(np.float64)
    length = np.hypot(direction[:, 0], direction[:, 1])
    good = np.isfinite(length) & (length > 0.5)
    direction = np.where(good[:, None], direction, (1.0, 0.0))
    direction /= np.where(good, length, 1.0)[:, None]
    axis = np.abs(direction).min(axis=1) < _AXIS
    direction[axis] = np.rint(direction[axis])
    return direction.astype(np.float32).astype(np.float64)


def _project(
    stream: CharStream, direction: Doubles, line_of_char: Ints
) -> tuple[Doubles, Doubles, Doubles, Doubles, Doubles]:
    """Each glyph's edges along its line (low, high) and across it (bottom, top, base line)."""
    xs, ys = stream.quads[0::2].astype(np.float64), stream.quads[1::2].astype(np.float64)
    ox, oy = stream.origins.astype(np.float64)
    low, high, bottom, top, base = (
        _edges(xs),
        _edges(xs, high=True),
        -_edges(ys, high=True),
        -_edges(ys),
        -oy,
    )
    level = (direction == (1.0, 0.0)).all(axis=1)
    if not level.all():
        turned = np.flatnonzero(~level[line_of_char])
        dx, dy = direction[line_of_char[turned]].T
        xs, ys = xs[:, turned], ys[:, turned]
        along, across = xs * dx + ys * dy, xs * dy - ys * dx
        low[turned], high[turned] = _edges(along), _edges(along, high=True)
        bottom[turned], top[turned] = _edges(across), _edges(across, high=True)
        base[turned] = ox[turned] * dy - oy[turned] * dx
    return low, high, bottom, top, base


def _edges(corners: Doubles, *, high: bool = False) -> Doubles:
    pick = np.maximum if high else np.minimum
    found: Doubles = pick(pick(corners[0], corners[1]), pick(corners[2], corners[3]))
    return found


def off_page(stream: CharStream, frames: Sequence[PageFrame], page_of_char: Ints) -> Mask:
    """Whether each glyph's box lies wholly outside its page's view box."""
    sizes = np.array(
        [
            (
                (f.view_box.x1 - f.view_box.x0) * f.user_unit,
                (f.view_box.y1 - f.view_box.y0) * f.user_unit,
            )
            for f in frames
        ],
        np.float32,
    ).reshape(-1, 2)
    width, height = sizes[page_of_char].T
    xs, ys = stream.quads[0::2], stream.quads[1::2]
    inside: Mask = (xs.max(axis=0) > 0) & (xs.min(axis=0) < width)
    inside &= (ys.max(axis=0) > 0) & (ys.min(axis=0) < height)
    outside: Mask = ~inside
    return outside


def _nearest_real(synthetic: Mask, fresh: Mask) -> tuple[Ints, Ints]:
    """For each synthetic character the real one before it in its line, else after, else itself."""
    count = len(synthetic)
    index = np.arange(count)
    line = np.cumsum(fresh)
    before = np.maximum.accumulate(np.where(synthetic, -1, index))
    made = np.flatnonzero(synthetic)
    near = before[made]
    astray = (near < 0) | (line[near] != line[made])
    if astray.any():
        after = np.minimum.accumulate(np.where(synthetic, count, index)[::-1])[::-1][made]
        follows = (after < count) & (line[np.minimum(after, count - 1)] == line[made])
        near = np.where(astray, np.where(follows, after, made), near)
    return near, made


def _quanta(values: Doubles) -> Quanta:
    # Broken documents place text at absurd coordinates: kept as far away as the store can.
    fixed = np.clip(np.nan_to_num(np.rint(values), posinf=_MOST, neginf=-_MOST), -_MOST, _MOST)
    found: Quanta = fixed.astype(np.int32)
    return found
