"""Rates: what an interval says holds as often as it says."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import InputError
from monitor.estimate import (
    LabelledStratum,
    compute_exact,
    compute_two_phase,
    compute_wilson,
    weigh_total,
)


def test_wilson_and_exact_intervals_are_the_known_ones() -> None:
    # Brown, Cai and DasGupta (2001): 0 of 20 and 5 of 20.
    wilson = compute_wilson(5, 20)
    assert (round(wilson.low, 4), round(wilson.high, 4)) == (0.1119, 0.4687)
    exact = compute_exact(0, 20)
    assert (exact.low, round(exact.high, 4)) == (0.0, 0.1684)
    assert (wilson.method, exact.method) == ("wilson", "clopper-pearson")
    assert wilson.estimate == 0.25


@pytest.mark.parametrize(("count", "total"), [(1, 0), (0, 0), (3, 2), (-1, 5)])
def test_counts_that_cannot_be_are_refused(count: int, total: int) -> None:
    with pytest.raises(InputError, match="count"):
        compute_wilson(count, total)


def test_two_phases_cover_the_true_rate_whatever_the_judge_is_worth() -> None:
    random = np.random.default_rng(20261122)
    true_rate, sensitivity, specificity, judged, labels = 0.03, 0.85, 0.95, 20_000, 200
    covered = naive = 0
    runs = 60
    for _ in range(runs):
        wrong = random.random(judged) < true_rate
        flagged = np.where(
            wrong, random.random(judged) < sensitivity, random.random(judged) > specificity
        )
        strata = []
        for part in (flagged, ~flagged):
            chosen = random.choice(np.flatnonzero(part), labels, replace=False)
            strata.append(
                LabelledStratum(
                    weight=float(part.mean()), labelled=labels, wrong=int(wrong[chosen].sum())
                )
            )
        found = compute_two_phase(strata)
        covered += found.low <= true_rate <= found.high
        by_judge = compute_wilson(int(flagged.sum()), judged)
        naive += by_judge.low <= true_rate <= by_judge.high
    assert covered == runs
    # The interval of what the judge flags never holds the true rate: it is a rate of flags.
    assert naive == 0


def test_a_stratum_without_labels_may_be_anything() -> None:
    found = compute_two_phase(
        [
            LabelledStratum(weight=0.5, labelled=0, wrong=0),
            LabelledStratum(weight=0.5, labelled=1000, wrong=0),
        ]
    )
    assert found.low == 0
    assert found.high > 0.5
    assert found.method == "two-phase clopper-pearson"


@pytest.mark.parametrize("weights", [[], [0.5], [0.7, 0.7], [1.5, -0.5]])
def test_weights_must_be_one_together(weights: list[float]) -> None:
    with pytest.raises(InputError, match="weights"):
        compute_two_phase([LabelledStratum(weight=w, labelled=1, wrong=0) for w in weights])


def test_a_sample_stands_for_the_inverse_of_its_probabilities() -> None:
    assert weigh_total([0.5, 0.25, 1.0]) == 7
    with pytest.raises(InputError, match="probability"):
        weigh_total([0.5, 0.0])
