from __future__ import annotations

import io
import struct
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    LimitExceededError,
)
from ingest.elements.epub import read
from ingest.limits import Limits
from ingest.media_type import EPUB
from tests.ingest.elements.reading import ends_by_name, list_blocks, pack, read_with

if TYPE_CHECKING:
    from pathlib import Path

    from core.document import Extraction

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>"""
XHTML = "application/xhtml+xml"


def make_package(*items: tuple[str, str], spine: tuple[str, ...] = ()) -> str:
    manifest = "".join(
        f'<item id="i{n}" href="{href}" media-type="{kind}"/>'
        for n, (href, kind) in enumerate(items)
    )
    refs = spine or tuple(f"i{n}" for n in range(len(items)))
    return (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{manifest}</manifest>'
        f"<spine>{''.join(f'<itemref idref={ref!r}/>' for ref in refs)}</spine></package>"
    )


def make_page(body: str, *, title: str = "", before: str = "") -> str:
    return (
        f'{before}<html xmlns="http://www.w3.org/1999/xhtml"'
        f' xmlns:epub="http://www.idpf.org/2007/ops"><head><title>{title}</title></head>'
        f"<body>{body}</body></html>"
    )


def make_book(*pages: str, **others: str) -> bytes:
    names = [f"p{number}.xhtml" for number in range(1, len(pages) + 1)]
    return pack(
        {
            "mimetype": EPUB,
            "META-INF/container.xml": CONTAINER,
            "OPS/book.opf": make_package(*((name, XHTML) for name in names)),
            **{f"OPS/{name}": page for name, page in zip(names, pages, strict=True)},
            **others,
        }
    )


def read_book(*pages: str, **others: str) -> Extraction:
    return read_with(read, make_book(*pages, **others), EPUB)


def test_pages_are_the_items_of_the_spine_in_its_order() -> None:
    data = pack(
        {
            "META-INF/container.xml": CONTAINER,
            "OPS/book.opf": make_package(
                ("text/two%20b.xhtml", XHTML), ("one.xhtml", XHTML), spine=("i1", "i0", "i1")
            ),
            "OPS/one.xhtml": make_page("<p>First.</p>", title="One"),
            "OPS/text/two b.xhtml": make_page("<p>Second.</p>"),
        }
    )
    extraction = read_with(read, data, EPUB)
    assert extraction.text.text == "First.\fSecond.\f"
    assert [page.label for page in extraction.pages] == ["One", "OPS/text/two b.xhtml"]
    places = [block.place for block in extraction.blocks]
    assert [(p.part, p.paragraph) for p in places if p] == [
        ("OPS/one.xhtml", 1),
        ("OPS/text/two b.xhtml", 1),
    ]


def test_blocks_have_the_kinds_of_their_elements() -> None:
    page = """<section><h2>Terms</h2><p>Plain <b>and</b>\n bold.</p>loose text
    <ul><li>one<ol><li>deep</li></ol></li></ul><pre>a\n  b</pre>
    <figure><img alt="unseen"/><figcaption>A figure</figcaption></figure>
    <aside epub:type="footnote"><p>A note.</p></aside></section>"""
    extraction = read_book(make_page(page))
    assert list_blocks(extraction) == [
        ("heading", "Terms"),
        ("paragraph", "Plain and bold."),
        ("paragraph", "loose text"),
        ("list_item", "one"),
        ("list_item", "deep"),
        ("code", "a\n  b"),
        ("caption", "A figure"),
        ("footnote", "A note."),
    ]
    assert [block.level for block in extraction.blocks[:5]] == [2, None, None, 1, 2]


def test_table_cells_stand_in_rows_and_tell_their_address() -> None:
    page = """<table><caption>Prices</caption><tr><th rowspan="2">Item</th><th>Price</th></tr>
    <tr><td><p>4.50</p><p>each</p></td></tr><tr><td colspan="2"/><td>last</td></tr></table>"""
    extraction = read_book(make_page(page))
    assert extraction.text.text == "Prices\nItem\tPrice\n4.50\neach\nlast\f"
    cells = [
        (block.place.cell, extraction.text.slice(block.span))
        for block in extraction.blocks
        if block.kind == "cell" and block.place
    ]
    assert cells == [("A1", "Item"), ("B1", "Price"), ("B2", "4.50\neach"), ("C3", "last")]
    assert [block.kind for block in extraction.blocks][:3] == ["table", "caption", "row"]


def test_white_space_collapses_as_a_browser_collapses_it() -> None:
    extraction = read_book(make_page("<p>\n  a <i> b </i>\tc\u00a0 d <br/> e<br/></p>"))
    assert extraction.text.text == "a b c\u00a0 d\ne\f"


def test_what_no_reader_sees_is_left_out_and_counted() -> None:
    page = """<script>no()</script><style>p{}</style><!-- no --><p>Seen.</p>
    <p style="color:red; display : none">hidden one</p><div hidden="hidden"><p>two</p></div>"""
    extraction = read_book(make_page(page))
    assert extraction.text.text == "Seen.\f"
    assert extraction.pages[0].status == "degraded"
    assert extraction.pages[0].problem == "13 hidden characters are left out"


def test_navigation_is_not_read_twice() -> None:
    nav = '<nav epub:type="toc"><ol><li><a href="p2.xhtml">Chapter</a></li></ol></nav>'
    extraction = read_book(make_page(nav), make_page("<h1>Chapter</h1>"))
    assert extraction.text.text == "\fChapter\f"
    assert extraction.pages[0].text_source == "none"


def test_named_entities_are_characters_without_their_dtd() -> None:
    doctype = (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN"'
        ' "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'
    )
    extraction = read_book(make_page("<p>caf&eacute;&nbsp;&mdash; &amp;</p>", before=doctype))
    assert extraction.text.text == "caf\u00e9\u00a0\u2014 &\f"
    assert extraction.pages[0].status == "ok"


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


def test_a_fallback_stands_for_an_item_that_is_no_text() -> None:
    package = make_package(("scan.png", "image/png"), ("p.xhtml", XHTML), spine=("i0",))
    package = package.replace('id="i0"', 'id="i0" fallback="i1"')
    data = pack(
        {
            "META-INF/container.xml": CONTAINER,
            "OPS/book.opf": package,
            "OPS/p.xhtml": make_page("<p>Instead.</p>"),
        }
    )
    assert read_with(read, data, EPUB).text.text == "Instead.\f"


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


#: Characters of XML that the drawn paragraphs hold; their white space is single spaces.
WORDS = st.lists(
    st.text(
        st.characters(
            codec="utf-8",
            exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp"),
            exclude_characters="\ufffe\uffff",
        ),
        min_size=1,
        max_size=8,
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@given(st.lists(st.tuples(st.sampled_from(["p", "h2", "li", "td", "div"]), WORDS), min_size=1))
@settings(max_examples=60, deadline=None)
def test_no_character_of_a_paragraph_is_lost(drawn: list[tuple[str, str]]) -> None:
    wrap = {"li": "<ul><li>{}</li></ul>", "td": "<table><tr><td>{}</td></tr></table>"}
    body = "".join(wrap.get(t, f"<{t}>{{}}</{t}>").format(_escape(text)) for t, text in drawn)
    extraction = read_book(make_page(body))
    leaves = [block for block in extraction.blocks if block.kind not in {"table", "row"}]
    assert [extraction.text.slice(block.span) for block in leaves] == [text for _, text in drawn]
    assert extraction.text.text == "\n".join(text for _, text in drawn) + "\f"


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_damaged_books_end_in_an_extraction_or_a_named_refusal(data: st.DataObject) -> None:
    book = bytearray(make_book(make_page("<p>one</p>"), make_page("<p>two <b>x</b></p>")))
    for _ in range(data.draw(st.integers(1, 6))):
        book[data.draw(st.integers(0, len(book) - 1))] = data.draw(st.integers(0, 255))
    assert ends_by_name(read, bytes(book), EPUB)


def test_real_books_are_read(test_data: Path) -> None:
    paths = sorted((test_data / "documents" / "epub").rglob("*.epub"))
    assert paths
    for path in paths:
        first, second = (read_with(read, path.read_bytes(), EPUB) for _ in range(2))
        assert first.extraction_id == second.extraction_id
        assert {page.status for page in first.pages} == {"ok"}, path.name
