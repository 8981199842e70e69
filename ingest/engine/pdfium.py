"""PDF by pdfium: the second witness, and the engine under a permissive licence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import EngineUnavailableError

if TYPE_CHECKING:
    from core.document import Document, Extraction, Pipeline
    from ingest.choices import OcrChoice
    from ingest.limits import Limits


class PdfiumEngine:
    """Reads PDF with pypdfium2."""

    def __init__(self, *, ocr: OcrChoice | None = None) -> None:
        self._ocr = ocr

    def pipeline(self) -> Pipeline:
        """Name and versions."""
        raise _unavailable()

    def read(
        self,
        document: Document,
        data: bytes,
        limits: Limits,
        *,
        only: frozenset[int] | None = None,
    ) -> Extraction:
        """Read every page."""
        del document, data, limits, only
        raise _unavailable()


def _unavailable() -> EngineUnavailableError:
    msg = "Expected the pdfium engine, got none in this build."
    return EngineUnavailableError(msg, hint="Set SPANPROOF_ENGINE=mupdf.")
