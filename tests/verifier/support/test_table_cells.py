from __future__ import annotations

import pytest

from spanproof.core.span import Span
from spanproof.ingest import extract
from spanproof.verifier.support.table_cells import compare_cells

_CSV = """Region,Revenue,Loss
North,45,3
South,12,9
Far East,45,7
"""
_TEXT = """Results by region.

Region\tRevenue\tLoss
North\t45\t3
South\t12\t9

The rest is not told.
"""
_BARS = """Fees by region.

| Region | Revenue | Loss |
|---|---|---|
| North | 45 | 3 |
| South | 12 | 9 |
"""
_HTML = """<html><body><table><tr><th>Drug</th><th>Deaths</th><th>Recoveries</th></tr>
<tr><td>A</td><td>300</td><td>2</td></tr><tr><td>B</td><td>1</td><td>400</td></tr>
<tr><td>Total</td><td>301</td><td>402</td></tr></table></body></html>"""


def find_differences(name: str, row: str, claim: str) -> list[tuple[str, str | None]]:
    """The vetoes of a claim that cites the cells ``row``: its value, and the cell it should be."""
    content = {"t.csv": _CSV, "t.txt": _TEXT, "t.html": _HTML}[name]
    extraction = extract(content.encode(), filename=name)
    start = extraction.text.text.index(row)
    vetoes = compare_cells(extraction, Span(start, start + len(row)), claim)
    for veto in vetoes:
        assert veto.source_span is not None
        assert extraction.text.slice(veto.source_span) == veto.source
        assert claim[veto.claim_span.start : veto.claim_span.end] == veto.claim
    return [(veto.claim, veto.source) for veto in vetoes]


@pytest.mark.parametrize("name", ["t.csv", "t.txt"])
@pytest.mark.parametrize(
    ("row", "claim", "found"),
    [
        ("North\t45\t3", "The loss in the North was 45.", ("45", "3")),
        ("North\t45\t3", "The North had a revenue of 3.", ("3", "45")),
        ("North\t45\t3", "Revenue in the South was 45.", ("45", "12")),
        ("North\t45\t3\nSouth\t12\t9", "Revenue in the South was 45.", ("45", "12")),
        ("South\t12\t9", "In the South revenue was 9 and the loss 12.", ("9", "12")),
        ("South\t12\t9", "Revenue and loss in the South were 9 and 12.", ("9", "12")),
    ],
)
def test_a_value_of_another_cell_is_a_difference(
    name: str, row: str, claim: str, found: tuple[str, str]
) -> None:
    assert find_differences(name, row, claim)[0] == found


@pytest.mark.parametrize("name", ["t.csv", "t.txt"])
@pytest.mark.parametrize(
    ("row", "claim"),
    [
        ("North\t45\t3", "The loss in the North was 3."),
        ("North\t45\t3", "Revenue in the North was 45 and the loss 3."),
        ("North\t45\t3", "The loss was 3 on a revenue of 45."),
        ("North\t45\t3", "Revenue and loss in the North were 45 and 3."),
        ("North\t45\t3", "North: 45."),
        ("South\t12\t9", "In 2021 the revenue of the South was 12."),
        ("South\t12\t9", "Revenue was above 10 in the South."),
    ],
)
def test_a_value_of_the_cell_that_is_named_is_none(name: str, row: str, claim: str) -> None:
    assert find_differences(name, row, claim) == []


def test_a_table_of_a_page_is_read_too() -> None:
    row = "A\t300\t2"
    assert find_differences("t.html", row, "Drug A led to 300 recoveries.") == [("300", "2")]
    assert find_differences("t.html", row, "300 patients recovered with drug A.") == [("300", "2")]
    assert find_differences("t.html", row, "Drug A led to 300 deaths.") == []
    assert find_differences("t.html", row, "Drug B led to 300 deaths.") == [("300", "1")]
    assert (
        find_differences("t.html", "Total\t301\t402", "In total there were 402 recoveries.") == []
    )


def test_prose_is_no_table() -> None:
    extraction = extract(b"The loss was 3.\nThe revenue was 45.", filename="t.txt")
    assert compare_cells(extraction, Span(0, 15), "The revenue was 3.") == ()


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("Revenue in the North was 12.", ["12"]),
        ("The loss in the South was 12.", ["12"]),
        ("Revenue in the South was 12.", []),
    ],
)
def test_a_table_drawn_with_bars_is_read(claim: str, found: list[str]) -> None:
    extraction = extract(_BARS.encode(), filename="t.txt")
    start = extraction.text.text.index("| North")
    vetoes = compare_cells(extraction, Span(start, extraction.text.text.rindex("|")), claim)
    assert [veto.claim for veto in vetoes] == found
