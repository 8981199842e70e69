"""How far a stated probability is from a rate: calibration error and the reliability table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanproof.verifier.entailment.fitting.labelled import Label

if TYPE_CHECKING:
    from spanproof.verifier.entailment.fitting.thresholds import Array

BINS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """The rows whose score lies in ``[low, high)``: their number, the stated and the true share."""

    low: float
    high: float
    rows: int
    said: float
    seen: float


def reliability_table(
    scores: Array, entailed: Array, *, bins: int = BINS
) -> tuple[ReliabilityBin, ...]:
    """The non-empty bins of equal width, lowest first."""
    places = np.minimum((scores * bins).astype(int), bins - 1)
    return tuple(
        ReliabilityBin(
            low=float(place / bins),
            high=float((place + 1) / bins),
            rows=int((places == place).sum()),
            said=float(scores[places == place].mean()),
            seen=float(entailed[places == place].mean()),
        )
        for place in np.unique(places)
    )


def calibration_error(scores: Array, entailed: Array, *, bins: int = BINS) -> float:
    """Expected calibration error over equal-width bins of the score."""
    table = reliability_table(scores, entailed, bins=bins)
    return float(sum(bin_.rows * abs(bin_.said - bin_.seen) for bin_ in table) / len(scores))


def negative_log_likelihood(probabilities: Array, labels: Array) -> float:
    """Mean cost in nats; where only "not entailed" is known, -log(1 - p_entailment)."""
    known = probabilities[np.arange(len(labels)), np.minimum(labels, Label.CONTRADICTION)]
    picked = np.where(labels == Label.NOT_ENTAILMENT, 1 - probabilities[:, 0], known)
    return float(-np.log(np.clip(picked, 1e-9, 1)).mean())
