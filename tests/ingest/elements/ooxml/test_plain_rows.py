"""Rows in their usual form are read as a parser reads them; all others are left to the parser."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook
from openpyxl.styles import Font

from spanproof.core.errors import BrokenDocumentError
from spanproof.ingest import extract
from spanproof.ingest.elements.ooxml.cell_value import is_shown_as_kept
from spanproof.ingest.elements.ooxml.number_format import format_general
from spanproof.ingest.elements.ooxml.plain_rows import (
    NotPlainError,
    RawRow,
    read_plain_rows,
    read_plain_strings,
    split_off,
)
from tests.ingest.elements.blocks import save

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

_COMMENT = b"<!-- another form -->"
_SEVERAL = (
    b'<row r="1" spans="1:2"><c r="A1" t="inlineStr"><is><t>a &amp;&lt;_x0041_</t></is></c></row>'
    b'<row r="3"><c r="A3"><f t="shared" si="0"/><v>7</v></c>'
    b'<c r="B3"><f>A1&amp;"x"</f><v/></c></row>'
)
_SHEET = "xl/worksheets/sheet1.xml"
_VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.datetimes()
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=6)
    | st.sampled_from(["R&D <b>", " two  blanks ", "_x0041_", "line\nline", "]]>", '"'])
)
_FORMATS = st.sampled_from(["General", "0.00", "#,##0.0", ";;;", '0;-0;0;"<"@">"', "yyyy-mm-dd"])


def change(data: bytes, name: str, *pairs: tuple[bytes, bytes]) -> bytes:
    """A workbook with one part's bytes changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(made, "w") as target:
        for member in source.namelist():
            part = source.read(member)
            for old, new in pairs if member == name else ():
                assert old in part
                part = part.replace(old, new)
            target.writestr(member, part)
    return made.getvalue()


def facts(extraction: Extraction) -> tuple[object, ...]:
    """All that reading gives of a workbook."""
    layout = extraction.layout
    return (
        extraction.text.text,
        tuple(extraction.blocks),
        extraction.cell_values,
        extraction.pages,
        None if layout is None else layout.flags.tolist(),
    )


