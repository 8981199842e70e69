"""The door: bytes → Extraction, by the reader of their type. Pure: no store, no clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.arguments import check_type
from spanproof.core.digest import Digest
from spanproof.core.documents.document import Document, Extraction
from spanproof.core.errors import UnsupportedMediaTypeError
from spanproof.ingest.limits import Limits, check_limit
from spanproof.ingest.media_detection import detect_media_type, read_charset, settle_media_type
from spanproof.ingest.media_type import PDF, PLAIN_TYPES
from spanproof.ingest.plain import read_plain

if TYPE_CHECKING:
    from spanproof.ingest.limits import EngineName, OcrChoice


def extract(  # noqa: PLR0913 - what a caller may say of bytes, and how they are read
    data: bytes,
    *,
    media_type: str | None = None,
    filename: str | None = None,
    limits: Limits | None = None,
    engine: EngineName = "mupdf",
    ocr: OcrChoice | None = None,
    only: frozenset[int] | None = None,
    alone: bool = False,
) -> Extraction:
    """Read a document; raise ExtractionError where it is refused.

    ``engine`` reads PDFs; ``ocr`` asks for another extraction, in which pages without text are read
    from their images; ``only`` names the pages (from 1) of a PDF to read. Where MuPDF refuses a
    PDF, or meets damage on a page, pdfium is asked, unless MuPDF reads ``alone``. It runs in the
    caller's process: give strangers' documents to ``spanproof.ingest.sandbox.Parser``.
    """
    check_type("data", data, bytes, "the bytes of a document (Path.read_bytes())")
    limits = limits or Limits()
    check_limit(len(data), limits.max_bytes, "bytes")
    detected = detect_media_type(data, filename, media_type)
    document = Document(
        doc_hash=Digest.of(data),
        media_type=settle_media_type(detected, media_type),
        byte_length=len(data),
    )
    if document.media_type == PDF:
        # Here and not above: a PDF engine costs half a second, and text needs none of it.
        from spanproof.ingest.engine.choice import load_engine
        from spanproof.ingest.second_engine import FIRST, SECOND, add_readings, fall_back

        def read() -> Extraction:
            return load_engine(engine, ocr=ocr).read(document, data, limits, only=only)

        def read_second(pages: frozenset[int] | None) -> Extraction:
            return load_engine(SECOND).read(document, data, limits, only=pages or only)

        if alone or engine != FIRST:
            return read()
        if ocr is not None:
            return add_readings(read(), read_second)
        return fall_back(read, read_second)
    if ocr is not None:
        msg = f"Expected a PDF to read with OCR, got {document.media_type}."
        raise UnsupportedMediaTypeError(msg, hint="Ingest it without --ocr.")
    if document.media_type in PLAIN_TYPES:
        return read_plain(document, data, limits, charset=read_charset(media_type))
    from spanproof.ingest.elements import read_elements

    return read_elements(document, data, limits, charset=read_charset(media_type))
