"""Which characters of a page leave ink: its pixels with its text, held against those without it.

A glyph that a reader sees changes the picture. Where the picture is the same with and without the
page's text, the text is painted in the colour of its ground, transparent, clipped away, or under
something opaque. Where there is nothing at all to be seen, it is *blank*; where something else is
seen, only the text's own glyphs are missing: under a scan that is how text layers are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.ingest.assembly.characters import flags_of, is_space

if TYPE_CHECKING:
    from spanproof.ingest.assembly.characters import Flags
    from spanproof.ingest.assembly.stream import CharStream, Floats, Ints, Mask, Points
    from spanproof.ingest.engine.protocol import Pixels

#: What decides which characters are flagged as not seen: part of every pipeline that does.
VISIBILITY = "ink-2"
#: Text of a smaller size, in points, is no text to a reader of the page.
SMALLEST = 2.0
#: A pixel that differs by fewer of 255 levels in every channel differs to no eye.
FAINTEST = 12
# Neighbours reach into a glyph's box: its middle is looked at.
_ASIDE, _ACROSS = 0.2, 0.12
# Recognised words lie near the picture's words, not on them.
_ASTRAY = 0.35
# Letters next to each other share less of their widths than this; those over each other, more.
_CROWDED = 0.55
_MOST_PAIRED = 400
# Signs that change a number: each is looked at by itself, like letters and digits.
_SIGNS = frozenset("+-−±%‰$€£¥<>≤≥=≠.,")
# Characters without a visible shape of their own take their neighbours' word.
_SHAPELESS = CharFlag.SOFT_HYPHEN | CharFlag.IGNORABLE | CharFlag.CONTROL


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """A part of a page drawn twice at so many pixels a point: as it is, and without its own text.

    ``left`` and ``top`` are where the part begins in the drawn page.
    """

    shown: Pixels
    bare: Pixels
    scale: float
    left: int = 0
    top: int = 0


def find_concealed(stream: CharStream, views: Views, which: Mask | None = None) -> Flags:
    """Flags of the characters of one page of which a reader sees nothing.

    Only those of ``which`` are looked at; without it all. The bare page is not free of glyphs that
    are pictures: those are seen where anything is.
    """
    found = np.zeros(len(stream), np.uint16)
    if not len(stream):
        return found
    inner = _boxes(stream, views, _ASIDE, _ACROSS)
    edges = _add_up(_find_edges(views.shown))
    own = _count(_add_up(find_changed(views.shown, views.bare)), inner)
    there = _count(edges, inner)
    seen = np.where(stream.drawn, there > 0, own > 0)
    judged = _is_judged(stream)
    if which is not None:
        judged &= which
    seen = _lend(seen, judged, stream)
    # Nothing paints it: it is a scan's text where the picture has words, and else no one's.
    unpainted = stream.invisible
    blank = ~seen & ~(there > 0)
    if unpainted.any():
        near = _spread(_count(edges, _boxes(stream, views, -_ASTRAY, -_ASTRAY)) > 0, stream)
        blank = np.where(unpainted, ~near, blank)
    found[~seen | unpainted] |= np.uint16(CharFlag.INVISIBLE)
    found[blank] |= np.uint16(CharFlag.INVISIBLE | CharFlag.CONCEALED)
    # Off the page there is no picture: that is told elsewhere.
    found[is_space(stream.points) | stream.synthetic | _is_outside(stream, views)] = 0
    if which is not None:
        found[~which] = 0
    return found


def _is_outside(stream: CharStream, views: Views) -> Mask:
    left, right, top, bottom = _boxes(stream, views, 0.0, 0.0)
    height, width = views.shown.shape[:2]
    outside: Mask = (right <= 0) | (left >= width) | (bottom <= 0) | (top >= height)
    return outside


def find_tiny(stream: CharStream) -> Mask:
    """The painted characters that are too small to be read."""
    tiny: Mask = (stream.sizes < SMALLEST) & ~stream.invisible & ~stream.synthetic
    return tiny & ~is_space(stream.points) if tiny.any() else tiny


def find_overprinted(stream: CharStream, which: Mask, shaped: Mask) -> Mask:
    """Characters over which another character stands: of the two a reader sees one, or neither.

    Only those of ``which`` count: what is clipped away stands over nothing. Where a shape is drawn
    (``shaped``), it lies between the two, and the later one is seen.
    """
    count = len(stream)
    found = np.zeros(count, bool)
    page = np.repeat(np.arange(len(stream.page_lines)), stream.page_lines)
    line = np.repeat(np.arange(len(stream.line_length)), stream.line_length)
    painted = which & ~stream.invisible & ~stream.synthetic & _find_crowded(stream)[line]
    if not painted.any():
        return found
    index = np.flatnonzero(painted)
    index = index[is_word(stream.points[index])]
    if len(index) < 2:
        return found
    left, right = stream.quads[0::2, index].min(axis=0), stream.quads[0::2, index].max(axis=0)
    base, size = stream.origins[1, index], stream.sizes[index]
    level = (stream.line_direction[line[index]] == (1.0, 0.0)).all(axis=1)
    kept = level & (right > left) & (size > 0) & np.isfinite(left + right + base + size)
    index, left, right = index[kept], left[kept], right[kept]
    base, size, page = base[kept], size[kept], page[line[index]]
    points = stream.points[index]
    # Sorted by place, what stands over a character is within a few neighbours.
    for shift in (0.0, 0.5):
        rows = np.floor(base + shift).astype(np.int64)
        order = np.lexsort((left, rows, page))
        for step in (1, 2, 3):
            one, two = order[:-step], order[step:]
            width = np.maximum(right[one] - left[one], right[two] - left[two])
            shared = np.minimum(right[one], right[two]) - np.maximum(left[one], left[two])
            over = (page[one] == page[two]) & (rows[one] == rows[two])
            over &= (points[one] != points[two]) & (shared > 0.6 * width)
            over &= np.abs(base[one] - base[two]) < 0.15 * np.maximum(size[one], size[two])
            over &= np.abs(size[one] - size[two]) < 0.3 * np.maximum(size[one], size[two])
            # Letters of one ligature share their glyph's box.
            over &= (np.abs(left[one] - left[two]) > 0.01) | (np.abs(index[one] - index[two]) > 2)
            first = np.minimum(index[one[over]], index[two[over]])
            later = np.maximum(index[one[over]], index[two[over]])
            found[first] = True
            found[later[~shaped[first]]] = True
    return found


def _find_crowded(stream: CharStream) -> Mask:
    """The lines with characters one over the other, or in another line's place: most have none."""
    count = len(stream.line_length)
    if count > _MOST_PAIRED or not len(stream):
        return np.ones(count, bool)
    left, right = stream.quads[0::2].min(axis=0), stream.quads[0::2].max(axis=0)
    wide = right - left
    line = np.repeat(np.arange(count), stream.line_length)
    found = np.zeros(count, bool)
    for step in (1, 2, 3):
        one, two = slice(None, -step), slice(step, None)
        # Those that go back count too: sorted by place, others are their neighbours.
        over = right[one] - left[two] > _CROWDED * np.maximum(wide[one], wide[two])
        found[line[one][over & (line[one] == line[two])]] = True
    filled = np.flatnonzero(stream.line_length)
    starts = (np.cumsum(stream.line_length) - stream.line_length)[filled]
    page = np.repeat(np.arange(len(stream.page_lines)), stream.page_lines)[filled]
    first, last = np.fmin.reduceat(left, starts), np.fmax.reduceat(right, starts)
    base = stream.origins[1]
    high, low = np.fmin.reduceat(base, starts), np.fmax.reduceat(base, starts)
    # By pairs: of two lines that share a row and a stretch of it, both count.
    over = _overlap(high, low + np.float32(1.0)) & _overlap(first, last) & (page[:, None] == page)
    np.fill_diagonal(over, val=False)
    found[filled[over.any(axis=1)]] = True
    return found


