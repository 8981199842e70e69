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
        ("Revenue for 2019: 4,512", ["Revenue", "4,512"]),
        ("Revenue in 2018: 3,999, in 2019: 4,512", ["Revenue", "3,999", "4,512"]),
        ("Revenue … 4,512", ["Revenue", "4,512"]),
        ("Revenue ... 4,512", ["Revenue", "4,512"]),
        ("Revenue, […] 2019: 4,512", ["Revenue", "4,512"]),
        ("Revenue 3,999 … (513)", ["Revenue", "3,999", "(513)"]),
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
    ("quote", "places"),
    [
        ("**Revenue** 2019: 4,512", [("emphasis", "Revenue")]),
        ("**Revenue 2019:** 4,512", [("emphasis", "Revenue")]),
        ("Revenue 2019: **4,512**", [("emphasis", "4,512")]),
        ("Revenue *2019*: 4,512", [("emphasis", "\t")]),
        ("- **Revenue** … *4,512*", [("list_mark", "Rev"), ("emphasis", "Rev"), ("emphasis", "4")]),
    ],
)
def test_marks_around_cells_are_left_out_and_listed(
    quote: str, places: list[tuple[str, str]]
) -> None:
    existence, codes = check_existence(Quote(text=quote), _EXTRACTION, ())
    assert existence.status is ExistenceStatus.EDITORIAL
    assert "ROW_JOINED" in codes
    marked = [_EXTRACTION.text.slice(piece.span) for piece in existence.candidates]
    assert marked == ["Revenue", "4,512"]
    assert existence.difference is not None
    edits = [edit for edit in existence.difference.edits if edit.kind != "row_joined"]
    assert sorted(edit.kind for edit in edits) == sorted(kind for kind, _ in places)
    starts = [_EXTRACTION.text.text[edit.span.start :] for edit in edits]
    assert all(text.startswith(words) for text, (_, words) in zip(starts, places, strict=True))


_KEYS = (
    "<table><tr><th>Key</th><th>2018</th><th>2019</th></tr>"
    "<tr><td>SKU-4563</td><td>5</td><td>7</td></tr>"
    "<tr><td>2021</td><td>80</td><td>90</td></tr>"
    "<tr><td>12</td><td>345</td><td>678</td></tr>"
    "<tr><td>EUR 5</td><td>200</td><td>300</td></tr>"
    "<tr><td>Fee</td><td>not due</td><td>40</td></tr></table>"
)


@pytest.mark.parametrize(
    ("quote", "cells"),
    [
        ("SKU-4563: 7", ["SKU-4563", "7"]),
        ("SKU-4563 2019: 7", ["SKU-4563", "7"]),
        ("SKU-4563 7", ["SKU-4563", "7"]),
        ("2021 2019: 90", ["2021", "90"]),
        ("2021: 90", ["2021", "90"]),
        ("2021 … 90", ["2021", "90"]),
        ("12: 345", ["12", "345"]),
        ("EUR 5: 200", ["EUR 5", "200"]),
        ("Fee 2019: 40", ["Fee", "40"]),
    ],
)
def test_a_row_may_be_named_by_a_key_or_a_year(quote: str, cells: list[str]) -> None:
    extraction = extract(_KEYS.encode(), filename="a.html")
    existence, codes = check_existence(Quote(text=quote), extraction, ())
    assert existence.status is ExistenceStatus.EDITORIAL
    assert "ROW_JOINED" in codes
    assert [extraction.text.slice(piece.span) for piece in existence.candidates] == cells


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param("4563: 7", id="half a key"),
        pytest.param("SKU-4563: 90", id="another row's value"),
        pytest.param("2021 2018: 90", id="another column's header"),
        pytest.param("2021, 90", id="a list of numbers"),
        pytest.param("2021 90", id="two numbers side by side"),
        pytest.param("2021 | 90", id="a row with a cell left out"),
        pytest.param("12 345", id="one number"),
        pytest.param("EUR 5 200", id="one amount"),
        pytest.param("Fee … 40", id="an ellipsis for a denial"),
        pytest.param("Fee in 40", id="a preposition before a value"),
        pytest.param("Fee for 2018: 40", id="another column's header behind a preposition"),
        pytest.param("2018 … 40", id="a header and a value"),
    ],
)
def test_a_key_is_no_part_of_a_number_and_an_ellipsis_hides_no_denial(quote: str) -> None:
    extraction = extract(_KEYS.encode(), filename="a.html")
    assert find_row_joined(quote, extraction) == ()


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
        pytest.param("Revenue … 8", id="another row's value behind an ellipsis"),
        pytest.param("Revenue 2018 … 4,512", id="another column's header before an ellipsis"),
        pytest.param("Revenue 4,512 … 3,999", id="values in another order around an ellipsis"),
        pytest.param("Revenue … 512", id="half a value behind an ellipsis"),
        pytest.param("Revenue for 2018: 4,512", id="another column's header behind a preposition"),
        pytest.param("Revenue not in 2019: 4,512", id="a denial put in"),
        pytest.param("**Revenue** 2019: **8**", id="another row's value in bold"),
    ],
)
def test_what_no_row_says_is_not_joined(quote: str) -> None:
    assert find_row_joined(quote, _EXTRACTION) == ()


def test_a_row_that_stands_twice_is_ambiguous() -> None:
    twice = extract((_HTML + _HTML).encode(), filename="a.html")
    existence, _ = check_existence(Quote(text="Revenue 2019: 4,512"), twice, ())
    assert existence.status is ExistenceStatus.AMBIGUOUS
    assert len(existence.candidates) == 2


@pytest.mark.parametrize("named", ["words", "years", "keys", "numbers"])
def test_of_ten_thousand_joins_over_rows_none_is_found(named: str) -> None:
    rng = random.Random(20)  # noqa: S311 - a sample, no secret
    names = {
        "words": [f"Line {chr(65 + n)}" for n in range(20)],
        "years": [str(2008 + n) for n in range(20)],
        "keys": [f"SKU-{4500 + n}" for n in range(20)],
        "numbers": [str(n + 1) for n in range(20)],
    }[named]
    years = [str(2010 + n) for n in range(8)]
    figures = [[f"{rng.randrange(1, 10**5):,}" for _ in years] for _ in names]
    rows = [["Item", *years], *([n, *f] for n, f in zip(names, figures, strict=True))]
    html = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    extraction = extract(f"<table>{html}</table>".encode(), filename="a.html")
    false = 0
    for _ in range(2_500):
        row, other = rng.sample(range(len(names)), 2)
        column = rng.randrange(len(years))
        value = figures[other][column]
        if value in figures[row]:
            continue
        year = years[column]
        heads = ("", f"{year} ", f"{year}: ", f"({year}) ", f"for {year}: ", f"in {year} ", "… ")
        head = rng.choice(heads)
        first = rng.choice(("", f"{figures[row][0]} ")) if not head else ""
        name = rng.choice((names[row], f"**{names[row]}**"))
        parted = rng.choice((" ", ": ", ", ", " | ", " … ", " [...] "))
        quote = f"{name}{parted}{first}{head}{rng.choice((value, f'*{value}*'))}"
        false += bool(find_row_joined(quote, extraction))
    assert false == 0
    assert find_row_joined(f"{names[3]} {years[4]}: {figures[3][4]}", extraction)
    assert find_row_joined(f"**{names[3]}** … {figures[3][4]}", extraction)
