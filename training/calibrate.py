"""Calibrate a model folder on labelled pairs, and certify what it may let pass.

``python -m training.calibrate --model DIR --pairs dev.jsonl.gz --cache KEPT.npz``. Everything is
fitted on the documents of half 0 and measured on those of half 1; the fit of half 0 is what is
written to ``calibration.json``, so every figure is of the very numbers that ship. Rows of half 1
would make three or four numbers slightly sharper and leave no rows to test them on.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from datetime import UTC, datetime
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


def fit(
    readings: DevReadings, options: CalibrationOptions, certified_on: DevReadings | None = None
) -> dict[str, Any]:
    """The content of ``calibration.json``; templates take part in no threshold or certificate."""
    return calibrate(
        to_evidence(readings),
        Calibration(),
        replace(
            options,
            apart=TEMPLATE_SOURCES,
            certified_on=None if certified_on is None else to_evidence(certified_on),
        ),
        weights_sha256=readings.weights_sha256,
        labelled_sha256=readings.pairs_sha256,
    )


def main() -> None:
    """Read the command line, fit, print the figures, and write the file into the model folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    parser.add_argument("--pairs", type=Path, required=True, help="labelled *.jsonl.gz")
    parser.add_argument(
        "--certify-on", type=Path, help="labelled *.jsonl.gz for the certificates; default: --pairs"
    )
    parser.add_argument(
        "--per-class", type=int, help="rows of each class and source at most; default: every one"
    )
    parser.add_argument("--cache", type=Path, required=True, help="window logits (.npz)")
    parser.add_argument("--name", default="dev-half-0", help="name in every block")
    parser.add_argument("--delta", type=float, default=0.05, help="1 - confidence of the promise")
    parser.add_argument(
        "--max-contradictions",
        type=float,
        default=0.08,
        help="most contradictions that the default threshold may call entailed",
    )
    parser.add_argument(
        "--no-terms", action="store_true", help="use the model alone, without terms"
    )
    parser.add_argument("--dry-run", action="store_true", help="print only")
    arguments = parser.parse_args()
    readings = read_dev(
        arguments.model, arguments.pairs, arguments.cache, per_class=arguments.per_class
    )
    options = CalibrationOptions(
        name=arguments.name,
        made_on=datetime.now(UTC).date(),
        delta=arguments.delta,
        max_contradictions=arguments.max_contradictions,
        with_terms=not arguments.no_terms,
    )
    certified_on = None
    if arguments.certify_on is not None:
        kept = arguments.cache.with_name("certificates.npz")
        certified_on = read_dev(arguments.model, arguments.certify_on, kept)
    content = fit(readings, options, certified_on)
    if certified_on is not None:
        content["certified_on_sha256"] = certified_on.pairs_sha256
    print("\n".join(describe_calibration(content)))
    if arguments.dry_run:
        print(json.dumps(content, indent=1))
        return
    write_calibration(arguments.model / "calibration.json", content, replacing=True)


if __name__ == "__main__":
    main()
