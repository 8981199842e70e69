"""What a ZIP or OLE container holds, by its directory; without unpacking it.

A ZIP of OOXML, OpenDocument or EPUB says in a small member what it is. An OLE container is an
Outlook message, an encrypted OOXML document, or one of the binary formats before 2007.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from contextlib import suppress

from spanproof.core.errors import (
    EncryptedDocumentError,
    LimitExceededError,
    UnsupportedMediaTypeError,
)
from spanproof.ingest.media_type import DOCX, EPUB, FORMATS_HINT, MSG, ODT, OLE_MAGIC, PPTX, XLSX

#: A container's members; a workbook of 1,000 sheets with a drawing each has 5,000.
MAX_MEMBERS = 20_000
#: What a member that only names the format may take.
_MAX_NAME_BYTES = 1 << 20
#: What the library raises for a directory or a small member that does not hold together.
_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ValueError,
    OSError,
    EOFError,
    # What zipfile raises for a compression that it does not know.
    NotImplementedError,
)
_DIRECTORY_ENTRY = b"PK\x01\x02"
_CONTENT_TYPES = "[content_types].xml"
#: By what appears in the content type of the main part (ECMA-376 Part 1; templates, shows, macros).
_MAIN_PARTS = (
    (
        re.compile(
            rb"(?:wordprocessingml\.(?:document|template)|ms-word\.[^\"']*)\.main\+xml",
            re.IGNORECASE,
        ),
        DOCX,
    ),
    (
        re.compile(
            rb"(?:presentationml\.(?:presentation|template|slideshow)|ms-powerpoint\.[^\"']*)\.main\+xml",
            re.IGNORECASE,
        ),
        PPTX,
    ),
    (
        re.compile(
            rb"(?:spreadsheetml\.(?:sheet|template)|ms-excel\.[^\"']*)\.main\+xml", re.IGNORECASE
        ),
        XLSX,
    ),
)
_ODF = "application/vnd.oasis.opendocument."
_OLE_LEGACY = {
    "worddocument": ("DOC (Word before 2007)", "Save it as DOCX or PDF."),
    "workbook": ("XLS (Excel before 2007)", "Save it as XLSX or PDF."),
    "book": ("XLS (Excel before 2007)", "Save it as XLSX or PDF."),
    "powerpoint document": ("PPT (PowerPoint before 2007)", "Save it as PPTX or PDF."),
    "visiodocument": ("a Visio drawing", "Save it as PDF."),
}


def detect_container(data: bytes) -> str:
    """The media type; raise where no reader takes the content of the container."""
    return _detect_ole(data) if data.startswith(OLE_MAGIC) else _detect_zip(data)


def _detect_zip(data: bytes) -> str:
    # Before the library makes an object of each.
    members = data.count(_DIRECTORY_ENTRY)
    if members > MAX_MEMBERS:
        msg = f"Expected at most {MAX_MEMBERS} members in a ZIP container, got {members}."
        raise LimitExceededError(msg, hint="Split the document.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _detect_members(archive)
    except _FAULTS as error:
        msg = "Expected a document, got a ZIP container whose directory cannot be read."
        hint = "Open the file in its program and save it again."
        raise UnsupportedMediaTypeError(msg, hint=hint) from error


def _detect_members(archive: zipfile.ZipFile) -> str:
    names = {name.replace("\\", "/").lower(): name for name in archive.namelist()}
    types = _read_small(archive, names.get(_CONTENT_TYPES))
    for pattern, media_type in _MAIN_PARTS:
        if pattern.search(types):
            if b"sheet.binary" in types:
                msg = "Expected a document, got XLSB (a binary workbook)."
                raise UnsupportedMediaTypeError(msg, hint="Save it as XLSX.")
            return media_type
    mimetype = _read_small(archive, names.get("mimetype")).decode("ascii", "replace").strip()
    if mimetype == EPUB or "meta-inf/container.xml" in names:
        return EPUB
    if mimetype in {ODT, f"{ODT}-template"}:
        return ODT
    if mimetype.startswith(_ODF):
        msg = f"Expected a document, got OpenDocument of another kind ({mimetype[:80]})."
        raise UnsupportedMediaTypeError(msg, hint="Save it as ODT, DOCX, PPTX, XLSX or PDF.")
    first = next(iter(names.values()), None)
    got = "an empty ZIP archive" if first is None else f"a ZIP archive (it holds {first[:80]!r})"
    msg = f"Expected a document, got {got}."
    raise UnsupportedMediaTypeError(msg, hint="Unpack it and give the documents in it.")


def _read_small(archive: zipfile.ZipFile, name: str | None) -> bytes:
    if name is None:
        return b""
    try:
        with archive.open(name) as member:
            return member.read(_MAX_NAME_BYTES)
    except RuntimeError:
        # A ZIP password: no office program sets one, so this is some other archive.
        return b""


def _detect_ole(data: bytes) -> str:
    # Only here: few documents are OLE containers.
    import olefile

    names: set[str] = set()
    # The library may raise anything for a broken directory; the code below refuses it.
    with suppress(Exception), olefile.OleFileIO(io.BytesIO(data)) as container:
        names = {entry[0].lower() for entry in container.listdir(streams=True, storages=True)}
    if not names:
        msg = "Expected a document, got an OLE container whose directory cannot be read."
        hint = "Open the file in its program and save it again."
        raise UnsupportedMediaTypeError(msg, hint=hint)
    if "encryptedpackage" in names:
        msg = "Expected a document that opens without a password, got an encrypted one."
        raise EncryptedDocumentError(msg, hint="Save it without a password.")
    if "__properties_version1.0" in names:
        return MSG
    for name, (kind, hint) in _OLE_LEGACY.items():
        if name in names:
            msg = f"Expected a document, got {kind}."
            raise UnsupportedMediaTypeError(msg, hint=hint)
    msg = "Expected a document, got an OLE container (a format before 2007)."
    raise UnsupportedMediaTypeError(msg, hint=FORMATS_HINT)
