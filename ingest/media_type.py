"""What a file is: its first bytes decide, its name only chooses among kinds of text."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePosixPath

from core.errors import EmptyDocumentError, UnsupportedMediaTypeError

PDF = "application/pdf"
TEXT = "text/plain"
MARKDOWN = "text/markdown"
#: Kept as they are: their bytes' own characters.
PLAIN_TYPES = (TEXT, MARKDOWN)
SUPPORTED = (PDF, TEXT, MARKDOWN)
#: As many bytes as detection looks at.
HEAD_BYTES = 4096

# Readers accept junk before a PDF's header, up to this many bytes (ISO 32000-1, annex H.3.4.1).
_PDF_WINDOW = 1024
_PDF_HEADER = re.compile(rb"%PDF-\d")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_TEXT_SUFFIXES = {"": TEXT, ".txt": TEXT, ".text": TEXT, ".md": MARKDOWN, ".markdown": MARKDOWN}
#: Formats that would pass for text or whose name is worth telling.
_OTHERS = (
    (b"PK\x03\x04", "a ZIP container (DOCX, XLSX, PPTX, EPUB, …)"),
    (b"{\\rtf", "RTF"),
    (b"\xd0\xcf\x11\xe0", "an OLE container (DOC, XLS, MSG, …)"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"%!PS", "PostScript"),
)
_HINT = "Give a PDF, a .txt or a .md file."


def detect_media_type(head: bytes, filename: str | None) -> str:
    """The media type by a file's first ``HEAD_BYTES``; raise UnsupportedMediaTypeError."""
    if not head:
        msg = "Expected a document, got no bytes."
        raise EmptyDocumentError(msg, hint=_HINT)
    suffix = PurePosixPath((filename or "").replace("\\", "/")).suffix.lower()
    header = _PDF_HEADER.search(head, 0, _PDF_WINDOW)
    # Prose may speak of "%PDF-1.7": away from the first byte a text file's name is believed.
    if header and (header.start() == 0 or suffix not in {".txt", ".text", ".md", ".markdown"}):
        return PDF
    for magic, name in _OTHERS:
        if head.startswith(magic):
            msg = f"Expected PDF or text, got {name}."
            raise UnsupportedMediaTypeError(msg, hint=_HINT)
    if b"\x00" in head and not head.startswith(_UTF16_MARKS):
        msg = f"Expected PDF or text, got binary data (NUL at byte {head.index(0)})."
        raise UnsupportedMediaTypeError(msg, hint=_HINT)
    if suffix == ".pdf":
        msg = "Expected '%PDF-' at the start of a .pdf file, got text."
        raise UnsupportedMediaTypeError(msg, hint="Rename the file to .txt if it is a text.")
    if suffix not in _TEXT_SUFFIXES:
        msg = f"Expected PDF or text, got a {suffix} file."
        raise UnsupportedMediaTypeError(msg, hint=_HINT)
    return _TEXT_SUFFIXES[suffix]


def settle_media_type(detected: str, declared: str | None) -> str:
    """The type to read a file as: what was declared may choose among texts, never contradict."""
    name = (declared or "").partition(";")[0].strip().lower()
    if name in {"", "application/octet-stream", "binary/octet-stream", detected}:
        return detected
    if name == "text/x-markdown":
        name = MARKDOWN
    if name in SUPPORTED and (name == PDF) == (detected == PDF):
        return name
    msg = f"Expected the declared type to fit the bytes, got {name} for {detected}."
    raise UnsupportedMediaTypeError(msg, hint=f"Declare one of {', '.join(SUPPORTED)}.")


def read_charset(declared: str | None) -> str | None:
    """The ``charset`` parameter of a declared media type."""
    found = re.search(r";\s*charset=\"?([^\s;\"]+)", declared or "", re.IGNORECASE)
    return found.group(1).lower() if found else None
