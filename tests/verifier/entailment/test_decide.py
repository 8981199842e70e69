from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.span import Span
from verifier.entailment.decide import (
    CONTRADICTION_DECIDES,
    choose_window,
    decide,
    to_probabilities,
)
from verifier.entailment.labels import LabelMap
from verifier.entailment.reading import Reading, unread

LABELS = LabelMap.from_names({0: "entailment", 1: "neutral", 2: "contradiction"})


def test_the_window_that_entails_most_decides() -> None:
    assert choose_window([(0.1, 0.8, 0.1), (0.6, 0.3, 0.1), (0.2, 0.2, 0.6)]) == 1


def test_a_sure_contradiction_takes_precedence_over_weaker_entailment() -> None:
    sure = CONTRADICTION_DECIDES + 0.01
    assert choose_window([(0.8, 0.1, 0.1), (0.01, 0.08, sure)]) == 1


def test_a_surer_entailment_stands_against_a_contradiction() -> None:
    sure = CONTRADICTION_DECIDES + 0.01
    assert choose_window([(0.99, 0.005, 0.005), (0.01, 0.08, sure)]) == 0


def test_the_evidence_is_the_deciding_window() -> None:
    reading = Reading(
        reason=None,
        logits=((0.0, 2.0, 0.0), (3.0, 0.0, 0.0)),
        spans=(Span(0, 40), Span(30, 70)),
        coverage=1.0,
    )
    entailment = decide(reading, LABELS, 1.0)
    assert entailment.evidence == Span(30, 70)
    assert entailment.windows == 2
    assert entailment.p_entailment is not None
    assert entailment.p_entailment > 0.9


def test_an_unread_pair_has_no_probabilities() -> None:
    entailment = decide(unread("claim_too_long"), LABELS, 1.0)
    assert entailment.reason == "claim_too_long"
    assert entailment.p_entailment is entailment.p_neutral is entailment.p_contradiction is None


@given(logits=st.lists(st.floats(-40, 40), min_size=3, max_size=3), temperature=st.floats(0.05, 20))
def test_probabilities_sum_to_one_and_temperature_keeps_the_order(
    logits: list[float], temperature: float
) -> None:
    probabilities = to_probabilities(logits, temperature)
    assert sum(probabilities) == pytest.approx(1.0)
    best = max(range(3), key=logits.__getitem__)
    assert probabilities[best] == max(probabilities)
