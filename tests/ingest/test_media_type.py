"""What a file is, by its bytes; names and senders only choose among texts."""

from __future__ import annotations

import io
import struct
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import (
    EmptyDocumentError,
    EncryptedDocumentError,
    ExtractionError,
    LimitExceededError,
    UnsupportedMediaTypeError,
)
from spanproof.ingest import media_type as kinds
from spanproof.ingest.container import MAX_MEMBERS
from spanproof.ingest.elements import READERS
from spanproof.ingest.media_detection import (
    detect_media_type,
    is_pdf_or_plain,
    is_self_describing,
    read_charset,
    settle_media_type,
)

SECTOR, NONE, END, FAT = 512, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
FLAT_ODT = (
    b'<?xml version="1.0"?><office:document office:version="1.3"'
    b' office:mimetype="application/vnd.oasis.opendocument.text"><office:body/></office:document>'
)
MAIN = '<Override PartName="/x" ContentType="application/vnd.{}.main+xml"/>'


def pack(**members: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def ooxml(main: str) -> bytes:
    return pack(**{"[Content_Types].xml": MAIN.format(main)})


def ole(*names: str) -> bytes:
    """An OLE container of empty streams: a header, a FAT and a directory (MS-CFB)."""
    header = kinds.OLE_MAGIC + bytes(16)
    header += struct.pack(
        "<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, END, 0, END, 0
    )
    header += struct.pack("<109I", 0, *[NONE] * 108)
    entries = [("Root Entry", 5), *((name, 2) for name in names)]
    chain = range(1, -(-len(entries) // 4) + 1)
    fat = [FAT, *[sector + 1 if sector != chain[-1] else END for sector in chain]]
    table = struct.pack("<128I", *fat, *[NONE] * (128 - len(fat)))
    directory = b""
    for index, (name, kind) in enumerate(entries):
        raw = name.encode("utf-16-le") + b"\0\0"
        right = index + 1 if 0 < index < len(entries) - 1 else NONE
        child = 1 if index == 0 else NONE
        directory += raw.ljust(64, b"\0") + struct.pack(
            "<HBBIII16xI16xIQ", len(raw), kind, 1, NONE, right, child, 0, END, 0
        )
    return header + table + directory.ljust(len(chain) * SECTOR, b"\0")


@pytest.mark.parametrize(
    ("data", "filename", "media_type"),
    [
        (b"%PDF-1.7", "a.txt", kinds.PDF),
        (ooxml("openxmlformats-officedocument.wordprocessingml.document"), "a.zip", kinds.DOCX),
        (ooxml("ms-word.document.macroEnabled"), "a.docm", kinds.DOCX),
        (ooxml("openxmlformats-officedocument.wordprocessingml.template"), "a.dotx", kinds.DOCX),
        (ooxml("openxmlformats-officedocument.presentationml.slideshow"), "a.ppsx", kinds.PPTX),
        (ooxml("openxmlformats-officedocument.spreadsheetml.sheet"), "a.pptx", kinds.XLSX),
        (ooxml("ms-excel.sheet.macroEnabled"), None, kinds.XLSX),
        (pack(mimetype="application/epub+zip"), "a", kinds.EPUB),
        (pack(**{"META-INF/container.xml": "<container/>"}), "a", kinds.EPUB),
        (pack(mimetype="application/vnd.oasis.opendocument.text"), "a.doc", kinds.ODT),
        (b"<?xml version='1.0'?><office:document/>", "a.fodt", kinds.ODT),
        (FLAT_ODT, None, kinds.ODT),
        (b"{\\rtf1 words}", "a.doc", kinds.RTF),
        (ole("__properties_version1.0", "__substg1.0_0037001F"), "a", kinds.MSG),
        (b"words", "a.html", kinds.HTML),
        (b"<!DOCTYPE html><p>", None, kinds.HTML),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<html xmlns='x'>", None, kinds.HTML),
        (b"<html><body>", "a.txt", kinds.TEXT),
        (b"<html><body>", "a.md", kinds.MARKDOWN),
        (b"<?xml version='1.0'?><a/>", None, kinds.XML),
        (b"a;b", "a.CSV", kinds.CSV),
        (b"a\tb", "a.tsv", kinds.TSV),
        (b"Hello", "a.eml", kinds.EML),
        (b"Received: from a\r\n by b\r\nFrom: a@b.c\r\n\r\nHi", None, kinds.EML),
        (b"From: Ann\nTo: Bob\nDate: today\n\nA memo.", None, kinds.TEXT),
        ("From: a@b.c\n".encode("utf-16-le"), "a.eml", kinds.EML),
    ],
)
def test_bytes_decide_and_names_choose_among_texts(
    data: bytes, filename: str | None, media_type: str
) -> None:
    assert detect_media_type(data, filename) == media_type


@pytest.mark.parametrize(
    ("data", "filename", "says", "hint"),
    [
        (ole("WordDocument", "1Table"), "a.docx", "DOC (Word before 2007)", "DOCX or PDF"),
        (ole("Workbook"), "a.xls", "XLS", "XLSX or PDF"),
        (ole("PowerPoint Document"), "a.ppt", "PPT", "PPTX or PDF"),
        (ole("Something"), "a.msg", "OLE container", "Give a PDF"),
        (ole("__properties_version1.0")[:600], "a.msg", "cannot be read", "save it again"),
        (pack(**{"a.txt": "x"}), "a.zip", "'a.txt'", "Unpack it"),
        (
            pack(mimetype="application/vnd.oasis.opendocument.spreadsheet"),
            "a.ods",
            "spreadsheet",
            "ODT",
        ),
        (ooxml("ms-excel.sheet.binary.macroEnabled"), "a.xlsb", "XLSB", "XLSX"),
        (b"PK\x03\x04 and no directory", "a.docx", "cannot be read", "save it again"),
        (b'{"a": 1}', "a.json", ".json", "rename it to .txt"),
        (b"words", "a.docx", "a .docx file, got other bytes", "rename it to .txt"),
        (b"words", "a.pdf", "%PDF-", "Rename"),
        (b"\x89PNG\r\n", "a.html", "a PNG image", "--ocr"),
        (b"II*\x00\x08", "scan.tif", "a TIFF image", "--ocr"),
        (b"\x1f\x8b\x08", "a.gz", "gzip", "Unpack it"),
        (b"\x7fELF\x02\x00", "a.bin", "NUL at byte 5", "Give a PDF"),
        (b"a\x00b", "a.csv", "NUL at byte 1", "UTF-8"),
        ("plain words".encode("utf-16-le"), "a.txt", "UTF-16 without", "UTF-8"),
    ],
)
def test_a_refusal_says_what_it_is_and_what_would_help(
    data: bytes, filename: str, says: str, hint: str
) -> None:
    with pytest.raises(UnsupportedMediaTypeError) as caught:
        detect_media_type(data, filename)
    assert says in caught.value.message
    assert hint.casefold() in caught.value.hint.casefold()


def test_an_encrypted_office_document_is_refused_as_such() -> None:
    with pytest.raises(EncryptedDocumentError, match="without a password"):
        detect_media_type(ole("EncryptedPackage", "EncryptionInfo"), "a.docx")


def test_no_bytes_are_no_document() -> None:
    with pytest.raises(EmptyDocumentError):
        detect_media_type(b"", "a.docx")


def test_a_directory_of_too_many_members_is_refused_before_it_is_read() -> None:
    entries = b"PK\x01\x02" * (MAX_MEMBERS + 1)
    with pytest.raises(LimitExceededError, match="members"):
        detect_media_type(kinds.ZIP_MAGIC + entries, "a.docx")


def test_the_senders_word_speaks_where_the_name_does_not() -> None:
    assert detect_media_type(b"<p>words", "index.php", "text/html; charset=utf-8") == kinds.HTML
    with pytest.raises(UnsupportedMediaTypeError):
        detect_media_type(b"<p>words", "index.php", "image/png")


@pytest.mark.parametrize(
    ("detected", "declared", "media_type"),
    [
        (kinds.TEXT, "text/html", kinds.HTML),
        (kinds.TEXT, "text/xml; charset=utf-8", kinds.XML),
        (kinds.HTML, "application/xhtml+xml", kinds.HTML),
        (kinds.DOCX, "application/zip", kinds.DOCX),
        (kinds.DOCX, "application/vnd.ms-word.document.macroEnabled.12", kinds.DOCX),
        (kinds.CSV, "application/vnd.ms-excel", kinds.CSV),
        (kinds.RTF, "text/rtf", kinds.RTF),
        (kinds.MSG, None, kinds.MSG),
    ],
)
def test_a_declared_type_may_choose(detected: str, declared: str | None, media_type: str) -> None:
    assert settle_media_type(detected, declared) == media_type


@pytest.mark.parametrize(
    ("detected", "declared"),
    [
        (kinds.DOCX, kinds.XLSX),
        (kinds.RTF, kinds.TEXT),
        (kinds.HTML, kinds.PDF),
        (kinds.XLSX, "application/vnd.ms-excel"),
        (kinds.TEXT, "image/png"),
    ],
)
def test_a_declared_type_never_contradicts(detected: str, declared: str) -> None:
    with pytest.raises(UnsupportedMediaTypeError) as caught:
        settle_media_type(detected, declared)
    assert detected in caught.value.hint


def test_containers_need_nobodys_word() -> None:
    assert is_self_describing(ooxml("x"), None)
    assert is_self_describing(b"{\\rtf1}", "a.txt")
    assert not is_self_describing(b"<html>", "a.html")


@pytest.mark.parametrize(
    ("data", "filename", "declared", "expected"),
    [
        (b"%PDF-1.7", None, None, True),
        (b"words", "a.txt", None, True),
        (b"words", None, "text/markdown", True),
        (b"words", "a.docx", None, True),
        (b"", None, None, True),
        (b"<html>", None, None, False),
        (b"words", None, "text/html", False),
        (b"words", "a.csv", None, False),
        (b"PK\x03\x04", "a.txt", None, False),
        (b"{\\rtf1}", None, None, False),
    ],
)
def test_what_needs_no_document_library_is_known_without_opening_it(
    data: bytes, filename: str | None, declared: str | None, *, expected: bool
) -> None:
    assert is_pdf_or_plain(data, filename, declared) == expected


def test_the_charset_is_read_from_a_declared_type() -> None:
    assert read_charset('text/csv; header=present; charset="Windows-1252"') == "windows-1252"
    assert read_charset("text/csv") is None


@given(st.binary(min_size=1, max_size=300), st.sampled_from(["", ".docx", ".html", ".eml", ".msg"]))
def test_any_bytes_have_a_type_or_a_refusal(data: bytes, suffix: str) -> None:
    for start in (b"", kinds.ZIP_MAGIC, kinds.OLE_MAGIC):
        with suppress(ExtractionError):
            assert detect_media_type(start + data, f"a{suffix}") in {
                kinds.PDF,
                *kinds.PLAIN_TYPES,
                *READERS,
            }
