"""Drawing with pdfium: a page's pixels, a highlight annotation, a saved copy."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.errors import BrokenDocumentError
from spanproof.ingest.engine.pdfium.documents import open_document, open_page, write_copy
from spanproof.ingest.engine.pdfium.frames import read_frame
from spanproof.ingest.engine.pdfium.library import load_pdfium
from spanproof.ingest.engine.pdfium.user_unit import may_scale, read_user_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.geometry import PageFrame, Quad
    from spanproof.ingest.engine.protocol import Pixels

_WHITE = 0xFFFFFFFF
_CHANNELS = 3


@dataclass(frozen=True, slots=True)
class PdfiumDrawing:
    """An open document of pdfium, to be drawn and marked."""

    opened: Any
    #: Whether any page may have a user unit: the library knows of none.
    scaled: bool

    @property
    def page_count(self) -> int:
        """How many pages it has."""
        return int(load_pdfium().FPDF_GetPageCount(self.opened))

    def frame(self, page: int) -> PageFrame:
        """What turns user space into the page as displayed."""
        unit = read_user_unit(self.opened, page - 1) if self.scaled else 1.0
        with open_page(self.opened, page - 1) as loaded:
            return read_frame(loaded, unit)

    def draw(self, page: int, scale: float) -> Pixels:
        """The page as displayed, at ``scale`` pixels a point."""
        raw = load_pdfium()
        width, height = (max(1, round(side * scale)) for side in self.frame(page).display_size)
        pixels = np.full((height, width, _CHANNELS), 255, np.uint8)
        bitmap = raw.FPDFBitmap_CreateEx(
            width, height, raw.FPDFBitmap_BGR, pixels.ctypes.data, width * _CHANNELS
        )
        if not bitmap:
            raise _undrawable(page, f"no bitmap of {width}×{height}")
        try:
            raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
            with open_page(self.opened, page - 1) as loaded:
                flags = raw.FPDF_ANNOT | raw.FPDF_REVERSE_BYTE_ORDER
                # In its own rotation: 0 more.
                raw.FPDF_RenderPageBitmap(bitmap, loaded, 0, 0, width, height, 0, flags)
        finally:
            raw.FPDFBitmap_Destroy(bitmap)
        return pixels

    def annotate(
        self, page: int, quads: Sequence[Quad], colour: tuple[float, float, float], note: str
    ) -> None:
        """Put one highlight annotation over the quads."""
        raw = load_pdfium()
        with open_page(self.opened, page - 1) as loaded:
            mark = raw.FPDFPage_CreateAnnot(loaded, raw.FPDF_ANNOT_HIGHLIGHT)
            if not mark:
                raise _undrawable(page, "no annotation can be added")
            try:
                done = _describe(mark, quads, colour, note)
            finally:
                raw.FPDFPage_CloseAnnot(mark)
        if not done:
            raise _undrawable(page, "an annotation cannot be written")

    def save(self) -> bytes:
        """The document as it now is, encrypted as it was."""
        saved = bytearray()
        if not write_copy(self.opened, saved.extend):
            msg = "Expected a document that can be saved, got one that cannot."
            raise BrokenDocumentError(msg, hint="Open the file in a viewer and save it again.")
        return bytes(saved)


@contextmanager
def open_drawing(data: bytes) -> Iterator[PdfiumDrawing]:
    """Open a PDF to draw its pages or to mark a copy of it."""
    with open_document(data) as opened:
        yield PdfiumDrawing(opened, may_scale(opened, data))


def _describe(
    mark: Any,  # noqa: ANN401 - an untyped binding
    quads: Sequence[Quad],
    colour: tuple[float, float, float],
    note: str,
) -> bool:
    raw = load_pdfium()
    red, green, blue = (round(value * 255) for value in colour)
    done = raw.FPDFAnnot_SetColor(mark, raw.FPDFANNOT_COLORTYPE_Color, red, green, blue, 255)
    for quad in quads:
        # The order that viewers read (not the standard's): ul, ur, ll, lr.
        corners = (*quad.ul, *quad.ur, *quad.ll, *quad.lr)
        points = raw.FS_QUADPOINTSF(*corners)
        done &= raw.FPDFAnnot_AppendAttachmentPoints(mark, ctypes.byref(points))
    xs, ys = zip(*(corner for quad in quads for corner in quad.corners), strict=True)
    hull = raw.FS_RECTF(left=min(xs), top=max(ys), right=max(xs), bottom=min(ys))
    done &= raw.FPDFAnnot_SetRect(mark, ctypes.byref(hull))
    for key, value in ((b"T", "Spanproof"), (b"Contents", note)):
        text = ctypes.create_string_buffer((value + "\0").encode("utf-16-le"))
        wide = ctypes.cast(text, ctypes.POINTER(ctypes.c_ushort))
        done &= raw.FPDFAnnot_SetStringValue(mark, key, wide)
    return bool(done)


def _undrawable(number: int, reason: str) -> BrokenDocumentError:
    msg = f"Expected a page {number} that can be drawn, got one that cannot ({reason})."
    return BrokenDocumentError(msg, hint="Open the file in a viewer and save it again.")
