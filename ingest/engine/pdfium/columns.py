"""pdfium's text page → columns, in pdfium's order and in user space.

One call a character and a property is what the library offers; the loops over them run in C
(``map`` over ranges of indexes and of addresses). What belongs to a text object and not to a
character is asked once for each *piece*: neighbours of one object.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.errors import BrokenDocumentError
from spanproof.ingest.engine.pdfium.library import Calls, address_of, load_calls, load_pdfium

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanproof.ingest.assembly.stream import Floats, Ints, Mask, Points

Doubles = np.ndarray[Any, np.dtype[np.float64]]

_SPACE, _LINE_FEED, _RETURN = 0x20, 0x0A, 0x0D
_REPLACEMENT, _NO_CHARACTER = 0xFFFD, 0xFFFE
# What pdfium puts in place of the hyphen that ends a line, and what appeared there in nearly all
# documents; it does not say where it was a soft one.
_LINE_HYPHEN, _HYPHEN = 0x02, 0x2D
# FPDF_TEXT_RENDERMODE: neither filled nor stroked.
_UNPAINTED = (3, 7)

_run = deque[object](maxlen=0).extend


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """The characters of one page, and the pieces that they are of.

    ``boxes`` are rows of left, top, right, bottom; ``matrices`` rows of a to f; ``ascents`` and
    ``descents`` are parts of the font size, both 0 where the font has none.
    """

    points: Points
    #: Spaces and line ends that pdfium made up.
    generated: Mask
    #: Hyphens behind which pdfium leaves its line end out.
    hyphens: Mask
    boxes: Floats
    origins: Doubles
    #: Of each character, its piece.
    piece: Ints
    matrices: Floats
    sizes: Doubles
    unpainted: Mask
    ascents: Floats
    descents: Floats

    def __len__(self) -> int:
        return len(self.points)


@contextmanager
def open_text(page: Any) -> Iterator[int]:  # noqa: ANN401 - an untyped binding
    """The address of a page's text page."""
    raw = load_pdfium()
    text = raw.FPDFText_LoadPage(page)
    if not text:
        msg = "Expected a page whose text can be read, got one whose text cannot."
        raise BrokenDocumentError(msg, hint="Open the file in a viewer and save it again.")
    try:
        yield address_of(text)
    finally:
        raw.FPDFText_ClosePage(text)


def read_columns(text: int) -> Columns:
    """All of a text page."""
    calls, count = load_calls(), load_calls().count(text)
    if count <= 0:
        return no_text()
    every = range(count)
    points = _read_points(calls, text, count)
    failed = _numbers(map(calls.has_map_error, repeat(text), every), np.int8, count) > 0
    spaces = (points == _SPACE) | (points == _LINE_FEED) | (points == _RETURN)
    generated = _ask(calls.is_generated, text, spaces)
    hyphens = _ask(calls.is_hyphen, text, points == _LINE_HYPHEN)
    points[hyphens] = _HYPHEN
    points[failed | (points == 0) | (points == _NO_CHARACTER)] = _REPLACEMENT
    boxes, origins = np.zeros((count, 4), np.float32), np.zeros((count, 2), np.float64)
    _run(map(calls.loose_box, repeat(text), every, _rows(boxes)))
    x_places, y_places = _rows(origins), _rows(origins, 1)
    _run(map(calls.origin, repeat(text), every, x_places, y_places))
    objects = _numbers(map(calls.text_object, repeat(text), every), np.uint64, count)
    fresh = np.ones(count, bool)
    fresh[1:] = objects[1:] != objects[:-1]
    first = np.flatnonzero(fresh)
    return Columns(
        points=points,
        generated=generated,
        hyphens=hyphens,
        boxes=boxes,
        origins=origins,
        piece=np.cumsum(fresh) - 1,
        **_read_pieces(calls, text, first.tolist(), objects[first].tolist()),
    )


def no_text() -> Columns:
    """The columns of a page without text."""
    return Columns(
        points=np.zeros(0, np.uint32),
        generated=np.zeros(0, bool),
        hyphens=np.zeros(0, bool),
        boxes=np.zeros((0, 4), np.float32),
        origins=np.zeros((0, 2)),
        piece=np.zeros(0, np.int64),
        matrices=np.zeros((0, 6), np.float32),
        sizes=np.zeros(0),
        unpainted=np.zeros(0, bool),
        ascents=np.zeros(0, np.float32),
        descents=np.zeros(0, np.float32),
    )


def _read_points(calls: Calls, text: int, count: int) -> Points:
    """What ``FPDFText_GetUnicode`` says of each character, asked for one by one only if need be."""
    buffer = np.zeros(count + 1, np.uint16)
    if calls.all_text(text, 0, count, buffer.ctypes.data) != count + 1:
        # Some are left out of the whole, and nothing tells which.
        found: Points = _numbers(map(calls.unicode, repeat(text), range(count)), np.uint32, count)
        return found
    points = buffer[:count].astype(np.uint32)
    # In the whole these stand for what has no place in a string, a hyphen at a line's end among it.
    hidden = np.flatnonzero(points >= _REPLACEMENT)
    points[hidden] = _numbers(
        map(calls.unicode, repeat(text), hidden.tolist()), np.uint32, len(hidden)
    )
    return points


def _read_pieces(calls: Calls, text: int, first: list[int], objects: list[int]) -> dict[str, Any]:
    count = len(first)
    matrices = np.zeros((count, 6), np.float32)
    _run(map(calls.matrix, repeat(text), first, _rows(matrices)))
    modes = _numbers(map(calls.render_mode, objects), np.int64, count)
    fonts = _numbers(map(calls.font, objects), np.uint64, count)
    known, which = np.unique(fonts, return_inverse=True)
    metrics = np.zeros((2, len(known)), np.float32)
    for call, row in zip((calls.ascent, calls.descent), metrics, strict=True):
        # Asked for size 1 and by font: a page has many pieces and few fonts.
        _run(map(call, known.tolist(), repeat(1.0), _rows(row)))
    return {
        "matrices": matrices,
        "sizes": _numbers(map(calls.font_size, repeat(text), first), np.float64, count),
        "unpainted": np.isin(modes, _UNPAINTED),
        "ascents": metrics[0, which],
        "descents": metrics[1, which],
    }


def _numbers(values: Iterable[float], kind: Any, count: int) -> Any:  # noqa: ANN401 - any array
    return np.fromiter(values, kind, count)


def _rows(array: np.ndarray[Any, Any], column: int = 0) -> range:
    """The addresses of an array's rows, from one of its columns."""
    start = array.ctypes.data + column * array.itemsize
    return range(start, start + array.nbytes, array.strides[0])


def _ask(call: Any, text: int, where: Mask) -> Mask:  # noqa: ANN401 - a function of ``Calls``
    found = np.zeros(len(where), bool)
    indexes = np.flatnonzero(where)
    found[indexes] = _numbers(map(call, repeat(text), indexes.tolist()), np.int8, len(indexes)) > 0
    return found
