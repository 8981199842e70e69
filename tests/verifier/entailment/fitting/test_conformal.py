from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from spanproof.verifier.entailment.fitting.conformal import (
    SEQUENCE,
    Sample,
    binomial_below,
    control_risk,
    draw_one_a_document,
    state_risk,
    upper_limit,
)

ALPHA, DELTA, DRAWS = 0.1, 0.05, 600
#: What 600 draws may show above delta with a chance of one in a thousand.
MARGIN = 3.1 * (DELTA * (1 - DELTA) / DRAWS) ** 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Scores are uniform; a score of s is entailed with the chance ``s ** (1 / skill)``."""

    skill: float

    def draw(self, rows: int, rng: np.random.Generator) -> Sample:
        """Scores and whether each is entailed."""
        scores = rng.random(rows)
        entailed = rng.random(rows) < scores ** (1 / self.skill)
        return Sample(scores=scores, entailed=entailed)

    def risk(self, threshold: float) -> float:
        """The true share of unsupported rows among those at or above a threshold."""
        power = 1 / self.skill
        supported = (1 - threshold ** (power + 1)) / ((power + 1) * (1 - threshold))
        return float(1 - supported)


@pytest.mark.long
@pytest.mark.parametrize(("skill", "rows"), [(0.8, 600), (2.0, 600), (4.0, 100), (4.0, 600)])
def test_the_promise_fails_no_more_often_than_delta(skill: float, rows: int) -> None:
    population = Population(skill=skill)
    rng = np.random.default_rng(11)
    failures = found = 0
    for _ in range(DRAWS):
        pilot, tested = population.draw(rows, rng), population.draw(rows, rng)
        bound = control_risk(tested, pilot, alpha=ALPHA, delta=DELTA)
        assert bound.n == rows
        if bound.threshold is not None:
            found += 1
            failures += population.risk(bound.threshold) > ALPHA
    assert failures / DRAWS <= DELTA + MARGIN
    # A promise that is never made would be kept too.
    assert found / DRAWS > (0.5 if rows == 600 and skill > 1 else 0.0)


def test_the_loosest_threshold_that_looks_right_breaks_the_promise() -> None:
    population = Population(skill=2.0)
    rng = np.random.default_rng(12)
    failures = 0
    for _ in range(DRAWS):
        drawn = population.draw(600, rng)
        scores, entailed = drawn.scores, drawn.entailed
        shares = {
            value: float((~entailed[scores >= value]).mean())
            for value in SEQUENCE
            if (scores >= value).any()
        }
        naive = min(value for value, share in shares.items() if share <= ALPHA)
        failures += population.risk(naive) > ALPHA
    assert failures / DRAWS > DELTA + 5 * MARGIN


@pytest.mark.long
def test_picking_the_best_of_many_exact_limits_breaks_it_too() -> None:
    # Every threshold is no better than alpha allows, so each accepted one is a failure.
    rng = np.random.default_rng(13)
    failures = walked = 0
    for _ in range(DRAWS):
        scores, pilot = rng.random(300), rng.random(300)
        entailed, pilot_entailed = (rng.random((2, 300))) > ALPHA * 1.02
        proved = [
            binomial_below(
                int((~entailed[scores >= value]).sum()), int((scores >= value).sum()), ALPHA
            )
            <= DELTA
            for value in SEQUENCE
        ]
        failures += any(proved)
        bound = control_risk(
            Sample(scores=scores, entailed=entailed),
            Sample(scores=pilot, entailed=pilot_entailed),
            alpha=ALPHA,
            delta=DELTA,
        )
        walked += bound.threshold is not None
    assert failures / DRAWS > 2 * DELTA
    assert walked / DRAWS <= DELTA + MARGIN


@pytest.mark.parametrize(
    ("errors", "count", "delta", "expected"),
    [
        # 1 - delta ** (1 / n), and two values of published Clopper-Pearson tables.
        (0, 29, 0.05, 1 - 0.05 ** (1 / 29)),
        (0, 10, 0.025, 0.30850),
        (1, 10, 0.025, 0.44502),
        (5, 100, 0.05, 0.10225),
    ],
)
def test_the_limit_is_clopper_and_pearson_s(
    errors: int, count: int, delta: float, expected: float
) -> None:
    limit = upper_limit(errors, count, delta)
    assert limit == pytest.approx(expected, abs=1e-5)
    assert binomial_below(errors, count, limit) == pytest.approx(delta)


def test_nothing_seen_proves_nothing() -> None:
    assert upper_limit(0, 0, DELTA) == 1.0
    empty = Sample(scores=np.array([]), entailed=np.array([], dtype=bool))
    bound = control_risk(empty, empty, alpha=ALPHA, delta=DELTA)
    assert (bound.threshold, bound.n) == (None, 0)


def test_what_could_not_be_proved_is_told() -> None:
    sample = Sample(scores=np.linspace(0.5, 1, 200), entailed=np.arange(200) % 2 == 0)
    bound = control_risk(sample, sample, alpha=ALPHA, delta=DELTA)
    assert bound.threshold is None
    assert 0 < bound.errors < bound.selected <= bound.n
    assert bound.upper is not None
    assert bound.upper > ALPHA


def test_no_threshold_lies_below_the_floor() -> None:
    always = Sample(scores=np.linspace(0, 1, 400), entailed=np.ones(400, dtype=bool))
    bound = control_risk(always, always, alpha=0.1, delta=0.05, floor=0.6)
    assert bound.threshold == 0.6
    assert bound.errors == 0


def test_one_row_of_each_document_is_drawn_and_always_the_same() -> None:
    docs = np.array([f"d{row // 3}" for row in range(90)])
    rows = np.arange(90) % 2 == 0
    drawn = draw_one_a_document(docs, rows)
    assert sorted(docs[drawn]) == sorted(set(docs[rows]))
    assert rows[drawn].all()
    assert (drawn == draw_one_a_document(docs, rows)).all()
    others = draw_one_a_document(docs, rows, seed=8)
    assert (drawn != others).any()


def test_what_is_stated_counts_what_passes() -> None:
    entailed = np.array([True, False, True, False])
    sample = Sample(scores=np.array([1.0, 1.0, 1.0, 0.0]), entailed=entailed)
    stated = state_risk(sample, alpha=0.05, delta=0.05)
    assert (stated.n, stated.selected, stated.errors, stated.threshold) == (4, 3, 1, None)
    assert stated.upper == upper_limit(1, 3, 0.05)
