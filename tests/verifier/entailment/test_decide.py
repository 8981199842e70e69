from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.span import Span
from spanproof.verifier.entailment.calibration.calibration import Calibration
from spanproof.verifier.entailment.decide import CONTRADICTION_DECIDES, choose_window, decide
from spanproof.verifier.entailment.labels import LabelMap
from spanproof.verifier.entailment.logits import Reading, unread

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
    entailment = decide(reading, ("x" * 70, "x"), LABELS, Calibration())
    assert entailment.evidence == Span(30, 70)
    assert entailment.windows == 2
    assert entailment.p_entailment is not None
    assert entailment.p_entailment > 0.9


def test_an_unread_pair_has_no_probabilities() -> None:
    entailment = decide(unread("claim_too_long"), ("", ""), LABELS, Calibration())
    assert entailment.reason == "claim_too_long"
    assert entailment.p_entailment is entailment.p_neutral is entailment.p_contradiction is None


@given(
    logits=st.lists(st.floats(-40, 40), min_size=3, max_size=3),
    scale=st.floats(0.05, 20),
    penalty=st.floats(0, 5),
)
def test_probabilities_sum_to_one_and_a_penalty_only_lowers(
    logits: list[float], scale: float, penalty: float
) -> None:
    calibration = Calibration(scale=scale)
    plain = calibration.probabilities(logits, LABELS, 0.0)
    lowered = calibration.probabilities(logits, LABELS, penalty)
    assert sum(plain) == pytest.approx(1.0)
    assert sum(lowered) == pytest.approx(1.0)
    assert lowered[0] <= plain[0]
    order = 1 if logits[2] > logits[1] else -1 if logits[2] < logits[1] else 0
    assert (plain[2] - plain[1]) * order >= 0


@given(logits=st.lists(st.floats(-20, 20), min_size=3, max_size=3))
def test_without_a_calibration_entailment_is_the_softmax(logits: list[float]) -> None:
    powers = [math.exp(value) for value in logits]
    entailed, *_ = Calibration().probabilities(logits, LABELS, 0.0)
    assert entailed == pytest.approx(powers[0] / sum(powers))
