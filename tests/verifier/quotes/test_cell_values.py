"""A cell's number, shown text and ISO date are one place; nothing but that very value is."""

from __future__ import annotations

import datetime as dt
import io
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest

from spanproof.core.citation import Quote
from spanproof.core.documents.tables_of import find_cell_places
from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus, Outcome
from spanproof.ingest import extract
from spanproof.verifier.quotes.cell_values import find_cell_values
from spanproof.verifier.quotes.existence import check_existence, check_places, find_quote
from tests.builders import make_library
from tests.verifier.checking import check, cite

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

FORMATS = ("General", "0.0%", "dd.mm.yyyy", "d/m/yy h:mm")
HEAD = ("Fund", "Yield", "Due", "Seen")
ROWS = (
    ("Alpha", 0.125, dt.datetime(2024, 1, 1), dt.datetime(2024, 3, 1, 9, 30)),  # noqa: DTZ001
    ("Beta", 0.5, dt.datetime(2024, 2, 3), dt.datetime(2024, 3, 2, 15, 45)),  # noqa: DTZ001
    ("Gamma", -0.033, dt.datetime(2025, 12, 31), dt.datetime(2024, 3, 1, 9, 31)),  # noqa: DTZ001
    ("Delta", 0.1252, dt.datetime(2026, 1, 1), dt.datetime(2024, 3, 4, 10, 0)),  # noqa: DTZ001
)


def write(rows: Any, formats: tuple[str, ...] = FORMATS) -> bytes:
    """A workbook of one sheet; each column has a number format."""
    book, stream = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    for cells in book.active.iter_rows(min_row=2):
        for cell, code in zip(cells, formats, strict=True):
            cell.number_format = code
    book.save(stream)
    return stream.getvalue()


BOOK = extract(write((HEAD, *ROWS)), filename="a.xlsx")


def cell_of(quote: str, extraction: Extraction = BOOK) -> str | None:
    """The text of the one place of a quote that tells a cell by its value."""
    existence, codes = check_existence(Quote(text=quote), extraction, ())
    if existence.status is not ExistenceStatus.FOLD_EQUAL or existence.span is None:
        return None
    assert existence.folds == ("cell_value",)
    assert codes == ("OFFSETS_NOT_GIVEN",)
    return extraction.text.slice(existence.span)


def test_the_text_is_what_the_sheet_shows() -> None:
    assert BOOK.text.text.splitlines()[1] == "Alpha\t12.5%\t01.01.2024\t1/3/24 9:30"


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("0.125", "12.5%"),
        ("-0.033", "-3.3%"),
        ("45292", "01.01.2024"),
        ("2024-01-01", "01.01.2024"),
        ("2024-01-01 00:00:00", "01.01.2024"),
        ("2024-01-01T00:00:00", "01.01.2024"),
        ("2024-03-02", "2/3/24 15:45"),
        ("2024-03-02 15:45:00", "2/3/24 15:45"),
        ("2024-03-02T15:45:00", "2/3/24 15:45"),
    ],
)
def test_the_number_and_the_date_of_a_cell_are_found_at_the_cell(quote: str, shown: str) -> None:
    assert cell_of(quote) == shown
    found = check_places(Quote(text=quote), BOOK)
    assert found is not None
    assert found.folds == ("cell_value",)


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param("0.12", id="a part of the number"),
        pytest.param("0.1255", id="another number"),
        pytest.param("125", id="the number's figures alone"),
        pytest.param(".125", id="without its nought"),
        pytest.param("0.033", id="without its sign"),
        pytest.param("−0.033", id="another sign"),
        pytest.param("0.125%", id="the number with the shown unit"),
        pytest.param("12.5", id="the shown text without its unit"),
        pytest.param("$0.125", id="a currency put before"),
        pytest.param("4529", id="a part of the count of days"),
        pytest.param("2024-01", id="a part of the date"),
        pytest.param("2024-01-02", id="another day"),
        pytest.param("2024-01-01 00:00", id="a part of the time"),
        pytest.param("2024-01-01 09:30:00", id="the time of another cell"),
        pytest.param("2024-03-02 15:45:01", id="another second"),
        pytest.param("15:45:00", id="the time without its date"),
        pytest.param("0.125 0.125", id="one value twice"),
        pytest.param("0.125 12.5%", id="one cell in two forms"),
        pytest.param("0.125\t2024-02-03", id="a date of another row"),
        pytest.param("Beta\t0.125", id="a number of another row"),
        pytest.param("0.125\t2024-03-01", id="a cell left out"),
        pytest.param("2024-01-01\t0.125", id="cells in another order"),
        pytest.param("Alpha\t0.125\t2024-01-01\tx", id="a word put in"),
        pytest.param("Alpha0.125", id="two cells run together"),
        pytest.param("0.5 2024-02-03 2024-03-02 15:45:00 Gamma", id="two rows in one line"),
        pytest.param("pha\t0.125", id="half a word before it"),
        pytest.param("0.5\t2024-02-03\t2", id="half a date behind it"),
    ],
)
def test_no_other_value_is_found(quote: str) -> None:
    existence = find_quote(quote, BOOK)
    assert "cell_value" not in existence.folds
    assert not find_cell_values(quote, BOOK).all


