"""DOCX: what Word shows is text, in Word's order, and nothing else."""

from __future__ import annotations

from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from spanproof.core.errors import EmptyDocumentError
from tests.ingest.elements.blocks import block_of, of_kind, read, save


def _append(document: Any, xml: str) -> None:
    body = document.element.body
    body.insert(len(body) - 1, parse_xml(xml.replace("<w:p>", f"<w:p {nsdecls('w')}>", 1)))


def _read(document: Any) -> Any:
    return read(save(document), "a.docx")


def test_headings_have_levels_and_paragraphs_are_numbered() -> None:
    document = docx.Document()
    document.add_heading("Contract", 0)
    document.add_heading("Payment", 1)
    document.add_heading("Late payment", 2)
    document.add_paragraph("Invoices are paid within 30 days.")
    extraction = _read(document)
    assert extraction.text.text == (
        "Contract\nPayment\nLate payment\nInvoices are paid within 30 days.\f"
    )
    assert [(b.kind, b.level) for b in extraction.blocks] == [
        ("title", None),
        ("heading", 1),
        ("heading", 2),
        ("paragraph", None),
    ]
    assert [b.place.paragraph for b in extraction.blocks if b.place] == [1, 2, 3, 4]
    assert extraction.pipeline.name == "unstructured-docx@0.27.32+canon-1"


def test_insertions_are_text_and_deletions_are_not() -> None:
    document = docx.Document()
    _append(
        document,
        "<w:p><w:r><w:t xml:space='preserve'>Pay within </w:t></w:r>"
        "<w:del w:id='1' w:author='a'><w:r><w:delText>30</w:delText></w:r></w:del>"
        "<w:ins w:id='2' w:author='a'><w:r><w:t>60</w:t></w:r></w:ins>"
        "<w:moveFrom w:id='3' w:author='a'><w:r><w:t>gone</w:t></w:r></w:moveFrom>"
        "<w:moveTo w:id='4' w:author='a'><w:r><w:t xml:space='preserve'> days</w:t></w:r>"
        "</w:moveTo></w:p>",
    )
    assert _read(document).text.text == "Pay within 60 days\f"


def test_a_deleted_row_is_no_text() -> None:
    document = docx.Document()
    table = document.add_table(2, 1)
    table.cell(0, 0).text, table.cell(1, 0).text = "kept", "deleted"
    properties = table.rows[1]._tr.get_or_add_trPr()
    properties.append(parse_xml(f"<w:del {nsdecls('w')} w:id='1' w:author='a'/>"))
    assert _read(document).text.text == "kept\f"


def test_characters_that_the_markup_spells_out() -> None:
    document = docx.Document()
    _append(
        document,
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/>"
        "<w:t>d</w:t><w:softHyphen/><w:t>e</w:t><w:sym w:font='Symbol' w:char='F061'/></w:r></w:p>",
    )
    extraction = _read(document)
    assert extraction.text.text == "a\tb\nc-d\u00ade\uf061\f"
    assert extraction.counts.soft_hyphen == 1
    assert extraction.counts.private_use == 1


def test_text_that_is_marked_hidden_is_left_out_and_said_to_be() -> None:
    document = docx.Document()
    document.add_paragraph("Shown. ").add_run("Hidden words.").font.hidden = True
    extraction = _read(document)
    assert extraction.text.text == "Shown. \f"
    assert extraction.pages[0].status == "degraded"
    assert extraction.pages[0].problem == "13 hidden characters are left out."


def test_fields_show_their_results_and_content_controls_their_content() -> None:
    document = docx.Document()
    _append(
        document,
        "<w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>DATE</w:instrText>"
        "</w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>1 May</w:t></w:r>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r><w:sdt><w:sdtPr><w:alias w:val='x'/></w:sdtPr>"
        "<w:sdtContent><w:r><w:t xml:space='preserve'> in Bern</w:t></w:r></w:sdtContent></w:sdt>"
        "</w:p>",
    )
    assert _read(document).text.text == "1 May in Bern\f"


