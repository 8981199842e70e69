"""Figures over sources with intervals: thresholds swapped between halves, documents drawn anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spanproof.verifier.entailment.fitting import thresholds as fitting
from spanproof.verifier.entailment.fitting.measure import calibration_error
from spanproof.verifier.entailment.fitting.thresholds import (
    GRID,
    MIN_CLASS_ROWS,
    Array,
    balanced_accuracy,
    choose_threshold,
    half_of,
    mean_by_source,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "GRID",
    "MIN_CLASS_ROWS",
    "TEMPLATE_SOURCES",
    "Array",
    "Scored",
    "balanced_accuracy",
    "bootstrap",
    "calibration_error",
    "choose_threshold",
    "half_of",
    "mean_by_source",
    "mean_over_halves",
    "swap_halves",
]

#: Its claims alone give the label away in 80 % of the cases, so it is kept out of every mean.
TEMPLATE_SOURCES = frozenset({"breaking_nli"})
#: Documents in a half from which its intervals are made of documents.
MIN_DOCUMENTS = 10


class Scored(fitting.Scored):
    """The same columns; sentence templates are no source of a mean."""

    __slots__ = ()

    def large_sources(self) -> list[str]:
        """Sources with enough rows of each class, templates apart."""
        return [
            source
            for source in fitting.Scored.large_sources(self)
            if source not in TEMPLATE_SOURCES
        ]


def swap_halves(scored: Scored, sources: Sequence[str]) -> tuple[Array, tuple[float, float]]:
    """Rows called entailed at the threshold chosen on the other half, and both thresholds."""
    called = np.zeros(len(scored.scores), dtype=bool)
    thresholds = []
    for half in (0, 1):
        threshold = choose_threshold(scored.take(scored.halves != half), sources)
        rows = scored.halves == half
        called[rows] = scored.scores[rows] >= threshold
        thresholds.append(threshold)
    return called, (thresholds[0], thresholds[1])


def mean_over_halves(scored: Scored, called: Array, sources: Sequence[str]) -> dict[str, float]:
    """Balanced accuracy of each source: the mean of its figures on the two halves."""
    figures = {}
    for source in sources:
        halves = []
        for half in (0, 1):
            rows = (scored.sources == source) & (scored.halves == half)
            halves.append(balanced_accuracy(scored.entailed[rows], called[rows]))
        figures[source] = float(np.nanmean(halves))
    return figures


def bootstrap(
    scored: Scored, called: Array, sources: Sequence[str], *, draws: int = 1000, seed: int = 7
) -> dict[str, tuple[float, float]]:
    """95 % intervals by source and of their ``mean``: documents drawn anew, thresholds kept.

    As in ``mean_over_halves`` the halves count alike, so documents are drawn within each. A half
    with fewer than ``MIN_DOCUMENTS`` would hardly vary: its rows are drawn instead, and the
    interval is of those documents, not of others like them.
    """
    rng = np.random.default_rng(seed)
    samples = []
    for source in sources:
        halves = [
            _draw_figures(scored.take(rows), called[rows], draws, rng)
            for half in (0, 1)
            if (rows := (scored.sources == source) & (scored.halves == half)).any()
        ]
        samples.append(_mean_known(np.stack(halves)))
    intervals = {
        source: _interval(figures) for source, figures in zip(sources, samples, strict=True)
    }
    intervals["mean"] = _interval(_mean_known(np.stack(samples)))
    return intervals


def _draw_figures(scored: Scored, called: Array, draws: int, rng: np.random.Generator) -> Array:
    """Balanced accuracy of as many documents drawn with replacement; NaN without a class."""
    _, groups = np.unique(scored.docs, return_inverse=True)
    if groups.max() + 1 < MIN_DOCUMENTS:
        groups = np.arange(len(groups))
    count = int(groups.max()) + 1
    right = called == scored.entailed
    # By document: rows of each class, and those of them that are right.
    tallies = np.stack(
        [
            np.bincount(groups, weights=of_class & kind, minlength=count)
            for of_class in (scored.entailed, ~scored.entailed)
            for kind in (np.ones(len(right), dtype=bool), right)
        ]
    )
    drawn = rng.integers(0, count, (draws, count))
    positive, found, negative, refused = tallies[:, drawn].sum(axis=2)
    with np.errstate(invalid="ignore"):
        figures: Array = (found / positive + refused / negative) / 2
    return figures


def _mean_known(figures: Array) -> Array:
    """Mean over the first axis of what is not NaN; NaN where nothing is known."""
    known = ~np.isnan(figures)
    with np.errstate(invalid="ignore"):
        mean: Array = np.where(known, figures, 0.0).sum(axis=0) / known.sum(axis=0)
    return mean


def _interval(figures: Array) -> tuple[float, float]:
    low, high = np.nanpercentile(figures, [2.5, 97.5])
    return float(low), float(high)
