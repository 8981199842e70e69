"""Calibrate a model folder on dev, and derive its thresholds and the bound of ``strict``.

``python -m training.calibrate --model DIR --pairs dev.jsonl.gz --cache KEPT.npz``. Everything is
fitted on the documents of half 0 and measured on those of half 1; the fit of half 0 is what is
written to ``calibration.json``, so every figure is of the very numbers that ship. Rows of half 1
would sharpen three or four numbers by little and leave nothing that could test them.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.verifier.entailment.calibration.calibration import Calibration
from spanproof.verifier.entailment.calibration.store import write_calibration
from spanproof.verifier.entailment.fitting.labelled import Label, LabelledPair
from spanproof.verifier.entailment.fitting.observations import Evidence
from spanproof.verifier.entailment.fitting.procedure import CalibrationOptions, calibrate
from spanproof.verifier.entailment.fitting.report import describe_calibration
from training.evaluation.dev_readings import read_dev
from training.evaluation.metrics import TEMPLATE_SOURCES

if TYPE_CHECKING:
    from training.evaluation.dev_readings import DevReadings


def to_evidence(readings: DevReadings) -> Evidence:
    """The readings with their labels, terms and vetoes."""
    pairs = [
        LabelledPair(
            premise=pair.premise,
            hypothesis=pair.hypothesis,
            label=Label(pair.label),
            source=pair.source,
            doc=pair.doc,
        )
        for pair in readings.pairs
    ]
    return Evidence.of(pairs, readings.readings, readings.labels)


def fit(  # noqa: PLR0913 - what is promised
    readings: DevReadings,
    name: str,
    *,
    made_on: date,
    alpha: float | None = None,
    delta: float = 0.05,
    max_contradictions: float = 0.08,
    with_terms: bool = True,
) -> dict[str, Any]:
    """The content of ``calibration.json``."""
    options = CalibrationOptions(
        name=name,
        made_on=made_on,
        alpha=alpha,
        delta=delta,
        max_contradictions=max_contradictions,
        with_terms=with_terms,
        apart=TEMPLATE_SOURCES,
    )
    return calibrate(
        to_evidence(readings),
        Calibration(),
        options,
        weights_sha256=readings.weights_sha256,
        labelled_sha256=readings.pairs_sha256,
    )


def main() -> None:
    """Read the command line, fit, print what it is worth, and write it into the model folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    parser.add_argument("--pairs", type=Path, required=True, help="labelled *.jsonl.gz")
    parser.add_argument("--cache", type=Path, required=True, help="window logits (.npz)")
    parser.add_argument("--name", default="dev-half-0", help="stands in every block")
    parser.add_argument(
        "--alpha", type=float, help="what strict promises; default: the least that half 0 hopes for"
    )
    parser.add_argument("--delta", type=float, default=0.05, help="1 - confidence of the promise")
    parser.add_argument(
        "--max-contradictions",
        type=float,
        default=0.08,
        help="most contradictions that the default threshold may call entailed",
    )
    parser.add_argument("--no-terms", action="store_true", help="weigh no terms beside the model")
    parser.add_argument("--dry-run", action="store_true", help="print only")
    arguments = parser.parse_args()
    readings = read_dev(arguments.model, arguments.pairs, arguments.cache)
    content = fit(
        readings,
        arguments.name,
        made_on=datetime.now(UTC).date(),
        alpha=arguments.alpha,
        delta=arguments.delta,
        max_contradictions=arguments.max_contradictions,
        with_terms=not arguments.no_terms,
    )
    print("\n".join(describe_calibration(content)))
    if arguments.dry_run:
        print(json.dumps(content, indent=1))
        return
    write_calibration(arguments.model / "calibration.json", content, replacing=True)


if __name__ == "__main__":
    main()
