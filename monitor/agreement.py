"""How far reviewers agree: Krippendorff's alpha for nominal labels, with a bootstrap interval.

Source: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), sections B and C; the
tests have its worked examples. The interval resamples whole units, as the labels of one unit hang
together (B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: Enough for two digits of a 95 % interval.
_ROUNDS = 2000
#: Fewer units have no spread to tell of.
LEAST_UNITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """``alpha`` is 1 for full agreement and 0 for what chance gives; None where nothing varies.

    ``units`` have two labels or more, ``labels`` counts theirs. ``low`` and ``high`` hold 95 %;
    they are None below ``LEAST_UNITS`` units.
    """

    alpha: float | None
    low: float | None
    high: float | None
    units: int
    labels: int


def compute_agreement(units: Sequence[Sequence[str]], *, seed: int = 0) -> Agreement:
    """Alpha over units, each the labels that people gave it; a unit of one label says nothing."""
    paired = [each for each in units if len(each) > 1]
    names = sorted({label for each in paired for label in each})
    counts = np.array([[each.count(name) for name in names] for each in paired], dtype=np.float64)
    size = int(counts.sum())
    alpha = _compute_alpha(counts, np.ones((1, len(paired))))[0] if paired else np.nan
    if np.isnan(alpha):
        return Agreement(alpha=None, low=None, high=None, units=len(paired), labels=size)
    if len(paired) < LEAST_UNITS:
        return Agreement(alpha=float(alpha), low=None, high=None, units=len(paired), labels=size)
    drawn = np.random.default_rng(seed).multinomial(
        len(paired), np.full(len(paired), 1 / len(paired)), size=_ROUNDS
    )
    rounds = _compute_alpha(counts, drawn.astype(np.float64))
    # A round that drew one label alone has no alpha.
    low, high = np.nanpercentile(rounds, (2.5, 97.5))
    return Agreement(
        alpha=float(alpha), low=float(low), high=float(high), units=len(paired), labels=size
    )


def _compute_alpha(
    counts: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Alpha for each row of weights over the units; NaN where all labels are the same.

    ``counts`` is units x labels, ``weights`` rounds x units: how often a unit was drawn.
    """
    of_unit = counts.sum(axis=1)
    # Pairs of different labels within a unit, each by 1 / (m - 1) as the paper's coincidences are.
    apart = (of_unit**2 - (counts**2).sum(axis=1)) / (of_unit - 1)
    totals = weights @ counts
    size = totals.sum(axis=1)
    expected = size**2 - (totals**2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = 1 - (size - 1) * (weights @ apart) / expected
    return np.where(expected > 0, found, np.nan)
