"""What a caller may choose of reading: the PDF engine, OCR, how strictly the parser is caged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spanproof.core.errors import InputError

EngineName = Literal["mupdf", "pdfium"]
#: ``auto`` takes what the kernel has, ``required`` refuses to read without all of it.
CageChoice = Literal["auto", "required", "off"]

_LOWEST_DPI, _HIGHEST_DPI = 72, 600


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrChoice:
    """How pages without text are read from their images; all of it is in the pipeline's identity.

    ``language`` is Tesseract's name (``eng``, or several joined by ``+``), ``dpi`` the resolution
    of the page image, ``tessdata`` the folder of the language data (None: found where the system's
    packages put it).
    """

    language: str = "eng"
    dpi: int = 300
    tessdata: str | None = None

    def __post_init__(self) -> None:
        if not self.language.replace("+", "").replace("_", "").isalnum():
            msg = f"Expected a Tesseract language such as 'eng', got {self.language!r}."
            raise InputError(msg, hint="Name the language as Tesseract does.")
        if not _LOWEST_DPI <= self.dpi <= _HIGHEST_DPI:
            msg = f"Expected {_LOWEST_DPI} to {_HIGHEST_DPI} dpi, got {self.dpi}."
            raise InputError(msg, hint="300 is usual for print.")
