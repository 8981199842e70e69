"""What Office files hide or strike is flagged; what a reader sees is not."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import openpyxl
import pytest
from docx import Document
from lxml import etree
from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Font, PatternFill
from pptx import Presentation
from pptx.util import Inches

from spanproof.core.documents.layout import HIDDEN
from spanproof.ingest import extract

if TYPE_CHECKING:
    from collections.abc import Callable

SEEN, DOUBTED = "The tenant pays the rent.", "The landlord waives the deposit."
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def _is_hidden(saved: Any, filename: str, words: str) -> bool:
    packed = io.BytesIO()
    saved.save(packed)
    extraction = extract(packed.getvalue(), filename=filename)
    assert extraction.layout is not None
    start = extraction.text.text.index(words)
    carried = extraction.layout.flags[start : start + len(words)]
    return bool((carried & np.uint16(HIDDEN)).any())


def _word(properties: str, paragraph: str = "") -> Any:
    document = Document()
    document.add_paragraph(SEEN)
    added = document.add_paragraph()
    if paragraph:
        added._p.insert(0, etree.fromstring(f"<w:pPr {_W}>{paragraph}</w:pPr>"))
    run = etree.fromstring(f"<w:r {_W}><w:rPr>{properties}</w:rPr><w:t>{DOUBTED}</w:t></w:r>")
    added._p.append(run)
    return document


@pytest.mark.parametrize(
    ("properties", "paragraph", "hidden"),
    [
        ("", "", False),
        ('<w:color w:val="FFFFFF"/>', "", True),
        ('<w:color w:val="FEFEFE"/>', "", True),
        ('<w:color w:val="808080"/>', "", False),
        ('<w:color w:val="auto"/>', '<w:shd w:val="clear" w:fill="000000"/>', False),
        ('<w:color w:val="FFFFFF"/>', '<w:shd w:val="clear" w:fill="1F3864"/>', False),
        ('<w:color w:val="1F3864"/>', '<w:shd w:val="clear" w:fill="1F3864"/>', True),
        ('<w:color w:val="000000"/><w:highlight w:val="black"/>', "", True),
        ('<w:highlight w:val="yellow"/>', "", False),
        ('<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000000"/>', "", False),
        ('<w:sz w:val="2"/>', "", True),
        ('<w:sz w:val="12"/>', "", False),
        ('<w:color w:themeColor="background1" w:val="000000"/>', "", True),
        ('<w:color w:themeColor="text1" w:val="FFFFFF"/>', "", False),
        ('<w:color w:themeColor="accent1" w:val="4472C4"/>', "", False),
        ("", '<w:spacing w:line="1" w:lineRule="exact"/>', True),
        ("", '<w:spacing w:line="240" w:lineRule="exact"/>', False),
        ("", '<w:spacing w:line="1" w:lineRule="auto"/>', False),
        ("<w:strike/>", "", True),
        ("<w:dstrike/>", "", True),
        ('<w:strike w:val="false"/>', "", False),
        ('<w:w w:val="1"/>', "", True),
    ],
)
def test_runs_of_a_document(properties: str, paragraph: str, *, hidden: bool) -> None:
    document = _word(properties, paragraph)
    assert _is_hidden(document, "a.docx", DOUBTED) == hidden
    assert not _is_hidden(document, "a.docx", SEEN)


@pytest.mark.parametrize("properties", ["<w:vanish/>", '<w:color w:val="FFFFFF"/>', "<w:strike/>"])
@pytest.mark.parametrize("kind", ["character", "paragraph"])
def test_styles_of_a_document(properties: str, kind: str) -> None:
    which = '<w:rStyle w:val="Ghost"/>' if kind == "character" else ""
    document = _word(which, "" if which else '<w:pStyle w:val="Ghost"/>')
    style = f'<w:style {_W} w:type="{kind}" w:styleId="Ghost"><w:name w:val="Ghost"/>'
    styles = document.styles.element
    styles.append(etree.fromstring(f"{style}<w:rPr>{properties}</w:rPr></w:style>"))
    assert _is_hidden(document, "a.docx", DOUBTED)


def _sheet(change: Callable[[Any], None]) -> Any:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["B2"] = SEEN, DOUBTED
    change(book.active)
    return book


def _merge(sheet: Any) -> None:
    sheet.merge_cells("A2:A3")


def _set(**styles: Any) -> Callable[[Any], None]:
    def change(sheet: Any) -> None:
        for name, style in styles.items():
            setattr(sheet["B2"], name, style)

    return change


def _row(**values: Any) -> Callable[[Any], None]:
    def change(sheet: Any) -> None:
        for name, value in values.items():
            setattr(sheet.row_dimensions[2], name, value)

    return change


def _rule(colour: str, area: str = "B1:B9") -> Callable[[Any], None]:
    """Text of a colour where a formula holds, which only the sheet's program knows."""

    def change(sheet: Any) -> None:
        rule = FormulaRule(formula=["$C$1=1"], font=Font(color=colour))
        sheet.conditional_formatting.add(area, rule)

    return change


