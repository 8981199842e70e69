"""PDF by pdfium: the second witness, and the engine under a permissive licence."""

from spanproof.ingest.engine.pdfium.engine import PdfiumEngine

__all__ = ["PdfiumEngine"]
