"""Where glyphs appear: pdfium's boxes and fonts' metrics → quads along the text's own direction.

pdfium's loose box of a character is its advance by its font's height, grown to its ink. It stays
level for text of any direction. Glyphs of one font and size must have one height, so that a line is
one run: so we take the font's height, and the ink's only where the font states none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from spanproof.ingest.assembly.stream import Floats, Ints, Mask

Doubles = np.ndarray[Any, np.dtype[np.float64]]

# A direction this near to an axis is the axis, as for runs.
_AXIS = 1e-5
# A font whose height is outside of this, in parts of its size, says nothing of its glyphs.
_LOWEST, _HIGHEST = 0.2, 4.0


def read_directions(matrices: Floats) -> Doubles:
    """The unit direction (y up) of each text matrix; level for one without a direction."""
    found = matrices[:, :2].astype(np.float64)
    length = np.hypot(found[:, 0], found[:, 1])
    good = np.isfinite(length) & (length > 0)
    found = np.where(good[:, None], found, (1.0, 0.0))
    found /= np.where(good, length, 1.0)[:, None]
    axis = np.abs(found).min(axis=1) < _AXIS
    found[axis] = np.rint(found[axis])
    return found


def measure_boxes(  # noqa: PLR0913 - columns that belong together
    *,
    boxes: Floats,
    origins: Doubles,
    direction: Doubles,
    vertical: Mask,
    piece: Ints,
    matrices: Floats,
    sizes: Doubles,
    metrics: Floats,
) -> Doubles:
    """Quads in user space: x and y of upper left, upper right, lower left, lower right.

    ``boxes``, ``origins``, ``direction``, ``vertical`` and ``piece`` are of each character, the
    rest of each piece; ``metrics`` are rows of ascents and descents.
    """
    # Vertical writing runs down its glyphs: above the line is to their right.
    dx = np.where(vertical, direction[:, 1], direction[:, 0])
    dy = np.where(vertical, -direction[:, 0], direction[:, 1])
    low, high = _project(boxes, dx, dy)
    bottom, top = _project(boxes, -dy, dx)
    start = origins[:, 0] * dx + origins[:, 1] * dy
    base = origins[:, 1] * dx - origins[:, 0] * dy
    slanted = (dx != 0) & (dy != 0) & ~vertical
    # Ink may begin before its glyph's origin; where the origin is not in the box, the box is right.
    # The origins of vertical writing are those that its glyphs would have in a level line.
    placed = (low <= start) & (start < high) & ~vertical
    low = np.where(slanted | placed, start, low)

    a, b, c, d = matrices[:, :4].astype(np.float64).T
    length = np.hypot(a, b)
    height = metrics[0] - metrics[1]
    told = (height > _LOWEST) & (height < _HIGHEST)
    edges = metrics.astype(np.float64) * sizes * _divide(a * d - b * c, length)
    if slanted.any():
        wide, tall = boxes[:, 2] - boxes[:, 0], boxes[:, 1] - boxes[:, 3]
        grown = np.where(told, height * sizes, 0.0)
        over = np.where(
            (np.abs(a) >= np.abs(b))[piece],
            _divide(wide - (np.abs(c) * grown)[piece], np.abs(a)[piece]),
            _divide(tall - (np.abs(d) * grown)[piece], np.abs(b)[piece]),
        )
        high = np.where(slanted, start + np.maximum(over, 0.0) * length[piece], high)
    # Without a font's word the ink of the whole piece is the height; of slanted text that is
    # unknown, and flat boxes get the usual heights later.
    inked = ~(told[piece] | vertical)
    if inked.any():
        bottom = np.where(inked, _over_pieces(np.minimum, bottom, piece), bottom)
        top = np.where(inked, _over_pieces(np.maximum, top, piece), top)
        flat = inked & slanted
        bottom[flat] = top[flat] = base[flat]
    by_font = told[piece] & ~vertical
    bottom = np.where(by_font, base + edges.min(axis=0)[piece], bottom)
    top = np.where(by_font, base + edges.max(axis=0)[piece], top)
    return np.stack(
        [
            *(low * dx - top * dy, low * dy + top * dx),
            *(high * dx - top * dy, high * dy + top * dx),
            *(low * dx - bottom * dy, low * dy + bottom * dx),
            *(high * dx - bottom * dy, high * dy + bottom * dx),
        ]
    )


def _project(boxes: Floats, dx: Doubles, dy: Doubles) -> tuple[Doubles, Doubles]:
    """Where level boxes (left, top, right, bottom) begin and end along a direction."""
    left, top, right, bottom = boxes.astype(np.float64).T
    x, y = np.stack([left, right]) * dx, np.stack([bottom, top]) * dy
    return x.min(axis=0) + y.min(axis=0), x.max(axis=0) + y.max(axis=0)


def _over_pieces(pick: np.ufunc, values: Doubles, piece: Ints) -> Doubles:
    first = np.flatnonzero(np.diff(piece, prepend=-1))
    found: Doubles = np.repeat(pick.reduceat(values, first), np.diff(first, append=len(piece)))
    return found


def _divide(number: Doubles, by: Doubles) -> Doubles:
    found: Doubles = number / np.where(by == 0, 1.0, by)
    return found
