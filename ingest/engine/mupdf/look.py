"""Whether a page may hide some of its text: a look at what it draws, before any pixel is.

Most pages set dark text on paper. Only where something is drawn over or close under text, where
text is light, faint or clipped, or where the library cannot tell, is the page drawn
(``spanproof.ingest.engine.mupdf.ink``). The look follows the same lists as the reader of text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.ingest.assembly.characters import is_space
from spanproof.ingest.assembly.ink import is_word
from spanproof.ingest.engine.mupdf import stext
from spanproof.ingest.engine.mupdf.bands import gather_bands
from spanproof.ingest.engine.mupdf.library import GLYPHS, TEXT_FLAGS, load_pymupdf, make_text_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.geometry import PageFrame
    from spanproof.ingest.assembly.stream import CharStream, Floats, Ints, Mask, Points
    from spanproof.ingest.engine.mupdf.bands import Box
    from spanproof.ingest.tables.rules import Boxes

# FZ_STEXT: images, without what is clipped away, boxes as glyphs are drawn, vectors.
_LOOK_FLAGS = TEXT_FLAGS | 4 | 64 | 512 | 1024
_IMAGE, _VECTOR = 1, 3
# A line through text, by its size: how thick and how long it is, and how far above the base line.
_THIN, _LONG, _LOW, _HIGH = 0.25, 0.6, 0.15, 0.42
_FILLED = 0.6
_MOST_LINES = 500
_MOST_SHAPES = 5_000
# Text is clearly seen on paper if it differs from white by so many of 255 levels.
_CLEAR = 96
_FAINT_ALPHA = 128
# More shapes by characters than these cost as much to compare as to draw.
_MOST_COMPARED = 4_000_000
# So many of them at once, which fit into a processor's cache.
_COMPARED = 200_000
# A coarse grid that tells most shapes without text: points a cell, cells a side.
_CELL, _CELLS = 8, 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a page draws, in its order: characters that are not clipped away, and shapes."""

    origins: np.ndarray[Any, np.dtype[np.float32]]
    points: Points
    painted: Mask
    #: Whose glyphs have no outline at all.
    empty: Mask
    sizes: np.ndarray[Any, np.dtype[np.float32]]
    centres: np.ndarray[Any, np.dtype[np.float32]]
    colours: Ints
    alphas: Ints
    order: Ints
    boxes: np.ndarray[Any, np.dtype[np.float32]]
    shape_colours: Ints
    shape_alphas: Ints
    is_image: Mask
    shape_order: Ints


def record_look(page: Any, *, glyphs: bool = False) -> Any | None:  # noqa: ANN401 - an untyped binding
    """What the page draws, for ``read_looks``; None where this release's structures are unknown.

    With ``glyphs`` the characters are those of the glyphs, not those of ActualText.
    """
    flags = _LOOK_FLAGS | GLYPHS if glyphs else _LOOK_FLAGS
    return make_text_page(page, flags) if stext.reads_memory() else None


def read_looks(recorded: Sequence[Any]) -> list[Look]:
    """What each page draws."""
    return [_read(columns) for columns in stext.read_drawings(recorded)]


def _read(columns: stext.Drawing) -> Look:
    bits = columns.rows[:, 1] >> 16
    kept = ((bits & stext.SYNTHETIC) == 0) & ~is_space(columns.rows[:, 0])
    rows, floats, bits = columns.rows[kept], columns.floats[kept], bits[kept]
    argb = rows[:, 2].astype(np.int64)
    quads = floats[:, 5:13]
    shapes = np.isin(columns.block_types, (_IMAGE, _VECTOR))
    is_image = columns.block_types[shapes] == _IMAGE
    shape_argb = np.where(is_image, 0xFF000000, columns.block_colours[shapes])
    return Look(
        origins=floats[:, 3:5].T,
        points=rows[:, 0],
        painted=(bits & stext.PAINTED) != 0,
        # Upper and lower left corner: a glyph without an outline has no height.
        empty=(quads[:, 0:2] == quads[:, 4:6]).all(axis=1),
        sizes=floats[:, 13],
        centres=np.stack([quads[:, 0::2].mean(axis=1), quads[:, 1::2].mean(axis=1)]),
        colours=_channels(argb),
        alphas=argb >> 24,
        order=columns.block_of_char[kept],
        boxes=columns.block_boxes[shapes],
        shape_colours=_channels(shape_argb),
        shape_alphas=shape_argb >> 24,
        is_image=is_image,
        shape_order=np.flatnonzero(shapes),
    )


