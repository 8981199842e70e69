"""Which engine reads a PDF: its module is imported only when it is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.ingest.engine.protocol import Engine
    from spanproof.ingest.limits import EngineName, OcrChoice


def load_engine(name: EngineName, *, ocr: OcrChoice | None = None) -> Engine:
    """The engine of that name; raise EngineUnavailableError where it is not installed."""
    if name == "pdfium":
        from spanproof.ingest.engine.pdfium import PdfiumEngine

        return PdfiumEngine(ocr=ocr)
    from spanproof.ingest.engine.mupdf.engine import MupdfEngine

    return MupdfEngine(ocr=ocr)
