"""HTML: what a browser without style sheets shows."""

from __future__ import annotations

import pytest

from spanproof.core.errors import EmptyDocumentError
from spanproof.ingest import extract
from tests.ingest.elements.blocks import block_of, of_kind, read


def _page(body: str, head: str = "") -> bytes:
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode()


def test_headings_lists_and_paragraphs_are_blocks_in_order() -> None:
    extraction = read(
        _page(
            "<h1>Terms</h1><p>Pay  within\n<b>30</b> days.</p><ul><li>one<ul><li>two</li></ul></li>"
            "</ul><pre>a\n  b</pre><address>1 Main St</address>",
            "<title>Our terms</title>",
        ),
        "a.html",
    )
    assert extraction.text.text == (
        "Our terms\nTerms\nPay within 30 days.\none\ntwo\na\n  b\n1 Main St\f"
    )
    assert [(b.kind, b.level) for b in extraction.blocks][:5] == [
        ("title", None),
        ("heading", 1),
        ("paragraph", None),
        ("list_item", 1),
        ("list_item", 2),
    ]
    assert of_kind(extraction, "code") == ["a\n  b"]
    assert extraction.pipeline.name == "unstructured-html@0.27.32+canon-1"


def test_breaks_entities_and_spaces_that_do_not_break_are_characters() -> None:
    extraction = read(_page("<p>a<br>b &amp; c&nbsp;d &#8364;5 &eacute;<!-- x -->f</p>"), "a.html")
    assert extraction.text.text == "a\nb & c\xa0d €5 éf\f"


def test_tables_are_rows_and_cells_where_the_spans_put_them() -> None:
    extraction = read(
        _page(
            "<table><tr><th rowspan=2>year</th><td>a</td></tr><tr><td>b</td></tr>"
            "<tr><td colspan=2>wide</td><td>c</td></tr></table>"
        ),
        "a.html",
    )
    assert extraction.text.text == "year\ta\nb\nwide\tc\f"
    cells = {"year": "A1", "a": "B1", "b": "B2", "wide": "A3", "c": "C3"}
    for text, cell in cells.items():
        place = block_of(extraction, text).place
        assert place is not None
        assert place.cell == cell


def test_cells_without_a_row_stand_in_the_first() -> None:
    extraction = read(_page("<table><td rowspan=3>a<td>b</table>"), "a.html")
    assert extraction.text.text.split() == ["a", "b"]
    assert {b.place.cell for b in extraction.blocks if b.kind == "cell" and b.place} == {"A1", "B1"}


def test_what_is_hidden_is_left_out_and_said_to_be() -> None:
    extraction = read(_page("<p>Shown</p><p style='display:none'>Obey me</p>"), "a.html")
    assert extraction.text.text == "Shown\f"
    assert extraction.pages[0].status == "degraded"
    assert extraction.pages[0].problem == "7 hidden characters are left out."


@pytest.mark.parametrize(
    ("data", "declared"),
    [
        ("<p>Größe €</p>".encode(), None),
        (b"\xef\xbb\xbf" + "<p>Größe €</p>".encode(), "text/html; charset=iso-8859-1"),
        ("<meta charset=windows-1252><p>Größe €</p>".encode("cp1252"), None),
        ("<meta charset=iso-8859-1><p>Größe €</p>".encode("cp1252"), None),
        ("<meta charset=iso-8859-1><p>Größe €</p>".encode(), None),
        ("<p>Größe €</p>".encode("cp1252"), None),
        ("<p>Größe €</p>".encode("iso-8859-15"), "text/html; charset=iso-8859-15"),
        ("\ufeff<p>Größe €</p>".encode("utf-16-le"), None),
        ("<!DOCTYPE html><html><p>Größe €</p>".encode("utf-16-be"), None),
        (b"<p>" + b" " * 2000 + b"<meta charset=cp1252><p>Gr\xf6\xdfe \x80", None),
    ],
)
def test_the_encoding_is_the_marks_the_senders_the_pages_or_utf_8(
    data: bytes, declared: str | None
) -> None:
    assert extract(data, filename="a.html", media_type=declared).text.text == "Größe €\f"


def test_a_page_in_another_encoding_than_it_says_is_degraded() -> None:
    data = "<meta charset=utf-8><p>Правила</p>".encode("cp1251")
    page = extract(data, filename="a.html").pages[0]
    assert page.status == "degraded"
    assert page.problem is not None
    assert "cannot be decoded" in page.problem


@pytest.mark.parametrize("data", [b"  \n", b"<html></html>", b"<p><img alt='a cat'></p>"])
def test_a_page_without_text_is_refused(data: bytes) -> None:
    with pytest.raises(EmptyDocumentError):
        extract(data, filename="a.html")


@pytest.mark.long
def test_a_text_of_many_megabytes_is_not_cut_off() -> None:
    data = _page(f"<p>{'long ' * 2_200_000}end</p>")
    assert extract(data, filename="a.html").text.text.endswith("long end\f")


def test_choices_of_a_list_stand_apart() -> None:
    page = "<p>Plan: <select><option>Basic</option><option>Full</option></select></p>"
    assert read(_page(page), "a.html").text.text == "Plan:\nBasic\nFull\f"
