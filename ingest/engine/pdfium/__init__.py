"""PDF by pdfium: the engine of the cross-check, and the one under a permissive licence."""

from spanproof.ingest.engine.pdfium.engine import PdfiumEngine

__all__ = ["PdfiumEngine"]
