"""The whole procedure: fit on half of the documents, test on the other, write the tested fit.

(1) Halves by document: no document is in both.
(2) On the first: weights, scale, bias; then the threshold of ``balanced``, which is the default.
(3) On the second, which chose nothing: calibration error, balanced accuracy, and for each policy
    and group of claims a certificate. We ship the fit of the first half, so these figures are its
    own.
(4) The halves swap once more, to show how much the cut matters; this result is not kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.errors import MalformedLabelsError
from spanproof.core.verdicts.block_json import bound_to_json
from spanproof.core.verdicts.groups import GROUPS
from spanproof.verifier.entailment.fitting.conformal import (
    Sample,
    control_risk,
    draw_one_a_document,
    state_risk,
)
from spanproof.verifier.entailment.fitting.fit import fit_calibration
from spanproof.verifier.entailment.fitting.labelled import GOOD_START, Label
from spanproof.verifier.entailment.fitting.measure import measure_half
from spanproof.verifier.entailment.fitting.thresholds import (
    Scored,
    choose_threshold,
    half_of,
    threshold_interval,
)
from spanproof.verifier.policies import NAMES, load_policy

if TYPE_CHECKING:
    from datetime import date

    from spanproof.core.verdicts.calibration import ErrorBound
    from spanproof.core.verdicts.policy import Policy
    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from spanproof.verifier.entailment.fitting.observations import Array, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationOptions:
    """What is promised, and the scope that the calibration will claim.

    ``apart`` names sources that take part in neither threshold nor certificate. ``certified_on``
    are other pairs for the certificates than for the numbers. With
    ``with_terms`` the weights of the terms are fitted anew, else they stay those of the calibration
    before.
    """

    name: str
    made_on: date
    delta: float = 0.05
    max_contradictions: float = 0.08
    with_terms: bool = True
    apart: frozenset[str] = frozenset()
    certified_on: Evidence | None = None
    valid_days: int | None = None
    prompt_ids: tuple[str, ...] | None = None
    field_schema_sha256: str | None = None
    languages: tuple[str, ...] = ("en",)


def calibrate(
    evidence: Evidence,
    before: Calibration,
    options: CalibrationOptions,
    *,
    weights_sha256: str,
    labelled_sha256: str,
) -> dict[str, Any]:
    """The content of a calibration file: numbers, certificates, record, kept-back figures.

    ``before`` is the calibration that there was; a fit on few rows stays near it. Raises
    MalformedLabelsError where a half of the documents lacks a class.
    """
    halves = np.array([half_of(str(doc)) for doc in evidence.docs])
    _require_halves(evidence, halves)
    fitted, threshold = _fit_half(evidence, before, halves == 0, options)
    pairs = options.certified_on or evidence
    fitted = replace(fitted, threshold=threshold)
    sides = np.array([half_of(str(doc)) for doc in pairs.docs])
    certificates = certify(pairs, fitted, sides, options)
    held = _usable(evidence, options, halves == 1)
    figures = measure_half(evidence, fitted, threshold, held, halves == 1)
    figures |= {
        f"{name}_before": value
        for name, value in measure_half(
            evidence, before, before.threshold, held, halves == 1
        ).items()
        if isinstance(value, float)
    }
    return {
        "name": options.name,
        "scale": fitted.scale,
        "bias": fitted.bias,
        "weights": dict(fitted.weights),
        "threshold": threshold,
        "thresholds": {name: bound.threshold for name, bound in certificates.items()},
        "certificates": {name: bound_to_json(bound) for name, bound in certificates.items()},
        "bounds": {
            name: bound_to_json(bound)
            for name, bound in _state_bounds(pairs, fitted, certificates, sides, options).items()
        },
        "weights_sha256": weights_sha256,
        "labelled_sha256": labelled_sha256,
        "rows": _count_rows(evidence, halves),
        "date": options.made_on.isoformat(),
        "valid_days": options.valid_days,
        "prompt_ids": None if options.prompt_ids is None else list(options.prompt_ids),
        "field_schema_sha256": options.field_schema_sha256,
        "languages": list(options.languages),
        "max_contradictions": options.max_contradictions,
        "threshold_interval": _interval(evidence, fitted, halves, options),
        "held": figures,
        "swapped": _swap(evidence, before, halves, options),
    }


def _fit_half(
    evidence: Evidence, before: Calibration, half: Array, options: CalibrationOptions
) -> tuple[Calibration, float]:
    """The calibration of one half (a mask) and the threshold of ``balanced`` on it."""
    fitted = fit_calibration(evidence, half, before, with_terms=options.with_terms)
    rows = _usable(evidence, options, half)
    scored = _score(evidence, fitted).take(rows)
    threshold = choose_threshold(
        scored,
        scored.large_sources(),
        contradicted=evidence.contradicted[rows],
        max_contradicted=options.max_contradictions,
    )
    return fitted, threshold


def certify(
    evidence: Evidence,
    fitted: Calibration,
    halves: Array,
    options: CalibrationOptions,
) -> dict[str, ErrorBound]:
    """For each ``policy/group`` the loosest threshold that is proved to keep the policy's alpha.

    A stricter policy never has a lower threshold than a looser one.
    """
    decided = evidence.decide(fitted)
    found: dict[str, ErrorBound] = {}
    for group in GROUPS:
        least: float | None = 0.0
        for policy in sorted(map(load_policy, NAMES), key=_strictness):
            # Below this the policy's own review band holds: no threshold there could be used.
            floor = max(fitted.threshold + policy.review_above, least or 0.0)
            pilot, tested = (
                _draw(evidence, evidence.reported(decided, policy), rows)
                for rows in _split(evidence, halves, options, evidence.groups == group)
            )
            bound = control_risk(
                tested, pilot, alpha=policy.alpha, delta=options.delta, floor=floor
            )
            if least is None:
                bound = replace(bound, threshold=None)
            least = bound.threshold
            found[f"{policy.name}/{group}"] = bound
    return found


def _strictness(policy: Policy) -> tuple[float, int]:
    return -policy.alpha, int(policy.doubts == "possible")


def _state_bounds(
    evidence: Evidence,
    fitted: Calibration,
    certificates: dict[str, ErrorBound],
    halves: Array,
    options: CalibrationOptions,
) -> dict[str, ErrorBound]:
    """What is seen of all that each policy lets pass: by the words' own agreement or certified."""
    decided = evidence.decide(fitted)
    _, tested = _split(evidence, halves, options, np.ones(len(halves), dtype=bool))
    stated = {}
    for policy in map(load_policy, NAMES):
        scores = evidence.reported(decided, policy)
        edges = [certificates[f"{policy.name}/{group}"].threshold for group in evidence.groups]
        certified = scores >= np.array([2.0 if edge is None else edge for edge in edges])
        # Where the model is not for it, every possible doubt counts.
        sure = scores >= fitted.threshold + policy.review_above
        agreed = evidence.agreed & (scores > 0) & (sure | ~evidence.possible)
        sample = _draw(evidence, (certified | agreed).astype(float), tested)
        stated[policy.name] = state_risk(sample, alpha=policy.alpha, delta=options.delta)
    return stated


