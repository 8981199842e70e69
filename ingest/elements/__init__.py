"""Formats without page geometry → canonical text with blocks over it, each by a reader module."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from spanproof.core.errors import BrokenDocumentError, LimitExceededError, UnsupportedMediaTypeError
from spanproof.ingest.media_type import (
    CSV,
    DOCX,
    EML,
    EPUB,
    FORMATS_HINT,
    HTML,
    MSG,
    ODT,
    PPTX,
    RTF,
    TSV,
    XLSX,
    XML,
)

if TYPE_CHECKING:
    from spanproof.core.documents.document import Document, Extraction
    from spanproof.ingest.limits import Limits


class Reader(Protocol):
    """What a reader module's ``read`` takes."""

    def __call__(
        self, document: Document, data: bytes, limits: Limits, *, charset: str | None = None
    ) -> Extraction:
        """Read a document; raise ExtractionError where it is refused."""


#: Module by media type; each has a function ``read``.
READERS = {
    DOCX: "spanproof.ingest.elements.ooxml.word",
    PPTX: "spanproof.ingest.elements.ooxml.slides",
    XLSX: "spanproof.ingest.elements.ooxml.sheets",
    HTML: "spanproof.ingest.elements.web",
    XML: "spanproof.ingest.elements.xml_text",
    CSV: "spanproof.ingest.elements.delimited",
    TSV: "spanproof.ingest.elements.delimited",
    EML: "spanproof.ingest.elements.mail",
    MSG: "spanproof.ingest.elements.outlook",
    ODT: "spanproof.ingest.elements.odf.odt",
    EPUB: "spanproof.ingest.elements.epub",
    RTF: "spanproof.ingest.elements.rtf.rtf",
}


def read_elements(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a document by the reader of its media type."""
    name = READERS.get(document.media_type)
    if name is None:
        msg = f"Expected a format with a reader, got {document.media_type}."
        raise UnsupportedMediaTypeError(msg, hint=FORMATS_HINT)
    # Here and not above: XML and mail libraries load only for documents that need them.
    from lxml.etree import LxmlError

    read = cast("Reader", import_module(name).read)
    try:
        return read(document, data, limits, charset=charset)
    except RecursionError as error:
        msg = "Expected a document whose parts are nested as people nest them, got a deeper one."
        raise LimitExceededError(msg, hint="Save the document again in its program.") from error
    except LxmlError as error:
        msg = f"Expected well-formed markup in the document, got an error ({error})."
        raise BrokenDocumentError(
            msg, hint="Open the file in its program and save it again."
        ) from error