@given(
    rows=st.lists(st.lists(st.tuples(_VALUES, _FORMATS), max_size=4), min_size=1, max_size=5),
    hides=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_both_ways_give_the_same(rows: list[list[tuple[object, str]]], *, hides: bool) -> None:
    book = Workbook()
    sheet = book.active
    sheet["F9"] = "there"
    for number, row in enumerate(rows, start=1):
        for column, (value, code) in enumerate(row, start=1):
            cell = sheet.cell(number, column)
            try:
                cell.value = value
            except ValueError:
                continue
            if cell.data_type != "f":
                cell.number_format = code
                cell.font = Font(strike=code == "0.00")
    sheet.row_dimensions[1].hidden = hides
    sheet.row_dimensions[2].height = 1 if hides else 20
    sheet.column_dimensions["B"].hidden = hides
    sheet.merge_cells("C1:D2")
    plain = save(book)
    parsed = change(plain, _SHEET, (b"</sheetData>", b"</sheetData>" + _COMMENT))
    assert facts(extract(plain, filename="a.xlsx")) == facts(extract(parsed, filename="a.xlsx"))


@pytest.mark.parametrize(
    ("markup", "rows"),
    [
        (b"", []),
        (b'<row r="2"/>', [RawRow("2", None, None, ())]),
        (b"<row></row>", [RawRow(None, None, None, [])]),
        (
            b'<row r="1" hidden="1" ht="3.5"><c r="B1"><v>1</v></c><c r="AA1" s="2" t="s"/></row>',
            [
                RawRow(
                    "1",
                    "1",
                    "3.5",
                    [(2, None, None, None, "1", None), (27, "2", "s", None, None, None)],
                )
            ],
        ),
        (
            _SEVERAL,
            [
                RawRow("1", None, None, [(1, None, "inlineStr", None, None, "a &<A")]),
                RawRow(
                    "3",
                    None,
                    None,
                    [(1, None, None, "<f", "7", None), (2, None, None, "<f", None, None)],
                ),
            ],
        ),
    ],
)
def test_the_usual_forms_are_read(markup: bytes, rows: list[RawRow]) -> None:
    assert list(read_plain_rows(markup)) == rows


@pytest.mark.parametrize(
    "markup",
    [
        b" ",
        b"<row>",
        b"</row>",
        b"<row><row></row></row>",
        b'<c r="A1"><v>1</v></c>',
        b'<row/><c r="A1"><v>1</v></c>',
        b'<row><c r="A1"><v>1</v></c>',
        b'<row><c r="A1"><v>1</v></c></row>x',
        b'<row><c r="A1"><v>1</v></c>x</row>',
        b'<row>x<c r="A1"><v>1</v></c></row>',
        b'<row r="1" r="2"/>',
        b'<row x:r="1"/>',
        b"<row r='1'/>",
        b"<row><c><v>1</v></c></row>",
        b'<row><c r="A1" t="n" s="1"><v>1</v></c></row>',
        b'<row><c r="A1048577"><v>1</v></c></row>',
        b'<row><c r="a1"><v>1</v></c></row>',
        b'<row><c r="A1"><v>1</v><v>2</v></c></row>',
        b'<row><c r="A1"><v><![CDATA[1]]></v></c></row>',
        b'<row><!-- --><c r="A1"><v>1</v></c></row>',
        b'<row><c r="A1"><v>&#65;</v></c></row>',
        b'<row><c r="A1"><v>&own;</v></c></row>',
        b'<row><c r="A1"><v>a & b</v></c></row>',
        b'<row><c r="A1"><v>a]]>b</v></c></row>',
        b'<row><c r="A1"><v>a\r\nb</v></c></row>',
        b'<row><c r="A1"><v>\x01</v></c></row>',
        b'<row><c r="A1"><v>\xff</v></c></row>',
        b'<row><c r="A1" t="inlineStr"><is><r><t>a</t></r></is></c></row>',
        b'<row><c r="A1"><v>1</v><extLst/></c></row>',
        b'<x:row><x:c r="A1"><x:v>1</x:v></x:c></x:row>',
    ],
    ids=repr,
)
def test_any_other_form_is_left_to_the_parser(markup: bytes) -> None:
    with pytest.raises(NotPlainError):
        list(read_plain_rows(markup))


@pytest.mark.parametrize(
    "data",
    [
        b"<a><b></a>",
        b"<a></b><b></a>",
        b"<a><!-- --><b></b></a>",
        b'<?xml version="1.0" encoding="UTF-16"?><a><b></b></a>',
        "<a><b></b></a>".encode("utf-16"),
        b"b></b>",
    ],
)
def test_a_part_of_another_form_is_left_to_the_parser(data: bytes) -> None:
    with pytest.raises(NotPlainError):
        split_off(data, b"<b>", b"</b>")


def test_a_part_is_split_off() -> None:
    data = b'<?xml version="1.0" encoding="utf-8"?>\n<a><b>1<c/>2</b></a>'
    frame, inside = split_off(data, b"<b>", b"</b>")
    assert inside == b"1<c/>2"
    assert frame == data.replace(inside, b"")


def test_shared_texts_are_read_in_their_usual_form_alone() -> None:
    usual = b'<si><t>a &gt; _x0041_</t></si><si><t xml:space="preserve"> b</t></si>'
    assert read_plain_strings(usual) == ["a > A", " b"]
    for other in (b"<si/>", b"<si><r><t>a</t></r></si>", b" ", b"<si><t>&a;</t></si>"):
        with pytest.raises(NotPlainError):
            read_plain_strings(usual + other)


@pytest.mark.parametrize("tail", [b"</row>", b"<v>", b"&amp;<", b"</sheetData><x>"])
def test_malformed_markup_is_refused(tail: bytes) -> None:
    book = Workbook()
    book.active["A1"] = 1
    broken = change(save(book), _SHEET, (b"</sheetData>", tail + b"</sheetData>"))
    with pytest.raises(BrokenDocumentError):
        extract(broken, filename="a.xlsx")


@given(
    kept=st.from_regex(r"-?[0-9]{1,10}(\.[0-9]{1,7})?", fullmatch=True)
    | st.floats(allow_nan=False, allow_infinity=False).map(repr)
)
def test_a_number_that_is_shown_as_kept_is_what_would_be_computed(kept: str) -> None:
    if is_shown_as_kept(kept):
        assert format_general(float(kept)) == kept
        number = float(kept)
        written = repr(number) if "." in kept else f"{number:.0f}"
        assert written == kept
