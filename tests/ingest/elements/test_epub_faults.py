"""Books that are damaged, locked or made to harm end in an extraction or a named refusal."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    LimitExceededError,
)
from spanproof.ingest.elements.epub import read
from spanproof.ingest.limits import Limits
from spanproof.ingest.media_type import EPUB
from tests.ingest.elements.books import (
    CONTAINER,
    XHTML,
    make_book,
    make_package,
    make_page,
    read_book,
)
from tests.ingest.elements.reading import ends_by_name, list_blocks, pack, read_with

if TYPE_CHECKING:
    from pathlib import Path


def test_external_entities_are_never_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("SECRET", encoding="utf-8")
    for declared in (
        f'<!ENTITY x SYSTEM "{secret.as_uri()}">',
        f'<!ENTITY % y SYSTEM "{secret}"> %y;',
    ):
        doctype = f"<!DOCTYPE html [{declared}]>"
        extraction = read_book(make_page("<p>a &x; b</p>", before=doctype))
        assert extraction.text.text == "a &x; b\f"
        assert extraction.pages[0].problem == "1 unknown entities are left as they are"


def test_entities_that_grow_are_never_expanded() -> None:
    growing = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    doctype = f'<!DOCTYPE html [<!ENTITY e0 "ha">{growing}]>'
    extraction = read_book(make_page("<p>a &e11; b</p>", before=doctype), make_page("<p>b</p>"))
    assert len(extraction.text) < 200


def test_tag_soup_is_read_and_flagged() -> None:
    extraction = read_book(make_page("<p>one<br>two<p>three &copy; caf\u00e9"))
    assert [text for _, text in list_blocks(extraction)] == ["one\ntwo", "three \u00a9 caf\u00e9"]
    assert extraction.pages[0].status == "degraded"


def test_tag_soup_nested_without_end_is_an_error_of_its_page() -> None:
    extraction = read_book("<div>" * 3000 + "<p>deep", make_page("<p>sound</p>"))
    assert [page.status for page in extraction.pages] == ["error", "ok"]


def test_missing_items_are_pages_that_say_so() -> None:
    data = pack(
        {
            "META-INF/container.xml": CONTAINER,
            "OPS/book.opf": make_package(
                ("gone.xhtml", XHTML),
                ("../../etc/passwd", XHTML),
                ("p.xhtml", XHTML),
                ("scan.png", "image/png"),
                spine=("i0", "i1", "i2", "i3", "unnamed"),
            ),
            "OPS/p.xhtml": make_page("<p>Here.</p>"),
            "OPS/scan.png": b"\x89PNG",
        }
    )
    extraction = read_with(read, data, EPUB)
    assert [page.status for page in extraction.pages] == [
        "error",
        "error",
        "ok",
        "degraded",
        "degraded",
    ]
    assert "OPS/gone.xhtml" in (extraction.pages[0].problem or "")
    assert extraction.pages[3].problem == "expected text, got image/png"


def make_encryption(method: str) -> str:
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
        ' xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
        f'<enc:EncryptionMethod Algorithm="{method}"/><enc:CipherData>'
        '<enc:CipherReference URI="OPS/p1.xhtml"/></enc:CipherData></enc:EncryptedData>'
        "</encryption>"
    )


def test_copy_protection_is_refused_as_encrypted() -> None:
    method = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    with pytest.raises(EncryptedDocumentError, match="aes128-cbc"):
        read_book(make_page("<p>x</p>"), **{"META-INF/encryption.xml": make_encryption(method)})


def test_garbled_fonts_are_no_copy_protection() -> None:
    encryption = make_encryption("http://www.idpf.org/2008/embedding")
    book = make_book(make_page("<p>x</p>"), **{"META-INF/encryption.xml": encryption})
    assert read_with(read, book, EPUB).text.text == "x\f"


@pytest.mark.parametrize(
    "members",
    [
        {"OPS/book.opf": "x"},
        {"META-INF/container.xml": "<broken"},
        {"META-INF/container.xml": "<container/>"},
        {"META-INF/container.xml": CONTAINER},
        {"META-INF/container.xml": CONTAINER, "OPS/book.opf": "<package"},
    ],
    ids=["no container", "broken container", "no rootfile", "no package", "broken package"],
)
def test_a_book_without_its_package_is_broken(members: dict[str, str]) -> None:
    with pytest.raises(BrokenDocumentError):
        read_with(read, pack(members), EPUB)


def test_a_book_without_text_is_refused() -> None:
    with pytest.raises(EmptyDocumentError):
        read_book(make_page("<img/>"))


def test_a_member_that_inflates_without_measure_is_refused() -> None:
    with pytest.raises(LimitExceededError, match="250:1"):
        read_book(make_page(f"<p>{' ' * 3_000_000}</p>"))


def test_all_members_together_are_capped() -> None:
    pages = [make_page(f"<p>{n} {'abc' * 200}</p>") for n in range(20)]
    with pytest.raises(LimitExceededError, match="bytes inside"):
        read_with(read, make_book(*pages), EPUB, Limits(max_bytes=10_000))


def test_more_pages_than_the_limit_are_refused() -> None:
    pages = [make_page(f"<p>{n}</p>") for n in range(5)]
    with pytest.raises(LimitExceededError, match="pages"):
        read_with(read, make_book(*pages), EPUB, Limits(max_pages=4))


def test_a_false_size_is_a_fault_of_its_page_and_inflates_nothing() -> None:
    page = make_page("<p>" + "long " * 1000 + "</p>").encode()
    book = bytearray(make_book(page.decode(), make_page("<p>sound</p>")))
    true = struct.pack("<I", len(page))
    assert book.count(true) == 2, "the size stands in the member's header and in the directory"
    book = book.replace(true, struct.pack("<I", 20))
    extraction = read_with(read, bytes(book), EPUB)
    assert [page.status for page in extraction.pages] == ["error", "ok"]


def test_of_two_members_of_one_name_neither_is_believed() -> None:
    packed = io.BytesIO(make_book(make_page("<p>one</p>"), make_page("<p>sound</p>")))
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile(packed, "a") as archive,
    ):
        archive.writestr("OPS/p1.xhtml", make_page("<p>other</p>"))
    extraction = read_with(read, packed.getvalue(), EPUB)
    assert extraction.text.text == "\fsound\f"
    assert extraction.pages[0].status == "error"


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_damaged_books_end_in_an_extraction_or_a_named_refusal(data: st.DataObject) -> None:
    book = bytearray(make_book(make_page("<p>one</p>"), make_page("<p>two <b>x</b></p>")))
    for _ in range(data.draw(st.integers(1, 6))):
        book[data.draw(st.integers(0, len(book) - 1))] = data.draw(st.integers(0, 255))
    assert ends_by_name(read, bytes(book), EPUB)
