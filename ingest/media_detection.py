"""What a file is: its bytes decide, its name and its sender's word only choose among texts."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePosixPath

from spanproof.core.errors import EmptyDocumentError, ExtractionError, UnsupportedMediaTypeError
from spanproof.ingest.container import detect_container
from spanproof.ingest.media_type import (
    CSV,
    DOCX,
    EML,
    EPUB,
    FORMATS_HINT,
    HEAD_BYTES,
    HTML,
    MARKDOWN,
    MSG,
    ODT,
    OLE_MAGIC,
    PDF,
    PLAIN_TYPES,
    PPTX,
    RTF,
    RTF_MAGIC,
    TEXT,
    TEXT_TYPES,
    TSV,
    XLSX,
    XML,
    ZIP_MAGIC,
)

# Readers accept junk before a PDF's header, up to this many bytes (ISO 32000-1, annex H.3.4.1).
_PDF_WINDOW = 1024
_PDF_HEADER = re.compile(rb"%PDF-\d")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# As many bytes at most, and at least, must look like UTF-16 where no mark says so.
_WIDE_WINDOW, _LEAST_WIDE = 32, 8
_TEXT_SUFFIXES = {
    ".txt": TEXT,
    ".text": TEXT,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".xml": XML,
    ".csv": CSV,
    ".tsv": TSV,
    ".tab": TSV,
    ".eml": EML,
    ".fodt": ODT,
}
#: Prose under these names may begin with anything.
_PROSE_SUFFIXES = frozenset({".txt", ".text", ".md", ".markdown"})
_ALIASES = {
    "text/x-markdown": MARKDOWN,
    "application/xhtml+xml": HTML,
    "text/xml": XML,
    "application/csv": CSV,
    "text/x-csv": CSV,
    "text/rtf": RTF,
    "application/x-rtf": RTF,
    "application/msoutlook": MSG,
    "application/vnd.oasis.opendocument.text-flat-xml": ODT,
    "application/vnd.oasis.opendocument.text-template": ODT,
    "application/vnd.ms-word.document.macroenabled.12": DOCX,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template": DOCX,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": PPTX,
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow": PPTX,
    "application/vnd.ms-excel.sheet.macroenabled.12": XLSX,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.template": XLSX,
}
_UNSTATED = frozenset({"", "application/octet-stream", "binary/octet-stream"})
#: What senders say of a container without looking in, and of CSV where a spreadsheet opens it.
_VAGUE = {
    "application/zip": frozenset({DOCX, PPTX, XLSX, ODT, EPUB}),
    "application/x-zip-compressed": frozenset({DOCX, PPTX, XLSX, ODT, EPUB}),
    "application/vnd.ms-excel": frozenset({CSV, TSV}),
}
_IMAGE_HINT = "Save it as PDF, and ingest that with --ocr."
_PACKED_HINT = "Unpack it and give the documents in it."
_UTF8_HINT = "Convert the file to UTF-8."
#: Bytes that would pass for text or whose name is worth telling, and what would help.
_OTHERS = (
    (b"\x89PNG", "a PNG image", _IMAGE_HINT),
    (b"\xff\xd8\xff", "a JPEG image", _IMAGE_HINT),
    (b"GIF8", "a GIF image", _IMAGE_HINT),
    (b"II*\x00", "a TIFF image", _IMAGE_HINT),
    (b"MM\x00*", "a TIFF image", _IMAGE_HINT),
    (b"%!PS", "PostScript", "Convert it to PDF."),
    (b"\x1f\x8b", "gzip-compressed data", _PACKED_HINT),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _PACKED_HINT),
    (b"Rar!", "a RAR archive", _PACKED_HINT),
)
#: Told by their bytes; a file of such a name that has others was damaged or misnamed.
_BINARY_SUFFIXES = frozenset(
    {".docx", ".pptx", ".xlsx", ".msg", ".odt", ".epub", ".rtf", ".doc", ".ppt", ".xls"}
)
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])",
    re.IGNORECASE,
)
_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml\s", re.IGNORECASE)
_FLAT_ODT = re.compile(rb"<office:document\s[^>]*opendocument\.text[\"']")
_FIELD = re.compile(rb"[!-9;-~]+:[ \t]?[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n")
# A memo may have "From:" and "Date:"; only a message has been given one of these by a program.
_MESSAGE_FIELD = re.compile(
    rb"^(?:message-id|mime-version|received|return-path):", re.IGNORECASE | re.MULTILINE
)


def detect_media_type(data: bytes, filename: str | None, declared: str | None = None) -> str:
    """The media type of a whole file; raise UnsupportedMediaTypeError where no reader takes it.

    Of text it reads the first ``HEAD_BYTES`` only. ``declared`` speaks where the name does not.
    """
    if not data:
        msg = "Expected a document, got no bytes."
        raise EmptyDocumentError(msg, hint=FORMATS_HINT)
    head = data[:HEAD_BYTES]
    suffix = _suffix_of(filename)
    if _is_pdf(head, suffix):
        return PDF
    if head.startswith((ZIP_MAGIC, OLE_MAGIC)):
        return detect_container(data)
    if head.startswith(RTF_MAGIC):
        return RTF
    _refuse_binary(head, suffix)
    if suffix in _TEXT_SUFFIXES:
        return _TEXT_SUFFIXES[suffix]
    if not suffix:
        return _sniff(head)
    return _settle_unnamed(suffix, declared)


def is_self_describing(data: bytes, filename: str | None) -> bool:
    """Whether the bytes alone show the kind (PDF, a container, RTF): not a text."""
    head = data[:HEAD_BYTES]
    return _is_pdf(head, _suffix_of(filename)) or head.startswith((ZIP_MAGIC, OLE_MAGIC, RTF_MAGIC))


def is_pdf_or_plain(data: bytes, filename: str | None, declared: str | None) -> bool:
    """Whether bytes are read as a PDF or kept as text, or refused; no container is opened."""
    head, suffix = data[:HEAD_BYTES], _suffix_of(filename)
    if not _is_pdf(head, suffix) and head.startswith((ZIP_MAGIC, OLE_MAGIC, RTF_MAGIC)):
        return False
    try:
        detected = detect_media_type(head, filename, declared)
        return settle_media_type(detected, declared) in {PDF, *PLAIN_TYPES}
    except ExtractionError:
        return True


def settle_media_type(detected: str, declared: str | None) -> str:
    """The type to read a file as: the declared type may choose among texts, never contradict."""
    name = _name_of(declared)
    if name in _UNSTATED or name == detected or detected in _VAGUE.get(name, ()):
        return detected
    if name in TEXT_TYPES and detected in TEXT_TYPES:
        return name
    msg = f"Expected the declared type to fit the bytes, got {name} for {detected}."
    raise UnsupportedMediaTypeError(msg, hint=f"Declare {detected}, or nothing.")


def read_charset(declared: str | None) -> str | None:
    """The ``charset`` parameter of a declared media type."""
    found = re.search(r";\s*charset=\"?([^\s;\"]+)", declared or "", re.IGNORECASE)
    return found.group(1).lower() if found else None


def is_wide(head: bytes) -> bool:
    """Whether bytes without a mark are UTF-16 beyond doubt: every other one of the first is NUL."""
    window = head[: min(_WIDE_WINDOW, len(head) // 2 * 2)]
    if len(window) < _LEAST_WIDE:
        return False
    even, odd = window[::2], window[1::2]
    return (not any(odd) and all(even)) or (not any(even) and all(odd))


def _suffix_of(filename: str | None) -> str:
    return PurePosixPath((filename or "").replace("\\", "/")).suffix.lower()


def _name_of(declared: str | None) -> str:
    name = (declared or "").partition(";")[0].strip().lower()
    return _ALIASES.get(name, name)


def _is_pdf(head: bytes, suffix: str) -> bool:
    header = _PDF_HEADER.search(head, 0, _PDF_WINDOW)
    # Prose may speak of "%PDF-1.7": away from the first byte a text file's name is believed.
    return header is not None and (header.start() == 0 or suffix not in _TEXT_SUFFIXES)


def _refuse_binary(head: bytes, suffix: str) -> None:
    for magic, name, hint in _OTHERS:
        if head.startswith(magic):
            msg = f"Expected a document, got {name}."
            raise UnsupportedMediaTypeError(msg, hint=hint)
    marked = head.startswith(_UTF16_MARKS)
    # The markup of these begins with ASCII, so that UTF-16 shows itself.
    wide = suffix in _TEXT_SUFFIXES and suffix not in _PROSE_SUFFIXES and is_wide(head)
    if b"\x00" in head and not marked and not wide:
        got = f"binary data (NUL at byte {head.index(0)})"
        if is_wide(head):
            got = "what seems UTF-16 without a byte order mark"
        msg = f"Expected a document, got {got}."
        hint = _UTF8_HINT if suffix in _TEXT_SUFFIXES or is_wide(head) else FORMATS_HINT
        raise UnsupportedMediaTypeError(msg, hint=hint)
    if suffix == ".pdf":
        msg = "Expected '%PDF-' at the start of a .pdf file, got text."
        raise UnsupportedMediaTypeError(msg, hint="Rename the file to .txt if it is a text.")


def _sniff(head: bytes) -> str:
    """The kind of a text without a name."""
    if _HTML_START.match(head):
        return HTML
    if _XML_START.match(head):
        return ODT if _FLAT_ODT.search(head) else XML
    fields = _FIELD.match(head)
    block = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0]
    if fields and _MESSAGE_FIELD.search(block):
        return EML
    return TEXT


def _settle_unnamed(suffix: str, declared: str | None) -> str:
    name = _name_of(declared)
    if name in TEXT_TYPES:
        return name
    if suffix in _BINARY_SUFFIXES:
        msg = f"Expected a {suffix} file, got other bytes."
        hint = "Save it again in its program, or rename it to .txt if it is a text."
        raise UnsupportedMediaTypeError(msg, hint=hint)
    msg = f"Expected a document, got a {suffix} file."
    raise UnsupportedMediaTypeError(msg, hint="Rename it to .txt if it is a text.")
