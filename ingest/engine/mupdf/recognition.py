"""OCR of an image by the Tesseract inside MuPDF: a page's as a text page, a line's as words."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.ingest.assembly.line_readings import LINE_READINGS
from spanproof.ingest.engine.mupdf.library import TEXT_FLAGS, load_pymupdf, make_text_page
from spanproof.ingest.ocr import find_tessdata, tessdata_digest

if TYPE_CHECKING:
    from spanproof.core.geometry import PageFrame
    from spanproof.ingest.limits import OcrChoice

# A0 at 300 dpi; MuPDF holds three bytes a pixel and Tesseract several more.
_MOST_PIXELS = 150_000_000
_POINTS_PER_INCH = 72.0


def describe_ocr(choice: OcrChoice) -> dict[str, Any]:
    """What of the choice decides the text, for a pipeline's configuration.

    MuPDF's own version, which appears beside it, names the Tesseract that is compiled in.
    """
    return {
        "engine": "tesseract-in-mupdf",
        "language": choice.language,
        "dpi": choice.dpi,
        "tessdata_sha256": tessdata_digest(choice),
        "lines": LINE_READINGS,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Recogniser:
    """Reads page images in one language at one resolution."""

    language: str
    dpi: int
    tessdata: str

    @classmethod
    def of(cls, choice: OcrChoice) -> Recogniser:
        """Find the language data; raise OcrUnavailableError if it is missing."""
        # Several threads a page gain little and fight with the other workers for the cores.
        os.environ.setdefault("OMP_THREAD_LIMIT", "1")
        return cls(
            language=choice.language, dpi=choice.dpi, tessdata=str(find_tessdata(choice).resolve())
        )

    def find_refusal(self, frame: PageFrame) -> str | None:
        """Why a page of this frame is not read; None where it is."""
        wide, high = frame.display_size
        pixels = wide * high * (self.dpi / _POINTS_PER_INCH) ** 2
        if pixels <= _MOST_PIXELS:
            return None
        return f"Expected a page of at most {_MOST_PIXELS} pixels for OCR, got {pixels:.0f}."

    def read(self, page: Any, frame: PageFrame) -> Any:  # noqa: ANN401 - an untyped binding
        """The text page of an unrotated page, read from the page as it is displayed.

        Annotations are not drawn: what they say is read as text.
        """
        pymupdf = load_pymupdf()
        wide, high = frame.display_size
        scale = self.dpi / _POINTS_PER_INCH
        page.set_rotation(frame.rotation)
        try:
            matrix = pymupdf.Matrix(scale, scale)
            picture = page.get_pixmap(matrix=matrix, alpha=False, annots=False)
        finally:
            page.set_rotation(0)
        with self._recognise(picture) as read:
            image = read.load_page(0)
            box = image.rect
            back = _to_unrotated(frame, wide / box.width, high / box.height)
            return make_text_page(image, TEXT_FLAGS, back)

    def read_words(self, picture: Any) -> str:  # noqa: ANN401 - see above
        """What a picture shows, in the order read."""
        with self._recognise(picture) as read:
            words: str = read.load_page(0).get_text(flags=TEXT_FLAGS)
        return words

    def _recognise(self, picture: Any) -> Any:  # noqa: ANN401 - see above
        """A PDF of the picture with what is read of it: to be closed."""
        picture.set_dpi(self.dpi, self.dpi)
        found = picture.pdfocr_tobytes(language=self.language, tessdata=self.tessdata)
        return load_pymupdf().open(stream=found, filetype="pdf")


def _to_unrotated(frame: PageFrame, across: float, down: float) -> Any:  # noqa: ANN401 - see above
    """The picture's frame, scaled to the page as displayed, in the frame of the unrotated page."""
    wide, high = frame.display_size
    numbers = {
        0: (across, 0.0, 0.0, down, 0.0, 0.0),
        90: (0.0, -across, down, 0.0, 0.0, wide),
        180: (-across, 0.0, 0.0, -down, wide, high),
        270: (0.0, across, -down, 0.0, high, 0.0),
    }[frame.rotation]
    return load_pymupdf().mupdf.FzMatrix(*numbers)
