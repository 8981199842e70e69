"""Orders of a page: chunks that only one of them has."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest

from spanproof.core.text import CanonicalText
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest.engine.mupdf.library import load_pymupdf
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
        # Glyphs that are lower by a fifth.
        (20, 130, "00 01 02 03 04 10 11 20 21 12 22 13 14 23 24"),
        # Lower by a quarter, and by less than a sixth.
        (17, 110, "00 01 10 11 20 21 02 12 22 03 04 13 14 23 24"),
        (20, 110, "00 01 10 20 11 21 02 12 22 03 04 13 14 23 24"),
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


PROSE = {
    (72, 300): ("The tenant keeps the keys", "of the house until the end"),
    (72, 356): ("A key that is lost is made", "again by the housing office"),
    (330, 307): ("The landlord keeps a list", "of all keys that were made"),
    (330, 370): ("Nobody else may ask for it", "without a word in writing"),
}


def test_a_table_above_two_columns_is_read_by_rows_and_they_are_not() -> None:
    cells = [
        (72 + 258 * x, 100 + 40 * y, text)
        for y, row in enumerate(ROWS)
        for x, text in enumerate(row[:2])
    ]
    prose = [
        (x, y + 14 * line, text)
        for (x, y), texts in PROSE.items()
        for line, text in enumerate(texts)
    ]
    extraction = extract(make_pages([sorted(cells + prose, key=lambda piece: -piece[1])]))
    table = [text for row in ROWS for text in row[:2]]
    columns = [text for texts in PROSE.values() for text in texts]
    existence = find_quote("\n".join(table + columns), extraction)
    assert (existence.status, existence.folds) == (ExistenceStatus.FOLD_EQUAL, ("line_order",))
    for one, other in combinations(range(len(table)), 2):
        swapped = list(table)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        found = find_quote("\n".join(swapped + columns), extraction)
        assert found.status is not ExistenceStatus.FOLD_EQUAL


def test_a_glyph_without_a_character_that_marks_a_line_is_no_part_of_it() -> None:
    drawn = [
        *(
            (90, 100, "Mercury stays in the fish for life"),
            (90, 114, "and it grows from year to year."),
        ),
        *(
            (40, 142, "*"),
            (90, 142, "Birds that eat fish are the first to"),
            (90, 156, "show what it does to them all."),
        ),
    ]
    extraction = extract(make_pages([drawn]))
    marked = replace(extraction, text=CanonicalText.of(extraction.text.text.replace("*", "\x02")))
    lines = [text for _, _, text in drawn if text != "*"]
    for mark in ("", "\x02 ", "(cid:2) ", "/G02 "):
        chunk = "\r\n".join([*lines[:2], mark + lines[2], *lines[3:]])
        assert find_quote(chunk, marked).status is ExistenceStatus.FOLD_EQUAL
    other = "\r\n".join([*lines[:2], "(cid:3) " + lines[2], *lines[3:]])
    assert find_quote(other, marked).status is not ExistenceStatus.FOLD_EQUAL
    swapped = "\n".join([lines[0], lines[2], lines[1], lines[3]])
    assert find_quote(swapped, marked).status is not ExistenceStatus.FOLD_EQUAL


@pytest.mark.parametrize(("mark", "may_be_apart"), [("\u2022", True), ("7", False), ("*", False)])
def test_a_bullet_may_be_read_apart_from_its_line_and_no_other_mark(
    mark: str, may_be_apart: bool
) -> None:
    items = (
        "Birds that eat fish are first and so on",
        "Otters and minks come behind them",
        "Then come all others there are",
    )
    rows = [((72, 100 + 16 * y, "* "), (87.5, 100 + 16 * y, item)) for y, item in enumerate(items)]
    drawn = extract(make_pages([[piece for row in rows for piece in row]]))
    extraction = replace(drawn, text=CanonicalText.of(drawn.text.text.replace("*", mark)))
    assert f"{mark} {items[1]}" in extraction.text.text
    found = find_quote("\n".join(items), extraction)
    assert (found.status is ExistenceStatus.FOLD_EQUAL) is may_be_apart
    assert find_quote("\n".join((items[0], items[2], items[1])), extraction).status is not (
        ExistenceStatus.FOLD_EQUAL
    )


LEASE = (
    ("The tenant pays the rent on the first", "day of the month and gets a receipt"),
    ("for it within three days from the office", "whoever it was that took the money"),
)


def to_page(lines: tuple[str, ...], *, head: str = "") -> list[tuple[float, float, str]]:
    top = [(72.0, 40.0, head)] if head else []
    return [*top, *((72.0, 100.0 + 14 * row, line) for row, line in enumerate(lines))]


def test_a_chunk_passes_over_empty_pages_and_over_no_other() -> None:
    one, other = map(to_page, LEASE)
    chunk = "\x0c\x0c\x0c".join("\r\n".join(lines) for lines in LEASE)
    # As another reader has them: each page's lines from the top, which are drawn from the foot.
    apart = extract(make_pages([one[::-1], [], [], other[::-1]]))
    existence = find_quote(chunk, apart)
    assert (existence.status, existence.folds) == (ExistenceStatus.FOLD_EQUAL, ("line_order",))
    assert {page.number for p in existence.candidates for page in apart.pages_of(p.span)} == {1, 4}
    between = extract(make_pages([one[::-1], [], [(72, 100, "Not so.")], other[::-1]]))
    assert find_quote(chunk, between).status is not ExistenceStatus.FOLD_EQUAL


def test_a_page_of_an_annotation_alone_is_empty_to_some_readers_and_not_to_all() -> None:
    one, other = map(to_page, LEASE)
    note = "This page is intentionally left blank"
    with load_pymupdf().open(stream=make_pages([one[::-1], [], other[::-1]])) as document:
        document[1].add_freetext_annot((72, 100, 300, 140), note)
        extraction = extract(document.tobytes())
    assert note in extraction.text.text
    lines = ["\r\n".join(lines) for lines in LEASE]
    for chunk in ("\x0c\x0c".join(lines), f"{lines[0]}\x0c{note}"):
        existence = find_quote(chunk, extraction)
        assert (existence.status, existence.folds) == (ExistenceStatus.FOLD_EQUAL, ("line_order",))


def test_a_chunk_may_begin_and_end_inside_lines_that_are_read_in_pieces() -> None:
    lines = (
        ("Keywords: the image of a document · how one learns it"),
        ("with many layers · the layout of any page that is shown"),
        ("and of the characters on it · an open library: for you"),
    )
    drawn = extract(make_pages([to_page(lines)[::-1]]))
    chunk = "\n".join(lines).replace(" ·", "·")
    cut = chunk[len("Keywords: ") : -len(" for you")]
    for text in (chunk, cut):
        assert find_quote(text, drawn).status is ExistenceStatus.FOLD_EQUAL
    inside = cut.replace("with many layers", "")
    assert find_quote(inside, drawn).status is not ExistenceStatus.FOLD_EQUAL


def test_a_page_of_a_table_that_says_the_same_all_over_is_found() -> None:
    said = ("For good", "For a while", "Closed", "Not known")
    rng = random.Random(7)  # noqa: S311 - a sample, no secret
    pages = [
        [(72 + 130 * x, 100 + 20 * y, rng.choice(said)) for x in (2, 0, 1) for y in range(12)]
        for _ in range(40)
    ]
    extraction = extract(make_pages(pages))
    cells = {(x, y): text for x, y, text in pages[29]}
    chunk = "\n".join(cells[72 + 130 * x, 100 + 20 * y] for x in range(3) for y in range(12))
    existence = find_quote(chunk, extraction)
    assert existence.status is ExistenceStatus.FOLD_EQUAL
    assert [page.number for page in extraction.pages_of(existence.candidates[0].span)] == [30]


def test_a_header_that_two_pages_have_makes_no_second_place() -> None:
    head = "Model lease of the housing office"
    pages = [to_page(lines, head=head)[::-1] for lines in LEASE]
    extraction = extract(make_pages(pages))
    chunk = "\n".join((*LEASE[0], head, *LEASE[1]))
    existence = find_quote(chunk, extraction)
    assert (existence.status, existence.folds) == (ExistenceStatus.FOLD_EQUAL, ("line_order",))
    twice = extract(make_pages([*pages, *pages]))
    assert find_quote(chunk, twice).status is ExistenceStatus.AMBIGUOUS
