"""The value behind what a cell shows: its number, and its date or time in ISO 8601."""

from __future__ import annotations

import datetime as dt

import pytest
from openpyxl import Workbook

from spanproof.ingest.elements.ooxml.cell_value import ShownValue, show_value
from tests.ingest.elements.blocks import read, save


@pytest.mark.parametrize(
    ("kept", "kind", "code", "expected"),
    [
        ("0.125", "n", "0.0%", ShownValue("12.5%", "0.125")),
        ("0.10000000000000001", "n", "General", ShownValue("0.1")),
        ("0.30000000000000004", "n", "General", ShownValue("0.3", "0.30000000000000004")),
        ("1E3", "n", "#,##0", ShownValue("1,000", "1000.0")),
        ("-1234", "n", "#,##0_);(#,##0)", ShownValue("(1,234)", "-1234")),
        ("1234567890123456789", "n", "0",
         ShownValue("1234567890123460000", "1234567890123456789")),
        ("7", "n", "General", ShownValue("7")),
        ("45292", "n", "dd.mm.yyyy", ShownValue("01.01.2024", "45292", "2024-01-01T00:00:00")),
        ("45292.5", "n", "d-mmm-yy", ShownValue("1-Jan-24", "45292.5", "2024-01-01T12:00:00")),
        ("45292.645833333336", "n", "yyyy-mm-dd hh:mm",
         ShownValue("2024-01-01 15:30", "45292.645833333336", "2024-01-01T15:30:00")),
        ("0.5", "n", "h:mm AM/PM", ShownValue("12:00 PM", "0.5", "12:00:00")),
        ("1", "b", "General", ShownValue("TRUE", "True")),
        ("Smith", "s", '0;0;0;"Dr. "@', ShownValue("Dr. Smith", "Smith")),
        ("2024-01-01T15:30:00", "d", "General",
         ShownValue("2024-01-01T15:30:00", None, "2024-01-01T15:30:00")),
        ("2024-01-01", "d", "General", ShownValue("2024-01-01", None, "2024-01-01T00:00:00")),
        ("#DIV/0!", "e", "0.0%", ShownValue("#DIV/0!")),
        ("9" * 5000, "n", "0", ShownValue("9" * 5000)),
    ],
)  # fmt: skip
def test_the_number_and_the_date_stand_beside_what_is_shown(
    kept: str, kind: str, code: str, expected: ShownValue
) -> None:
    assert show_value(kept, kind, code, from_1904=False) == expected


@pytest.mark.parametrize(
    ("kept", "code"),
    [
        pytest.param("1.5", "[h]:mm:ss", id="a duration"),
        pytest.param("1.5", "h:mm", id="a time that hides its date"),
        pytest.param("0.5", "dd.mm.yyyy", id="before the first date"),
        pytest.param("60", "dd.mm.yyyy", id="29 February 1900, which never was"),
        pytest.param("-5", "dd.mm.yyyy", id="a negative date"),
        pytest.param("-5", "0;dd.mm.yyyy", id="a negative number shown as a date"),
        pytest.param("5E6", "dd.mm.yyyy", id="behind the last date"),
        pytest.param("45292", "mm:ss", id="minutes and seconds"),
        pytest.param("45292", "0.0", id="a number"),
    ],
)
def test_what_is_no_date_has_no_iso_form(kept: str, code: str) -> None:
    assert show_value(kept, "n", code, from_1904=False).moment is None


def test_dates_count_from_the_workbooks_own_first_day() -> None:
    assert show_value("0", "n", "dd.mm.yyyy", from_1904=True).moment == "1904-01-01T00:00:00"
    assert show_value("1", "n", "dd.mm.yyyy", from_1904=False).moment == "1900-01-01T00:00:00"


def test_values_stand_beside_the_text_and_change_neither_text_nor_identity() -> None:
    book = Workbook()
    book.active.append(["Rate", 0.125, dt.datetime(2024, 2, 3, 15, 30)])  # noqa: DTZ001 - no zone
    book.active["B1"].number_format, book.active["C1"].number_format = "0.0%", "dd.mm.yyyy"
    extraction = read(save(book), "a.xlsx")
    assert extraction.text.text == "Rate\t12.5%\t03.02.2024\f"
    assert extraction.pipeline.name == "unstructured-xlsx@0.27.32+canon-1"
    told = [(extraction.text.slice(value.span), value.forms) for value in extraction.cell_values]
    assert told[0] == ("12.5%", ("0.125",))
    assert told[1][0] == "03.02.2024"
    assert told[1][1][1:] == ("2024-02-03", "2024-02-03 15:30:00", "2024-02-03T15:30:00")
