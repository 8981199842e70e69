"""Print what a pass is worth: ``python -m bench.trust --data DIR`` (``SPANPROOF_TEST_DATA``).

(1) Hand-made cases: falsehoods that pass and true answers that do not, by category and policy.
(2) Labelled pairs of sources that shaped nothing: the share of passes that is unsupported, the
    share of supported pairs that pass, by source and policy, and the curve of one against the
    other.
(3) Everyday paraphrases and near falsehoods (``paraphrases.jsonl``): the outcomes of both.

The figures are written to ``bench/results/trust.json``.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.report import write_report
from bench.trust.cases import POLICIES, count_wrong, judge_cases, read_cases
from bench.trust.memory import ReadOnce
from bench.trust.pairs import (
    draw_curve,
    judge_pairs,
    measure,
    measure_contradictions,
    measure_sources,
)
from bench.trust.paraphrases import count_outcomes, read_paraphrases
from spanproof.verifier.entailment.loading import load_model
from training.evaluation.groups import GROUNDING
from training.evaluation.unseen import draw_unseen

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from bench.trust.pairs import JudgedPair, Point
    from training.pairs import Pair


def main() -> None:
    """Run both parts and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("SPANPROOF_TEST_DATA"), help="test data"
    )
    parser.add_argument("--model", type=Path, help="model folder; default: the embedded one")
    parser.add_argument("--per-class", type=int, default=200, help="pairs a class and source")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("Expected --data DIR or SPANPROOF_TEST_DATA, got neither.")
    model = ReadOnce(load_model(arguments.model))
    figures: dict[str, Any] = {"cases": {}, "pairs": {}}
    results = judge_cases(read_cases(arguments.data / "verdicts"), model)
    for policy, categories in count_wrong(results).items():
        figures["cases"][policy] = print_cases(policy, categories)
    figures["paraphrases"] = {}
    for policy in POLICIES:
        found = count_outcomes(read_paraphrases(), model, policy)
        figures["paraphrases"][policy] = {
            name: {kind: dict(row) for kind, row in counts.items()}
            for name, counts in found.items()
        }
        for name, counts in figures["paraphrases"][policy].items():
            print(f"\n{policy}, paraphrases, set {name}: {counts}")
    labelled = arguments.data / "nli" / "train.jsonl.gz"
    trained = [labelled, arguments.data / "nli" / "train_synth.jsonl.gz"]
    pairs = draw_unseen(labelled, trained_on=trained, per_class=arguments.per_class)
    for policy in POLICIES:
        figures["pairs"][policy] = print_pairs(policy, pairs, judge_pairs(pairs, model, policy))
    print(f"Written to {write_report('trust', figures)}")


def print_cases(policy: str, categories: dict[str, Counter[str]]) -> dict[str, Any]:
    """One line a category and the totals; the same as figures."""
    totals = {
        name: sum(counts[name] for counts in categories.values())
        for name in ("false", "false_passes", "true", "stopped")
    }
    print(
        f"\n{policy}: {totals['false_passes']} of {totals['false']} falsehoods pass,"
        f" {totals['stopped']} of {totals['true']} true answers do not"
    )
    for category, counts in sorted(categories.items()):
        print(
            f"  {category:28}{counts['false_passes']:4} of {counts['false']:3} pass"
            f"{counts['stopped']:6} of {counts['true']:3} stopped"
        )
    return totals | {"categories": {name: dict(row) for name, row in sorted(categories.items())}}


def print_pairs(policy: str, pairs: Sequence[Pair], judged: Sequence[JudgedPair]) -> dict[str, Any]:
    """Risk and coverage by source, pooled, on grounding sources, and the curve."""
    grounding = [row for row in judged if row.source in GROUNDING]
    points = measure_sources(judged) | {"all": measure(judged), "grounding": measure(grounding)}
    print(f"\n{policy}: {len(pairs)} pairs of sources that shaped nothing")
    for name, point in points.items():
        print(
            f"  {name:28}{point.unsupported:4} of {point.passed:4} passes unsupported"
            f" ({_share(point.risk)}), {_share(point.coverage)} of {point.supported} supported pass"
        )
    passing, contradicted = measure_contradictions(judged)
    print(f"  contradictions that pass: {passing} of {contradicted}")
    curves = {"all": draw_curve(judged), "grounding": draw_curve(grounding)}
    for name, curve in curves.items():
        line = "  ".join(f"{coverage:.2f}: {_share(risk)}" for coverage, risk in curve)
        print(f"  risk by coverage if the model's word were enough, {name}:  {line}")
    return {
        "points": {name: _to_json(point) for name, point in points.items()},
        "contradictions": {"pairs": contradicted, "passed": passing},
        "curves": curves,
    }


def _to_json(point: Point) -> dict[str, Any]:
    return {
        "pairs": point.pairs,
        "supported": point.supported,
        "passed": point.passed,
        "unsupported": point.unsupported,
        "risk": point.risk,
        "coverage": point.coverage,
    }


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


if __name__ == "__main__":
    main()