def test_lists_show_the_numbers_that_word_makes() -> None:
    document = docx.Document()
    for text in ("first", "second"):
        document.add_paragraph(text, style="List Number")
    document.add_paragraph("a point", style="List Bullet")
    extraction = _read(document)
    assert extraction.text.text == "1. first\n2. second\na point\f"
    assert of_kind(extraction, "list_item") == ["1. first", "2. second", "a point"]


def test_tables_are_rows_and_cells_with_addresses() -> None:
    document = docx.Document()
    table = document.add_table(3, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(0, 2).text = "c"
    table.cell(1, 1).text = "two\nlines"
    table.cell(1, 2).text = "x"
    inner = table.cell(2, 0).add_table(1, 1)
    inner.cell(0, 0).text = "nested"
    extraction = _read(document)
    assert extraction.text.text == "wide\tc\ntwo\nlines\tx\nnested\f"
    places = {extraction.text.slice(b.span): b.place for b in extraction.blocks if b.kind == "cell"}
    assert {text: place.cell for text, place in places.items() if place} == {
        "wide": "A1",
        "c": "C1",
        "two\nlines": "B2",
        "x": "C2",
        "nested": "A1",
    }
    assert of_kind(extraction, "row") == ["wide\tc", "two\nlines\tx", "nested", "nested"]
    assert of_kind(extraction, "table") == [extraction.text.text[:-1], "nested"]


def test_headers_footers_and_comments_are_parts_of_their_own() -> None:
    document = docx.Document()
    run = document.add_paragraph("The body.").runs[0]
    document.sections[0].header.paragraphs[0].text = "Draft 3"
    document.sections[0].footer.paragraphs[0].text = "Confidential"
    document.add_comment(run, text="Is this final?", author="Ann")
    extraction = _read(document)
    assert extraction.text.text == "Draft 3\nThe body.\nIs this final?\nConfidential\f"
    assert [(b.kind, b.name, b.place.part) for b in extraction.blocks if b.place] == [
        ("header", None, "header1"),
        ("paragraph", None, None),
        ("annotation", "Ann", "comments"),
        ("footer", None, "footer1"),
    ]


def test_a_text_box_follows_the_paragraph_that_holds_it_once() -> None:
    document = docx.Document()
    box = "<w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p></w:txbxContent>"
    xml = (
        f"<w:p {nsdecls('w')} xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'"
        " xmlns:v='urn:schemas-microsoft-com:vml'><w:r><w:t>Beside it</w:t><mc:AlternateContent>"
        f"<mc:Choice Requires='wps'><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
    )
    document.element.body.insert(0, parse_xml(xml))
    assert _read(document).text.text == "Beside it\nIn the box\f"


def test_a_document_without_text_is_refused() -> None:
    with pytest.raises(EmptyDocumentError) as caught:
        read(save(docx.Document()), "a.docx")
    assert "got none" in caught.value.message


def test_unstructured_names_what_the_markup_does_not() -> None:
    document = docx.Document()
    document.add_paragraph("DOYLESTOWN, PA 18901")
    extraction = _read(document)
    assert block_of(extraction, "DOYLESTOWN, PA 18901").kind == "address"


def test_a_reading_stands_behind_its_word() -> None:
    document = docx.Document()
    _append(
        document,
        "<w:p><w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>",
    )
    assert _read(document).text.text == "漢かん\f"


def test_an_imported_document_makes_the_page_degraded() -> None:
    document = docx.Document()
    document.add_paragraph("The terms follow.")
    _append(document, f"<w:altChunk {nsdecls('w', 'r')} r:id='rId99'/>")
    extraction = _read(document)
    assert extraction.text.text == "The terms follow.\f"
    assert extraction.pages[0].status == "degraded"
    assert extraction.pages[0].problem == "1 imported documents are not read (no part …)."
