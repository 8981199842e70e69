"""XLSX: a page a sheet, cells as they are shown, with their addresses."""

from __future__ import annotations

import datetime as dt
import io
import zipfile

from openpyxl import Workbook
from openpyxl.comments import Comment

from spanproof.core.documents.layout import CharFlag
from spanproof.core.span import Span
from tests.ingest.elements.blocks import block_of, of_kind, read, save


def test_every_sheet_is_a_page_that_bears_its_name() -> None:
    book = Workbook()
    book.active.title = "Sales 2026"
    book.active.append(["Region", "Total"])
    book.active.append(["East", 1200])
    book.create_sheet("Costs")["C5"] = "rent"
    extraction = read(save(book), "a.xlsx")
    assert extraction.text.text == "Region\tTotal\nEast\t1200\frent\f"
    assert [page.label for page in extraction.pages] == ["Sales 2026", "Costs"]
    place = block_of(extraction, "rent").place
    assert place is not None
    assert (place.sheet, place.cell) == ("Costs", "C5")
    assert of_kind(extraction, "row") == ["Region\tTotal", "East\t1200", "rent"]
    assert extraction.pipeline.name == "unstructured-xlsx@0.27.32+canon-1"


def test_numbers_are_shown_by_their_formats() -> None:
    book = Workbook()
    cells = (
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (-1234.5, '"$"#,##0.00_);("$"#,##0.00)', "($1,234.50)"),
        (0.125, "0.0%", "12.5%"),
        (dt.datetime(2026, 3, 1, 14, 30), "yyyy-mm-dd hh:mm", "2026-03-01 14:30"),  # noqa: DTZ001
        (0.1 + 0.2, "General", "0.3"),
        (True, "General", "TRUE"),
    )
    for row, (value, code, _) in enumerate(cells, start=1):
        cell = book.active.cell(row, 1, value)
        cell.number_format = code
    extraction = read(save(book), "a.xlsx")
    assert extraction.text.text == "\n".join(shown for *_, shown in cells) + "\f"


def test_a_formula_without_a_kept_value_makes_the_page_degraded() -> None:
    book = Workbook()
    book.active.append([1, 2, "=A1+B1"])
    extraction = read(save(book), "a.xlsx")
    assert extraction.text.text == "1\t2\f"
    assert extraction.pages[0].status == "degraded"
    assert extraction.pages[0].problem is not None
    assert extraction.pages[0].problem.startswith("1 formulas have no kept value")


def test_hidden_sheets_rows_and_columns_are_kept_and_flagged_invisible() -> None:
    book = Workbook()
    book.active.append(["shown", "in B"])
    book.active.append(["row two"])
    book.active.column_dimensions["B"].hidden = True
    book.active.row_dimensions[2].hidden = True
    hidden = book.create_sheet("calc")
    hidden["A1"] = "secret"
    hidden.sheet_state = "hidden"
    extraction = read(save(book), "a.xlsx")
    assert extraction.text.text == "shown\tin B\nrow two\fsecret\f"
    assert [p.counts.invisible for p in extraction.pages] == [len("in Brow two"), len("secret")]


def test_comments_stand_after_the_cells_with_the_address_they_belong_to() -> None:
    book = Workbook()
    book.active["B2"] = 5
    book.active["B2"].comment = Comment("Where from?", "Ann")
    extraction = read(save(book), "a.xlsx")
    assert extraction.text.text == "5\nWhere from?\f"
    block = block_of(extraction, "Where from?")
    assert block.kind == "annotation"
    assert block.place is not None
    assert block.place.cell == "B2"
    # A reader sees it only when the comment is open.
    assert extraction.layout is not None
    assert extraction.layout.any_flag(block.span, CharFlag.INVISIBLE)
    assert not extraction.layout.any_flag(Span(0, 1), CharFlag.INVISIBLE)


def test_rows_far_down_cost_nothing() -> None:
    book = Workbook()
    book.active["XFD1048576"] = "the last cell"
    extraction = read(save(book), "a.xlsx")
    assert extraction.text.text == "the last cell\f"
    place = extraction.blocks[-1].place
    assert place is not None
    assert place.cell == "XFD1048576"


def test_rows_outside_the_table_are_no_rows_and_what_follows_the_table_counts() -> None:
    book = Workbook()
    book.active["A1"], book.active["A2"] = "seen", "below"
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(save(book))) as source, zipfile.ZipFile(stream, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith("sheet1.xml"):
                # A picture's corner has a row too; merged cells are named behind the table.
                corner = b'<x><row r="9"><c r="A9" t="str"><v>corner</v></c></row></x>'
                merged = b'<mergeCells><mergeCell ref="A1:A2"/></mergeCells>'
                content = content.replace(b"</sheetData>", b"</sheetData>" + corner + merged)
            target.writestr(name, content)
    extraction = read(stream.getvalue(), "a.xlsx")
    assert extraction.text.text == "seen\nbelow\f"
    assert extraction.counts.invisible == len("below")
