"""Prepositions of a claim and of its source: which may stand for each other, and which never."""

from __future__ import annotations

from itertools import permutations

import pytest

from spanproof.verifier.slots.agreement import find_agreement

_DATE = "Claims must reach the office {} 30 June 2024."


@pytest.mark.parametrize(("one", "other"), list(permutations(["by", "from", "until", "on"], 2)))
def test_a_deadline_is_no_beginning_end_or_day(one: str, other: str) -> None:
    assert find_agreement(_DATE.format(one), _DATE.format(one)) is not None
    assert find_agreement(_DATE.format(other), _DATE.format(one)) is None


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        ("The law applies since 2019 in Rome.", "The law applies from 2019 in Rome."),
        ("The battle took place near the village of Lund.", "The battle took place near Lund."),
        ("The duty to keep the log is his.", "The duty of keeping the log is his."),
        ("The survey followed nurses for ten years.", "The survey followed nurses over ten years."),
        ("The budget for 2024 was cut in May.", "The budget of 2024 was cut in May."),
    ],
)
def test_prepositions_that_say_the_same(premise: str, claim: str) -> None:
    assert find_agreement(claim, premise) is not None


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        ("The letter was sent to the bank in May.", "The letter was sent by the bank in May."),
        ("He worked for the ministry in Rome.", "He worked against the ministry in Rome."),
        ("The tablet is taken with meals.", "The tablet is taken between meals."),
        ("The exports to China rose in May.", "The exports from China rose in May."),
        ("Tickets are sold to members at noon.", "Tickets are sold with members at noon."),
    ],
)
def test_prepositions_that_say_something_else(premise: str, claim: str) -> None:
    assert find_agreement(claim, premise) is None
