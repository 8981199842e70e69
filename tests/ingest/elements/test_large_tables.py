"""Tables that claim much, and tables that hold much: bounded work for each cell."""

from __future__ import annotations

import io
import time
import zipfile

import openpyxl
import pytest

from spanproof.ingest import extract


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
