"""A page of pdfium drawn with and without its text, to see which characters leave ink."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.ingest.assembly.ink import Views, find_concealed, find_overprinted, find_tiny
from spanproof.ingest.engine.pdfium.documents import open_page
from spanproof.ingest.engine.pdfium.library import load_pdfium
from spanproof.ingest.engine.pdfium.objects import remove_text

if TYPE_CHECKING:
    from spanproof.core.geometry import PageFrame
    from spanproof.ingest.assembly.characters import Flags
    from spanproof.ingest.assembly.stream import CharStream, Mask
    from spanproof.ingest.engine.protocol import Pixels

_MOST_PIXELS = 1_200_000
_WHITE, _CHANNELS = 0xFFFFFFFF, 3
_PATH = 2
# A line through text, by its size: how thick it is, and how far above the base line.
_THIN, _LOW, _HIGH = 0.25, 0.15, 0.42
_FILLED = 0.6
_MOST_SHAPES = 500

_Box = tuple[float, float, float, float]


def see_page(opened: Any, index: int, stream: CharStream, frame: PageFrame) -> Flags:  # noqa: ANN401 - an untyped binding
    """Flags of the page's characters that a reader does not see, or sees struck out."""
    raw = load_pdfium()
    with open_page(opened, index) as page:
        raw.FPDFPage_SetRotation(page, 0)
        box, unit = frame.view_box, frame.user_unit
        wide, high = max((box.x1 - box.x0) * unit, 1.0), max((box.y1 - box.y0) * unit, 1.0)
        scale = min(1.0, (_MOST_PIXELS / (wide * high)) ** 0.5)
        size = max(1, round(wide * scale)), max(1, round(high * scale))
        shapes = [_to_page(each, frame) for each in _path_boxes(page)]
        struck = [_to_page(each, frame) for each in _strike_outs(page)]
        shown = _draw(page, *size)
        remove_text(page)
        bare = _draw(page, *size)
    found = find_concealed(stream, Views(shown=shown, bare=bare, scale=scale))
    gone = find_tiny(stream)
    under = _inside(stream, shapes)
    gone |= find_overprinted(stream, (found == 0) & ~gone, under)
    found[gone] |= np.uint16(CharFlag.INVISIBLE | CharFlag.CONCEALED)
    found[_inside(stream, struck) | _struck_by(stream, shapes)] |= np.uint16(CharFlag.STRUCK)
    return found


def _draw(page: Any, width: int, height: int) -> Pixels:  # noqa: ANN401 - see above
    raw = load_pdfium()
    pixels = np.full((height, width, _CHANNELS), 255, np.uint8)
    bitmap = raw.FPDFBitmap_CreateEx(
        width, height, raw.FPDFBitmap_BGR, pixels.ctypes.data, width * _CHANNELS
    )
    try:
        raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
        raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, raw.FPDF_ANNOT)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)
    return pixels


def _path_boxes(page: Any) -> list[_Box]:  # noqa: ANN401 - see above
    """The bounds of the page's own shapes, in user space."""
    raw = load_pdfium()
    found: list[_Box] = []
    sides = [ctypes.c_float() for _ in range(4)]
    for index in range(max(0, raw.FPDFPage_CountObjects(page))):
        one = raw.FPDFPage_GetObject(page, index)
        if raw.FPDFPageObj_GetType(one) == _PATH and len(found) < _MOST_SHAPES:
            raw.FPDFPageObj_GetBounds(one, *map(ctypes.byref, sides))
            left, bottom, right, top = (side.value for side in sides)
            found.append((left, bottom, right, top))
    return found


def _strike_outs(page: Any) -> list[_Box]:  # noqa: ANN401 - see above
    raw = load_pdfium()
    found: list[_Box] = []
    for index in range(max(0, raw.FPDFPage_GetAnnotCount(page))):
        mark = raw.FPDFPage_GetAnnot(page, index)
        if not mark:
            continue
        if raw.FPDFAnnot_GetSubtype(mark) == raw.FPDF_ANNOT_STRIKEOUT:
            for place in range(raw.FPDFAnnot_CountAttachmentPoints(mark)):
                quad = raw.FS_QUADPOINTSF()
                raw.FPDFAnnot_GetAttachmentPoints(mark, place, ctypes.byref(quad))
                xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
                found.append((min(xs), min(ys), max(xs), max(ys)))
        raw.FPDFPage_CloseAnnot(mark)
    return found


def _to_page(box: _Box, frame: PageFrame) -> _Box:
    view, unit = frame.view_box, frame.user_unit
    left, bottom, right, top = box
    return (
        (left - view.x0) * unit,
        (view.y1 - top) * unit,
        (right - view.x0) * unit,
        (view.y1 - bottom) * unit,
    )


def _inside(stream: CharStream, boxes: list[_Box]) -> Mask:
    found = np.zeros(len(stream), bool)
    x, y = stream.quads[0::2].mean(axis=0), stream.quads[1::2].mean(axis=0)
    for x0, y0, x1, y1 in boxes:
        found |= (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    return found


def _struck_by(stream: CharStream, boxes: list[_Box]) -> Mask:
    found = np.zeros(len(stream), bool)
    widths = stream.quads[0::2].max(axis=0) - stream.quads[0::2].min(axis=0)
    x, base, sizes = stream.quads[0::2].mean(axis=0), stream.origins[1], stream.sizes
    sizes = np.where(sizes > 0, sizes, 1.0)
    for left, top, right, bottom in boxes:
        height = (base - (top + bottom) / 2) / sizes
        through = (x > left) & (x < right) & (height > _LOW) & (height < _HIGH)
        through &= (bottom - top) < _THIN * sizes
        if int(through.sum()) > 1 and widths[through].sum() > _FILLED * (right - left):
            found |= through
    return found
