"""Scale, bias and weights by maximum likelihood, drawn towards a prior where rows are few.

The weights are fitted so that the ranking is best over sources: every source counts the same, and
both classes of a source the same. Scale and bias are then fitted on plain rows, so that a
probability is a rate. Nothing is random: the same rows give the same numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanproof.verifier.entailment.fitting.thresholds import balanced_sources

if TYPE_CHECKING:
    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from spanproof.verifier.entailment.fitting.observations import Array, Evidence

#: Precision of the prior: about what thirty rows near the threshold say. It holds a fit on few rows
#: near the calibration that there was before and is nothing beside thousands.
RIDGE = 4.0
#: The weights decide the deciding window, and the deciding windows decide the weights.
_ROUNDS = 4
_SCALES = (0.05, 20.0)
_MAX_WEIGHT = 50.0


def fit_calibration(
    evidence: Evidence, rows: Array, prior: Calibration, *, with_terms: bool = True
) -> Calibration:
    """The prior with scale, bias and weights of these rows (a mask); thresholds are not touched.

    Without ``with_terms`` the prior's weights stay.
    """
    used = np.flatnonzero(rows & evidence.ran)
    entailed = evidence.entailed[used].astype(float)
    given = dict(prior.weights)
    before = np.array([given.get(name, 0.0) for name in evidence.names])
    fitted = prior
    for _ in range(_ROUNDS if with_terms else 1):
        decided = evidence.decide(fitted)
        margins, terms = decided.margins[used], decided.terms[used]
        weights = before
        if with_terms:
            shares = _share_sources(evidence.sources[used], evidence.entailed[used])
            start = np.concatenate([[prior.scale, prior.bias], prior.scale * before])
            weights = _fit_weights(margins, terms, entailed, shares, start)
        scale, bias = minimise(
            np.column_stack([margins - terms @ weights, np.ones(len(used))]),
            entailed,
            np.ones(len(used)),
            prior=np.array([prior.scale, prior.bias]),
            bounds=(np.array([_SCALES[0], -np.inf]), np.array([_SCALES[1], np.inf])),
        )
        fitted = replace(
            fitted,
            scale=round(float(scale), 6),
            bias=round(float(bias), 6),
            weights=tuple(
                (name, round(float(weight), 6))
                for name, weight in zip(evidence.names, weights, strict=True)
                if weight > 0
            ),
        )
    return fitted


def _fit_weights(
    margins: Array, terms: Array, entailed: Array, shares: Array, prior: Array
) -> Array:
    count = terms.shape[1]
    solution = minimise(
        np.column_stack([margins, np.ones(len(margins)), -terms]),
        entailed,
        shares,
        prior=prior,
        bounds=(
            np.array([_SCALES[0], -np.inf, *[0.0] * count]),
            np.array([_SCALES[1], np.inf, *[np.inf] * count]),
        ),
    )
    return np.asarray(np.minimum(solution[2:] / solution[0], _MAX_WEIGHT))


def _share_sources(sources: Array, entailed: Array) -> Array:
    """A weight a row: each source and each class of it the same, as much in all as there are rows.

    Sources without enough rows of both classes cannot say how to rank; without any other, all rows
    are one source.
    """
    named = balanced_sources(sources, entailed)
    shares = np.zeros(len(sources))
    groups = [sources == name for name in named] or [np.ones(len(sources), dtype=bool)]
    for group in groups:
        for kind in (group & entailed, group & ~entailed):
            shares[kind] = len(sources) / (2 * len(groups) * max(1, int(kind.sum())))
    return shares


def minimise(
    columns: Array, outcome: Array, shares: Array, *, prior: Array, bounds: tuple[Array, Array]
) -> Array:
    """Ridge logistic regression within bounds, by Newton steps; the objective is convex."""
    low, high = bounds
    solution: Array = np.clip(prior.astype(float), low, high)

    def cost(point: Array) -> float:
        logits = columns @ point
        loss = shares @ (np.logaddexp(0, logits) - outcome * logits)
        return float(loss + RIDGE / 2 * ((point - prior) ** 2).sum())

    current = cost(solution)
    for _ in range(100):
        rates = 1 / (1 + np.exp(-np.clip(columns @ solution, -500, 500)))
        gradient = columns.T @ (shares * (rates - outcome)) + RIDGE * (solution - prior)
        curvature = columns.T @ (columns * (shares * rates * (1 - rates))[:, None])
        curvature[np.diag_indices_from(curvature)] += RIDGE
        step = _bounded_step(gradient, curvature, low - solution, high - solution)
        length = 1.0
        while length > 1e-6 and cost(solution + length * step) > current:
            length /= 2
        following = solution + length * step
        value = cost(following)
        if value >= current - 1e-10 * max(1.0, abs(current)):
            break
        solution, current = following, value
    return solution


def _bounded_step(gradient: Array, curvature: Array, low: Array, high: Array) -> Array:
    """The step that minimises the quadratic within its bounds: coordinate after coordinate."""
    step = np.zeros(len(gradient))
    for _ in range(500):
        largest = 0.0
        for place in range(len(step)):
            slope = gradient[place] + curvature[place] @ step
            wanted = step[place] - slope / curvature[place, place]
            moved = min(max(wanted, low[place]), high[place]) - step[place]
            step[place] += moved
            largest = max(largest, abs(moved))
        if largest < 1e-12:
            break
    return step
