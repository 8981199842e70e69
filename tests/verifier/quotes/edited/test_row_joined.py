"""A row's name and its values are one quote; cells of two rows, or half a cell, never are."""

from __future__ import annotations

import random

import pytest

from spanproof.core.citation import Quote
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest.extraction import extract
from spanproof.verifier.quotes.edited.row_joined import find_row_joined
from spanproof.verifier.quotes.existence import check_existence

_HTML = (
    "<table><tr><th>Item</th><th>2018</th><th>2019</th><th>Change</th></tr>"
    "<tr><td>Revenue</td><td>3,999</td><td>4,512</td><td>(513)</td></tr>"
    "<tr><td>Other costs</td><td>1</td><td>200</td><td></td></tr>"
    "<tr><td>Not paid</td><td>7</td><td>8</td><td>-1</td></tr></table>"
    "<p>Revenue grew.</p>"
)
_EXTRACTION = extract(_HTML.encode(), filename="a.html")


@pytest.mark.parametrize(
    ("quote", "cells"),
    [
        ("Revenue 2019: 4,512", ["Revenue", "4,512"]),
        ("Revenue | 3,999 | 4,512", ["Revenue", "3,999", "4,512"]),
        ("Revenue | 4,512", ["Revenue", "4,512"]),
        ("Revenue (2019): 4,512", ["Revenue", "4,512"]),
        ("Revenue, 2018: 3,999, 2019: 4,512", ["Revenue", "3,999", "4,512"]),
        ("Revenue: Change (513)", ["Revenue", "(513)"]),
    ],
)
def test_a_rows_name_and_values_are_found_and_each_cell_is_marked(
    quote: str, cells: list[str]
) -> None:
    existence, codes = check_existence(Quote(text=quote), _EXTRACTION, ())
    assert existence.status is ExistenceStatus.EDITORIAL
    assert "ROW_JOINED" in codes
    marked = [_EXTRACTION.text.slice(piece.span) for piece in existence.candidates]
    assert marked == cells


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param("Revenue 2018: 4,512", id="another column's header"),
        pytest.param("Revenue 2019: 8", id="another row's value"),
        pytest.param("Revenue 2019: 4,51", id="half a value"),
        pytest.param("Revenue 513", id="brackets that mean a loss left out"),
        pytest.param("Not paid Change 1", id="a sign left out"),
        pytest.param("Revenue: -4,512", id="a sign put in"),
        pytest.param("Revenue 4,512 3,999", id="values in another order"),
        pytest.param("Revenue 2019: 4,512 million", id="a unit put in"),
        pytest.param("paid 2019: 8", id="half a name, without its negation"),
        pytest.param("Other costs 1 200", id="two cells as one number"),
        pytest.param("Other costs 1,200", id="two cells as one number with a comma"),
        pytest.param("Item 2019", id="the header itself"),
    ],
)
def test_what_no_row_says_is_not_joined(quote: str) -> None:
    assert find_row_joined(quote, _EXTRACTION) == ()


def test_a_row_that_stands_twice_is_ambiguous() -> None:
    twice = extract((_HTML + _HTML).encode(), filename="a.html")
    existence, _ = check_existence(Quote(text="Revenue 2019: 4,512"), twice, ())
    assert existence.status is ExistenceStatus.AMBIGUOUS
    assert len(existence.candidates) == 2


def test_of_ten_thousand_joins_over_rows_none_is_found() -> None:
    rng = random.Random(20)  # noqa: S311 - a sample, no secret
    names = [f"Line {chr(65 + n)}" for n in range(20)]
    years = [str(2010 + n) for n in range(8)]
    figures = [[f"{rng.randrange(1, 10**5):,}" for _ in years] for _ in names]
    rows = [["Item", *years], *([n, *f] for n, f in zip(names, figures, strict=True))]
    html = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    extraction = extract(f"<table>{html}</table>".encode(), filename="a.html")
    false = 0
    for _ in range(10_000):
        row, other = rng.sample(range(len(names)), 2)
        column = rng.randrange(len(years))
        value = figures[other][column]
        if value in figures[row]:
            continue
        head = rng.choice(("", f"{years[column]} ", f"{years[column]}: ", f"({years[column]}) "))
        first = rng.choice(("", f"{figures[row][0]} ")) if not head else ""
        quote = f"{names[row]}{rng.choice((' ', ': ', ', ', ' | '))}{first}{head}{value}"
        false += bool(find_row_joined(quote, extraction))
    assert false == 0
    assert find_row_joined(f"{names[3]} {years[4]}: {figures[3][4]}", extraction)
