"""What is reported of a model's readings of dev, as plain JSON values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from training.evaluation.baselines import measure_containment
from training.evaluation.combined_check import find_vetoed
from training.evaluation.dev_readings import to_scored
from training.evaluation.groups import GROUNDING
from training.evaluation.judged import Judged, share
from training.evaluation.metrics import (
    TEMPLATE_SOURCES,
    balanced_accuracy,
    bootstrap,
    calibration_error,
    mean_by_source,
)
from training.evaluation.slices import measure_ablation, measure_lengths, measure_reliability
from training.pairs import LABEL_IDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from training.evaluation.baselines import ClaimOnly
    from training.evaluation.dev_readings import DevReadings
    from training.evaluation.metrics import Scored


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the model is compared with: a claim-only baseline, and other models by name."""

    claim_only: ClaimOnly | None = None
    others: Sequence[tuple[str, DevReadings, Calibration]] = ()


def to_figures(
    readings: DevReadings, calibration: Calibration, comparison: Comparison | None = None
) -> dict[str, Any]:
    """All figures except padded premises and policies, which also need the model."""
    comparison = comparison or Comparison()
    pairs = readings.pairs
    vetoed = find_vetoed(pairs)
    scores = readings.probabilities(calibration)[:, 0]
    model = Judged.of("this model", to_scored(readings, scores))
    checked = to_scored(readings, np.where(vetoed, 0.0, scores))
    combined = Judged.of("this model and the slot rules", checked)
    contained = np.array([measure_containment(pair) for pair in pairs])
    baselines = [Judged.of("token containment", to_scored(readings, contained))]
    if comparison.claim_only is not None:
        alone = comparison.claim_only.score(pair.hypothesis for pair in pairs)
        baselines.append(Judged.of("claim only, TF-IDF", to_scored(readings, alone)))
    for name, read, own in comparison.others:
        scored = to_scored(read, read.probabilities(own)[:, 0])
        baselines.append(Judged.of(name, scored))
    contradicted = np.array([pair.label == LABEL_IDS["contradiction"] for pair in pairs])
    table = [each.summarise(contradicted) for each in (combined, model, *baselines)]
    threshold = calibration.threshold
    at_threshold = model.scored.scores >= threshold
    sources = list(model.by_source)
    return {
        "weights_sha256": readings.weights_sha256,
        "runtime": readings.runtime,
        "pairs_sha256": readings.pairs_sha256,
        "rows": len(pairs),
        "not_run": sum(reading.reason is not None for reading in readings.readings),
        "calibration": calibration.name,
        "threshold": threshold,
        "thresholds_of_halves": list(model.thresholds),
        "balanced_accuracy": {
            "mean": table[1]["mean"],
            "interval": table[1]["interval"],
            "at_threshold": mean_by_source(model.scored, sources, threshold),
            "combined_at_threshold": mean_by_source(checked, sources, threshold),
            "at_half": mean_by_source(model.scored, sources, 0.5),
            "containment": table[2]["mean"],
            "templates": {
                source: mean_by_source(model.scored, [source], threshold)
                for source in sorted(TEMPLATE_SOURCES & set(model.scored.sources.tolist()))
            },
        },
        "comparison": table,
        "claim_only": "run"
        if comparison.claim_only is not None
        else "not run: no training pairs were given",
        "others": (
            "run"
            if comparison.others
            else "not run: no other model folder was given, and none can be fetched"
        ),
        "grounding": measure_grounding(model, checked, threshold),
        "sources": _describe_sources(model, combined, baselines, threshold),
        "small_sources": _count_small(model.scored, sources),
        "calibration_error": calibration_error(model.scored.scores, model.scored.entailed),
        "reliability": measure_reliability(readings, calibration),
        "contradictions_called_entailed": table[1]["contradictions_called_entailed"],
        "contradictions": {
            "rows": int(contradicted.sum()),
            "model": table[1]["contradictions_called_entailed"],
            "model_at_threshold": share(at_threshold[contradicted]),
            "combined": table[0]["contradictions_called_entailed"],
            "combined_at_threshold": share((at_threshold & ~vetoed)[contradicted]),
        },
        "premise_words": measure_lengths(pairs, combined, baselines[0]),
        "ablation": measure_ablation(readings, calibration, vetoed),
    }


def measure_grounding(model: Judged, checked: Scored, threshold: float) -> dict[str, Any]:
    """Grounding sources: their mean, and all their rows as one, small sources included."""
    sources = [source for source in model.by_source if source in GROUNDING]
    scored = model.scored
    rows = np.isin(scored.sources, list(GROUNDING))
    if not sources:
        return {"sources": [], "rows": int(rows.sum())}
    return {
        "sources": sources,
        "rows": int(rows.sum()),
        "mean": float(np.mean([model.by_source[source] for source in sources])),
        "interval": bootstrap(scored, model.called, sources)["mean"],
        "at_threshold": mean_by_source(scored, sources, threshold),
        "combined_at_threshold": mean_by_source(checked, sources, threshold),
        "pooled": balanced_accuracy(scored.entailed[rows], model.called[rows]),
    }


def _describe_sources(
    model: Judged, combined: Judged, baselines: Sequence[Judged], threshold: float
) -> dict[str, dict[str, Any]]:
    scored = model.scored
    return {
        source: {
            "rows": int((scored.sources == source).sum()),
            "documents": len(np.unique(scored.docs[scored.sources == source])),
            "entailed": int(scored.entailed[scored.sources == source].sum()),
            "grounding": source in GROUNDING,
            "balanced_accuracy": figure,
            "interval": model.intervals[source],
            "combined": combined.by_source[source],
            "combined_at_threshold": mean_by_source(combined.scored, [source], threshold),
            "at_half": mean_by_source(scored, [source], 0.5),
            "containment": baselines[0].by_source[source],
            "beside": {other.name: other.by_source[source] for other in baselines[1:]},
        }
        for source, figure in model.by_source.items()
    }


def _count_small(scored: Scored, sources: Sequence[str]) -> dict[str, int]:
    apart = set(scored.sources.tolist()) - set(sources)
    return {source: int((scored.sources == source).sum()) for source in sorted(apart)}
