"""A page's frame as pdfium knows it, and the one number that it does not know: /UserUnit."""

from __future__ import annotations

import ctypes
import math
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from core.geometry import PageFrame, Rect
from ingest.engine.pdfium.documents import write_copy
from ingest.engine.pdfium.library import load_pdfium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.geometry import Rotation

# pdfium computes in 32-bit floats: what they add to a decimal number of the file goes away here.
_DIGITS = 4
#: US Letter: what pdfium takes for a page without a media box.
LETTER = Rect(0.0, 0.0, 612.0, 792.0)
# Every page is read in this box, 200 inches a side, the most that most viewers show.
_READING_BOX = Rect(0.0, 0.0, 14_400.0, 14_400.0)
_EVERYWHERE = Rect(-1e7, -1e7, 1e7, 1e7)

_NAME = b"/UserUnit"
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_UNIT = re.compile(rb"/UserUnit\s*([-+]?[\d.]+)(?:\s+\d+\s+(R))?")


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


def may_scale(opened: Any, data: bytes) -> bool:  # noqa: ANN401 - an untyped binding
    """Whether any page may have a /UserUnit: pdfium has no call that would say so.

    The name stands in the file, unless that compresses or encrypts its objects: then it stands in a
    copy as pdfium writes it, which is looked through and not kept.
    """
    if _NAME in data:
        return True
    encrypted = load_pdfium().FPDF_GetSecurityHandlerRevision(opened) != -1
    if b"/ObjStm" not in data and not encrypted:
        return False
    found = False
    tail = b""

    def look(part: bytes) -> None:
        nonlocal found, tail
        tail += part
        found = found or _NAME in tail
        tail = tail[-len(_NAME) :]

    # Where no copy can be written, each page is asked.
    return not write_copy(opened, look) or found


def read_user_unit(opened: Any, index: int) -> float:  # noqa: ANN401 - an untyped binding
    """A page's /UserUnit, read from a document made of that page alone; 1.0 where it has none."""
    raw = load_pdfium()
    alone = raw.FPDF_CreateNewDocument()
    saved = bytearray()
    try:
        # Keeps the handlers of the source out of it: an encrypted source gives a plain copy.
        if not raw.FPDF_ImportPagesByIndex(alone, opened, (ctypes.c_int * 1)(index), 1, 0):
            return 1.0
        write_copy(alone, saved.extend)
    finally:
        raw.FPDF_CloseDocument(alone)
    for body in bytes(saved).split(b"endobj"):
        head, _, _ = body.partition(b"stream")
        match = _UNIT.search(head)
        if match and _PAGE.search(head):
            return _to_unit(match, bytes(saved))
    return 1.0


def _to_unit(match: re.Match[bytes], saved: bytes) -> float:
    number = match.group(1)
    if match.group(2):
        target = re.search(rb"\s%s 0 obj\s+([-+]?[\d.]+)" % number, saved)
        number = target.group(1) if target else b"1"
    try:
        unit = float(number)
    except ValueError:
        return 1.0
    return unit if math.isfinite(unit) and unit > 0 else 1.0


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
