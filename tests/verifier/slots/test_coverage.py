"""How much of a claim its premise accounts for, and how far in order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.verifier.slots.coverage import Coverage, measure_coverage

SENTENCES = (
    "The museum opened its new wing in March 2019 after three years of work.",
    "Dr. Anna Weber, who leads the project, did not expect more than 40 visitors a day.",
    "Tickets cost $12.50 for adults, but children under six pay nothing.",
    "According to the U.S. Department of Energy, demand rose by 4.5 per cent in 2020.",
    "The board approved the merger on 14 March 2019, except for two clauses.",
    "Parcels that weigh over 20 kg are not accepted.",
    "Mr. Okafor resigned; his deputy, Lina Marsh, took over the next day.",
    "It rained.",
)
UNRELATED = (
    "Giraffes juggle marmalade.",
    "Seventy-seven kangaroos boil spaghetti.",
    "The volcano hums.",
)


def measure(claim: str, source: str) -> tuple[float, list[str]]:
    """How much stands in order, and the words left over."""
    found = measure_coverage(claim, source)
    return found.ordered, [claim[span.start : span.end] for span in found.leftover]


@settings(deadline=None)  # The first measurement reads the tables.
@given(st.permutations(SENTENCES), st.integers(0, len(SENTENCES) - 1))
def test_a_sentence_of_the_premise_is_covered_in_order(sentences: list[str], index: int) -> None:
    found = measure_coverage(sentences[index], " ".join(sentences))
    assert found == Coverage(ordered=1.0, accounted=1.0, leftover=(), words=found.words)


@settings(deadline=None)
@given(st.permutations(SENTENCES), st.sampled_from(UNRELATED), st.integers(0, 7))
def test_an_unrelated_sentence_leaves_something_over(
    sentences: list[str], unrelated: str, index: int
) -> None:
    claim = f"{sentences[index]} {unrelated}"
    found = measure_coverage(claim, " ".join(sentences))
    assert found.leftover
    assert all(span.start > len(sentences[index]) for span in found.leftover)
    assert found.ordered < 1
    assert found.accounted < 1


@settings(deadline=None)
@given(st.text(max_size=200), st.text(max_size=400))
def test_any_two_texts_have_shares_and_offsets_within(claim: str, premise: str) -> None:
    found = measure_coverage(claim, premise)
    assert 0 <= found.ordered <= 1
    assert 0 <= found.accounted <= 1
    assert bool(found.leftover) == (found.accounted < 1) or not found.words
    assert all(0 <= span.start < span.end <= len(claim) for span in found.leftover)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Prices rose.", "Prices rise every summer."),
        ("The fee is paid.", "The fee is what customers pay."),
        ("The board approved it.", "It had the board's approval."),
        ("The plant closed.", "The plant's closure was sudden."),
        ("The firm produces glass.", "The company's production of glass grew."),
        ("She resigned.", "Her resignation was announced."),
        ("It takes fifteen days.", "It takes 15 days."),
        ("The term is two years.", "The term is 24 months."),
        ("Returns are free for two weeks.", "Returns are free for 14 days."),
        ("Sales grew 12 per cent.", "Sales grew by 12%."),
        ("It sold 1.2 million copies.", "It sold 1,200,000 copies."),
        ("It ended on 14 March 2019.", "It ended on March 14, 2019."),
        ("It ended in March 2019.", "It ended on 2019-03-14."),
        ("The CEO spoke.", "The chief executive officer spoke."),
        ("The WHO agreed.", "The World Health Organization agreed."),
        ("The World Health Organization agreed.", "The WHO agreed."),
        ("The United States agreed.", "The U.S. agreed."),
        ("The CEO stepped down.", "The CEO resigned."),
        ("Delivery is free.", "Delivery comes at no charge."),
        ("Smoking is prohibited.", "Smoking is not allowed."),
        ("The organisation recognised the colour.", "The organization recognized the color."),
        ("An animal escaped.", "A dog escaped."),
    ],
)
def test_a_plain_paraphrase_is_covered(claim: str, source: str) -> None:
    assert measure(claim, source) == (1.0, [])


@pytest.mark.parametrize(
    ("claim", "source", "leftover"),
    [
        ("A dog escaped.", "An animal escaped.", ["dog"]),
        ("She bought the house.", "She sold the house.", ["bought"]),
        ("The term is two years.", "The term is 18 months.", ["two", "years"]),
        ("Sales grew 12 per cent.", "Sales grew by 12 units.", ["12"]),
        ("It sold 1.2 billion copies.", "It sold 1.2 million copies.", ["1.2"]),
        ("It ended on 3 April 2024.", "It ended on 03/04/2024.", ["3", "April"]),
        ("The WHO agreed.", "Those who came agreed.", ["WHO"]),
        ("Only adults pay.", "Adults pay. Only cash is taken. Coins too.", ["Only"]),
        ("It is the largest lake.", "It is a large lake.", ["largest"]),
        ("All birds, including ducks, fly.", "All birds fly.", ["including", "ducks"]),
        ("Apple launched Word.", "Microsoft launched Word.", ["Apple"]),
    ],
)
def test_what_nothing_accounts_for_is_left_over(
    claim: str, source: str, leftover: list[str]
) -> None:
    assert measure(claim, source)[1] == leftover


def test_words_in_another_order_are_accounted_for_but_not_in_order() -> None:
    found = measure_coverage("Beta sued Alpha.", "Alpha sued Beta.")
    assert found.accounted == 1.0
    assert found.ordered == pytest.approx(1 / 3)


def test_words_far_apart_are_not_in_order() -> None:
    source = "Weber leads the museum. It opens at nine. Tickets are cheap. The pool has a slide."
    found = measure_coverage("Weber leads the pool.", source)
    assert (found.accounted, found.leftover) == (1.0, ())
    assert found.ordered == pytest.approx(2 / 3)
