"""Claims in another order than their source: what is exchanged, and what is told of another."""

from __future__ import annotations

import pytest

from spanproof.verifier.slots.agreement import find_agreement


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Only nine of the two wells were dry.", "Only two of the nine wells were dry."),
        (
            "Milan, who had beaten Turin in the final in December 1975, offered Egan the trophy.",
            "Turin, who had beaten Milan in the final in December 1975, offered Egan the trophy.",
        ),
        (
            "The fence stands mainly in Texas, with its works in New Mexico, Arizona and Utah.",
            "The fence stands mainly in New Mexico, Arizona and Utah, with its works in Texas.",
        ),
        ("She created and designed the logo in 2004.", "She designed the logo in 2004."),
        (
            "The statute was adopted in 2014.",
            "The statute was adopted in 1991 and amended in 2014.",
        ),
        ("Some children sit near the water.", "Some children stand near the water."),
    ],
)
def test_what_is_told_of_another_is_no_agreement(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Of the 48 delegates, 50 per cent abstained.", "50 % of the 48 delegates abstained."),
        (
            "Between 1990 and 2000, the population fell from 8,100 to 7,400.",
            "The population fell from 8,100 to 7,400 between 1990 and 2000.",
        ),
        (
            "The stadium was sold to a Dutch investor by the city.",
            "The city sold the stadium to a Dutch investor.",
        ),
        (
            "The shop sells about 40 kinds of bread.",
            "The shop sells approximately 40 sorts of bread.",
        ),
    ],
)
def test_parts_may_change_places(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is not None
