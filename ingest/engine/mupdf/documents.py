"""Opening PDF with MuPDF, or saying why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    ExtractionError,
)
from spanproof.ingest.engine.mupdf.library import (
    is_memory,
    library_errors,
    load_pymupdf,
    memory_error,
    one_line,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


def open_document(data: bytes) -> AbstractContextManager[Any]:
    """Open a PDF or raise the ExtractionError that says why not; an empty password is tried."""
    pymupdf = load_pymupdf()
    try:
        opened = pymupdf.open(stream=data, filetype="pdf")
        locked, pages = bool(opened.needs_pass), 0
        if not locked:
            pages = opened.page_count
    except library_errors() as error:
        raise _refusal(error) from error
    if locked:
        opened.close()
        msg = "Expected a PDF that opens without a password, got an encrypted one."
        raise EncryptedDocumentError(msg, hint="Save it without a password and give that file.")
    if pages == 0:
        opened.close()
        msg = "Expected a PDF with at least one page, got none."
        raise EmptyDocumentError(msg, hint="Open the file in a viewer: it may be damaged.")
    context: AbstractContextManager[Any] = opened
    return context


def _refusal(error: Exception) -> ExtractionError:
    if is_memory(error):
        return memory_error()
    cause = error.__cause__ or error.__context__ or error
    if "encryption" in str(cause):
        msg = f"Expected a PDF that opens without a key, got an encrypted one ({one_line(cause)})."
        return EncryptedDocumentError(msg, hint="Save it without encryption and give that file.")
    msg = f"Expected a readable PDF, got one that cannot be opened ({one_line(cause)})."
    return BrokenDocumentError(msg, hint="Open the file in a viewer and save it again.")
