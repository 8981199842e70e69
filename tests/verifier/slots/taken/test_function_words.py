"""One small word exchanged in a sentence: every other word of the claim stands in its source."""

from __future__ import annotations

from itertools import permutations

import pytest

from spanproof.verifier.slots.agreement import find_agreement

#: A sentence with a gap, and small words none of which says what another one says there.
_APART = [
    ("Turn the left valve {} before the test.", "on off out"),
    ("The tenant pays rent {} heating costs.", "and or"),
    ("Anna sold {} red car in May.", "his her our your"),
    ("Anna gave {} the red book.", "him her me you them"),
    ("Eva left {} notes on the comet to her pupil.", "his her"),
    ("The coins were hidden {} the farmer's wife in a churn.", "by from"),
    ("The old bridge {} closed in May.", "is/was/is being"),
    ("The patient {} asthma and eczema.", "has had"),
    ("The pump stops {} the red lamp lights.", "when because so although"),
    ("Claims must reach the office {} 30 June 2024.", "by from until on"),
    ("The tablet must be taken {} 3 hours.", "within for after every"),
    ("The goods were sent {} the buyer in Rome.", "to from by with"),
    ("The drug is taken {} meals by adults.", "with without before after"),
    ("The train leaves {} 09:30 on weekdays.", "at before after by"),
    ("He worked {} the old ministry until 2010.", "for with against"),
    ("The council {} the plan in May.", "approved/is approving/will approve"),
]
_CASES = [
    (sentence.format(one), sentence.format(other))
    for sentence, words in _APART
    for one, other in permutations(words.split("/") if "/" in words else words.split(), 2)
]


@pytest.mark.parametrize(("premise", "claim"), _CASES)
def test_an_exchanged_small_word_is_not_what_the_source_says(premise: str, claim: str) -> None:
    assert find_agreement(premise, premise) is not None
    assert find_agreement(claim, premise) is None


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        ("The firm carried out the tests in May.", "The firm conducted the tests in May."),
        ("The office is in the station in Bonn.", "The office is at the station in Bonn."),
        ("The law has been in force since 2019.", "The law has been in force from 2019."),
        ("Anna sold her red car in May.", "Anna sold the red car in May."),
        ("The pump stops when the red lamp lights.", "The pump stops if the red lamp lights."),
        ("Up to 30 guests may stay in May.", "Up to 30 guests may stay in May."),
    ],
)
def test_what_says_the_same_is_kept(premise: str, claim: str) -> None:
    assert find_agreement(claim, premise) is not None


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        (
            "The grebe breeds on shallow lakes and winters along sheltered coasts.",
            "The grebe breeds along sheltered coasts and winters on shallow lakes.",
        ),
        (
            "Net cash at year end was 38 million, compared with net debt of 11 million before.",
            "Net debt at year end was 38 million, compared with net cash of 11 million before.",
        ),
        (
            "Overtime is paid at 20 euros on weekdays and at 30 euros on Sundays and holidays.",
            "Overtime is paid at 20 euros on weekdays and holidays.",
        ),
        (
            "Safari users can view documents offline but cannot edit them.",
            "Users of Safari cannot view documents offline or edit them.",
        ),
        (
            "The plan was adopted by the council of the old town.",
            "The council adopted the plan of the old town.",
        ),
    ],
)
def test_two_parts_do_not_change_places(premise: str, claim: str) -> None:
    assert find_agreement(claim, premise) is None
