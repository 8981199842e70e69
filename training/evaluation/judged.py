"""One way of scoring labelled rows, and what it comes to.

A figure is balanced accuracy, entailment against the rest. The threshold is one for all sources,
chosen on one half of the documents (best mean over the sources); the figure comes from the other
half, and the swap is averaged in. Sources with fewer than 20 rows of a class, and sentence
templates, stay out of the means.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from training.evaluation.groups import GROUNDING
from training.evaluation.metrics import bootstrap, mean_over_halves, swap_halves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.evaluation.metrics import Array, Scored


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """One way of scoring the dev rows and what it comes to, thresholds swapped between halves."""

    name: str
    scored: Scored
    called: Array
    thresholds: tuple[float, float]
    by_source: dict[str, float]
    intervals: dict[str, tuple[float, float]]

    @classmethod
    def of(cls, name: str, scored: Scored) -> Self:
        """Choose the thresholds and measure."""
        sources = scored.large_sources()
        called, thresholds = swap_halves(scored, sources)
        return cls(
            name=name,
            scored=scored,
            called=called,
            thresholds=thresholds,
            by_source=mean_over_halves(scored, called, sources),
            intervals=bootstrap(scored, called, sources),
        )

    def summarise(self, contradicted: Array) -> dict[str, Any]:
        """A row of the comparison: the means and the gravest mistake."""
        grounding = [source for source in self.by_source if source in GROUNDING]
        return {
            "name": self.name,
            "mean": float(np.mean(list(self.by_source.values()))),
            "interval": self.intervals["mean"],
            "grounding": _mean([self.by_source[source] for source in grounding]),
            "grounding_interval": (
                bootstrap(self.scored, self.called, grounding)["mean"] if grounding else None
            ),
            "contradictions_called_entailed": share(self.called[contradicted]),
        }


def share(rows: Array) -> float | None:
    """The share of true rows; None where there is no row."""
    return float(rows.mean()) if len(rows) else None


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
