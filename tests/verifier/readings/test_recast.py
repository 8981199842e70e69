"""Sentences in another order: each true claim has a near falsehood beside it."""

from __future__ import annotations

import pytest

from spanproof.verifier.readings import recast, write_out, write_reordered
from tests.verifier.readings.forms import check, says

_GOODS = "The supplier shall deliver the goods to the buyer by 30 June 2024."
_COURT = "The judgment of the lower court was unanimously affirmed by the Supreme Court."
_BUSES = (
    "As part of its wider climate strategy, the city will ban diesel buses from the old town "
    "from 1 January 2026."
)


@pytest.mark.parametrize(
    ("premise", "claim", "falsehood"),
    [
        (
            _GOODS,
            "The goods must be delivered by the supplier to the buyer by 30 June 2024.",
            "The goods must be delivered by the buyer to the supplier by 30 June 2024.",
        ),
        (
            _COURT,
            "The Supreme Court unanimously affirmed the lower court's judgment.",
            "The lower court unanimously affirmed the Supreme Court's judgment.",
        ),
        (
            _BUSES,
            "From 1 January 2026, the city will ban diesel buses from the old town.",
            "From 1 January 2026, the city will ban diesel vehicles from the old town.",
        ),
        (
            "The Group employed 3,914 people (2020: 4,207) at 30 June.",
            "At 30 June, the Group employed 3,914 people.",
            "At 30 June, the Group employed 4,207 people.",
        ),
    ],
)
def test_another_order_says_the_claim_and_not_what_is_near_to_it(
    premise: str, claim: str, falsehood: str
) -> None:
    check(premise, claim, falsehood)


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        ("If it rained, the match was cancelled in Bonn.", "The match was cancelled in Bonn."),
        (
            "According to critics, the plan was rejected by the council.",
            "The council rejected the plan.",
        ),
        ("The plan was almost rejected by the council.", "The council rejected the plan."),
        ("The plan may be rejected by the council.", "The council rejected the plan."),
        (
            "The plan was adopted by the council of the old town.",
            "The council adopted the plan of the old town.",
        ),
        ("The son of the king was killed by the duke.", "The duke killed the king."),
        ("In the film, the bank is robbed by a nun.", "A nun robbed the bank."),
        ("Tickets (except for children) are sold at the desk.", "Tickets are sold at the desk."),
        ("By 2030 the plant will be closed by the owner.", "The owner closed the plant by 2030."),
        ("Dogs are banned in the park.", "Animals are banned in the park."),
        (
            "The plan was rejected by the council. This is false.",
            "The council rejected the plan.",
        ),
    ],
)
def test_another_order_loses_nothing_that_turns_the_sentence(premise: str, claim: str) -> None:
    assert not says(premise, claim)


def test_few_forms_are_made_of_a_sentence() -> None:
    forms = list(recast("In May, the board's plan was rejected by the town's council on Monday."))
    assert 0 < len(forms) <= 12
    assert len(set(forms)) == len(forms)


@pytest.mark.parametrize("text", ["A " * 5_000 + "x.", "In " + "a, " * 5_000 + ":x", "(" * 9_000])
def test_a_sentence_that_is_too_long_is_not_read(text: str) -> None:
    assert list(recast(text)) == []
    assert write_out(text, text) == write_reordered(text) == ()


def test_a_subject_that_holds_a_modal_is_not_turned() -> None:
    assert list(recast("The old bridge may have been damaged by floods.")) == []
