"""Orders of a page: chunks that only one of them has."""

from __future__ import annotations

import pytest

from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest.extraction import extract
from spanproof.verifier.quotes.existence import find_quote
from tests.pdf_pages import make_pages

ROWS = (
    ("Revenue from services", "4,512", "3,870"),
    ("Cost of materials used", "2,204", "1,961"),
    ("Staff and other expenses", "1,377", "1,243"),
    ("Result before any taxes", "931", "666"),
    ("Cash at the end of year", "1,048", "802"),
)


def to_rows(rows: tuple[tuple[str, ...], ...]) -> str:
    return "\r\n".join(" ".join(row) for row in rows)


def test_lines_that_are_drawn_backwards_are_found_from_left_to_right() -> None:
    drawn = [
        (72 + 180 * x, 100 + 20 * y, ROWS[y][x])
        for y in (3, 0, 4, 1, 2)  # As no other order has them.
        for x in (2, 0, 1)
    ]
    extraction = extract(make_pages([drawn]))
    rows = tuple(ROWS[y] for y in (3, 0, 4, 1, 2))
    existence = find_quote(to_rows(rows), extraction)
    assert (existence.status, existence.folds) == (ExistenceStatus.FOLD_EQUAL, ("line_order",))
    for lie in (
        (*rows[:2], rows[3], rows[2], rows[4]),
        (*rows[:2], (rows[2][0], rows[2][2], rows[2][1]), *rows[3:]),
        (*rows[:2], *rows[3:]),
    ):
        assert find_quote(to_rows(lie), extraction).status is not ExistenceStatus.FOLD_EQUAL


def test_a_table_of_short_cells_is_found_on_a_page_of_many() -> None:
    pages = [
        [
            (72 + 90 * x, 100 + 20 * y, f"{page}{x}{y}.{(7 * page + 3 * x + y) % 10}")
            for x in range(4)
            for y in range(8)
        ]
        for page in range(1, 9)
    ]
    extraction = extract(make_pages(pages))
    cells = {(x, y): text for x, y, text in pages[6]}
    rows = "\n".join(" ".join(cells[72 + 90 * x, 100 + 20 * y] for x in range(4)) for y in range(8))
    existence = find_quote(rows, extraction)
    assert existence.status is ExistenceStatus.FOLD_EQUAL
    assert [page.number for page in extraction.pages_of(existence.candidates[0].span)] == [7]


TREES = [
    "alder",
    "birch",
    "cedar",
    "elder",
    "fir",
    "hazel",
    "larch",
    "maple",
    "oak",
    "pine",
    "rowan",
    "willow",
]


def draw_trees(*, lead: float, gap: float) -> dict[tuple[int, int], tuple[float, float, str]]:
    """Three columns of five cells by column and row."""
    return {
        (x, y): (
            72 + gap * x,
            100 + lead * y,
            f"{TREES[(5 * x + y) % 12]} {TREES[(x + 3 * y) % 12]} {x}{y}",
        )
        for x in range(3)
        for y in range(5)
    }


@pytest.mark.parametrize(
    ("lead", "gap", "order"),
    [
        # Lower glyphs: the lines of two columns are too far apart to be one box.
        (18, 130, "00 01 02 03 04 10 11 20 21 12 22 13 14 23 24"),
        # Higher glyphs: words of two columns are near enough to be one block.
        (16, 90, "00 01 02 03 04 10 20 11 21 12 22 13 23 14 24"),
    ],
)
def test_fonts_tell_several_heights_and_each_gives_an_order(
    lead: float, gap: float, order: str
) -> None:
    cells = draw_trees(lead=lead, gap=gap)
    extraction = extract(make_pages([list(cells.values())]))
    words = [cells[int(place[0]), int(place[1])][2] for place in order.split()]
    assert find_quote("\n".join(words), extraction).status is ExistenceStatus.FOLD_EQUAL
    for one, other in ((1, 2), (3, 9), (6, 12), (10, 13)):
        swapped = list(words)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        found = find_quote("\n".join(swapped), extraction)
        assert found.status is not ExistenceStatus.FOLD_EQUAL
