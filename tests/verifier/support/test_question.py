"""Claims that are no sentence: what a question may complete, and what it never lifts."""

from __future__ import annotations

import pytest

from spanproof.verifier.support.question import (
    is_answered,
    is_empty,
    is_fragment,
    states_nothing_alone,
)


@pytest.mark.parametrize(
    "claim", ["Yes.", "No.", "No, it may not.", "They do.", "Correct.", "Both.", "Of course!"]
)
def test_a_claim_without_a_word_of_its_own_is_empty(claim: str) -> None:
    assert is_empty(claim)
    assert states_nothing_alone(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "In 2019.",
        "Four business days.",
        "Yes, four days.",
        "Paris.",
        "About 40 euros.",
        "Dr. Wu.",
        "The trial runs of the drug.",
        "The price changes for tenants.",
        "The trial runs and the drug.",
    ],
)
def test_a_claim_without_a_verb_is_a_fragment(claim: str) -> None:
    assert is_fragment(claim)
    assert not is_empty(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "It is due in May.",
        "He fled.",
        "付款在期限内完成。",
        "Refunds take four days.",
        "No, the tenant must pay.",
        "The fee is due.",
        "Backups are kept for 90 days.",
        "Tenants must give notice.",
        "The lease runs for five years.",
        "The sale ends on Friday.",
    ],
)
def test_a_sentence_is_no_fragment(claim: str) -> None:
    assert not is_fragment(claim)
    assert not is_empty(claim)


@pytest.mark.parametrize(
    ("question", "claim", "premise", "answered"),
    [
        ("Must the tenant give notice?", "Yes.", "The tenant must give notice.", True),
        ("Must the tenant give notice?", "No.", "The tenant must give notice.", False),
        ("May the tenant sublet?", "No.", "The tenant may not sublet.", True),
        ("May the tenant sublet?", "Yes.", "The tenant may not sublet.", False),
        ("How long does a refund take?", "Four days.", "Refunds are paid in four days.", True),
        ("When did the minister resign?", "In 2019.", "The minister resigned in 2019.", True),
        (
            "When did the minister who bribed the judge resign?",
            "In 2019.",
            "The minister resigned in 2019.",
            False,
        ),
        ("When did the corrupt minister resign?", "In 2019.", "The minister left in 2019.", False),
        ("How many years in prison did the minister get?", "Four.", "four", False),
        ("What does the Basic plan cost?", "40 euros.", "The Pro plan costs 40 euros.", False),
        ("What does the Pro plan cost?", "40 euros.", "The Pro plan costs 40 euros.", True),
    ],
)
def test_a_question_is_answered_only_by_what_it_speaks_of(
    question: str, claim: str, premise: str, *, answered: bool
) -> None:
    assert is_answered(question, claim, premise) is answered
