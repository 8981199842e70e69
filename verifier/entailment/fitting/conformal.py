"""A certificate: a threshold that keeps the unsupported share below alpha, surely.

The risk of a threshold is selective: the share of pairs that are not entailed among those reported
ENTAILED (Geifman and El-Yaniv 2017, "Selective classification for deep neural networks"). Whether
it exceeds alpha is tested with the exact binomial (Clopper-Pearson) limit, threshold after
threshold from strict to loose, and the walk ends at the first that is not proved: fixed-sequence
testing, which needs no correction for the many looks and so keeps the guarantee (Angelopoulos,
Bates, Candès, Jordan and Lei 2021, "Learn then test: calibrating predictive algorithms to achieve
risk control"). Where the walk begins is chosen on pairs that it never tests.

The binomial limit holds for independent pairs. Pairs of one document are not, so one of each
document is drawn: the bound speaks of a pair of a new document.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.verdicts.calibration import ErrorBound

if TYPE_CHECKING:
    from spanproof.verifier.entailment.fitting.thresholds import Array

METHOD = "learn-then-test: selective risk, Clopper-Pearson, fixed sequence, one pair a document"
#: Thresholds from strict to loose, fixed before any pair is seen.
SEQUENCE = tuple(round(1 - step / 100, 2) for step in range(1, 100))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Pairs, one a document: their scores, and whether each is entailed (a mask)."""

    scores: Array
    entailed: Array


def control_risk(
    tested: Sample, pilot: Sample, *, alpha: float, delta: float, floor: float = 0.0
) -> ErrorBound:
    """The loosest threshold at or above ``floor`` that is proved to keep ``alpha``.

    With probability ``1 - delta`` over the draw of the independent rows ``tested``, at most
    ``alpha`` of what the threshold selects is not entailed. The pilot rows only choose the first
    threshold of the walk. The threshold is None where not even the first is proved.
    """
    sequence = [value for value in SEQUENCE if value >= floor]
    n = len(tested.scores)
    start = _choose_start(sequence, pilot, alpha=alpha, delta=delta, n=n)
    proved: float | None = None
    selected = errors = 0
    walk = sequence[start:]
    for value, (count, wrong) in zip(walk, _count(tested, walk), strict=True):
        # The same as an upper limit of at most alpha, and found without a search.
        is_proved = binomial_below(wrong, count, alpha) <= delta
        if is_proved or proved is None:
            # The report also tells the first attempt without proof, so that the next step is plain.
            selected, errors = count, wrong
        if not is_proved:
            break
        proved = value
    return ErrorBound(
        alpha=alpha,
        delta=delta,
        n=n,
        threshold=proved,
        selected=selected,
        errors=errors,
        upper=upper_limit(errors, selected, delta),
        method=METHOD,
    )


def state_risk(tested: Sample, *, alpha: float, delta: float) -> ErrorBound:
    """What rows that chose nothing show of what is passed: ``scores`` of 1 pass, of 0 do not."""
    selected = int((tested.scores > 0).sum())
    errors = int(((tested.scores > 0) & ~tested.entailed).sum())
    return ErrorBound(
        alpha=alpha,
        delta=delta,
        n=len(tested.scores),
        threshold=None,
        selected=selected,
        errors=errors,
        upper=upper_limit(errors, selected, delta),
        method=METHOD,
    )


def draw_one_a_document(docs: Array, rows: Array, *, seed: int = 7) -> Array:
    """Indexes of one row of each document among ``rows`` (a mask), by a seeded draw."""
    rng = np.random.default_rng(seed)
    used = np.flatnonzero(rows)
    shuffled = used[rng.permutation(len(used))]
    _, first = np.unique(docs[shuffled], return_index=True)
    return np.sort(shuffled[first])


def upper_limit(errors: int, count: int, delta: float) -> float:
    """The exact one-sided upper confidence limit of a binomial share; 1 where nothing was seen."""
    if count == 0 or errors >= count:
        return 1.0
    low, high = errors / count, 1.0
    # The chance of so few errors falls as the share grows: 60 halvings reach double precision.
    for _ in range(60):
        middle = (low + high) / 2
        if binomial_below(errors, count, middle) > delta:
            low = middle
        else:
            high = middle
    return high


def binomial_below(errors: int, count: int, share: float) -> float:
    """The chance of at most ``errors`` among ``count`` draws of this share."""
    if share <= 0:
        return 1.0
    if share >= 1:
        return float(errors >= count)
    return min(1.0, float(_binomial_chances(errors, count, share).sum()))


def _binomial_chances(most: int, count: int, share: float) -> Array:
    """The chances of 0 to ``most`` errors among ``count`` draws; the share is inside (0, 1)."""
    counts = np.arange(most + 1)
    logs = _log_ways(count)[: most + 1]
    logs = logs + counts * math.log(share) + (count - counts) * math.log1p(-share)
    return np.asarray(np.exp(logs))


def _count(sample: Sample, thresholds: list[float]) -> list[tuple[int, int]]:
    """At each threshold, how many rows are selected and how many of those are not entailed."""
    selected = sample.scores[:, None] >= np.array(thresholds)
    wrong = selected & ~sample.entailed[:, None]
    return list(zip(selected.sum(axis=0).tolist(), wrong.sum(axis=0).tolist(), strict=True))


@lru_cache(maxsize=4096)
def _log_ways(count: int) -> Array:
    """The logarithms of the binomial coefficients of ``count``."""
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])
    return np.asarray(factorials[count] - factorials - factorials[::-1])


def _choose_start(
    sequence: list[float], pilot: Sample, *, alpha: float, delta: float, n: int
) -> int:
    """Where the pilot says that ``n`` new rows are likeliest to prove alpha.

    A walk that begins where few rows are selected ends at once, and one that begins too loosely,
    too. Of equals the loosest.
    """
    chances = []
    for count, wrong in _count(pilot, sequence):
        expected = round(count * n / max(1, len(pilot.scores)))
        allowed = _most_errors(expected, alpha, delta)
        # Laplace's rule: a pilot without an error is not without risk.
        share = (wrong + 1) / (count + 2)
        chances.append(0.0 if allowed is None else binomial_below(allowed, expected, share))
    return len(chances) - 1 - int(np.argmax(chances[::-1]))


@lru_cache(maxsize=4096)
def _most_errors(count: int, alpha: float, delta: float) -> int | None:
    """The most errors among ``count`` that still prove alpha; None where not even 0 does."""
    below = np.cumsum(_binomial_chances(count, count, alpha))
    proving = int(np.searchsorted(below, delta, side="right"))
    return proving - 1 if proving else None
