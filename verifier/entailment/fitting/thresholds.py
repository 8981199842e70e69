"""Thresholds and their quality: balanced accuracy over sources, intervals over documents."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Thresholds that are tried. Means over neighbours keep a lucky row from choosing.
GRID = np.round(np.arange(0.02, 0.981, 0.01), 2)
_SMOOTHING = 5
#: How often the documents are drawn anew for an interval, and the seed of the draws.
_DRAWS = 200
_DRAW_SEED = 7
#: A source with fewer rows of either class says little by itself.
MIN_CLASS_ROWS = 20

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
    ) -> Self:
        """Halves are cut by document, so that no document is in both."""
        return cls(
            scores=scores,
            entailed=entailed,
            sources=np.array(sources),
            docs=np.array(docs),
            halves=np.array([half_of(doc) for doc in docs]),
        )

    def take(self, rows: Array) -> Self:
        """The rows of a mask or of indexes."""
        return type(self)(
            scores=self.scores[rows],
            entailed=self.entailed[rows],
            sources=self.sources[rows],
            docs=self.docs[rows],
            halves=self.halves[rows],
        )

    def large_sources(self) -> list[str]:
        """Sources with enough rows of each class."""
        return balanced_sources(self.sources, self.entailed)


def balanced_sources(sources: Array, entailed: Array) -> list[str]:
    """The names of the sources with enough rows of each class."""
    return [
        str(source)
        for source in np.unique(sources)
        if min(np.bincount(entailed[sources == source], minlength=2)) >= MIN_CLASS_ROWS
    ]


def half_of(doc: str) -> int:
    """0 or 1, by the document's name alone."""
    return hashlib.sha256(doc.encode("utf-8", "surrogatepass")).digest()[0] & 1


def balanced_accuracy(entailed: Array, called: Array) -> float:
    """Mean of both classes' recall; NaN where a class has no row."""
    if not entailed.any() or entailed.all():
        return float("nan")
    return float((called[entailed].mean() + (~called[~entailed]).mean()) / 2)


def mean_by_source(scored: Scored, sources: Sequence[str], threshold: float) -> float:
    """Mean over the sources of balanced accuracy at one threshold; sources without a class drop.

    Without a source that has both, all rows are one source.
    """
    figures = []
    for source in sources:
        rows = scored.sources == source
        called = scored.scores[rows] >= threshold
        figures.append(balanced_accuracy(scored.entailed[rows], called))
    if not any(np.isfinite(figures)):
        return balanced_accuracy(scored.entailed, scored.scores >= threshold)
    return float(np.nanmean(figures))


def choose_threshold(
    scored: Scored,
    sources: Sequence[str],
    *,
    contradicted: Array | None = None,
    max_contradicted: float = 1.0,
) -> float:
    """The threshold of the grid with the best smoothed mean over the sources.

    Of equals the one nearest to one half: few rows leave wide gaps in which any would do.
    Of those only at which at most ``max_contradicted`` of the ``contradicted`` rows (a mask) are
    called entailed; where none is, the highest of the grid.
    """
    padded = np.pad(_trace_means(scored, sources), _SMOOTHING // 2, mode="edge")
    smooth = np.convolve(padded, np.ones(_SMOOTHING) / _SMOOTHING, mode="valid")
    if contradicted is not None and contradicted.any():
        wrong = (scored.scores[contradicted][:, None] >= GRID).mean(axis=0)
        allowed = wrong <= max_contradicted
        if not allowed.any():
            return float(GRID[-1])
        smooth = np.where(allowed, smooth, -np.inf)
    best = np.flatnonzero(smooth >= smooth.max() - 1e-12)
    return float(GRID[best[np.argmin(np.abs(GRID[best] - 0.5))]])


def _trace_means(scored: Scored, sources: Sequence[str]) -> Array:
    """``mean_by_source`` at every threshold of the grid."""
    groups = [scored.sources == source for source in sources]
    both = [g for g in groups if scored.entailed[g].any() and not scored.entailed[g].all()]
    figures = [
        (
            1
            + _share_called(scored.scores[group & scored.entailed])
            - _share_called(scored.scores[group & ~scored.entailed])
        )
        / 2
        for group in both or [np.ones(len(scored.scores), dtype=bool)]
    ]
    return np.asarray(np.mean(figures, axis=0))


def _share_called(scores: Array) -> Array:
    """The share of scores at or above each threshold of the grid."""
    return 1 - np.searchsorted(np.sort(scores), GRID, side="left") / max(1, len(scores))


def threshold_interval(
    scored: Scored,
    sources: Sequence[str],
    *,
    contradicted: Array,
    max_contradicted: float,
) -> tuple[float, float]:
    """The 95 % interval of ``choose_threshold``: documents drawn anew."""
    rng = np.random.default_rng(_DRAW_SEED)
    _, groups = np.unique(scored.docs, return_inverse=True)
    order = np.argsort(groups, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    chosen = np.empty(_DRAWS)
    for draw in range(_DRAWS):
        rows = np.concatenate([members[i] for i in rng.integers(0, len(members), len(members))])
        chosen[draw] = choose_threshold(
            scored.take(rows),
            sources,
            contradicted=contradicted[rows],
            max_contradicted=max_contradicted,
        )
    low, high = np.percentile(chosen, [2.5, 97.5])
    return float(low), float(high)
