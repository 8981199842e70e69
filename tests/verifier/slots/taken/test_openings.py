"""Openings of an answer's sentences: what says nothing, and what does."""

from __future__ import annotations

import pytest

from spanproof.verifier.slots.agreement import find_agreement
from spanproof.verifier.slots.taken.openings import blank_openings

_SOURCE = "The board approved the merger in May."


@pytest.mark.parametrize(
    "opening",
    [
        "However, ",
        "In addition, ",
        "According to the document, ",
        "Moreover, according to the provided context, ",
        "The text states that ",
        "As noted in the passage, ",
    ],
)
def test_an_opening_says_nothing(opening: str) -> None:
    claim = f"{opening}the board approved the merger in May."
    assert find_agreement(claim, _SOURCE) == "verbatim"
    assert blank_openings(claim, _SOURCE) == " " * len(opening) + claim[len(opening) :]


@pytest.mark.parametrize(
    "opening",
    ["Therefore, ", "Finally, ", "No, ", "According to the board, ", "The text denies that "],
)
def test_what_tells_a_cause_a_time_or_who_says_it_is_no_opening(opening: str) -> None:
    claim = f"{opening}the board approved the merger in May."
    assert blank_openings(claim, _SOURCE) == claim


def test_a_document_of_which_the_source_speaks_is_not_the_source() -> None:
    source = "The document was forged. The board approved the merger in May."
    claim = "According to the document, the board approved the merger in May."
    assert blank_openings(claim, source) == claim
    assert find_agreement(claim, source) is None