def _overlap(starts: Floats, ends: Floats) -> Mask:
    return (starts[:, None] < ends) & (starts < ends[:, None])


def is_word(points: Points) -> Mask:
    """Which code points are letters or digits."""
    known, where = np.unique(points, return_inverse=True)
    word = np.array([chr(p).isalnum() if p < 0x110000 else False for p in known.tolist()], bool)
    return word[where.reshape(-1)]


def _is_judged(stream: CharStream) -> Mask:
    """The characters whose own ink tells: letters, digits and the signs of numbers."""
    known, where = np.unique(stream.points, return_inverse=True)
    texts = [chr(point) if point < 0x110000 else "" for point in known.tolist()]
    shaped = (flags_of(known) & np.uint16(_SHAPELESS)) == 0
    tells = np.array([text.isalnum() or text in _SIGNS for text in texts], bool) & shaped
    xs, ys = stream.quads[0::2], stream.quads[1::2]
    # The letters of a ligature spelled out may share one box: the others have none.
    boxed = (xs.max(axis=0) > xs.min(axis=0)) & (ys.max(axis=0) > ys.min(axis=0))
    judged: Mask = tells[where.reshape(-1)] & ~stream.synthetic & boxed
    return judged


def _lend(seen: Mask, judged: Mask, stream: CharStream) -> Mask:
    """What each character's nearest judged one says, before it in its line, else after it."""
    count = len(seen)
    index = np.arange(count)
    line = np.repeat(np.arange(len(stream.line_length)), stream.line_length)
    before = np.maximum.accumulate(np.where(judged, index, -1))
    after = np.minimum.accumulate(np.where(judged, index, count)[::-1])[::-1]
    has_before = (before >= 0) & (line[np.maximum(before, 0)] == line)
    has_after = (after < count) & (line[np.minimum(after, count - 1)] == line)
    near = np.where(has_before, before, np.where(has_after, after, index))
    return seen[near]