def _split(
    evidence: Evidence, halves: Array, options: CalibrationOptions, rows: Array
) -> tuple[Array, Array]:
    """The rows (a mask) of the first half and of the second that may be used."""
    first, second = (_usable(evidence, options, rows & (halves == half)) for half in (0, 1))
    return first, second


def _draw(evidence: Evidence, scores: Array, rows: Array) -> Sample:
    drawn = draw_one_a_document(evidence.docs, rows)
    return Sample(scores=scores[drawn], entailed=evidence.entailed[drawn])


def _interval(
    evidence: Evidence, fitted: Calibration, halves: Array, options: CalibrationOptions
) -> list[float]:
    rows = _usable(evidence, options, halves == 0)
    scored = _score(evidence, fitted).take(rows)
    return list(
        threshold_interval(
            scored,
            scored.large_sources(),
            contradicted=evidence.contradicted[rows],
            max_contradicted=options.max_contradictions,
        )
    )


def _swap(
    evidence: Evidence, before: Calibration, halves: Array, options: CalibrationOptions
) -> dict[str, Any]:
    fitted, threshold = _fit_half(evidence, before, halves == 1, options)
    held = _usable(evidence, options, halves == 0)
    figures = measure_half(evidence, fitted, threshold, held, halves == 0)
    numbers = {name: value for name, value in figures.items() if not isinstance(value, list)}
    return {"scale": fitted.scale, "bias": fitted.bias, "threshold": threshold} | numbers


def _score(evidence: Evidence, calibration: Calibration) -> Scored:
    scores = evidence.reported(evidence.decide(calibration))
    return Scored.of(scores, evidence.entailed, list(evidence.sources), list(evidence.docs))


def _usable(evidence: Evidence, options: CalibrationOptions, half: Array) -> Array:
    return np.asarray(half & ~np.isin(evidence.sources, sorted(options.apart)))


def _count_rows(evidence: Evidence, halves: Array) -> dict[str, int]:
    return {
        "all": len(halves),
        "fitted": int((halves == 0).sum()),
        "held": int((halves == 1).sum()),
        "documents": len(np.unique(evidence.docs)),
        "not_run": int((~evidence.ran).sum()),
    } | {label.name.lower(): int((evidence.labels == label).sum()) for label in Label}


def _require_halves(evidence: Evidence, halves: Array) -> None:
    for half in (0, 1):
        rows = (halves == half) & evidence.ran
        entailed = int(evidence.entailed[rows].sum())
        if not 0 < entailed < int(rows.sum()):
            msg = (
                "Expected judged pairs of both classes in both halves of the documents, got"
                f" {entailed} entailed of {int(rows.sum())} in one half."
            )
            hint = f"Label pairs of more documents: {GOOD_START} pairs are enough to start."
            raise MalformedLabelsError(msg, hint=hint)
