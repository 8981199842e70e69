"""Dev figures of a model folder by the real runtime: ``python -m training.evaluate --help``.

A figure is balanced accuracy, entailment against the rest. The threshold is one for all sources,
chosen on one half of the documents (best mean over the sources); the figure comes from the other
half, and the swap is averaged in. Sources with fewer than 20 rows of a class, and sentence
templates, are shown but stay out of the mean.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from training.dev_readings import read_dev
from training.metrics import (
    TEMPLATE_SOURCES,
    Array,
    Scored,
    balanced_accuracy,
    bootstrap,
    calibration_error,
    mean_by_source,
    mean_over_halves,
    swap_halves,
)
from training.pairs import LABEL_IDS
from verifier.entailment.model_folder import check_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.dev_readings import DevReadings
    from training.pairs import Pair
    from verifier.entailment.calibration import Calibration

_WORD = re.compile(r"\w+")
_BUCKETS = ((0, 50), (50, 150), (150, 300), (300, 600), (600, 1_000_000))


def measure_containment(pair: Pair) -> float:
    """The share of the claim's words that the premise holds: what no model should be worse than."""
    words = _WORD.findall(pair.hypothesis.lower())
    held = set(_WORD.findall(pair.premise.lower()))
    return sum(word in held for word in words) / max(1, len(words))


def to_scored(readings: DevReadings, scores: Array) -> Scored:
    """Scores beside the labels, sources and documents of the pairs."""
    sources = [pair.source for pair in readings.pairs]
    docs = [pair.doc for pair in readings.pairs]
    return Scored.of(scores, readings.entailed, sources, docs)


def to_figures(readings: DevReadings, calibration: Calibration) -> dict[str, Any]:
    """Everything that the card reports, as plain JSON values."""
    probabilities, threshold = readings.probabilities(calibration), calibration.threshold
    scored = to_scored(readings, probabilities[:, 0])
    sources = scored.large_sources()
    called, chosen = swap_halves(scored, sources)
    by_source = mean_over_halves(scored, called, sources)
    intervals = bootstrap(scored, called, sources)
    baseline = to_scored(readings, np.array([measure_containment(p) for p in readings.pairs]))
    contained, _ = swap_halves(baseline, sources)
    by_containment = mean_over_halves(baseline, contained, sources)
    contradicted = np.array([p.label == LABEL_IDS["contradiction"] for p in readings.pairs])
    return {
        "weights_sha256": readings.weights_sha256,
        "runtime": readings.runtime,
        "pairs_sha256": readings.pairs_sha256,
        "rows": len(readings.pairs),
        "not_run": sum(reading.reason is not None for reading in readings.readings),
        "calibration": calibration.name,
        "threshold": threshold,
        "thresholds_of_halves": list(chosen),
        "balanced_accuracy": {
            "mean": float(np.mean(list(by_source.values()))),
            "interval": intervals["mean"],
            "at_threshold": mean_by_source(scored, sources, threshold),
            "at_half": mean_by_source(scored, sources, 0.5),
            "containment": float(np.mean(list(by_containment.values()))),
            "templates": {
                source: mean_by_source(scored, [source], threshold)
                for source in sorted(TEMPLATE_SOURCES & set(scored.sources.tolist()))
            },
        },
        "sources": {
            source: {
                "rows": int((scored.sources == source).sum()),
                "entailed": int(scored.entailed[scored.sources == source].sum()),
                "balanced_accuracy": by_source[source],
                "interval": intervals[source],
                "at_half": mean_by_source(scored, [source], 0.5),
                "containment": by_containment[source],
            }
            for source in sources
        },
        "small_sources": _count_small(scored, sources),
        "calibration_error": calibration_error(scored.scores, scored.entailed),
        "contradictions_called_entailed": float(called[contradicted].mean()),
        "premise_words": _measure_buckets(readings.pairs, scored, called, sources),
    }


def _count_small(scored: Scored, sources: Sequence[str]) -> dict[str, int]:
    apart = set(scored.sources.tolist()) - set(sources)
    return {source: int((scored.sources == source).sum()) for source in sorted(apart)}


def _measure_buckets(
    pairs: Sequence[Pair], scored: Scored, called: Array, sources: Sequence[str]
) -> dict[str, dict[str, float]]:
    words = np.array([len(pair.premise.split()) for pair in pairs])
    counted = np.isin(scored.sources, list(sources))
    buckets = {}
    for low, high in _BUCKETS:
        rows = counted & (words >= low) & (words < high)
        figure = balanced_accuracy(scored.entailed[rows], called[rows])
        if not math.isnan(figure):
            buckets[f"from {low}"] = {"rows": int(rows.sum()), "balanced_accuracy": figure}
    return buckets


def print_figures(figures: dict[str, Any]) -> None:
    """The table, worst source first."""
    for source, row in sorted(
        figures["sources"].items(), key=lambda item: item[1]["balanced_accuracy"]
    ):
        low, high = row["interval"]
        print(
            f"{source:30} {row['rows']:5} rows  {row['balanced_accuracy']:.3f}"
            f" [{low:.3f}, {high:.3f}]  at 0.5 {row['at_half']:.3f}"
            f"  containment {row['containment']:.3f}"
        )
    mean = figures["balanced_accuracy"]
    low, high = mean["interval"]
    print(
        f"mean of {len(figures['sources'])} sources: {mean['mean']:.4f} [{low:.3f}, {high:.3f}];"
        f" at the threshold {figures['threshold']}: {mean['at_threshold']:.4f};"
        f" at 0.5: {mean['at_half']:.4f}; containment {mean['containment']:.4f};"
        f" templates {mean['templates']}"
    )
    print(
        f"thresholds of the halves {figures['thresholds_of_halves']};"
        f" calibration error {figures['calibration_error']:.3f};"
        f" contradictions called entailed {figures['contradictions_called_entailed']:.3f};"
        f" not run {figures['not_run']}"
    )
    for bucket, row in figures["premise_words"].items():
        print(f"premise words {bucket:9} {row['rows']:5} rows  {row['balanced_accuracy']:.3f}")


def main() -> None:
    """Read the command line, run or recall the model, print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    parser.add_argument("--pairs", type=Path, required=True, help="labelled *.jsonl.gz")
    parser.add_argument("--output", type=Path, required=True, help="figures.json")
    parser.add_argument("--cache", type=Path, help="window logits; default OUTPUT with .npz")
    arguments = parser.parse_args()
    cache = arguments.cache or arguments.output.with_suffix(".npz")
    readings = read_dev(arguments.model, arguments.pairs, cache)
    calibration = check_folder(arguments.model).calibration
    figures = to_figures(readings, calibration)
    print_figures(figures)
    arguments.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