@pytest.mark.parametrize(
    "quote",
    [
        "Alpha\t0.125\t2024-01-01 00:00:00\t2024-03-01 09:30:00",
        "Alpha\t12.5%\t2024-01-01\t2024-03-01T09:30:00",
        "Alpha\t0.125\t01.01.2024\t1/3/24 9:30",
        "Fund\tYield\tDue\tSeen\nAlpha\t0.125\t2024-01-01\t2024-03-01 09:30:00\nBeta\t50.0%",
    ],
)
def test_rows_may_tell_each_cell_in_its_own_way(quote: str) -> None:
    found = cell_of(quote)
    assert found is not None
    assert "Alpha\t12.5%\t01.01.2024\t1/3/24 9:30" in found


@pytest.mark.parametrize(
    "quote",
    [
        "Alpha | 0.125 | 2024-01-01 00:00:00 | 2024-03-01 09:30:00",
        "Alpha, 0.125, 2024-01-01",
        "Alpha Yield: 0.125",
        "Alpha 0.125 2024-01-01",
    ],
)
def test_cells_joined_otherwise_keep_the_rules_of_rows(quote: str) -> None:
    existence, codes = check_existence(Quote(text=quote), BOOK, ())
    assert existence.status is ExistenceStatus.EDITORIAL
    assert existence.folds == ("cell_value",)
    assert "ROW_JOINED" in codes
    assert BOOK.text.slice(existence.candidates[1].span) == "12.5%"


@pytest.mark.parametrize("quote", ["Alpha | 0.5", "Alpha Due: 0.125", "Alpha, 0.12", "Alpha 45323"])
def test_rows_with_another_rows_or_columns_value_are_not_found(quote: str) -> None:
    existence = find_quote(quote, BOOK)
    assert existence.status in {ExistenceStatus.ALTERED, ExistenceStatus.ABSENT}
    assert existence.folds == ()


def test_equal_values_are_ambiguous_and_given_offsets_decide() -> None:
    book = extract(write((HEAD, ROWS[0], ("Twin", *ROWS[0][1:]))), filename="a.xlsx")
    existence = find_quote("0.125", book)
    assert existence.status is ExistenceStatus.AMBIGUOUS
    assert [book.text.slice(place.span) for place in existence.candidates] == ["12.5%"] * 2
    second = existence.candidates[1].span
    quote = Quote(text="0.125", start=second.start, end=second.end)
    here, codes = check_existence(quote, book, ())
    assert (here.status, here.span, codes) == (ExistenceStatus.FOLD_EQUAL, second, ())


