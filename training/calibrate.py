"""Fit temperature and default threshold on half of dev: ``python -m training.calibrate --help``.

Both come from the documents of half 0; half 1 says what they are worth. They are written to
``calibration.json`` in the model folder, where the runtime reads them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from training.dev_readings import read_dev
from training.evaluate import to_scored
from training.metrics import calibration_error, choose_threshold, mean_by_source
from training.pairs import NOT_ENTAILMENT
from verifier.entailment.calibration import Calibration

if TYPE_CHECKING:
    from training.dev_readings import DevReadings
    from training.metrics import Array

TEMPERATURES = np.round(np.geomspace(0.4, 4.0, 47), 4)


def negative_log_likelihood(probabilities: Array, labels: Array) -> float:
    """Mean cost in nats; where only "not entailed" is known, -log(1 - p_entailment)."""
    known = probabilities[np.arange(len(labels)), np.minimum(labels, NOT_ENTAILMENT - 1)]
    picked = np.where(labels == NOT_ENTAILMENT, 1 - probabilities[:, 0], known)
    return float(-np.log(np.clip(picked, 1e-9, 1)).mean())


def fit(readings: DevReadings, name: str, temperature: float | None = None) -> dict[str, Any]:
    """The calibration of half 0 and its figures on half 1; a given temperature is kept."""
    labels = np.array([pair.label for pair in readings.pairs])
    ran = np.array([reading.reason is None for reading in readings.readings])
    raw = to_scored(readings, readings.probabilities(Calibration())[:, 0])
    fitted, held = (raw.halves == 0) & ran, (raw.halves == 1) & ran
    costs = []
    for value in TEMPERATURES:
        scores = readings.probabilities(Calibration(scale=1 / float(value)))
        costs.append(negative_log_likelihood(scores[fitted], labels[fitted]))
    # A temperature also moves p_entailment against its rivals, so it can cost ranking.
    temperature = temperature or float(TEMPERATURES[int(np.argmin(costs))])
    probabilities = readings.probabilities(Calibration(scale=1 / temperature))
    scored = to_scored(readings, probabilities[:, 0])
    sources = scored.large_sources()
    threshold = choose_threshold(scored.take(fitted), sources)
    kept_back = scored.take(held)
    return {
        "name": name,
        "scale": 1 / temperature,
        "bias": 0.0,
        "weights": {},
        "threshold": threshold,
        "weights_sha256": readings.weights_sha256,
        "pairs_sha256": readings.pairs_sha256,
        "fitted_rows": int(fitted.sum()),
        "held_rows": int(held.sum()),
        "held": {
            "balanced_accuracy": mean_by_source(kept_back, sources, threshold),
            "balanced_accuracy_at_half": mean_by_source(kept_back, sources, 0.5),
            "calibration_error": calibration_error(kept_back.scores, kept_back.entailed),
            "calibration_error_before": calibration_error(raw.scores[held], raw.entailed[held]),
            "negative_log_likelihood": negative_log_likelihood(probabilities[held], labels[held]),
        },
    }


def main() -> None:
    """Read the command line, fit, and write the calibration into the model folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    parser.add_argument("--pairs", type=Path, required=True, help="labelled *.jsonl.gz")
    parser.add_argument("--cache", type=Path, required=True, help="window logits (.npz)")
    parser.add_argument("--name", default="dev-half-0", help="stands in every block")
    parser.add_argument("--temperature", type=float, help="keep this one instead of fitting one")
    arguments = parser.parse_args()
    readings = read_dev(arguments.model, arguments.pairs, arguments.cache)
    calibration = fit(readings, arguments.name, arguments.temperature)
    text = json.dumps(calibration, indent=1)
    (arguments.model / "calibration.json").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
