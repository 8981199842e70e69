"""Opening PDF with pdfium, or saying why not; its pages, and copies of it."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    ExtractionError,
)
from spanproof.ingest.engine.pdfium.library import load_pdfium

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# FPDF_GetLastError() of fpdfview.h, in words.
_ERRORS = {
    1: "unknown error",
    2: "no file",
    3: "not a PDF, or damaged",
    4: "password",
    5: "unsupported encryption",
    6: "page missing or damaged",
}
_PASSWORD, _SECURITY = 4, 5


@contextmanager
def open_document(data: bytes) -> Iterator[Any]:
    """Open a PDF or raise the ExtractionError that says why not; an empty password is tried."""
    raw = load_pdfium()
    # The library reads the bytes where they are: they must live as long as the document.
    opened = raw.FPDF_LoadMemDocument64(data, len(data), None)
    if not opened:
        raise _refusal(raw.FPDF_GetLastError())
    try:
        if raw.FPDF_GetPageCount(opened) <= 0:
            msg = "Expected a PDF with at least one page, got none."
            raise EmptyDocumentError(msg, hint="Open the file in a viewer: it may be damaged.")
        yield opened
    finally:
        raw.FPDF_CloseDocument(opened)


@contextmanager
def open_page(opened: Any, index: int) -> Iterator[Any]:  # noqa: ANN401 - an untyped binding
    """A page (from 0), parsed; raise BrokenDocumentError if it is missing."""
    raw = load_pdfium()
    page = raw.FPDF_LoadPage(opened, index)
    if not page:
        reason = _ERRORS.get(raw.FPDF_GetLastError() or 6, "unknown error")
        msg = f"Expected a readable page {index + 1}, got an error ({reason})."
        raise BrokenDocumentError(msg, hint="Open the file in a viewer and save it again.")
    try:
        yield page
    finally:
        raw.FPDF_ClosePage(page)


def is_encrypted(opened: Any) -> bool:  # noqa: ANN401 - an untyped binding
    """Whether a password, the empty one, opened it."""
    return bool(load_pdfium().FPDF_GetSecurityHandlerRevision(opened) != -1)


def read_label(opened: Any, index: int) -> str | None:  # noqa: ANN401 - an untyped binding
    """The document's own label of a page; None without one."""
    return read_text(load_pdfium().FPDF_GetPageLabel, opened, index) or None


def read_text(call: Callable[..., int], *arguments: object) -> str:
    """What a function hands over as UTF-16 with its zero, asked for its length first."""
    size = int(call(*arguments, None, 0))
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    call(*arguments, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    # A lone surrogate could not be encoded again.
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")


def write_copy(opened: Any, take: Callable[[bytes], None]) -> bool:  # noqa: ANN401 - see above
    """Write the document as it now is, part by part; whether that went well."""
    raw = load_pdfium()
    kind = dict(raw.FPDF_FILEWRITE._fields_)["WriteBlock"]

    def write(_: object, data: Any, size: int) -> int:  # noqa: ANN401 - an address of ctypes
        take(ctypes.string_at(data, size))
        return 1

    sink = raw.FPDF_FILEWRITE(version=1, WriteBlock=kind(write))
    return bool(raw.FPDF_SaveAsCopy(opened, ctypes.byref(sink), raw.FPDF_NO_INCREMENTAL))


def _refusal(code: int) -> ExtractionError:
    if code == _PASSWORD:
        msg = "Expected a PDF that opens without a password, got an encrypted one."
        return EncryptedDocumentError(msg, hint="Save it without a password and give that file.")
    reason = _ERRORS.get(code, "unknown error")
    if code == _SECURITY:
        msg = f"Expected a PDF that opens without a key, got an encrypted one ({reason})."
        return EncryptedDocumentError(msg, hint="Save it without encryption and give that file.")
    msg = f"Expected a readable PDF, got one that cannot be opened ({reason})."
    return BrokenDocumentError(msg, hint="Open the file in a viewer and save it again.")