def _spread(seen: Mask, stream: CharStream) -> Mask:
    """Whether any character of each one's line is seen: recognition places lines, not letters."""
    line = np.repeat(np.arange(len(stream.line_length)), stream.line_length)
    space = is_space(stream.points)
    any_seen = np.zeros(len(stream.line_length), bool)
    np.logical_or.at(any_seen, line[~space], seen[~space])
    return any_seen[line]


def find_changed(one: Pixels, two: Pixels) -> Mask:
    """The pixels that differ to an eye between two pictures of one size."""
    apart = np.maximum(one, two)
    apart -= np.minimum(one, two)
    far = apart >= FAINTEST
    # Three channels by name: a reduction over so short an axis takes ten times as long.
    found: Mask = far[..., 0] | far[..., 1] | far[..., 2]
    return found


def _find_edges(pixels: Pixels) -> Mask:
    """Where a pixel differs from the one to its right or below."""
    found = np.zeros(pixels.shape[:2], bool)
    found[:, :-1] |= find_changed(pixels[:, :-1], pixels[:, 1:])
    found[:-1] |= find_changed(pixels[:-1], pixels[1:])
    return found


def _boxes(stream: CharStream, views: Views, aside: float, across: float) -> Ints:
    """Pixel bounds of each glyph's box without so much of its width and height at either side."""
    bounds = []
    for row, part, start in ((0, aside, views.left), (1, across, views.top)):
        values = stream.quads[row::2].astype(np.float64)
        low, high = values.min(axis=0), values.max(axis=0)
        room = (high - low) * part
        bounds += [(low + room) * views.scale - start, (high - room) * views.scale - start]
    fixed = [np.nan_to_num(np.clip(b, -1e6, 1e6), nan=-1e6) for b in bounds]
    left, right, top, bottom = fixed
    edges = [np.floor(left), np.ceil(right), np.floor(top), np.ceil(bottom)]
    found: Ints = np.stack(edges).astype(np.int64)
    return found


def _add_up(marked: Mask) -> Ints:
    """How many marked pixels lie above and left of each corner of a pixel."""
    height, width = marked.shape
    sums: Ints = np.zeros((height + 1, width + 1), np.int32)
    inner = sums[1:, 1:]
    np.cumsum(marked, axis=1, dtype=np.int32, out=inner)
    np.cumsum(inner, axis=0, out=inner)
    return sums


def _count(sums: Ints, boxes: Ints) -> Ints:
    """How many marked pixels lie in each box, by the sums at its corners."""
    height, width = sums.shape[0] - 1, sums.shape[1] - 1
    left, right = (np.clip(boxes[i], 0, width) for i in (0, 1))
    top, bottom = (np.clip(boxes[i], 0, height) for i in (2, 3))
    found: Any = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
    result: Ints = found
    return result
