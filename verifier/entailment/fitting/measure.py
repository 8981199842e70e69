"""What a calibration is worth on rows that it has not seen."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.verifier.entailment.fitting.labelled import Label
from spanproof.verifier.entailment.fitting.thresholds import Scored, mean_by_source

if TYPE_CHECKING:
    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from spanproof.verifier.entailment.fitting.observations import Array, Evidence

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
