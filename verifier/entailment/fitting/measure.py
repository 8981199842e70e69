"""What a calibration is worth on rows that it has not seen."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.verifier.entailment.fitting.reliability import (
    calibration_error,
    negative_log_likelihood,
    reliability_table,
)
from spanproof.verifier.entailment.fitting.thresholds import Scored, mean_by_source

if TYPE_CHECKING:
    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from spanproof.verifier.entailment.fitting.observations import Array, Evidence


def measure_half(
    evidence: Evidence, calibration: Calibration, threshold: float, called: Array, half: Array
) -> dict[str, Any]:
    """Figures of a calibration and a threshold on a half.

    ``half`` (a mask) selects the pairs for the calibration error, if they ran; ``called``, a part
    of it, the pairs for figures of verdicts. Balanced accuracy is the mean over sources; a veto
    counts as not entailed, as it does in ``spanproof entail``.
    """
    decided = evidence.decide(calibration)
    ran = half & evidence.ran
    scores, entailed = decided.probabilities[ran, 0], evidence.entailed[ran]
    reported = _to_scored(evidence, evidence.reported(decided), called)
    plain = _to_scored(evidence, decided.probabilities[:, 0], called)
    sources = reported.large_sources()
    supported = reported.scores >= threshold
    contradicted = evidence.contradicted[called]
    return {
        "balanced_accuracy": mean_by_source(reported, sources, threshold),
        "balanced_accuracy_at_half": mean_by_source(reported, sources, 0.5),
        "balanced_accuracy_without_vetoes": mean_by_source(plain, sources, threshold),
        "calibration_error": calibration_error(scores, entailed),
        "negative_log_likelihood": negative_log_likelihood(
            decided.probabilities[ran], evidence.labels[ran]
        ),
        "contradictions_called_entailed": _share(supported, contradicted),
        "entailed_called_entailed": _share(supported, reported.entailed),
        "sources": len(sources),
        "reliability": [asdict(each) for each in reliability_table(scores, entailed)],
    }


def _to_scored(evidence: Evidence, scores: Array, rows: Array) -> Scored:
    docs, sources = evidence.docs.tolist(), evidence.sources.tolist()
    return Scored.of(scores, evidence.entailed, sources, docs).take(rows)


def _share(called: Array, rows: Array) -> float | None:
    """None where no row is of the kind."""
    return float(np.mean(called[rows])) if rows.any() else None
