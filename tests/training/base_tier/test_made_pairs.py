from __future__ import annotations

import random

import pytest

from training.base_tier.made_pairs import make_pair, swap_roles, unhedge, widen
from training.pairs import LABEL_IDS, NOT_ENTAILMENT, Pair

PASSAGE = (
    "The court heard that Alpha Holdings defeated Beta Systems over unpaid rent. "
    "All tenants except the baker accepted the new terms. "
    "The mayor denied that the bridge was unsafe for lorries."
)


@pytest.fixture
def rng() -> random.Random:
    return random.Random(0)  # noqa: S311 - the same draw every time


def test_two_names_around_a_verb_change_places(rng: random.Random) -> None:
    sentence = "The court heard that Alpha Holdings defeated Beta Systems over rent."
    swapped = "The court heard that Beta Systems defeated Alpha Holdings over rent."
    assert swap_roles(sentence, rng) == swapped


@pytest.mark.parametrize(
    "sentence",
    [
        "In March Alpha Holdings met Beta Systems.",
        "Then Alpha Holdings and Beta Systems closed.",
        "Only Alpha Holdings was sued.",
    ],
)
def test_what_says_the_same_the_other_way_round_stays(sentence: str, rng: random.Random) -> None:
    assert swap_roles(sentence, rng) is None


@pytest.mark.parametrize(
    ("sentence", "wider"),
    [
        ("All tenants except the baker agreed.", "All tenants including the baker agreed."),
        ("The fee may rise.", "The fee will rise."),
        ("He reportedly resigned.", "He resigned."),
    ],
)
def test_an_exception_or_hedge_is_widened(sentence: str, wider: str, rng: random.Random) -> None:
    assert widen(sentence, rng) == wider


def test_a_denial_becomes_a_fact() -> None:
    assert unhedge("The mayor denied that the bridge was unsafe.") == "The bridge was unsafe."
    assert unhedge("The bridge was unsafe.") is None


def test_made_pairs_are_of_the_premise_and_of_both_labels(rng: random.Random) -> None:
    pair = Pair(premise=PASSAGE, hypothesis="x", label=0, source="wice_claim", doc="d")
    made = [one for _ in range(40) if (one := make_pair(pair, rng)) is not None]
    assert {one.label for one in made} == {LABEL_IDS["entailment"], NOT_ENTAILMENT}
    for one in made:
        assert one.premise == PASSAGE
        assert (one.hypothesis in PASSAGE) == (one.label == LABEL_IDS["entailment"])


def test_sources_that_are_no_prose_make_none(rng: random.Random) -> None:
    pair = Pair(premise=PASSAGE, hypothesis="x", label=0, source="infotabs", doc="d")
    assert make_pair(pair, rng) is None
