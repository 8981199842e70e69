"""Balanced accuracy, thresholds, intervals and calibration error over labelled scores."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Thresholds that are tried. Means over neighbours keep a lucky row from choosing.
GRID = np.round(np.arange(0.02, 0.981, 0.01), 2)
_SMOOTHING = 5
#: A source with fewer rows of either class says little by itself.
MIN_CLASS_ROWS = 20
#: Its claims alone give the label away in 80 % of the cases, so it is kept out of every mean.
TEMPLATE_SOURCES = frozenset({"breaking_nli"})

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scored:
    """One score a row in [0, 1], whether the row is entailed, its source, document and half."""

    scores: Array
    entailed: Array
    sources: Array
    docs: Array
    halves: Array

    @classmethod
    def of(
        cls, scores: Array, entailed: Array, sources: Sequence[str], docs: Sequence[str]
    ) -> Scored:
        """Halves are cut by document, so that no document is in both."""
        return cls(
            scores=scores,
            entailed=entailed,
            sources=np.array(sources),
            docs=np.array(docs),
            halves=np.array([half_of(doc) for doc in docs]),
        )

    def take(self, rows: Array) -> Scored:
        """The rows of a mask or of indexes."""
        return Scored(
            scores=self.scores[rows],
            entailed=self.entailed[rows],
            sources=self.sources[rows],
            docs=self.docs[rows],
            halves=self.halves[rows],
        )

    def large_sources(self) -> list[str]:
        """Sources with enough rows of each class, templates apart."""
        return [
            str(source)
            for source in np.unique(self.sources)
            if source not in TEMPLATE_SOURCES
            and min(np.bincount(self.entailed[self.sources == source], minlength=2))
            >= MIN_CLASS_ROWS
        ]


def half_of(doc: str) -> int:
    """0 or 1, by the document's name alone."""
    return hashlib.sha256(doc.encode()).digest()[0] & 1


def balanced_accuracy(entailed: Array, called: Array) -> float:
    """Mean of both classes' recall; NaN where a class has no row."""
    if not entailed.any() or entailed.all():
        return float("nan")
    return float((called[entailed].mean() + (~called[~entailed]).mean()) / 2)


def mean_by_source(scored: Scored, sources: Sequence[str], threshold: float) -> float:
    """Mean over the sources of balanced accuracy at one threshold; sources without a class drop."""
    figures = []
    for source in sources:
        rows = scored.sources == source
        called = scored.scores[rows] >= threshold
        figures.append(balanced_accuracy(scored.entailed[rows], called))
    return float(np.nanmean(figures))


def choose_threshold(scored: Scored, sources: Sequence[str]) -> float:
    """The threshold of the grid with the best smoothed mean over the sources."""
    figures = np.array([mean_by_source(scored, sources, float(value)) for value in GRID])
    padded = np.pad(figures, _SMOOTHING // 2, mode="edge")
    smooth = np.convolve(padded, np.ones(_SMOOTHING) / _SMOOTHING, mode="valid")
    return float(GRID[int(np.argmax(smooth))])


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
    """95 % intervals by source and of their ``mean``: documents drawn anew, thresholds kept."""
    rng = np.random.default_rng(seed)
    samples: dict[str, Array] = {}
    for source in sources:
        rows = np.flatnonzero(scored.sources == source)
        _, groups = np.unique(scored.docs[rows], return_inverse=True)
        members = [rows[groups == group] for group in range(groups.max() + 1)]
        figures = np.empty(draws)
        for draw in range(draws):
            drawn = np.concatenate(
                [members[i] for i in rng.integers(0, len(members), len(members))]
            )
            figures[draw] = balanced_accuracy(scored.entailed[drawn], called[drawn])
        samples[source] = figures
    intervals = {source: _interval(figures) for source, figures in samples.items()}
    intervals["mean"] = _interval(np.nanmean(np.stack(list(samples.values())), axis=0))
    return intervals


def _interval(figures: Array) -> tuple[float, float]:
    low, high = np.nanpercentile(figures, [2.5, 97.5])
    return float(low), float(high)


def calibration_error(scores: Array, entailed: Array, *, bins: int = 15) -> float:
    """Expected calibration error over equal-width bins of the score."""
    places = np.minimum((scores * bins).astype(int), bins - 1)
    return float(
        sum(
            (places == place).mean()
            * abs(scores[places == place].mean() - entailed[places == place].mean())
            for place in np.unique(places)
        )
    )
