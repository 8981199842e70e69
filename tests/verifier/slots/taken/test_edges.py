"""Words of a sentence that stand side by side, and what right beside them makes them another's."""

from __future__ import annotations

import pytest

from spanproof.verifier.slots.agreement import find_agreement


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        # Part of something else.
        ("Apple resigned in May 2011.", "The founder of Apple resigned in May 2011."),
        (
            "Microsoft was founded in 1991.",
            "The Irish sales branch of Microsoft was founded in 1991.",
        ),
        ("The staff left in May.", "Half the staff left in May."),
        (
            "The chief executive resigned in May 2019.",
            "The deputy chief executive resigned in May 2019.",
        ),
        ("They bought new office.", "They bought new office furniture in May."),
        ("Beta formed the new bank.", "The merger of Alpha and Beta formed the new bank."),
        (
            "North Kato has a combined population of 53,000.",
            "Kato and North Kato have a combined population of 53,000.",
        ),
        # An alternative.
        ("The contract ends in May.", "The contract ends in May or June 2020."),
        ("The army is used only during war.", "The army is used only during war or disasters."),
        ("Beta won the tender in 2019.", "Either Alpha or Beta won the tender in 2019."),
        # Less is bounded than the claim says.
        ("The index did not rise.", "The index did not rise 0.1 percent on Monday."),
        ("All guests pay a fee.", "All guests pay a fee of five euros in Bonn after May."),
        ("Bonn is the largest city.", "Bonn is the largest city on the lower river."),
        ("The tax applies to student loans.", "The tax applies to student loans above 500 euros."),
        ("Goods may be returned.", "Goods may be returned within two weeks."),
        # One amount, and each its own.
        ("He won in 2 hours and 55 seconds.", "He won in 2 hours 10 minutes and 55 seconds."),
        ("He won the race in 3 hours.", "He won the race in 3 hours and 18 minutes."),
        ("The race covers 385 yards in May.", "The race covers 26 miles and 385 yards in May."),
        ("The fire killed 71 passengers.", "The fire killed 71 passengers and crew."),
        (
            "Beta was replaced by Gamma.",
            "Alpha and Beta were replaced by Gamma and Delta, respectively.",
        ),
    ],
)
def test_words_that_belong_to_something_beside_them_are_not_the_claim(
    claim: str, source: str
) -> None:
    assert find_agreement(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Sales rose sharply in May.", "In Bonn, sales rose sharply in May after a fair."),
        ("The bank has 53 branches.", "The bank, with 53 branches, is the largest."),
        ("In May the plant was closed.", "In May the plant was closed and sold."),
        (
            "Police arrested four staff of a popular chain.",
            "Police arrested four staff of a popular chain after a minister spotted a camera.",
        ),
        ("At least 23 people were killed.", "At least 23 people were killed in a fire in Bonn."),
        (
            "Fire doors are inspected every six months.",
            "Fire doors are inspected every six months by a competent person.",
        ),
        (
            "Invoices are paid within four business days.",
            "Invoices are paid within four business days of their receipt by the office.",
        ),
        ("The zoo has 5 tigers.", "The zoo has 3 lions and 5 tigers."),
        (
            "It was first developed by Karl Marx in the 1800s.",
            "It was first developed by Karl Marx in the 1800s, and became known.",
        ),
        (
            "Alpha and Beta were replaced by Gamma and Delta, respectively.",
            "In 2001 Alpha and Beta were replaced by Gamma and Delta, respectively.",
        ),
    ],
)
def test_words_that_stand_for_themselves_are_the_claim(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is not None
