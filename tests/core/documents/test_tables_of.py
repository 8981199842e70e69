"""Formats that mark their tables, and pages on which they are found, name cells alike."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import docx
import pytest
from openpyxl import Workbook

from spanproof.core.citation import ClaimedCell
from spanproof.core.documents.cell_columns import TableCell
from spanproof.core.documents.extraction_record import from_record, to_record
from spanproof.core.documents.table import Table, TablePart
from spanproof.core.documents.tables_of import find_cell_places, holds_cell, tables_of
from spanproof.core.documents.text_block import Block
from spanproof.core.errors import IntegrityError, MalformedAnswerError
from spanproof.core.geometry import Rect
from spanproof.core.span import Span
from spanproof.core.verdicts.status import LocatorStatus
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.quotes.locator import check_locator
from tests.core.documents.layouts import two_pages
from tests.core.documents.test_block_place import make_extraction
from tests.ingest.elements.blocks import read, save

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

_ROWS = (("Item", "2018", "2019"), ("Revenue", "3,999", "4,512"), ("Costs", None, "1,200"))


def _docx() -> bytes:
    document = docx.Document()
    table = document.add_table(rows=3, cols=3)
    for row, cells in zip(table.rows, _ROWS, strict=True):
        for cell, words in zip(row.cells, cells, strict=True):
            cell.text = words or ""
    return save(document)


def _xlsx() -> bytes:
    book = Workbook()
    for row in _ROWS:
        book.active.append(list(row))
    return save(book)


def _html() -> bytes:
    rows = "".join("<tr>" + "".join(f"<td>{c or ''}</td>" for c in row) + "</tr>" for row in _ROWS)
    return f"<html><body><table>{rows}</table></body></html>".encode()


def _csv() -> bytes:
    return "\n".join(",".join(f'"{c or ""}"' for c in row) for row in _ROWS).encode()


@pytest.mark.parametrize(
    ("data", "name"),
    [(_docx, "a.docx"), (_xlsx, "a.xlsx"), (_html, "a.html"), (_csv, "a.csv")],
)
def test_a_cell_is_named_alike_in_every_format(data: object, name: str) -> None:
    assert callable(data)
    extraction = read(data(), name)
    start = extraction.text.text.index("4,512")
    (place,) = find_cell_places(extraction, Span(start, start + 5))
    assert place.words == "table 1, row 2, column 3 (Revenue, 2019)"
    assert place.text == "4,512"
    table = place.table
    assert (table.row_count, table.column_count, table.header_rows) == (3, 3, (1,))
    assert table.find_cell(3, 2) is None  # Blank.


def test_headers_over_several_columns_and_tables_in_cells_are_kept_apart() -> None:
    extraction = read(
        b"<html><body><table><caption>Income</caption>"
        b"<tr><th rowspan=2>Item</th><th colspan=2>Year</th></tr>"
        b"<tr><th>2018</th><th>2019</th></tr>"
        b"<tr><th>Revenue</th><td>3,999</td><td>4,512</td></tr>"
        b"<tr><th>Notes</th><td><table><tr><td>inner</td><td>7</td></tr></table></td><td>x</td></tr>"
        b"</table></body></html>",
        "a.html",
    )
    start = extraction.text.text.index("4,512")
    (place,) = find_cell_places(extraction, Span(start, start + 5))
    assert place.column_headers == ("Year", "2019")
    assert place.row_headers == ("Revenue",)
    assert place.caption == "Income"
    start = extraction.text.text.index("inner")
    (inner,) = find_cell_places(extraction, Span(start, start + 5))
    assert (inner.table.number, inner.cell.row, inner.cell.column) == (2, 1, 1)


def test_a_merged_cell_of_a_sheet_stands_over_its_columns() -> None:
    book = Workbook()
    for row in (("Item", "2019", None), (None, "Q1", "Q2"), ("Revenue", 5, 6)):
        book.active.append(list(row))
    book.active.merge_cells("B1:C1")
    extraction = read(save(book), "a.xlsx")
    start = extraction.text.text.index("6", extraction.text.text.index("Revenue"))
    (place,) = find_cell_places(extraction, Span(start, start + 1))
    assert place.column_headers == ("2019", "Q2")


def _with_table(extraction: Extraction) -> Extraction:
    cells = (
        TableCell(row=1, column=1, spans=(Span(0, 1),)),
        TableCell(row=1, column=2, columns=2),
        TableCell(row=2, column=1, rows=2, spans=(Span(2, 3), Span(4, 5))),
    )
    part = TablePart(page=1, first_row=1, last_row=3, bbox=Rect(1.0, 2.0, 3.0, 4.0))
    table = Table(number=1, cells=cells, parts=(part,), header_rows=(1,), caption=Span(0, 2))
    return replace(extraction, tables=(table,))


def test_tables_are_kept_with_the_extraction_and_do_not_change_what_it_is() -> None:
    plain = two_pages()
    extraction = _with_table(plain)
    assert extraction.extraction_id == plain.extraction_id
    record = to_record(extraction)
    (again,) = from_record(record).tables
    (table,) = extraction.tables
    for name in ("number", "cells", "parts", "header_rows", "header_columns", "caption"):
        assert getattr(again, name) == getattr(table, name)
    # Kept before tables were: it stays readable, and has none.
    meta = json.loads(record.meta)
    del meta["tables"]
    assert tables_of(from_record(replace(record, meta=json.dumps(meta).encode()))) == ()


@pytest.mark.parametrize(
    "cell",
    [[1, 1, 1, 1, 0, 999], [0, 1, 1, 1], [1, 1, 1, 1, 3], ["1", 1, 1, 1], [1, 1, 1, 1, 5, 2]],
)
def test_a_stored_cell_that_cannot_be_is_refused(cell: list[object]) -> None:
    record = to_record(_with_table(two_pages()))
    meta = json.loads(record.meta)
    meta["tables"][0]["cells"].append(cell)
    with pytest.raises(IntegrityError):
        from_record(replace(record, meta=json.dumps(meta).encode()))


@pytest.mark.parametrize(
    ("words", "cell", "holds"),
    [
        ("4,512", ClaimedCell(row=2, column=3), True),
        ("4,512", ClaimedCell(row=2, column=3, table=1), True),
        ("4,512", ClaimedCell(row=2, column=3, sheet="Sheet"), True),
        ("Revenue\t3,999\t4,512", ClaimedCell(row=2, column=3), True),
        ("4,512", ClaimedCell(row=2, column=2), False),
        ("4,512", ClaimedCell(row=2, column=3, table=2), False),
        ("4,512", ClaimedCell(row=2, column=3, sheet="Other"), False),
        ("4,512\nCosts", ClaimedCell(row=2, column=3), False),
        ("1,200", ClaimedCell(row=3, column=2), False),
    ],
)
def test_a_span_holds_the_cell_that_is_named(words: str, cell: ClaimedCell, holds: bool) -> None:
    extraction = read(_xlsx(), "a.xlsx")
    start = extraction.text.text.index(words)
    span = Span(start, start + len(words))
    assert holds_cell(extraction, span, cell) is holds
    expected = LocatorStatus.MATCH if holds else LocatorStatus.MISMATCH
    assert check_locator(None, extraction, span, cell).status is expected


def test_a_citation_names_a_cell_by_row_and_column_or_by_address() -> None:
    citation = {"anchor": 1, "doc_id": "book", "span": {"text": "4,512"}}

    def named(cell: object) -> ClaimedCell | None:
        cited = [citation | {"cell": cell}]
        content = json.dumps({"answer": "It was 4,512 [1].", "citations": cited}).encode()
        return parse_answer(content).answer.citations[0].cell

    assert named({"row": 2, "column": 3}) == ClaimedCell(row=2, column=3)
    place = ClaimedCell(row=4, column=28, sheet="Q1")
    assert named({"sheet": "Q1", "address": "AB4"}) == place
    for wrong in (
        {"row": 0, "column": 1},
        {"row": 1},
        {"address": "4B"},
        {"table": 0, "row": 1, "column": 1},
        7,
    ):
        with pytest.raises(MalformedAnswerError, match="/citations/0/cell"):
            named(wrong)


def test_a_table_without_a_cell_that_has_an_address_is_empty() -> None:
    table = Block(kind="table", span=Span(0, 3))
    extraction = make_extraction("a b\f", table, Block(kind="cell", span=Span(0, 1)))
    (found,) = tables_of(extraction)
    assert len(found.cells) == found.row_count == found.column_count == 0
    assert found.header_rows == ()
    assert find_cell_places(extraction, Span(0, 1)) == ()
    assert found.find_cell(1, 1) is None
