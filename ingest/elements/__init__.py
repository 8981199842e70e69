"""Formats without page geometry → canonical text with blocks over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import UnsupportedMediaTypeError

if TYPE_CHECKING:
    from core.document import Document, Extraction
    from ingest.limits import Limits


def read_elements(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a document by the reader of its media type."""
    del data, limits, charset
    msg = f"Expected a format with a reader, got {document.media_type}."
    raise UnsupportedMediaTypeError(msg, hint="Give a PDF, a .txt or a .md file.")
