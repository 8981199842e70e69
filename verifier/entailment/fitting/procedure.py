"""The whole procedure: fit on half of the documents, test on the other, write the tested fit.

(1) Halves by document: no document is in both.
(2) On the first: weights, scale, bias; then the threshold of ``balanced``, which is the default.
(3) On the second, which chose nothing: calibration error, balanced accuracy, and the bound of
    ``strict``. We ship the fit of the first half, so these figures are its own.
(4) The halves swap once more, to show how much the cut matters; this result is not kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.errors import MalformedLabelsError
from spanproof.core.verdicts.block_json import bound_to_json
from spanproof.verifier.entailment.fitting.conformal import (
    Sample,
    choose_alpha,
    control_risk,
    draw_one_a_document,
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
from spanproof.verifier.policies import load_policy

if TYPE_CHECKING:
    from datetime import date

    from spanproof.core.verdicts.calibration import ErrorBound
    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from spanproof.verifier.entailment.fitting.observations import Array, Evidence

#: The attempts where alpha is left open, the strictest promise first.
ALPHAS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationOptions:
    """What is promised, and the scope that the calibration will claim.

    ``alpha`` None: the least of ``ALPHAS`` that the first half can hope for. ``apart`` names
    sources that take part in neither threshold nor bound. With ``with_terms`` the weights of the
    terms are fitted anew, else they stay those of the calibration before.
    """

    name: str
    made_on: date
    alpha: float | None = 0.1
    delta: float = 0.05
    max_contradictions: float = 0.08
    with_terms: bool = True
    apart: frozenset[str] = frozenset()
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
    """The content of a calibration file: numbers, thresholds, bound, record, kept-back figures.

    ``before`` is the calibration that there was; a fit on few rows stays near it. Raises
    MalformedLabelsError where a half of the documents lacks a class.
    """
    halves = np.array([half_of(str(doc)) for doc in evidence.docs])
    _require_halves(evidence, halves)
    fitted, threshold = _fit_half(evidence, before, halves == 0, options)
    bound = _bound(evidence, fitted, threshold, halves, options)
    thresholds = {"balanced": threshold, "review": threshold, "strict": bound.threshold}
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
        "thresholds": thresholds,
        "bound": bound_to_json(bound),
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


def _bound(
    evidence: Evidence,
    fitted: Calibration,
    threshold: float,
    halves: Array,
    options: CalibrationOptions,
) -> ErrorBound:
    strict = load_policy("strict")
    scores = evidence.reported(
        evidence.decide(fitted), contradiction_threshold=strict.contradiction_threshold
    )
    # Below this the policy's own review band holds: no threshold there could ever be used.
    floor = threshold + strict.review_above

    def draw(half: int) -> Sample:
        rows = draw_one_a_document(evidence.docs, _usable(evidence, options, halves == half))
        return Sample(scores=scores[rows], entailed=evidence.entailed[rows])

    pilot, tested = draw(0), draw(1)
    alpha = options.alpha
    if alpha is None:
        alpha = choose_alpha(pilot, delta=options.delta, floor=floor, alphas=ALPHAS)
    return control_risk(tested, pilot, alpha=alpha, delta=options.delta, floor=floor)


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
