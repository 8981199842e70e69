"""Chunks of other readers: other orders of lines, and what they must not be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.citation import Quote
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest.extraction import extract
from spanproof.verifier.policies import load_policy
from spanproof.verifier.quotes.existence import check_existence, find_quote
from spanproof.verifier.quotes.places import find_places
from tests.pdf_pages import make_pages

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

ROWS = (
    ("Revenue from services", "4,512", "3,870"),
    ("Cost of materials used", "2,204", "1,961"),
    ("Staff and other expenses", "1,377", "1,243"),
    ("Result before any taxes", "931", "666"),
    ("Cash at the end of year", "1,048", "802"),
)


def read_table(*, by_columns: bool) -> Extraction:
    """A real page with the table above, drawn column by column or row by row."""
    cells = [
        (72 + 180 * x, 100 + 20 * y, text)
        for y, row in enumerate(ROWS)
        for x, text in enumerate(row)
    ]
    cells.sort(key=lambda cell: (cell[0], cell[1]) if by_columns else (cell[1], cell[0]))
    return extract(make_pages([cells]))


def to_rows(rows: tuple[tuple[str, ...], ...] = ROWS) -> str:
    return "\r\n".join(" ".join(row) for row in rows)


@pytest.mark.parametrize("by_columns", [True, False])
def test_a_table_read_by_rows_is_found_and_its_pieces_are_named(by_columns: bool) -> None:
    extraction = read_table(by_columns=by_columns)
    existence = find_quote(to_rows(), extraction)
    assert existence.status is ExistenceStatus.FOLD_EQUAL
    assert existence.folds == ("line_order",)
    pieces = [extraction.text.slice(piece.span) for piece in existence.candidates]
    assert " ".join(" ".join(pieces).split()) == " ".join(to_rows().split())
    assert existence.span is not None
    assert all(existence.span.contains(piece.span) for piece in existence.candidates)


def test_no_policy_passes_another_order_unseen_and_balanced_passes_spacing() -> None:
    for name in ("balanced", "strict", "review"):
        assert "line_order" not in load_policy(name).folds
        assert "row_joined" not in load_policy(name).folds
    assert "spacing" in load_policy("balanced").folds
    assert "spacing" not in load_policy("strict").folds


@pytest.mark.parametrize(
    "lie",
    [
        pytest.param(to_rows().replace("4,512", "4,513"), id="another figure"),
        pytest.param(to_rows().replace("4,512", "2,204", 1), id="the figure of another row"),
        pytest.param(to_rows().replace("3,870", "931", 1), id="a figure from farther down"),
        pytest.param(to_rows((*ROWS[:2], ROWS[3], ROWS[2], ROWS[4])), id="rows swapped"),
        pytest.param(to_rows(tuple((a, c, b) for a, b, c in ROWS)), id="columns swapped"),
        pytest.param(to_rows((*ROWS[:2], *ROWS[3:])), id="a row left out"),
        pytest.param(to_rows((*ROWS, ROWS[0])), id="a row twice"),
        pytest.param(to_rows().replace("931", "-931"), id="a sign"),
        pytest.param(
            to_rows().replace("3,870\r\n", "3,870\r\n\u200d\r\n"), id="a character that is not seen"
        ),
        pytest.param(to_rows().replace("4,512 3,870", "4,5123,870"), id="figures joined"),
    ],
)
@pytest.mark.parametrize("by_columns", [True, False])
def test_a_table_with_one_thing_changed_is_not_found(lie: str, by_columns: bool) -> None:
    if lie == to_rows():
        return
    existence = find_quote(lie, read_table(by_columns=by_columns))
    assert existence.status not in {ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL}


def test_two_cells_of_a_row_are_joined_by_name_and_two_rows_never() -> None:
    extraction = read_table(by_columns=False)
    quote = Quote(text="Revenue from services 4,512")
    existence, codes = check_existence(quote, extraction, ())
    assert existence.status is ExistenceStatus.EDITORIAL
    assert "ROW_JOINED" in codes
    assert not find_places("3,870 Cost of materials used", extraction).all


def test_cells_of_a_document_with_tables_of_its_own_are_told_apart() -> None:
    rows = (("Verified", "Open"), ("SKU-4563", "Software"))
    table = "".join(f"<tr><td>{one}</td><td>{two}</td></tr>" for one, two in rows)
    extraction = extract(f"<table>{table}</table>".encode(), filename="stock.html")
    assert find_places("SKU-4563 Software", extraction).all[0].folds == ("row_joined",)
    assert not find_places("Open SKU-4563", extraction).all


def test_two_headings_that_somebody_swapped_are_not_found() -> None:
    header = [(72, 84, "Payee"), (250, 84, "Start"), (330, 84, "End"), (410, 78, "Posted")]
    body = [(72 + 180 * x, 104 + 20 * y, c) for y, r in enumerate(ROWS) for x, c in enumerate(r)]
    extraction = extract(make_pages([[*header[:1], *header[3:], *header[1:3], *body]]))
    chunk = "Posted\nPayee Start End\n" + to_rows()
    assert find_quote(chunk, extraction).status is ExistenceStatus.FOLD_EQUAL
    swapped = "Payee Start End\nPosted\n" + to_rows()
    assert find_quote(swapped, extraction).status is not ExistenceStatus.FOLD_EQUAL


def to_columns(order: tuple[int, ...] = (0, 1, 2), rows: tuple[tuple[str, ...], ...] = ROWS) -> str:
    return "\n\n".join("\n".join(row[column] for row in rows) for column in order)


@pytest.mark.parametrize("by_columns", [True, False])
def test_a_table_read_by_columns_is_found(by_columns: bool) -> None:
    extraction = read_table(by_columns=by_columns)
    assert find_quote(to_columns(), extraction).status is ExistenceStatus.FOLD_EQUAL
    # No program reads the last column before the one beside it.
    other = find_quote(to_columns((0, 2, 1)), extraction)
    assert other.status not in {ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL}


@pytest.mark.parametrize(
    "lie",
    [
        pytest.param(to_columns().replace("4,512", "3,870", 1), id="the top of another column"),
        pytest.param(to_columns().replace("931", "666", 1), id="the figure beside it"),
        pytest.param(to_columns().replace("4,512\n2,204", "2,204\n4,512"), id="two cells swapped"),
        pytest.param(to_columns().replace("2,204\n", ""), id="a cell left out"),
        pytest.param(to_columns().replace("\n1,048", ""), id="a column's last cell left out"),
        pytest.param(to_columns()[: to_columns().index("4,512")] + "3,870", id="only a far top"),
    ],
)
def test_a_table_read_by_columns_with_one_thing_changed_is_not_found(lie: str) -> None:
    existence = find_quote(lie, read_table(by_columns=False))
    assert existence.status not in {ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL}


BODIES = (
    ("The tenant pays the deposit", "before moving into the house", "and gets a written receipt."),
    ("The landlord keeps the money", "apart from every other sum he", "owns until the lease ends."),
    ("No interest falls due on it", "where both of them say so in", "writing on the first day."),
)


@pytest.fixture(scope="module")
def lease() -> Extraction:
    """Three pages with a header, a footer and a page number each."""
    pages = [
        [
            (72, 40, "Model lease of the housing office"),
            *((72, 100 + 14 * row, line) for row, line in enumerate(lines)),
            (72, 780, "Version of May"),
            (500, 780, str(number)),
        ]
        for number, lines in enumerate(BODIES, start=1)
    ]
    return extract(make_pages(pages))


BODY = "\n".join(line for lines in BODIES[:2] for line in lines)


@pytest.mark.parametrize(
    "chunk",
    [
        pytest.param(BODY, id="left out"),
        pytest.param(
            BODY.replace(
                "\nThe landlord",
                "\nVersion of May\n2\nModel lease of the housing office\nThe landlord",
            ),
            id="the next page's first",
        ),
        pytest.param(BODY[len("The tenant pays the ") : -len(" the lease ends.")], id="cut"),
    ],
)
def test_headers_and_footers_may_stand_elsewhere_or_be_left_out(
    chunk: str, lease: Extraction
) -> None:
    existence = find_quote(chunk, lease)
    assert existence.status is ExistenceStatus.FOLD_EQUAL
    assert [page.number for page in lease.pages_of(existence.candidates[0].span)] == [1]
    assert [page.number for page in lease.pages_of(existence.candidates[-1].span)] == [2]


@pytest.mark.parametrize(
    "lie",
    [
        pytest.param(BODY.replace("and gets a written receipt.\n", ""), id="a line left out"),
        pytest.param(BODY.replace("\nThe landlord", "\n3\nThe landlord"), id="another number"),
        pytest.param(BODY.replace("moving", "Version of May moving"), id="a footer in a line"),
        pytest.param(BODY.replace("\nbefore", "\nVersion of May\nbefore"), id="amid the page"),
    ],
)
def test_what_stands_in_the_body_may_not(lie: str, lease: Extraction) -> None:
    existence = find_quote(lie, lease)
    assert existence.status not in {ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL}


def test_cells_may_touch_where_no_number_or_word_comes_of_it() -> None:
    rows = (("Methane gas", "100", "-"), ("Carbon dioxide", "25", "-"), *ROWS)
    extraction = extract(
        make_pages(
            [[(72 + 180 * x, 100 + 20 * y, c) for y, r in enumerate(rows) for x, c in enumerate(r)]]
        )
    )
    apart = to_rows(rows)
    assert find_quote(apart, extraction).status is ExistenceStatus.FOLD_EQUAL
    touching = apart.replace("3,870\r\nCost", "3,870Cost")
    assert find_quote(touching, extraction).status is ExistenceStatus.FOLD_EQUAL
    for lie in (
        apart.replace("100 -", "100 -\r\n-"),
        apart.replace("100 -", "100"),
        apart.replace("-\r\nCarbon dioxide 25", "\r\nCarbon dioxide -25"),
        apart.replace("4,512 3,870", "4,5123,870"),
        apart.replace("1,961\r\nStaff", "1,961Sta ff"),
    ):
        assert find_quote(lie, extraction).status is not ExistenceStatus.FOLD_EQUAL, lie


def test_a_heading_that_is_left_out_of_a_row_that_was_read_is_missed() -> None:
    header = [
        (72, 96, "Kind of substance taken"),
        (250, 90, "In the last"),
        (250, 102, "month"),
        (340, 90, "In the last"),
        (340, 102, "year"),
        (430, 90, "Never"),
    ]
    rows = (
        ("Cigarettes of any brand sold", "2.1%", "4.0%", "80.1%"),
        ("Medicine without any recipe", "2.3%", "1.6%", "91.6%"),
    )
    cells = [
        (x, 130 + 20 * y, cell)
        for y, row in enumerate(rows)
        for x, cell in zip((72, 250, 340, 430), row, strict=True)
    ]
    extraction = extract(make_pages([[*cells, *header]]))
    chunk = "\n".join(text for _, _, text in header) + "\n" + to_rows(rows)
    without = chunk.replace("Never\n", "")
    for text in (without, without.replace("80.1%", "80.1% Never")):
        assert find_quote(text, extraction).status is not ExistenceStatus.FOLD_EQUAL


def test_a_raised_figure_of_a_line_is_left_out_by_no_program() -> None:
    left = [
        *((72, 100, "Output is told in chained"), (72, 114, "dollars"), (118, 110.9, "4")),
        *((126, 114, "and it grows"), (72, 128, "by a little in every year")),
        (72, 142, "that anybody has measured"),
    ]
    right = [(320, 100 + 14 * row, f"Column two has line number {row}") for row in range(5)]
    extraction = extract(make_pages([[*left, *right]]))
    rows = "and it grows Column two has line number 1 by a little in every year "
    rows += "Column two has line number 2 that anybody has measured"
    assert find_quote(rows, extraction).status is ExistenceStatus.FOLD_EQUAL
    without = "dollars " + rows
    assert find_quote(without, extraction).status is not ExistenceStatus.FOLD_EQUAL


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("of the year 2012", "Mar 12, 2012"),
        ("Topic Enquiries", "EU Institutions"),
        ("106th District", "U.S. Senator"),
        ("03/06/2019", "03/04/2019"),
        ("on 03.06.2019", "03.04.2019"),
        ("a mark (i.e.", "\\mark) of it"),
    ],
)
def test_whole_words_and_dates_may_touch_another_cell(one: str, other: str) -> None:
    rows = (("Cells of this row", one, other), *ROWS)
    extraction = extract(
        make_pages(
            [[(72 + 180 * x, 100 + 20 * y, c) for y, r in enumerate(rows) for x, c in enumerate(r)]]
        )
    )
    touching = to_rows(rows).replace(f"{one} {other}", f"{one}{other}")
    assert find_quote(touching, extraction).status is ExistenceStatus.FOLD_EQUAL


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("of the year 2012", "May 12, 2012"),
        ("weighs 12", "Kg of it"),
        ("of the m", "EU part"),
        ("03/06/19", "03/04/2019"),
        ("3/6/2019", "03/04/2019"),
        ("03/06/2019", "3/4/2019"),
        ("03/06/2019", "03/04/20"),
        ("03/06/2019", "12.50"),
        ("1/03/06/2019", "03/04/2019"),
        ("03/06/2019", "03/04/2019.5"),
        ("03/06.2019", "03/04/2019"),
        ("of it 1.", ".5 of it"),
    ],
)
def test_units_and_protected_words_touch_no_other_cell(one: str, other: str) -> None:
    rows = (("Cells of this row", one, other), *ROWS)
    extraction = extract(
        make_pages(
            [[(72 + 180 * x, 100 + 20 * y, c) for y, r in enumerate(rows) for x, c in enumerate(r)]]
        )
    )
    touching = to_rows(rows).replace(f"{one} {other}", f"{one}{other}")
    assert find_quote(touching, extraction).status is not ExistenceStatus.FOLD_EQUAL
