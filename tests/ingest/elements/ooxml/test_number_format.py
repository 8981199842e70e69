"""Numbers, dates and times of a workbook as it shows them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.ingest.elements.ooxml.number_format import format_general, format_number, format_text


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (5, "000", "005"),
        (-5, "0.00", "-5.00"),
        (-0.001, "0.0", "0.0"),
        (2.5, "0", "3"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (1234567, '#,##0,"K"', "1,235K"),
        (0, '0;-0;"nil"', "nil"),
        (12345, "0.00E+00", "1.23E+04"),
        (0.00012345, "##0.0E+0", "123.5E-6"),
        (0.5, "# ?/?", "0.5"),
        (3.75, "[>3]0;0.0", "3.75"),
        (44197, "d-mmm-yy", "1-Jan-21"),
        (44197, "[$-F800]dddd, mmmm dd, yyyy", "Friday, January 01, 2021"),
        (44197.75, "m/d/yyyy h:mm AM/PM", "1/1/2021 6:00 PM"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (0.000014, "mm:ss.0", "00:01.2"),
        (59, "yyyy-mm-dd", "1900-02-28"),
        (61, "yyyy-mm-dd", "1900-03-01"),
        (-1, "yyyy-mm-dd", "-1"),
        (1e20, "General", "100000000000000000000"),
        (1.5e-7, "General", "0.00000015"),
        (1e300, "#,##0", "1E+300"),
        (-7, "0;[>3]0", "-7"),
        (0, '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)', "-"),
    ],
)
def test_a_number_is_shown_as_its_format_says(value: float, code: str, shown: str) -> None:
    assert format_number(value, code) == shown


def test_a_workbook_may_count_its_days_from_1904() -> None:
    assert format_number(0, "yyyy-mm-dd", from_1904=True) == "1904-01-01"


def test_a_text_section_stands_around_the_text() -> None:
    assert format_text("open", '0;0;0;"is "@"!"') == "is open!"
    assert format_text("open", "0.00") == "open"


@given(st.integers(-(10**14), 10**14))
def test_whole_numbers_without_a_format_are_their_figures(value: int) -> None:
    assert format_general(value) == str(value)
    assert format_number(value, "#,##0").replace(",", "") == str(value)


@given(st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=20))
def test_any_format_gives_some_text(value: float, code: str) -> None:
    assert isinstance(format_number(value, code), str)
