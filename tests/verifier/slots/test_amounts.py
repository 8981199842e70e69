"""What an amount is worth where it stands, and what that means for a claim."""

from __future__ import annotations

from decimal import Decimal

import pytest

from spanproof.verifier.slots import compare_slots, doubt_slots
from spanproof.verifier.slots.numbers import find_numbers
from spanproof.verifier.slots.words import read_words


@pytest.mark.parametrize(
    ("text", "group", "values"),
    [
        ("It paid $5m.", "currency:USD", [5_000_000]),
        ("It paid £1.2 m for it.", "currency:GBP", [1_200_000]),
        ("It paid €2B.", "currency:EUR", [2_000_000_000]),
        ("It paid USD 5m.", "currency:USD", [5_000_000]),
        ("It paid EUR 300 there.", "currency:EUR", [300]),
        ("It paid 5 million US dollars.", "currency:USD", [5_000_000]),
        ("It paid $5 bonds.", "currency:USD", [5]),
        ("It paid $5 to many.", "currency:USD", [5]),
        ("It is 5m wide.", "unit:m", [5, 5_000_000]),
        ("It is 5 m wide.", "unit:m", [5]),
        ("It holds 5mg.", "unit:mg", [5]),
        ("It was minus 5 degrees.", "unit:degree", [-5]),
        ("It was 8 minus 5 degrees.", "unit:degree", [5]),
        ("Half a million people came.", "count:peopl", [500_000]),
        ("Two and a half million people came.", "number", [2_500_000]),
        ("Sales fell by 3 %.", "percent", [3, -3]),
        ("Sales rose by 3 %.", "percent", [3]),
        ("It goes 50 mph.", "unit:mile", [50]),
    ],
)
def test_an_amount_is_read_where_it_stands(text: str, group: str, values: list[int]) -> None:
    *_, found = find_numbers(read_words(text, "en"), "en").quantities
    assert (found.group, found.values) == (group, tuple(map(Decimal, values)))


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("Half a million people came.", "500,000 people came."),
        ("The firm sold 2.5 million units.", "The firm sold two and a half million units."),
        ("The firm has about 1,200 employees.", "The firm employs 1,187 people."),
        ("Sales were -3 %.", "Sales fell by 3 %."),
        ("Sales fell by 3 %.", "Sales changed by -3 % in 2020."),
        ("The speed limit is 50 miles per hour.", "The speed limit is 50 mph."),
        ("It weighs 5 pounds.", "It weighs 5 lbs."),
    ],
)
def test_the_same_amount_in_other_words_is_neither_veto_nor_likely_doubt(
    claim: str, premise: str
) -> None:
    assert compare_slots(claim, premise, premise_start=0) == ()
    assert doubt_slots(claim, premise, premise_start=0, level="likely") == ()


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("Half a million people came.", "50,000 people came."),
        ("The firm has about 1,500 employees.", "The firm employs 1,187 people."),
        ("Sales rose by 3 %.", "Sales changed by -3 % in 2020."),
        ("Sales fell by 4 %.", "Sales changed by -3 % in 2020."),
        ("The speed limit is 50 mph.", "The speed limit is 50 km/h."),
        ("It weighs 5 pounds.", "It weighs 5 kg."),
        ("It fell to 5 degrees.", "It fell to minus 5 degrees."),
    ],
)
def test_another_amount_is_a_veto_or_a_likely_doubt(claim: str, premise: str) -> None:
    vetoes = compare_slots(claim, premise, premise_start=0)
    assert vetoes or doubt_slots(claim, premise, premise_start=0, level="likely")
