"""A row told cell by cell is that row, all of it; what lacks, adds or moves a cell is not."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from openpyxl import Workbook

from spanproof.core.citation import Quote
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest.extraction import extract
from spanproof.verifier.quotes.existence import check_existence

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

ROWS = (
    ("No", "City", "Sales", "Share"),
    (1, "Bonn", 4512, 0.125),
    (2, "Kiel", 200, 0.25),
    (3, "Ulm", None, 0.5),
)


@pytest.fixture(scope="module")
def sheet() -> Extraction:
    book = Workbook()
    for row in ROWS:
        book.active.append(list(row))
    for number in range(2, 5):
        book.active.cell(number, 3).number_format = "#,##0"
        book.active.cell(number, 4).number_format = "0.0%"
    file = BytesIO()
    book.save(file)
    return extract(file.getvalue(), filename="sales.xlsx")


@pytest.mark.parametrize(
    ("quote", "folds"),
    [
        ("1, Bonn, 4,512, 12.5%", ()),
        ("1 | Bonn | 4,512 | 12.5%", ()),
        ("1|Bonn|4512|0.125", ("cell_value",)),
        ("3; Ulm; 50.0%", ()),
        ("No | City | Sales | Share", ()),
    ],
)
def test_a_row_told_cell_by_cell_is_found(
    sheet: Extraction, quote: str, folds: tuple[str, ...]
) -> None:
    existence, codes = check_existence(Quote(text=quote), sheet, ())
    assert existence.status is ExistenceStatus.EDITORIAL
    assert existence.folds == folds
    assert "ROW_JOINED" in codes


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param("1 | Bonn | 4512", id="a cell left out at the end"),
        pytest.param("2 | Kiel | 0.25", id="a cell left out in the middle"),
        pytest.param("1 | Kiel | 4512 | 0.125", id="a cell of another row"),
        pytest.param("1 | Bonn | 0.125 | 4512", id="cells in another order"),
        pytest.param("1 | Bonn | 4513 | 0.125", id="another digit"),
        pytest.param("1 | Bonn | 4512 | 0.125 | 1", id="a cell put in"),
        pytest.param("1 | Bonn | 512 | 0.125", id="half a value"),
        pytest.param("3 | Ulm | 0 | 0.5", id="a value in a blank cell"),
    ],
)
def test_what_is_not_the_row_is_not_found(sheet: Extraction, quote: str) -> None:
    existence, _ = check_existence(Quote(text=quote), sheet, ())
    assert existence.status not in {
        ExistenceStatus.EXACT,
        ExistenceStatus.FOLD_EQUAL,
        ExistenceStatus.EDITORIAL,
    }


def test_rows_that_read_alike_are_several_places() -> None:
    html = "<table><tr><td>1</td><td>yes</td></tr><tr><td>1</td><td>yes</td></tr></table>"
    extraction = extract(html.encode(), filename="a.html")
    existence, _ = check_existence(Quote(text="1 | yes"), extraction, ())
    assert existence.status is ExistenceStatus.AMBIGUOUS
