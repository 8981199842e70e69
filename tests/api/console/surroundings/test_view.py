"""What a document shows around a span: the marked characters are those that were checked."""

from __future__ import annotations

import html
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

from spanproof import extract
from spanproof.api.console.rendering import load_environment, render_page
from spanproof.api.console.span_view import make_span_view
from spanproof.api.console.surroundings.pieces import CARD, PAGE
from spanproof.api.console.surroundings.view import describe_reading, make_surroundings
from spanproof.core.span import Span
from spanproof.ingest.engine.choice import load_engine
from tests.api.console.kinds import QUOTES, make_documents
from tests.api.console.samples import LINKS
from tests.api.console.test_escaping import check_harmless
from tests.engines import ENGINE
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

ATTACK = "<img src=x onerror=alert(1)>"


@cache
def read(name: str, attack: str = "") -> Extraction:
    return extract(make_documents(attack)[name], filename=name)


def show(extraction: Extraction, *spans: Span, is_page: bool = False) -> str:
    found = make_surroundings(extraction, spans, PAGE if is_page else CARD)
    assert found is not None
    template = load_environment().get_template("surroundings.html").module
    return str(template.show_surroundings(found))  # type: ignore[attr-defined]


def find(extraction: Extraction, quote: str) -> Span:
    start = extraction.text.text.index(quote)
    return Span(start, start + len(quote))


def read_marked(page: str) -> str:
    return "".join(
        html.unescape(each) for each in re.findall(r"<mark>(.*?)</mark>", page, re.DOTALL)
    )


@pytest.mark.parametrize("name", QUOTES)
def test_what_is_marked_is_what_was_checked(name: str) -> None:
    extraction = read(name)
    assert read_marked(show(extraction, find(extraction, QUOTES[name]))) == QUOTES[name]
    # Any other stretch, too: over blocks, cells and their separators.
    for start in range(0, len(extraction.text) - 30, 37):
        span = Span(start, start + 30)
        if span.end <= extraction.page_at(start).span.end:
            marked = read_marked(show(extraction, span, is_page=True))
            assert "".join(marked.split()) == "".join(extraction.text.slice(span).split())


def test_a_sheet_is_a_window_with_letters_numbers_header_and_name() -> None:
    extraction = read("orders.xlsx")
    page = show(extraction, find(extraction, "4,518 units"))

    assert "Sheet <bdi>Orders 2026</bdi> · 62 rows, 5 columns" in page
    letters = re.findall(r'<th scope="col">(\w+)</th>', page)
    assert letters == ["A", "B", "C", "D", "E"]
    numbers = list(map(int, re.findall(r'<th scope="row">(\d+)</th>', page)))
    assert numbers == [1, 44, 45, 46, 47, 48]
    head, apart = page.split("<tr", 3)[2:]
    assert '<td class="head ">Ordered</td>' in head
    assert apart.startswith(' class="apart"><th scope="row">44')
    assert '<td class="marked"><mark>4,518 units</mark></td>' in page
    assert "Region 1<" not in page

    merged = show(extraction, find(extraction, "All regions together"))
    assert '<td class="marked" colspan="3"><mark>All regions' in merged


def test_a_message_has_its_fields_above_the_text() -> None:
    extraction = read("notice.eml")
    page = show(extraction, find(extraction, QUOTES["notice.eml"]))

    fields, body = page.split("</div>", 1)
    for field in ("From: Ann Buyer", "To: Supplier", "Date: Wed, 20 May 2026", "Subject: Broken"):
        assert field in fields
        assert field not in body
    assert "Good morning" in body
    # A quote of the subject is marked among the fields.
    assert "<mark>Broken goods" in show(extraction, find(extraction, "Broken goods"))


def test_a_rendered_page_keeps_its_structure_and_says_what_it_hides() -> None:
    extraction = read("terms.html")
    page = show(extraction, find(extraction, QUOTES["terms.html"]))

    assert '<p class="doc-heading level-2">Defects</p>' in page
    assert '<p class="doc-list_item level-1">The notice names the order.</p>' in page
    assert '<td class="head">Region</td>' in page
    sheet = read("orders.xlsx")
    hidden = show(sheet, find(sheet, "4,518 units"))
    assert re.findall(r'<span class="unseen"[^>]*>(Region \d+)</span>', hidden) == ["Region 44"]
    assert not re.search(r"<(script|style|img|a)\b", page)


@pytest.mark.parametrize("name", QUOTES)
def test_no_document_without_pages_becomes_markup(name: str) -> None:
    extraction = read(name, ATTACK)
    shown = render_page(
        "span.html",
        LINKS,
        view=make_span_view(
            ATTACK,
            extraction,
            find(extraction, QUOTES[name]),
            LINKS,
        ),
    )
    check_harmless(bytes(shown.body).decode(), ATTACK)


def make_scan(line: str, beside: str) -> bytes:
    """A picture of a line with the same words unseen over it, and others where it is blank."""
    typed = build_pdf(
        PageSpec(content=text_at(72, 742, line, size=11)), inherited=b"/MediaBox[0 0 595 842]"
    )
    with load_engine(ENGINE).open_drawing(typed) as drawing:
        pixels = drawing.draw(1, 2.0)
    size = b"/Width %d/Height %d" % (pixels.shape[1], pixels.shape[0])
    head = b"<</Type/XObject/Subtype/Image/BitsPerComponent 8/ColorSpace/DeviceRGB" + size
    data = pixels.tobytes()
    picture = head + b"/Length %d>>stream\n" % len(data) + data + b"\nendstream"
    layer = text_at(72, 742, line, size=11, mode=3) + text_at(72, 300, beside, size=11, mode=3)
    return build_pdf(
        PageSpec(
            content=b"q 595 0 0 842 0 0 cm /I Do Q " + layer,
            entries=b"/Resources<</Font<</F1 3 0 R>>/XObject<</I 6 0 R>>>>",
        ),
        inherited=b"/MediaBox[0 0 595 842]",
        extra=(picture,),
    )


def test_recognised_text_over_its_picture_is_labelled_and_only_words_without_ink_are_hidden() -> (
    None
):
    line, beside = "Payment is due within thirty days.", "Payment is never due."
    scan = extract(make_scan(line, beside))
    seen, unseen = (
        make_span_view("Scan", scan, find(scan, words), LINKS) for words in (line, beside)
    )

    assert scan.text_source == "ocr_layer"
    assert not seen.is_hidden
    assert unseen.is_hidden
    assert seen.reading is not None
    assert "no confidence" in seen.reading
    assert make_surroundings(scan, [find(scan, line)], CARD) is None
    typed = read("terms.html")
    assert describe_reading(typed, find(typed, "Defects")) is None
