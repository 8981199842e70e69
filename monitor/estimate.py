"""Rates with valid intervals: the judge's flags, and the truth by people's labels.

A judge errs, so the share that it flags is not the share that is wrong: its interval may be named
"judge-flagged" and nothing else. The true rate comes from a sample of two phases: people label some
of the answers that the judge flagged and some of those that it did not, and an exact interval of
each stratum bounds the whole. The bounds hold for a good judge and for a bad one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An estimate in [0, 1] and the interval that covers the truth with ``confidence``."""

    estimate: float
    low: float
    high: float
    confidence: float
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """An interval joined from parts; ``estimate`` is None where a part of it was not measured."""

    estimate: float | None
    low: float
    high: float
    confidence: float
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What people said of some answers; ``unclear`` are those of ``labelled`` they left open."""

    labelled: int = 0
    wrong: int = 0
    unclear: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledStratum:
    """All ``answers`` of a stratum; ``verified`` of them were drawn and judged.

    People labelled some of the ``flagged`` ones and some of the others. ``refused`` are those of
    the flagged that no one is shown: their payload could not be verified.
    """

    answers: int
    verified: int
    flagged: int
    refused: int = 0
    of_flagged: Labels = Labels()
    of_others: Labels = Labels()


def compute_wilson(flagged: int, total: int, *, confidence: float = 0.95) -> Interval:
    """The Wilson score interval of a share; InputError unless 0 <= flagged <= total, total > 0."""
    return _compute_proportion(flagged, total, confidence, "wilson")


def compute_exact(wrong: int, labelled: int, *, confidence: float = 0.95) -> Interval:
    """The Clopper-Pearson interval: for every rate it covers at least as often as stated."""
    return _compute_proportion(wrong, labelled, confidence, "clopper-pearson")


def compute_flagged(strata: Sequence[SampledStratum], *, confidence: float = 0.95) -> Bounds:
    """The share that the judge flags, of all answers: Wilson's interval in each stratum.

    Strata are weighed by their ``answers``; over several of them the intervals are joined by the
    union bound. A stratum of which nothing is verified may be anything, so there is no estimate.
    """
    _check_strata(strata)
    total = sum(stratum.answers for stratum in strata)
    each = 1 - (1 - confidence) / len(strata)
    parts: list[tuple[float, Bounds]] = []
    for stratum in strata:
        weight = stratum.answers / total
        found = _UNKNOWN
        if stratum.verified:
            found = _to_bounds(compute_wilson(stratum.flagged, stratum.verified, confidence=each))
        parts.append((weight, found))
    return _weigh(parts, confidence=confidence, method="wilson")


def compute_true_rate(strata: Sequence[SampledStratum], *, confidence: float = 0.95) -> Bounds:
    """The share of all answers that is wrong by people's labels; it holds for any judge.

    In each stratum four things are bounded exactly: how many are refused, how many of the rest are
    flagged, how many of those are wrong, and how many of the others; the union bound makes all of
    them hold at once. What is refused and what people left open counts as right for the lower end
    and as wrong for the upper one, and not at all for the estimate. There is no estimate where a
    part that was found has no label.
    """
    _check_strata(strata)
    total = sum(stratum.answers for stratum in strata)
    each = 1 - (1 - confidence) / (4 * len(strata))
    parts: list[tuple[float, Bounds]] = []
    for stratum in strata:
        found = _bound_stratum(stratum, each)
        weight = stratum.answers / total
        parts.append((weight, found))
    return _weigh(parts, confidence=confidence, method="two-phase clopper-pearson")


_UNKNOWN = Bounds(estimate=None, low=0.0, high=1.0, confidence=1.0, method="none")


def _bound_stratum(stratum: SampledStratum, confidence: float) -> Bounds:
    """The share of one stratum that is wrong, each of its four things at ``confidence``."""
    shown = stratum.verified - stratum.refused
    is_whole = stratum.verified == stratum.answers
    refused = _bound_share(stratum.refused, stratum.verified, confidence, is_whole=is_whole)
    flagged = _bound_share(stratum.flagged - stratum.refused, shown, confidence, is_whole=is_whole)
    wrong = _bound_labels(stratum.of_flagged, confidence)
    missed = _bound_labels(stratum.of_others, confidence)
    estimate = None
    if flagged.estimate is not None:
        estimate = _add_up(
            [(flagged.estimate, wrong.estimate), (1 - flagged.estimate, missed.estimate)]
        )
    ends = (flagged.low, flagged.high)
    low = min(_mix(share, wrong.low, missed.low) for share in ends)
    high = max(_mix(share, wrong.high, missed.high) for share in ends)
    # The more is refused, the less is known: its upper end bounds both.
    rest = 1 - refused.high
    return Bounds(
        estimate=estimate,
        low=rest * low,
        high=1 - rest * (1 - high),
        confidence=confidence,
        method="clopper-pearson",
    )


def _bound_share(count: int, total: int, confidence: float, *, is_whole: bool) -> Bounds:
    if not total:
        return _UNKNOWN
    found = _to_bounds(compute_exact(count, total, confidence=confidence))
    # Nothing was left out: the share is known.
    return replace(found, low=count / total, high=count / total) if is_whole else found


def _to_bounds(found: Interval) -> Bounds:
    return Bounds(
        estimate=found.estimate,
        low=found.low,
        high=found.high,
        confidence=found.confidence,
        method=found.method,
    )


def _weigh(parts: Sequence[tuple[float, Bounds]], *, confidence: float, method: str) -> Bounds:
    """The bounds of all strata together, each by its share of the answers."""
    low = high = 0.0
    for weight, found in parts:
        low += weight * found.low
        high += weight * found.high
    return Bounds(
        estimate=_add_up([(weight, found.estimate) for weight, found in parts]),
        low=low,
        high=min(high, 1.0),
        confidence=confidence,
        method=method,
    )


def _add_up(parts: Sequence[tuple[float, float | None]]) -> float | None:
    """The weighted sum; None where a part that has a weight is not known."""
    total = 0.0
    for weight, estimate in parts:
        if weight > 0:
            if estimate is None:
                return None
            total += weight * estimate
    return total


def _mix(share: float, of_flagged: float, of_others: float) -> float:
    return share * of_flagged + (1 - share) * of_others


def _bound_labels(labels: Labels, confidence: float) -> Bounds:
    if labels.labelled == 0:
        return _UNKNOWN
    least = compute_exact(labels.wrong, labels.labelled, confidence=confidence)
    most = compute_exact(labels.wrong + labels.unclear, labels.labelled, confidence=confidence)
    told = labels.labelled - labels.unclear
    estimate = labels.wrong / told if told else None
    return replace(_to_bounds(most), estimate=estimate, low=least.low)


def _check_strata(strata: Sequence[SampledStratum]) -> None:
    for each in strata:
        parts = (
            (each.flagged, each.verified),
            (each.verified, each.answers),
            (each.refused, each.flagged),
            (each.of_flagged.labelled, each.flagged - each.refused),
            (each.of_others.labelled, each.verified - each.flagged),
            (each.of_flagged.wrong + each.of_flagged.unclear, each.of_flagged.labelled),
            (each.of_others.wrong + each.of_others.unclear, each.of_others.labelled),
        )
        if any(not 0 <= part <= whole for part, whole in parts):
            msg = f"Expected counts that are parts of each other, got {each!r}."
            raise InputError(msg, hint="Count again.")
    if not sum(each.answers for each in strata):
        msg = "Expected at least one answer, got none."
        raise InputError(msg, hint="A rate needs at least one answer.")


def _compute_proportion(count: int, total: int, confidence: float, method: str) -> Interval:
    if not 0 <= count <= total or total == 0 or not 0 < confidence < 1:
        msg = f"Expected 0 <= count <= total, a total above 0, got {count} of {total}."
        raise InputError(msg, hint="Count again; a rate needs at least one answer.")
    bound = _bound_wilson if method == "wilson" else _bound_exactly
    low, high = bound(count, total, confidence)
    return Interval(
        estimate=count / total, low=low, high=high, confidence=confidence, method=method
    )


def _bound_wilson(count: int, total: int, confidence: float) -> tuple[float, float]:
    """Wilson's score interval, without continuity correction."""
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share, weight = count / total, 1 + z * z / total
    centre = (share + z * z / (2 * total)) / weight
    reach = z / weight * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (0.0 if count == 0 else centre - reach), (1.0 if count == total else centre + reach)


def _bound_exactly(count: int, total: int, confidence: float) -> tuple[float, float]:
    # A second of start-up, so only where a rate is computed.
    from scipy.stats import binomtest

    found = binomtest(count, total).proportion_ci(confidence, method="exact")
    return float(found.low), float(found.high)
