"""How a document is to be read: the options of a reading, and how much is read at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spanproof.core.errors import InputError, LimitExceededError

if TYPE_CHECKING:
    from collections.abc import Callable

EngineName = Literal["mupdf", "pdfium"]
#: ``auto`` takes what the kernel has, ``required`` refuses to read without all of it.
CageChoice = Literal["auto", "required", "off"]

_LOWEST_DPI, _HIGHEST_DPI = 72, 600


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrChoice:
    """How OCR reads pages without text, and lost glyphs; all of it is in the pipeline's identity.

    ``language`` is Tesseract's name (``eng``, or several joined by ``+``), ``dpi`` the resolution
    of the image, ``tessdata`` the folder of the language data (None: found where the system's
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


MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Caps on one document; only a ``sandbox.Parser`` can enforce those on time and memory."""

    max_bytes: int = 100 * MEBIBYTE
    max_pages: int = 5_000
    max_characters: int = 20_000_000
    seconds: float = 60.0
    memory_bytes: int = 2048 * MEBIBYTE

    def __post_init__(self) -> None:
        for name in ("max_bytes", "max_pages", "max_characters", "seconds", "memory_bytes"):
            if getattr(self, name) <= 0:
                msg = f"Expected a limit above 0, got {name}={getattr(self, name)}."
                raise InputError(msg, hint="Give a positive limit.")


def check_limit(got: int, most: int, what: str) -> None:
    """Raise LimitExceededError where a document has more of something than the limit allows."""
    if got > most:
        msg = f"Expected at most {most} {what}, got {got}."
        raise LimitExceededError(msg, hint="Split the document or raise the limit.")


_listeners: list[Callable[[int], None]] = []


def report_page(number: int) -> None:
    """Record that a page (from 1) is being read; 0: no certain page."""
    for listener in _listeners:
        listener(number)


def listen_to_pages(listener: Callable[[int], None]) -> None:
    """Have this called with every page that is read in this process."""
    _listeners.append(listener)