def test_a_number_at_another_cells_offsets_has_moved() -> None:
    at = BOOK.text.text.index("50.0%")
    existence, _ = check_existence(Quote(text="0.125", start=at, end=at + 5), BOOK, ())
    assert existence.status is ExistenceStatus.MOVED
    assert existence.span == Span(BOOK.text.text.index("12.5%"), BOOK.text.text.index("12.5%") + 5)


def test_a_number_of_another_workbook_is_misattributed() -> None:
    other = extract(write((HEAD, ("Omega", 0.77, *ROWS[0][2:]))), filename="a.xlsx")
    existence, _ = check_existence(Quote(text="0.77"), BOOK, (other,))
    assert existence.status is ExistenceStatus.MISATTRIBUTED
    (place,) = existence.candidates
    assert (other.text.slice(place.span), place.folds) == ("77.0%", ("cell_value",))


def test_the_shown_text_comes_first() -> None:
    book = extract(write((("A", "B"), (0.5, 0.5)), ("0%", "General")), filename="a.xlsx")
    existence = find_quote("0.5", book)
    assert existence.status is ExistenceStatus.EXACT
    assert existence.span is not None
    assert book.text.slice(Span(existence.span.start - 4, existence.span.end)) == "50%\t0.5"


@pytest.mark.parametrize(
    ("policy", "outcome"),
    [("balanced", Outcome.PASS), ("review", Outcome.PASS), ("strict", Outcome.REVIEW)],
)
def test_a_policy_decides_on_the_fold(policy: str, outcome: Outcome) -> None:
    at = BOOK.text.text.index("Alpha")
    end = BOOK.text.text.index("01.01.2024")
    quote = "Alpha\t0.125"
    citation = cite(quote, document=BOOK, at=at)
    citation["span"] |= {"char_end": end - 1}
    block = check("Alpha yields 12.5% [1].", citation, library=make_library(BOOK), policy=policy)
    (verdict,) = block.verdicts
    assert verdict.existence.folds == ("cell_value",)
    assert verdict.outcome is outcome
    assert ("FOLD_NOT_ACCEPTED" in verdict.codes) == (policy == "strict")


@pytest.mark.long
def test_of_two_thousand_changed_rows_none_is_found() -> None:
    rng = random.Random(20)  # noqa: S311 - a sample, no secret
    day = dt.datetime(2024, 1, 1)  # noqa: DTZ001 - no zone
    rows = [
        (
            f"Line {number}",
            rng.randrange(1, 10**4) / 8000,
            day + dt.timedelta(days=rng.randrange(900)),
            day + dt.timedelta(minutes=rng.randrange(10**6)),
        )
        for number in range(60)
    ]
    data = write((HEAD, *rows))
    book = extract(data, filename="a.xlsx")
    sheet = openpyxl.load_workbook(io.BytesIO(data), data_only=True).worksheets[0]
    written = [tuple(map(str, row)) for row in sheet.iter_rows(min_row=2, values_only=True)]
    found = 0
    for at, row in enumerate(written):
        place = find_quote("\t".join(row), book)
        assert place.span is not None
        assert {cell.cell.row for cell in find_cell_places(book, place.span)} == {at + 2}
    for _ in range(2000):
        row, other = rng.sample(written, 2)
        column = rng.randrange(1, 4)
        place_of_digit = rng.choice([i for i, c in enumerate(row[column]) if c.isdigit()])
        digit = rng.choice([d for d in "0123456789" if d != row[column][place_of_digit]])
        digits = row[column][:place_of_digit] + digit + row[column][place_of_digit + 1 :]
        changed = rng.choice((digits, other[column]))
        if changed == row[column]:
            continue
        lie = (*row[:column], changed, *row[column + 1 :])
        quote = rng.choice(("\t", " ", ", ", " | ")).join(lie)
        found += find_cell_values(quote, book).all != ()
        found += find_quote(quote, book).status is ExistenceStatus.EDITORIAL
    assert found == 0


def test_an_extraction_without_values_is_searched_as_before() -> None:
    bare = replace(BOOK, cell_values=())
    assert find_quote("0.125", bare).status is ExistenceStatus.ABSENT
