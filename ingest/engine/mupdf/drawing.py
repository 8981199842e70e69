"""Drawing with MuPDF: a page's pixels, a highlight annotation, a saved copy."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.errors import BrokenDocumentError
from spanproof.ingest.engine.mupdf.documents import open_document
from spanproof.ingest.engine.mupdf.frames import read_frame, to_library_quad, unrotate
from spanproof.ingest.engine.mupdf.library import library_errors, load_pymupdf

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.geometry import PageFrame, Quad
    from spanproof.ingest.engine.protocol import Pixels


@dataclass(frozen=True, slots=True)
class MupdfDrawing:
    """An open document of PyMuPDF, to be drawn and marked."""

    opened: Any

    @property
    def page_count(self) -> int:
        """How many pages it has."""
        return int(self.opened.page_count)

    def frame(self, page: int) -> PageFrame:
        """What turns user space into the page as displayed."""
        return load_page(self.opened, page)[1]

    def draw(self, page: int, scale: float) -> Pixels:
        """The page as displayed, at ``scale`` pixels a point."""
        loaded, frame = load_page(self.opened, page)
        return draw(loaded, frame, scale)

    def annotate(
        self, page: int, quads: Sequence[Quad], colour: tuple[float, float, float], note: str
    ) -> None:
        """Put one highlight annotation over the quads."""
        loaded, frame = load_page(self.opened, page)
        try:
            marks = [to_library_quad(frame, quad) for quad in quads]
            mark = loaded.add_highlight_annot(quads=marks)
            mark.set_colors(stroke=colour)
            mark.set_info(title="Spanproof", content=note)
            mark.update()
        except library_errors() as error:
            raise _undrawable(page, error) from error

    def save(self) -> bytes:
        """The document as it now is, encrypted as it was."""
        try:
            found: bytes = self.opened.tobytes(encryption=load_pymupdf().PDF_ENCRYPT_KEEP)
        except library_errors() as error:
            msg = f"Expected a document that can be saved, got one that cannot ({error})."
            hint = "Open the file in a viewer and save it again."
            raise BrokenDocumentError(msg, hint=hint) from error
        return found


@contextmanager
def open_drawing(data: bytes) -> Iterator[MupdfDrawing]:
    """Open a PDF to draw its pages or to mark a copy of it."""
    with open_document(data) as opened:
        yield MupdfDrawing(opened)


def load_page(opened: Any, number: int) -> tuple[Any, PageFrame]:  # noqa: ANN401 - an untyped binding
    """A page (from 1), its rotation as in the file, and its frame."""
    try:
        page = opened.load_page(number - 1)
        rotation = unrotate(page)
        frame = read_frame(page, rotation)
        if rotation:
            page.set_rotation(rotation)
    except library_errors() as error:
        raise _undrawable(number, error) from error
    return page, frame


def draw(page: Any, frame: PageFrame, scale: float) -> Pixels:  # noqa: ANN401 - an untyped binding
    """The page as displayed: height × width × RGB, at ``scale`` pixels a point."""
    pymupdf = load_pymupdf()
    wide, high = frame.display_size
    try:
        picture = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False, annots=True)
        samples = np.frombuffer(picture.samples, np.uint8).copy()
    except library_errors() as error:
        raise _undrawable(page.number + 1, error) from error
    pixels = samples.reshape(picture.height, picture.stride)[:, : picture.width * picture.n]
    if abs(picture.width - wide * scale) > 2 or abs(picture.height - high * scale) > 2:
        wanted, got = f"{wide * scale:.0f}×{high * scale:.0f}", f"{picture.width}×{picture.height}"
        msg = f"Expected {wanted} pixels, got {got}."
        raise BrokenDocumentError(msg, hint="Report the document: its page size is ambiguous.")
    return np.ascontiguousarray(pixels.reshape(picture.height, picture.width, picture.n)[:, :, :3])


def _undrawable(number: int, error: Exception) -> BrokenDocumentError:
    msg = f"Expected a page {number} that can be drawn, got one that cannot ({error})."
    return BrokenDocumentError(msg, hint="Open the file in a viewer and save it again.")