def find_doubtful(look: Look) -> list[Box]:
    """Where some of the page's text may not be seen."""
    faint = (look.alphas < _FAINT_ALPHA) | ((255 - look.colours).max(axis=1) < _CLEAR)
    # An empty glyph without a character of the text may well be a space.
    empty = look.empty & is_word(look.points) if look.empty.any() else look.empty
    found = np.flatnonzero((faint | empty | _find_met(look)) & look.painted)
    if not len(found):
        return []
    x, y = look.centres[:, found]
    # The text as it is read has its centres elsewhere in vertical writing.
    room = look.sizes[found]
    return gather_bands(np.stack([x - room, y - room, x + room, y + room]))


def find_struck(look: Look, stream: CharStream) -> Mask:
    """The characters of the page through the middle of which a line is drawn."""
    found = np.zeros(len(stream), bool)
    x0, y0, x1, y1 = look.boxes.T
    size = np.median(stream.sizes) if len(stream) else 0.0
    lines = np.flatnonzero((y1 - y0 < _THIN * size) & (x1 - x0 > _LONG * size) & ~look.is_image)
    if not len(lines) or len(lines) > _MOST_LINES:
        return found
    word = ~is_space(stream.points) & ~stream.synthetic & ~stream.invisible
    widths = stream.quads[0::2].max(axis=0) - stream.quads[0::2].min(axis=0)
    x, base, sizes = stream.quads[0::2].mean(axis=0), stream.origins[1], stream.sizes
    for left, top, right, bottom in look.boxes[lines].tolist():
        height = (base - (top + bottom) / 2) / np.where(sizes > 0, sizes, 1.0)
        through = word & (x > left) & (x < right) & (height > _LOW) & (height < _HIGH)
        # A line of a grid behind the text is longer than the text.
        if int(through.sum()) > 1 and widths[through].sum() > _FILLED * (right - left):
            found |= through
    return found


def find_clipped(look: Look, stream: CharStream, inside: Mask) -> Mask:
    """The characters ``inside`` the page that are clipped away."""
    found = np.zeros(len(stream), bool)
    kept = np.flatnonzero(inside & ~stream.synthetic & ~is_space(stream.points))
    if len(kept) <= len(look.points):
        return found
    known = set(_cells(look.points, look.origins))
    missing = [
        not any((code, x + dx, y + dy) in known for dx in (-1, 0, 1) for dy in (-1, 0, 1))
        for code, x, y in _cells(stream.points[kept], stream.origins[:, kept])
    ]
    found[kept] = missing
    return found


def _cells(points: Points, origins: Floats) -> Iterator[tuple[int, int, int]]:
    """Code point and origin of each character, the origin in whole points."""
    x, y = np.rint(np.clip(np.nan_to_num(origins), -1e9, 1e9)).astype(np.int64).tolist()
    return zip(points.tolist(), x, y, strict=True)


def opaque_boxes(look: Look) -> list[Box]:
    """The boxes of the shapes under which nothing is seen, or could be."""
    solid = look.shape_alphas >= _FAINT_ALPHA
    found: list[Box] = look.boxes[solid].tolist()
    return found[:_MOST_LINES]


def has_image(look: Look) -> bool:
    """Whether the page draws an image, under which a scan's text may lie."""
    return bool(look.is_image.any())


def read_shapes(looks: Sequence[Look], frame: PageFrame) -> Boxes | None:
    """What a page draws besides text and images: boxes in user space; None where there is none.

    More shapes than a table has lines are a drawing: they are left out.
    """
    if not looks:
        return None
    boxes = looks[0].boxes[~looks[0].is_image].astype(np.float64)
    if not 0 < len(boxes) <= _MOST_SHAPES:
        return None
    found = boxes / frame.user_unit
    found[:, 0::2] += frame.view_box.x0
    found[:, 1::2] = frame.view_box.y1 - found[:, 1::2]
    return found