_BLACK = PatternFill("solid", fgColor="FF000000")


@pytest.mark.parametrize(
    ("change", "hidden"),
    [
        (_set(), False),
        (_merge, False),
        (_set(number_format=";;;"), True),
        (_set(number_format="@"), False),
        (_set(number_format='0;-0;0;"n/a"'), True),
        (_set(font=Font(color="FFFFFFFF")), True),
        (_set(font=Font(color="FFFFFFFF"), fill=_BLACK), False),
        (_set(font=Font(color="FF000000"), fill=_BLACK), True),
        (_set(font=Font(strike=True)), True),
        (_set(font=Font(size=1)), True),
        (_set(font=Font(size=8)), False),
        (_row(hidden=True), True),
        (_row(height=0.5), True),
        (_row(height=12), False),
        (_rule("FFFFFFFF"), True),
        (_rule("FFFF0000"), False),
        (_rule("FFFFFFFF", "C1:C9"), False),
    ],
)
def test_cells_of_a_workbook(change: Callable[[Any], None], *, hidden: bool) -> None:
    book = _sheet(change)
    assert _is_hidden(book, "a.xlsx", DOUBTED) == hidden
    assert not _is_hidden(book, "a.xlsx", SEEN)


def _slide(properties: str = "", *, left: float = 1, fill: str = "") -> Any:
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    for words, at in ((SEEN, 1.0), (DOUBTED, left)):
        slide.shapes.add_textbox(
            Inches(at), Inches(1), Inches(3), Inches(1)
        ).text_frame.text = words
    box = slide.shapes[-1]
    run = box.text_frame.paragraphs[0].runs[0]._r
    run.insert(
        0, etree.fromstring(f"<a:rPr {_A} {properties}</a:rPr>" if properties else f"<a:rPr {_A}/>")
    )
    if fill:
        shape = box._element.spPr
        for old in shape.findall("{*}noFill"):
            shape.remove(old)
        shape.append(etree.fromstring(f'<a:solidFill {_A}><a:srgbClr val="{fill}"/></a:solidFill>'))
    return show


_WHITE = '><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>'


@pytest.mark.parametrize(
    ("made", "hidden"),
    [
        ({}, False),
        ({"left": -20}, True),
        ({"left": 40}, True),
        ({"properties": 'sz="100">'}, True),
        ({"properties": 'sz="1000">'}, False),
        ({"properties": 'strike="sngStrike">'}, True),
        ({"properties": 'strike="noStrike">'}, False),
        ({"properties": "><a:noFill/>"}, True),
        ({"properties": _WHITE}, True),
        ({"properties": _WHITE, "fill": "1F3864"}, False),
        ({"properties": _WHITE, "fill": "FFFFFF"}, True),
    ],
)
def test_shapes_of_a_slide(made: dict[str, Any], *, hidden: bool) -> None:
    show = _slide(**made)
    assert _is_hidden(show, "a.pptx", DOUBTED) == hidden
    assert not _is_hidden(show, "a.pptx", SEEN)
