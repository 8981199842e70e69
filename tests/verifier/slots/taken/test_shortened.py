"""What a claim may leave out between two words: what only adds, and nothing that counts."""

from __future__ import annotations

import pytest

from spanproof.verifier.slots.agreement import find_agreement


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Kestrel is a thriller film.", "Kestrel is a 2011 American thriller film."),
        ("The firm was sold to Helvion.", "The firm was sold to the Swiss group Helvion."),
        ("The first bridge was built in Graz.", "The first bridge was built in the city of Graz."),
        ("The firm was sold in Bonn.", "The firm was recently sold in Bonn."),
        ("He pleaded guilty to fraud.", "He pleaded guilty on Monday to fraud."),
    ],
)
def test_what_only_adds_may_be_left_out(claim: str, source: str) -> None:
    assert find_agreement(claim, source) == "verbatim"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        # Another thing.
        ("Kestrel is a thriller film.", "Kestrel is a planned thriller film."),
        ("Lena Roth is a wine.", "Lena Roth is a wine merchant."),
        # Not of all, of the first, of a number, or under a denial.
        ("It is not a thriller film.", "It is not a Danish thriller film."),
        ("Every member carries a card.", "Every new member carries a card."),
        ("The firm has two plants.", "The firm has two foreign plants."),
        ("Guests may bring a bag.", "Guests may bring a small bag."),
        ("It is bigger than a house.", "It is bigger than a small house."),
        # A name, a choice.
        ("They met in Carolina in May.", "They met in North Carolina in May."),
        ("It ran in the May issue.", "It ran in the April or May issue."),
        # Whose it is.
        ("He met Karl Brandt in May.", "He met the brother of actor Karl Brandt in May."),
        # A modal, a preposition.
        ("The gates are closed at six.", "The gates should be closed at six."),
        ("It was written for Anna Smith.", "It was written by Anna Smith."),
        ("She sold the shares for Google.", "She sold the shares to Google."),
    ],
)
def test_what_counts_may_not_be_left_out(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Nurses may prescribe it.", "Registered nurses may prescribe it."),
        ("The largest bank closed its branch.", "The second largest bank closed its branch."),
        ("Emil Horn sold the house.", "The widow of painter Emil Horn sold the house."),
        ("Sudan adopted the law.", "South Sudan adopted the law."),
        ("Museum bought the vase in May.", "British Museum bought the vase in May."),
    ],
)
def test_what_stands_before_the_first_word_may_make_it_another(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is None
