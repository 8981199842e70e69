"""The door: bytes → Extraction, by the reader of their type. Pure: no store, no clock."""

from __future__ import annotations

from core.digest import Digest
from core.document import Document, Extraction
from ingest.limits import Limits, check_limit
from ingest.media_type import HEAD_BYTES, PDF, detect_media_type, read_charset, settle_media_type
from ingest.plain import read_plain


def extract(
    data: bytes,
    *,
    media_type: str | None = None,
    filename: str | None = None,
    limits: Limits | None = None,
) -> Extraction:
    """Read a document; raise ExtractionError where it is refused.

    It runs in the caller's process: give strangers' documents to ``ingest.sandbox.Parser``.
    """
    limits = limits or Limits()
    check_limit(len(data), limits.max_bytes, "bytes")
    detected = detect_media_type(data[:HEAD_BYTES], filename)
    document = Document(
        doc_hash=Digest.of(data),
        media_type=settle_media_type(detected, media_type),
        byte_length=len(data),
    )
    if document.media_type == PDF:
        # Here and not above: the PDF engine costs half a second, and text needs none of it.
        from ingest.engine.mupdf import MupdfEngine

        return MupdfEngine().read(document, data, limits)
    return read_plain(document, data, limits, charset=read_charset(media_type))
