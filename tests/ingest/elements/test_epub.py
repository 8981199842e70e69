"""EPUB: the pages of a book in their order, its blocks with their kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.ingest.elements.epub import read
from spanproof.ingest.media_type import EPUB
from tests.ingest.elements.books import CONTAINER, XHTML, make_package, make_page, read_book
from tests.ingest.elements.reading import list_blocks, pack, read_with

if TYPE_CHECKING:
    from pathlib import Path


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


def test_real_books_are_read(test_data: Path) -> None:
    paths = sorted((test_data / "documents" / "epub").rglob("*.epub"))
    assert paths
    for path in paths:
        first, second = (read_with(read, path.read_bytes(), EPUB) for _ in range(2))
        assert first.extraction_id == second.extraction_id
        assert {page.status for page in first.pages} == {"ok"}, path.name
