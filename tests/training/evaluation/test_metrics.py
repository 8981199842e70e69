from __future__ import annotations

import numpy as np
import pytest

from training.evaluation.metrics import (
    GRID,
    Scored,
    balanced_accuracy,
    bootstrap,
    calibration_error,
    choose_threshold,
    half_of,
    mean_over_halves,
    swap_halves,
)

RNG = np.random.default_rng(5)


def make_scored(rows: int = 800, *, noise: float = 0.1, centre: float = 0.3) -> Scored:
    """Two sources whose entailed rows score above ``centre`` but for some noise."""
    entailed = RNG.random(rows) < 0.5
    scores = np.clip(centre + np.where(entailed, 0.15, -0.15) + RNG.normal(0, noise, rows), 0, 1)
    sources = ["a" if row % 2 else "b" for row in range(rows)]
    docs = [f"doc-{row // 3}" for row in range(rows)]
    return Scored.of(scores, entailed, sources, docs)


def test_balanced_accuracy_weighs_both_classes_alike() -> None:
    entailed = np.array([True] * 9 + [False])
    assert balanced_accuracy(entailed, np.ones(10, dtype=bool)) == pytest.approx(0.5)
    assert balanced_accuracy(entailed, entailed) == 1.0
    assert np.isnan(balanced_accuracy(np.ones(3, dtype=bool), np.ones(3, dtype=bool)))


def test_the_threshold_finds_the_gap_and_not_one_half() -> None:
    threshold = choose_threshold(make_scored(), ["a", "b"])
    assert 0.24 <= threshold <= 0.36
    assert threshold in GRID


def test_no_document_is_in_both_halves() -> None:
    scored = make_scored()
    for doc in set(scored.docs.tolist()):
        assert len(set(scored.halves[scored.docs == doc].tolist())) == 1
    assert {half_of(f"doc-{n}") for n in range(20)} == {0, 1}


def test_scores_without_meaning_are_worth_one_half() -> None:
    scored = make_scored(4000, noise=5.0)
    called, _ = swap_halves(scored, ["a", "b"])
    figures = mean_over_halves(scored, called, ["a", "b"])
    assert np.mean(list(figures.values())) == pytest.approx(0.5, abs=0.05)


def test_the_figure_of_a_half_does_not_see_its_own_threshold() -> None:
    scored = make_scored()
    # Half 1 is turned over: thresholds chosen on half 0 must then fail on it.
    scored.entailed[scored.halves == 1] = ~scored.entailed[scored.halves == 1]
    called, _ = swap_halves(scored, ["a", "b"])
    rows = scored.halves == 1
    assert balanced_accuracy(scored.entailed[rows], called[rows]) < 0.3


def test_the_interval_holds_the_figure_and_narrows_with_rows() -> None:
    widths = []
    for rows in (200, 3200):
        scored = make_scored(rows, noise=0.2)
        called, _ = swap_halves(scored, ["a", "b"])
        figures = mean_over_halves(scored, called, ["a", "b"])
        low, high = bootstrap(scored, called, ["a", "b"], draws=200)["mean"]
        assert low - 0.01 <= np.mean(list(figures.values())) <= high + 0.01
        widths.append(high - low)
    assert widths[1] < widths[0]


def test_small_and_template_sources_stay_out_of_the_mean() -> None:
    entailed = np.array([True, False] * 60)
    sources = ["a"] * 50 + ["breaking_nli"] * 50 + ["small"] * 20
    scored = Scored.of(np.zeros(120), entailed, sources, [str(n) for n in range(120)])
    assert scored.large_sources() == ["a"]


def test_calibration_error_is_the_gap_between_said_and_seen() -> None:
    entailed = RNG.random(20_000) < 0.3
    assert calibration_error(np.full(20_000, 0.3), entailed) < 0.02
    assert calibration_error(np.full(20_000, 0.8), entailed) == pytest.approx(0.5, abs=0.02)
