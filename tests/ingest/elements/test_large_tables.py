"""Tables that claim much, and tables that hold much: bounded work for each cell."""

from __future__ import annotations

import csv
import io
import time
import zipfile
from typing import TYPE_CHECKING, TypeVar

import openpyxl
import pytest

from spanproof.ingest import extract
from spanproof.ingest.cage.extraction_parts import from_parts, to_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_T = TypeVar("_T")


def _workbook(row: bytes, address: bytes) -> bytes:
    """A workbook of one cell whose row and address claim these numbers."""
    book = openpyxl.Workbook()
    book.active["A1"] = "claimed"
    plain, made = io.BytesIO(), io.BytesIO()
    book.save(plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name.endswith("sheet1.xml"):
                data = data.replace(b'<row r="1"', b'<row r="%s"' % row)
                data = data.replace(b'r="A1"', b'r="%s"' % address)
            target.writestr(name, data)
    return made.getvalue()


@pytest.mark.parametrize(
    ("row", "address", "cell", "status"),
    [
        (b"1", b"A1", "A1", "ok"),
        (b"1048576", b"XFD1048576", "XFD1048576", "ok"),
        (b"1048577", b"A1048577", "A1", "degraded"),
        (b"1000000000000000000", b"A1000000000000000000", "A1", "degraded"),
        (b"-5", b"A-5", "A1", "degraded"),
    ],
)
def test_a_claimed_row_number_costs_nothing(
    row: bytes, address: bytes, cell: str, status: str
) -> None:
    began = time.process_time()
    extraction = extract(_workbook(row, address), filename="a.xlsx")
    assert time.process_time() - began < 10
    assert extraction.text.text == "claimed\f"
    places = [block.place.cell for block in extraction.blocks if block.place is not None]
    assert places[-1] == cell
    assert extraction.pages[0].status == status


def test_a_large_csv_costs_little_more_than_its_parsing() -> None:
    data = b"".join(b"%d,%03d\n" % (n % 10, n % 997) for n in range(400_000))
    parsing, rows = _time(lambda: list(csv.reader(io.StringIO(data.decode()))))
    reading, extraction = _time(lambda: extract(data, filename="a.csv"))
    handing, again = _time(lambda: from_parts(to_parts(extraction)))
    assert len(again.blocks) == 1 + len(rows) * 3
    assert (last := again.blocks[-1].place) is not None
    assert last.cell == "B400000"
    # It was a hundred times as much when each cell was three objects, read and written as JSON.
    assert reading + handing < 20 * parsing


def test_a_large_sheet_costs_less_than_openpyxl_takes_to_read_it() -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for number in range(20_000):
        sheet.append([f"SKU-{number}", number, number / 4, "Berlin", number % 7])
    stream = io.BytesIO()
    book.save(stream)
    reading, extraction = _time(lambda: extract(stream.getvalue(), filename="a.xlsx"))
    opening, cells = _time(lambda: sum(map(len, _rows_of(stream))))
    assert len(extraction.blocks) == 1 + 20_000 + cells
    assert reading < opening


def _rows_of(stream: io.BytesIO) -> Iterator[tuple[object, ...]]:
    sheet = openpyxl.load_workbook(stream, read_only=True).worksheets[0]
    yield from sheet.iter_rows(values_only=True)


def _time(run: Callable[[], _T]) -> tuple[float, _T]:
    began = time.process_time()
    found = run()
    return time.process_time() - began, found
