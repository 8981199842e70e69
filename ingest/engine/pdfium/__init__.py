"""PDF by pdfium: the second witness, and the engine under a permissive licence."""

from ingest.engine.pdfium.engine import PdfiumEngine

__all__ = ["PdfiumEngine"]
