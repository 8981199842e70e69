from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.span import Span
from spanproof.core.verdicts.model import Entailment
from spanproof.verifier.entailment.calibration.calibration import Calibration
from spanproof.verifier.entailment.decide import CONTRADICTION_DECIDES, choose_window, decide
from spanproof.verifier.entailment.guard import (
    Boundaries,
    is_near,
    judge_guarded,
    log_odds,
    widen_tolerance,
)
from spanproof.verifier.entailment.labels import LabelMap
from spanproof.verifier.entailment.logits import Reading
from spanproof.verifier.entailment.null import not_run
from tests.builders import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Sequence

HALF = Boundaries(entailment=(0.5,), contradiction=(0.5,))
LABELS = LabelMap.from_names({0: "entailment", 1: "neutral", 2: "contradiction"})


def say(entailed: float, contradicted: float = 0.0, *, tolerance: float = 0.0) -> Entailment:
    return Entailment(
        reason=None,
        p_entailment=entailed,
        p_neutral=1 - entailed - contradicted,
        p_contradiction=contradicted,
        windows=1,
        coverage=1.0,
        evidence=Span(0, 1),
        tolerance=tolerance,
    )


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


@dataclass
class TwoRuns:
    """A model whose two runs say what they are told to; the pairs of the second are noted."""

    first: dict[str, Entailment]
    canonical: dict[str, Entailment]
    confirmed: list[str] = field(default_factory=list)
    identity = ScriptedModel().identity

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        return [self.first[premise] for premise, _ in pairs]

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        self.confirmed += [premise for premise, _ in pairs]
        return [self.canonical[premise] for premise, _ in pairs]

    def close(self) -> None:
        """It holds nothing."""


def test_only_what_comes_near_a_boundary_is_asked_again_and_the_canonical_run_decides() -> None:
    near, far = say(0.53, tolerance=0.4), say(0.9, tolerance=0.4)
    model = TwoRuns({"near": near, "far": far}, {"near": say(0.47, tolerance=0.002)})
    by_far, by_near = judge_guarded(model, [("far", "c"), ("near", "c")], HALF)
    assert model.confirmed == ["near"]
    assert (by_far.entailment, by_far.is_certain, by_far.is_confirmed) == (far, True, False)
    assert by_near.entailment.p_entailment == 0.47
    assert (by_near.is_certain, by_near.is_confirmed) == (True, True)


def test_what_the_canonical_run_leaves_open_stays_open() -> None:
    model = TwoRuns({"near": say(0.53, tolerance=0.4)}, {"near": say(0.5003, tolerance=0.002)})
    (guarded,) = judge_guarded(model, [("near", "c")], HALF)
    assert not guarded.is_certain


def test_a_canonical_answer_that_did_not_run_is_taken() -> None:
    model = TwoRuns({"near": say(0.53, tolerance=0.4)}, {"near": not_run("model_failed")})
    (guarded,) = judge_guarded(model, [("near", "c")], HALF)
    assert guarded.entailment.reason == "model_failed"


def test_nothing_near_asks_nobody() -> None:
    model = TwoRuns({"far": say(0.9)}, {})
    assert judge_guarded(model, [("far", "c")], HALF)[0].is_certain
    assert judge_guarded(model, [], HALF) == []
    assert model.confirmed == []


def test_what_did_not_run_is_near_to_nothing() -> None:
    assert not is_near(not_run("claim_too_long"), HALF)


def test_the_least_band_holds_for_a_model_that_claims_none() -> None:
    assert not is_near(say(0.5004), HALF)
    assert is_near(say(0.5004), Boundaries(entailment=(0.5,), least=0.01))


def test_a_contradiction_near_its_threshold_or_near_the_entailment_is_asked_again() -> None:
    boundaries = Boundaries(entailment=(0.9,), contradiction=(0.3,))
    assert is_near(say(0.05, 0.31, tolerance=0.05), boundaries)
    assert is_near(say(0.44, 0.45, tolerance=0.05), boundaries)
    assert not is_near(say(0.2, 0.6, tolerance=0.05), boundaries)
    # Below its threshold it decides nothing, however near to the entailment.
    assert not is_near(say(0.2, 0.2, tolerance=0.05), boundaries)


logits = st.tuples(*[st.floats(-6, 6)] * 3)


@given(
    rows=st.lists(st.tuples(logits, logits), min_size=1, max_size=4),
    scale=st.floats(0.2, 3),
    tolerance=st.floats(1e-3, 0.5),
    entailment=st.floats(0.05, 0.95),
    contradiction=st.floats(0.05, 0.95),
)
def test_runs_within_the_tolerance_decide_alike_wherever_neither_is_near(
    rows: list[tuple[tuple[float, ...], tuple[float, ...]]],
    scale: float,
    tolerance: float,
    entailment: float,
    contradiction: float,
) -> None:
    boundaries = Boundaries(entailment=(entailment,), contradiction=(contradiction,))
    spans = tuple(Span(index, index + 1) for index in range(len(rows)))
    one = tuple(row for row, _ in rows)
    # The second run moves every logit by at most the tolerance, in drawn directions.
    other = tuple(
        tuple(value + tolerance * math.sin(7 * shift) for value, shift in zip(*row, strict=True))
        for row in rows
    )
    answers = [
        decide(
            Reading(reason=None, logits=run, spans=spans, coverage=1.0, tolerance=tolerance),
            ("x" * len(rows), "x"),
            LABELS,
            Calibration(scale=scale),
        )
        for run in (one, other)
    ]

    def settle(answer: Entailment) -> tuple[bool, bool]:
        entailed, contradicted = answer.p_entailment or 0.0, answer.p_contradiction or 0.0
        return (
            contradicted >= contradiction and contradicted > entailed,
            entailed >= entailment,
        )

    if not is_near(answers[0], boundaries):
        # The canonical run is the other one: it must not turn what was let pass.
        assert settle(answers[0]) == settle(answers[1])


def test_two_windows_that_entail_alike_and_contradict_unlike_widen_the_tolerance() -> None:
    windows = [(0.300, 0.690, 0.010), (0.301, 0.199, 0.500)]
    chosen = choose_window(windows)
    wide = widen_tolerance(windows, chosen, tolerance=0.1, decides_at=CONTRADICTION_DECIDES)
    assert wide == pytest.approx(0.1 + log_odds(0.5) - log_odds(0.01))


def test_the_same_window_twice_widens_nothing() -> None:
    windows = [(0.3, 0.6, 0.1)] * 3
    wide = widen_tolerance(windows, 0, tolerance=0.1, decides_at=CONTRADICTION_DECIDES)
    assert wide == pytest.approx(0.1)


def test_log_odds_are_bounded() -> None:
    assert log_odds(0.0) == -log_odds(1.0) == -40.0
    assert log_odds(sigmoid(1.5)) == pytest.approx(1.5)
