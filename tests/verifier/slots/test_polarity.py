from __future__ import annotations

import pytest

from spanproof.verifier.slots import compare_slots


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        (
            "It is unknown whether dates will be set.",
            "It is unknown whether or not dates will be set.",
        ),
        ("It may have a center divider.", "It may or may not have a center divider."),
        ("The questions might or might not need an answer.", "The questions need an answer."),
    ],
)
def test_or_not_denies_nothing_on_either_side(claim: str, premise: str) -> None:
    assert compare_slots(claim, premise, premise_start=0) == ()
    assert compare_slots(premise, claim, premise_start=0) == ()


def test_a_premise_of_300_000_characters_of_them_is_compared_like_a_short_one() -> None:
    premise = "It may or may not stand. " * 12_000 + "The tenant does not pay the tax."
    (veto,) = compare_slots("The tenant pays the tax.", premise, premise_start=0)
    assert (veto.kind, veto.source) == ("negation", "not")


def test_what_both_deny_is_no_veto_whatever_else_the_claim_denies() -> None:
    claim = "The step may not prevent a country from deporting the person in non-citizen status."
    premise = "The step may not prevent a country from deporting the person."
    assert compare_slots(claim, premise, premise_start=0) == ()
    stated = premise.replace("may not prevent", "may prevent")
    (veto,) = compare_slots(claim, stated, premise_start=0)
    assert (veto.kind, veto.claim) == ("negation", "not")


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        (
            "A girl is pointing at the picture.",
            "A dark-haired girl in a spotted shirt points at a picture as she sits next to a boy.",
        ),
        (
            "They camped on the west side of the river, the army on the eastern side.",
            "They camped on the west side of the river, the army on the east side.",
        ),
        ("A group of woman is posing.", "A group of women is posing as a man plays."),
    ],
)
def test_an_opposite_beside_the_claims_own_word_is_no_veto(claim: str, premise: str) -> None:
    assert compare_slots(claim, premise, premise_start=0) == ()


def test_an_opposite_alone_is_a_veto() -> None:
    (veto,) = compare_slots(
        "A girl is pointing at the picture.", "A boy is pointing at a picture.", premise_start=0
    )
    assert (veto.kind, veto.claim, veto.source) == ("antonym", "girl", "boy")


def test_a_degree_that_both_sides_have_is_no_veto_of_another_beside_it() -> None:
    claim = "It is the romanization of several (but not all) Chinese surnames."
    assert compare_slots(claim, claim.replace("Chinese", "old Chinese"), premise_start=0) == ()
    (veto,) = compare_slots(
        "It is the romanization of all Chinese surnames.",
        "It is the romanization of some Chinese surnames.",
        premise_start=0,
    )
    assert (veto.kind, veto.claim, veto.source) == ("quantifier", "all", "some")


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("The loan is unsecured.", "The loan is secured."),
        ("The appeal court quashed the ruling.", "The appeal court affirmed the ruling."),
        ("The tumour was malignant.", "The tumour was benign."),
        ("The agency downgraded the bond.", "The agency upgraded the bond."),
        ("The drug inhibits the receptor.", "The drug stimulates the receptor."),
        ("The city reported a budget deficit.", "The city reported a budget surplus."),
    ],
)
def test_opposites_of_trades_differ(claim: str, premise: str) -> None:
    (veto,) = compare_slots(claim, premise, premise_start=0)
    assert veto.kind == "antonym"
