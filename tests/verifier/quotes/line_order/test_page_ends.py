"""Chunks over a page's end, and chunks whose bullets stand elsewhere: found, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spanproof.core.text import CanonicalText
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest.extraction import extract
from spanproof.verifier.quotes.existence import find_quote
from tests.pdf_pages import make_pages

#: Two columns: read one after the other, or row by row.
LEFT = ("The tenant keeps the keys", "of the house until the end", "of the month of the notice")
RIGHT = ("The landlord keeps a list", "of all keys that were made", "and of whoever has them now")
Piece = tuple[float, float, str]


def to_columns(number: int, *, gap: float = 258.0) -> list[Piece]:
    return [
        (72.0 + gap * x, 100.0 + 14 * y, f"{text} {number}{x}{y}")
        for x, column in enumerate((LEFT, RIGHT))
        for y, text in enumerate(column)
    ]


def to_rows(pieces: list[Piece]) -> list[str]:
    return [text for _, _, text in sorted(pieces, key=lambda piece: (piece[1], piece[0]))]


def test_two_pages_may_be_read_in_two_orders_and_each_in_a_known_one() -> None:
    one, other = to_columns(1), to_columns(2)
    extraction = extract(make_pages([one, other]))
    columns, rows = [text for _, _, text in one], to_rows(other)
    chunk = "\n".join(columns[2:]) + "\f" + "\n".join(rows[:4])
    existence = find_quote(chunk, extraction)
    assert (existence.status, existence.folds) == (ExistenceStatus.FOLD_EQUAL, ("line_order",))
    pages = [extraction.pages_of(piece.span)[0].number for piece in existence.candidates]
    assert sorted(set(pages)) == [1, 2]
    lies = {
        "lines of the first page swapped": (columns[2:4] + columns[5:3:-1], rows[:4]),
        "lines of the second page swapped": (columns[2:], [*rows[:2], rows[3], rows[2]]),
        "the last line before the end left out": (columns[2:5], rows[:4]),
        "the first line behind the end left out": (columns[2:], rows[1:4]),
        "a line moved over the end": (columns[2:5], [columns[5], *rows[1:4]]),
        "the pages swapped": (rows[:4], columns[2:]),
    }
    for lie, (before, behind) in lies.items():
        changed = "\n".join(before) + "\f" + "\n".join(behind)
        assert find_quote(changed, extraction).status is not ExistenceStatus.FOLD_EQUAL, lie


ITEMS = (
    "indications of planning that were seen",
    "method and manner of the attack itself",
    "travel by the subject to the one place",
    "apparent reasons that it may have had",
)


@pytest.fixture(name="mark", params=["\u2022", "\uf0b7", "\u2423"])
def _mark(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_what_says_nothing_may_stand_elsewhere_and_words_may_not(mark: str) -> None:
    rows = [
        ((72.0, 100.0 + 20 * y, "*"), (90.0, 100.0 + 20 * y, item)) for y, item in enumerate(ITEMS)
    ]
    drawn = extract(make_pages([[piece for row in rows for piece in row]]))
    extraction = replace(drawn, text=CanonicalText.of(drawn.text.text.replace("*", mark)))
    chunks = {
        "behind": f"{ITEMS[0]}\n{mark}\n{mark} {ITEMS[1]}\n{mark}\n{ITEMS[2]}\n{mark} {ITEMS[3]}",
        "first": f"{mark}\n{mark}\n{mark}\n" + "\n".join(ITEMS),
    }
    for chunk in chunks.values():
        existence = find_quote(chunk, extraction)
        assert (existence.status, existence.folds) == (ExistenceStatus.FOLD_EQUAL, ("line_order",))
        place = " ".join(extraction.text.slice(p.span) for p in existence.candidates)
        assert all(item in place for item in ITEMS)
    said = chunks["behind"]
    lies = (
        said.replace(ITEMS[1], ITEMS[2], 1).replace(f"\n{ITEMS[2]}\n{mark} ", f"\n{ITEMS[1]}\n"),
        said.replace(f"{ITEMS[1]}\n", ""),
        said.replace(f"{mark} {ITEMS[1]}", f"{mark} no {ITEMS[1]}"),
        said.replace(mark, "7", 1),
        said.replace(mark, "\u25cb", 1),
        said.replace("the one", "the two"),
    )
    for lie in lies:
        assert find_quote(lie, extraction).status is not ExistenceStatus.FOLD_EQUAL
