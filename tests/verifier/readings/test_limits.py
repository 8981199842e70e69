"""Limits, duties and periods in one wording: both texts of a comparison get it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.readings.limits import write_limits
from tests.verifier.readings.forms import check


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("due no later than 30 June", "due by 30 June"),
        ("within 14 days of receipt", "within 14 days after receipt"),
        ("not later than 14 days after receipt", "within 14 days after receipt"),
        ("in force effective 1 May 2024", "in force with effect from 1 May 2024"),
        ("five days in a row", "five consecutive days"),
        ("aged 12 or over", "aged 12 years and older"),
        ("ten or more guests", "no fewer than ten guests"),
        ("EUR 50 or above", "a minimum of EUR 50"),
        ("at most 20 kg", "no more than 20 kg"),
        ("under the age of 18", "younger than 18"),
        ("in excess of 300 euros", "more than 300 euros"),
        ("from 3 May to 18 August 2024", "between 3 May and 18 August 2024"),
        ("is prohibited from smoking", "must not smoking"),
        ("with the manager's approval", "subject to the manager's approval"),
        ("every member but not every day", "all member but not every day"),
        ("25 % of respondents agreed", "One in four respondents agreed"),
    ],
)
def test_two_wordings_become_one(one: str, other: str) -> None:
    assert write_limits(one) == write_limits(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("no more than 50 people", "more than 50 people"),
        ("aged 12 or under", "aged 12 or over"),
        ("older than 18 months", "older than 18"),
        ("by 30 June", "from 30 June"),
        ("may not enter", "must not enter"),
        ("one in four people", "one in five people"),
        ("every 4 hours", "all 4 hours"),
    ],
)
def test_what_says_something_else_stays_apart(one: str, other: str) -> None:
    assert write_limits(one) != write_limits(other)


@given(st.text(alphabet="abc 0123456789.,%€", max_size=60))
def test_text_without_such_words_stays_as_it_is(text: str) -> None:
    assert write_limits(text) == text


@pytest.mark.parametrize(
    ("premise", "claim", "falsehood"),
    [
        (
            "Groups of ten or more pay 5 euros.",
            "Groups of at least ten pay 5 euros.",
            "Groups of at most ten pay 5 euros.",
        ),
        (
            "Claims must reach the office no later than 30 June 2024.",
            "Claims must reach the office by 30 June 2024.",
            "Claims must reach the office from 30 June 2024.",
        ),
        (
            "The appeal must be lodged within 30 days after the end of the trial.",
            "The appeal must be lodged no later than 30 days after the trial ends.",
            "The appeal must be lodged no later than 30 days before the trial ends.",
        ),
    ],
)
def test_a_claim_in_another_wording_is_said(premise: str, claim: str, falsehood: str) -> None:
    check(premise, claim, falsehood)