def _find_met(look: Look) -> Mask:
    """The text over which a shape lies, or under which one does in much the same colour."""
    found = np.zeros(len(look.points), bool)
    every = np.ones(len(look.points), bool)
    if not np.isfinite(look.boxes).all() or not np.isfinite(look.centres).all():
        return every
    x, y = look.centres
    shapes = np.flatnonzero(_may_hold(look))
    if len(shapes) * len(found) > _MOST_COMPARED:
        return every
    for some in np.array_split(shapes, -(-len(shapes) * len(found) // _COMPARED) or 1):
        x0, y0, x1, y1 = look.boxes[some].T[:, :, None]
        which, inside = np.nonzero((x >= x0) & (x <= x1) & (y >= y0) & (y <= y1))
        shape = some[which]
        over = look.order[inside] <= look.shape_order[shape]
        apart = np.abs(look.colours[inside] - look.shape_colours[shape]).max(axis=1)
        found[inside[look.is_image[shape] | over | (apart < _CLEAR)]] = True
    return found


def _may_hold(look: Look) -> Mask:
    """The shapes in whose cells of a coarse grid any painted text has its centre."""
    x, y = (np.clip(v[look.painted] / _CELL, 0, _CELLS - 1).astype(np.int64) for v in look.centres)
    sums = np.zeros((_CELLS + 1, _CELLS + 1), np.int64)
    np.add.at(sums, (y + 1, x + 1), 1)
    sums = sums.cumsum(axis=0).cumsum(axis=1)
    x0, y0, x1, y1 = np.clip(look.boxes.T / _CELL, 0, _CELLS - 1).astype(np.int64)
    held: Mask = sums[y1 + 1, x1 + 1] - sums[y0, x1 + 1] - sums[y1 + 1, x0] + sums[y0, x0] > 0
    return held


def _channels(argb: Ints) -> Ints:
    found: Ints = np.stack([(argb >> shift) & 0xFF for shift in (16, 8, 0)], axis=1)
    return found


class Transparency:
    """Whether a document's pages use transparency that reaches text from outside it.

    A group may be faint, or a soft mask may take it away: the text itself does not say so.
    """

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}

    def is_used(self, page: Any) -> bool:  # noqa: ANN401 - see above
        """Whether the page's resources, or those of a form that it draws, name any."""
        mupdf = load_pymupdf().mupdf
        return self._in_resources(mupdf.pdf_page_resources(mupdf.pdf_page_from_fz_page(page.this)))

    def _in_resources(self, resources: Any) -> bool:  # noqa: ANN401 - see above
        mupdf = load_pymupdf().mupdf
        number = mupdf.pdf_to_num(resources)
        if number and number in self._known:
            return self._known[number]
        if number:
            self._known[number] = False
        states = mupdf.pdf_dict_gets(resources, "ExtGState")
        found = any(
            _is_faint(mupdf.pdf_dict_get_val(states, index))
            for index in range(mupdf.pdf_dict_len(states))
        )
        forms = mupdf.pdf_dict_gets(resources, "XObject")
        for index in range(0 if found else mupdf.pdf_dict_len(forms)):
            inner = mupdf.pdf_dict_gets(mupdf.pdf_dict_get_val(forms, index), "Resources")
            if mupdf.pdf_is_dict(inner) and self._in_form(
                mupdf.pdf_dict_get_val(forms, index), inner
            ):
                found = True
                break
        if number:
            self._known[number] = found
        return found

    def _in_form(self, form: Any, inner: Any) -> bool:  # noqa: ANN401 - see above
        number = load_pymupdf().mupdf.pdf_to_num(form)
        if number in self._known:
            return self._known[number]
        # Set before it is known: a form that draws itself adds nothing.
        self._known[number] = False
        self._known[number] = self._in_resources(inner)
        return self._known[number]


def _is_faint(state: Any) -> bool:  # noqa: ANN401 - see above
    mupdf = load_pymupdf().mupdf
    if mupdf.pdf_is_dict(mupdf.pdf_dict_gets(state, "SMask")):
        return True
    faintest = 1.0
    for key in ("ca", "CA"):
        value = mupdf.pdf_dict_gets(state, key)
        if mupdf.pdf_is_number(value):
            faintest = min(faintest, mupdf.pdf_to_real(value))
    return faintest * 255 < _FAINT_ALPHA
