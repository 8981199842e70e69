"""A page's frame as pdfium knows it; its user unit comes from ``user_unit``."""

from __future__ import annotations

import ctypes
import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from spanproof.core.geometry import PageFrame, Rect
from spanproof.ingest.engine.pdfium.library import load_pdfium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.geometry import Rotation

# pdfium computes in 32-bit floats: what they add to a decimal number of the file goes away here.
_DIGITS = 4
#: US Letter: what pdfium takes for a page without a media box.
LETTER = Rect(0.0, 0.0, 612.0, 792.0)
# Every page is read in this box, 200 inches a side, the most that most viewers show.
_READING_BOX = Rect(0.0, 0.0, 14_400.0, 14_400.0)
_EVERYWHERE = Rect(-1e7, -1e7, 1e7, 1e7)


def read_frame(page: Any, user_unit: float) -> PageFrame:  # noqa: ANN401 - an untyped binding
    """The frame; pdfium itself resolves inheritance and cuts the crop box to the media box."""
    raw = load_pdfium()
    view = _bounds(page)
    media = _media_box(page, view)
    return PageFrame(
        view_box=view if view.area > 0 else media,
        media_box=media,
        rotation=cast("Rotation", raw.FPDFPage_GetRotation(page) * 90),
        user_unit=user_unit,
    )


@contextmanager
def reading_frame(page: Any, frame: PageFrame) -> Iterator[None]:  # noqa: ANN401 - see above
    """Unrotate the page and set it in one large box while its text is read, in memory only.

    pdfium orders text by how the page is displayed: without this, a crop or a rotation would
    change the text.
    """
    raw = load_pdfium()
    raw.FPDFPage_SetRotation(page, 0)
    _set_box(raw.FPDFPage_SetMediaBox, page, _READING_BOX)
    _set_box(raw.FPDFPage_SetCropBox, page, _READING_BOX)
    try:
        yield
    finally:
        raw.FPDFPage_SetRotation(page, frame.rotation // 90)
        _set_box(raw.FPDFPage_SetMediaBox, page, frame.media_box)
        _set_box(raw.FPDFPage_SetCropBox, page, frame.view_box)


def _bounds(page: Any) -> Rect:  # noqa: ANN401 - an untyped binding
    raw = load_pdfium()
    box = raw.FS_RECTF()
    raw.FPDF_GetPageBoundingBox(page, ctypes.byref(box))
    return to_rect(box.left, box.bottom, box.right, box.top)


def _media_box(page: Any, view: Rect) -> Rect:  # noqa: ANN401 - an untyped binding
    raw = load_pdfium()
    sides = [ctypes.c_float() for _ in range(4)]
    if raw.FPDFPage_GetMediaBox(page, *map(ctypes.byref, sides)):
        own = to_rect(*(side.value for side in sides))
        return own if own.area > 0 else LETTER
    # Inherited, and pdfium hands over a page's own box only: with a crop box as large as can be,
    # the page's bounds are its media box.
    _set_box(raw.FPDFPage_SetCropBox, page, _EVERYWHERE)
    media = _bounds(page)
    _set_box(raw.FPDFPage_SetCropBox, page, view if view.area > 0 else media)
    return media


def _set_box(call: Any, page: Any, box: Rect) -> None:  # noqa: ANN401 - an untyped binding
    call(page, box.x0, box.y0, box.x1, box.y1)


def to_rect(x0: float, y0: float, x1: float, y1: float) -> Rect:
    """A rectangle that pdfium handed over, whichever its corners."""
    x0, y0, x1, y1 = (round(value, _DIGITS) for value in (x0, y0, x1, y1))
    if not all(map(math.isfinite, (x0, y0, x1, y1))):
        return LETTER
    return Rect(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
