"""A claim that states one cell of a cited table, and near falsehoods of the same cell."""

from __future__ import annotations

import pytest

from spanproof.core.span import Span
from spanproof.ingest import extract
from spanproof.verifier.support.stated_cells import states_cell

_EXPORTS = """Exports by product (EUR million)

| Product | 2021 | 2022 |
| --- | --- | --- |
| Wine | 64 | 59 |
| Olive oil | 118 | 131 |
| Olives | 22 | 20 |
"""
_PLANS = """Plan\tMonthly fee\tStorage
Basic\t€5\t10 GB
Team\t€12\t100 GB
"""
_METALS = """<table><tr><th>Substance</th><th>Melting point (°C)</th><th>Density (g/cm3)</th></tr>
<tr><td>Tin</td><td>231.9</td><td>7.27</td></tr><tr><td>Lead</td><td>327.5</td><td>11.34</td></tr>
<tr><td>Profit</td><td>(3)</td><td>7*</td></tr></table>"""


def states(content: str, name: str, cited: str, claim: str) -> bool:
    """Whether a claim that cites these words states one of their cells."""
    extraction = extract(content.encode(), filename=name)
    start = extraction.text.text.index(cited)
    return states_cell(extraction, Span(start, start + len(cited)), claim)


@pytest.mark.parametrize(
    ("content", "name", "cited", "claim"),
    [
        (_EXPORTS, "t.txt", "| Wine | 64 | 59 |", "Wine exports were EUR 59 million in 2022."),
        (_EXPORTS, "t.txt", _EXPORTS.strip(), "Exports of olive oil came to €131 million in 2022."),
        (_EXPORTS, "t.txt", _EXPORTS.strip(), "In 2021, exports of olives were 22 million euros."),
        (_PLANS, "t.txt", "Team\t€12\t100 GB", "The Team plan includes 100 GB of storage."),
        (_PLANS, "t.txt", "Basic\t€5\t10 GB", "The monthly fee for the Basic plan is €5."),
        (_METALS, "t.html", "Lead\t327.5\t11.34", "The melting point of lead is 327.5 °C."),
        (_METALS, "t.html", "Tin\t231.9\t7.27", "Tin has a density of 7.27 g/cm3."),
    ],
)
def test_a_claim_states_a_cell_with_its_row_and_column(
    content: str, name: str, cited: str, claim: str
) -> None:
    assert states(content, name, cited, claim)


@pytest.mark.parametrize(
    ("content", "name", "cited", "claim"),
    [
        (_EXPORTS, "t.txt", "| Wine | 64 | 59 |", "Wine exports were EUR 64 million in 2022."),
        (_EXPORTS, "t.txt", "| Wine | 64 | 59 |", "Wine exports were EUR 59 thousand in 2022."),
        (_EXPORTS, "t.txt", "| Wine | 64 | 59 |", "Wine exports were not EUR 59 million in 2022."),
        (_EXPORTS, "t.txt", "| Wine | 64 | 59 |", "Wine imports were EUR 59 million in 2022."),
        (_EXPORTS, "t.txt", "| Wine | 64 | 59 |", "Wine exports were over EUR 59 million in 2022."),
        (_EXPORTS, "t.txt", "| Wine | 64 | 59 |", "Wine exports were EUR 59 million."),
        (_EXPORTS, "t.txt", "| Wine | 64 | 59 |", "Exports of olives were EUR 20 million in 2022."),
        (
            _EXPORTS,
            "t.txt",
            _EXPORTS.strip(),
            "Wine and olives exports were EUR 20 million in 2022.",
        ),
        (_PLANS, "t.txt", "Team\t€12\t100 GB", "The Team plan includes 10 GB of storage."),
        (_METALS, "t.html", "Lead\t327.5\t11.34", "The melting point of lead is 231.9 °C."),
        (_METALS, "t.html", "Profit\t(3)\t7*", "The density of the profit is 7."),
        (_METALS, "t.html", "Profit\t(3)\t7*", "The melting point of the profit is 3."),
        ("Only words here.", "t.txt", "Only words here.", "Only words here."),
    ],
)
def test_another_value_row_or_column_or_a_word_more_is_not_what_the_cell_says(
    content: str, name: str, cited: str, claim: str
) -> None:
    assert not states(content, name, cited, claim)
