"""A claim's amounts and dates in the spelling of its source: one value, never another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.entailment.encoding.respelling import MAX_PREMISE, respell

NUMBERS = st.integers(2, 99_999)


@pytest.mark.parametrize(
    ("claim", "premise", "read"),
    [
        ("Five people came.", "There were 5 people.", "5 people came."),
        ("All 25 came.", "Twenty-five were asked.", "All Twenty-five came."),
        ("They sold 1,500 chairs.", "1500 of them", "They sold 1500 chairs."),
        ("He left on 2024-03-05.", "On March 5, 2024 he left.", "He left on March 5, 2024."),
        ("He left on 5 Mar 2024.", "on 2024-03-05", "He left on 2024-03-05."),
        ("in Sept 2020", "since September 2020", "in September 2020"),
        ("It rose by 25 percent.", "It rose by 25%.", "It rose by 25%."),
        ("USD 5 million were paid.", "He paid $5,000,000.", "$5,000,000 were paid."),
        ("7 kilometres long", "a length of 7 km", "7 km long"),
        ("the 3rd year", "the third time", "the third year"),
        ("the third year", "the 3rd year", "the 3rd year"),
    ],
)
def test_one_value_takes_the_spelling_of_the_premise(claim: str, premise: str, read: str) -> None:
    assert respell(claim, premise) == read


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        # Another value, unit, currency, day or order.
        ("Five people came.", "There were 6 people."),
        ("7 kilometres long", "a length of 7 miles"),
        ("It cost 5 dollars.", "It cost €5."),
        ("on 2024-03-05", "on March 6, 2024"),
        ("on 2024-03-05", "in March 2024"),
        ("the 3rd year", "three years"),
        # What may mean two things: which of both numbers is the month, what a dot parts.
        ("on 05/06/2020", "on 5 June 2020"),
        ("1.500 francs", "1500 francs"),
        # Signs and comparators are part of what is said.
        ("-5 degrees", "five degrees"),
        ("<5 cases", "five cases"),
        # A label is no count.
        ("See Section 5 of it.", "See the annex."),
        # Words for one are hardly ever amounts.
        ("One knows that.", "It is 1 of these."),
        # The premise spells it so too.
        ("Five came.", "5 were asked, and five came."),
    ],
)
def test_whatever_says_more_than_a_spelling_stays(claim: str, premise: str) -> None:
    assert respell(claim, premise) == claim


@pytest.mark.parametrize(
    ("claim", "read"),
    [
        ("They aren’t here and can't come.", "They are not here and cannot come."),
        ("Won't it rain?", "Will not it rain?"),
        ("It ain't so.", "It ain't so."),
        ("It rose by 25 per cent.", "It rose by 25%."),
        ("It rose by 25 %.", "It rose by 25%."),
        ("on Mar 5, 2024, not Sept. 2", "on March 5, 2024, not September 2"),
        ("We saw 5 young dogs.", "We saw five young dogs."),
        ("We saw twenty-five dogs.", "We saw 25 dogs."),
    ],
)
def test_what_the_premise_does_not_have_is_spelled_as_texts_prefer(claim: str, read: str) -> None:
    assert respell(claim, "Nothing of that.") == read


def test_an_amount_without_its_unit_is_found_too() -> None:
    assert respell("He left fourteen months ago.", "It was 14 months ago.") == (
        "He left 14 months ago."
    )
    assert respell("It was 14 months ago.", "fourteen of them") == "It was fourteen months ago."


def test_an_endless_premise_is_not_searched() -> None:
    assert respell("Five came.", "5 came") == "5 came."
    assert respell("Five came.", "5 came" + "x" * MAX_PREMISE) == "Five came."


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_claim_without_amounts_is_read_as_it_stands(claim: str, premise: str) -> None:
    letters = "".join(c for c in claim if not c.isnumeric())
    if not any(c.isascii() and c.isalpha() for c in letters):
        assert respell(letters, premise) == letters


@given(NUMBERS, NUMBERS)
def test_grouped_digits_become_plain_ones_only_where_they_are_equal(ours: int, theirs: int) -> None:
    read = respell(f"They sold {ours:,} of them.", f"In all {theirs} were sold.")
    assert read == f"They sold {theirs if ours == theirs else format(ours, ',')} of them."


@given(NUMBERS)
def test_to_spell_again_changes_nothing(number: int) -> None:
    premise = f"In all {number} were sold."
    once = respell(f"They sold {number:,} of them.", premise)
    assert once == f"They sold {number} of them."
    assert respell(once, premise) == once
