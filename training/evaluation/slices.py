"""The same readings cut in other ways: by probability, by length, padded, without a part."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.verifier.entailment.calibration.calibration import Calibration
from spanproof.verifier.entailment.fitting.measure import calibration_error, reliability_table
from training.evaluation.combined_check import find_vetoed
from training.evaluation.dev_readings import to_scored
from training.evaluation.groups import LENGTHS, count_words, name_length
from training.evaluation.judged import Judged, share
from training.evaluation.metrics import (
    TEMPLATE_SOURCES,
    balanced_accuracy,
    bootstrap,
    mean_over_halves,
)
from training.pairs import LABEL_IDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.evaluation.dev_readings import DevReadings
    from training.evaluation.metrics import Array
    from training.pairs import Pair

_BINS = 10


def measure_reliability(readings: DevReadings, calibration: Calibration) -> dict[str, Any]:
    """Predicted against observed shares, on the half of the documents that fitted nothing."""
    figures: dict[str, Any] = {}
    for name, used in (("before", Calibration()), ("after", calibration)):
        scored = to_scored(readings, readings.probabilities(used)[:, 0])
        held = scored.take(scored.halves == 1)
        figures[name] = {
            "calibration_error": calibration_error(held.scores, held.entailed),
            "bins": [
                {"from": each.low, "rows": each.rows, "said": each.said, "seen": each.seen}
                for each in reliability_table(held.scores, held.entailed, bins=_BINS)
            ],
        }
        figures["rows"] = len(held.scores)
    return figures


def measure_lengths(
    pairs: Sequence[Pair], judged: Judged, baseline: Judged
) -> dict[str, dict[str, Any]]:
    """By the words of the premise, all sources except templates together, compared with a baseline.

    Which sources have long premises differs: a row of the table is other claims, not only longer
    premises. The padded premises tell the two apart.
    """
    words = count_words(pairs)
    scored = judged.scored
    counted = ~np.isin(scored.sources, list(TEMPLATE_SOURCES))
    figures = {}
    for low, high in LENGTHS:
        rows = counted & (words >= low) & (words < (high or np.inf))
        entailed = scored.entailed[rows]
        if not entailed.any() or entailed.all():
            continue
        pooled = replace(scored.take(rows), sources=np.full(int(rows.sum()), "all"))
        figures[name_length(low, high)] = {
            "rows": int(rows.sum()),
            "entailed": int(entailed.sum()),
            "balanced_accuracy": mean_over_halves(pooled, judged.called[rows], ["all"])["all"],
            "interval": bootstrap(pooled, judged.called[rows], ["all"])["all"],
            "containment": mean_over_halves(pooled, baseline.called[rows], ["all"])["all"],
        }
    return figures


def measure_ablation(
    readings: DevReadings, calibration: Calibration, vetoed: Array
) -> list[dict[str, Any]]:
    """With and without the lexical terms and the slot rules, thresholds chosen for each."""
    contradicted = np.array([pair.label == LABEL_IDS["contradiction"] for pair in readings.pairs])
    bare = replace(calibration, weights=())
    figures = []
    for terms, each in ((True, calibration), (False, bare)):
        if terms and not calibration.weights:
            # Without weights the two are the same.
            continue
        scores = readings.probabilities(each)[:, 0]
        for slots in (True, False):
            shown = np.where(vetoed, 0.0, scores) if slots else scores
            judged = Judged.of("", to_scored(readings, shown))
            figures.append({"terms": terms, "slots": slots} | judged.summarise(contradicted))
    return figures


def measure_padding(
    bare: DevReadings, padded: DevReadings, calibration: Calibration
) -> dict[str, Any]:
    """The same claims at the default threshold and with the slot rules, bare and padded."""
    called = []
    for readings in (bare, padded):
        scores = readings.probabilities(calibration)[:, 0]
        called.append((scores >= calibration.threshold) & ~find_vetoed(readings.pairs))
    entailed = bare.entailed
    sources = np.array([pair.source for pair in bare.pairs])
    contradicted = np.array([pair.label == LABEL_IDS["contradiction"] for pair in bare.pairs])
    figures = {}
    for source in [*np.unique(sources).tolist(), None]:
        rows = np.ones(len(sources), dtype=bool) if source is None else sources == source
        figures["all" if source is None else str(source)] = {
            "rows": int(rows.sum()),
            "words": float(count_words(padded.pairs)[rows].mean()),
            "bare": balanced_accuracy(entailed[rows], called[0][rows]),
            "padded": balanced_accuracy(entailed[rows], called[1][rows]),
            "entailed_found": [share(each[rows & entailed]) for each in called],
            "others_refused": [share(~each[rows & ~entailed]) for each in called],
            "contradictions_called_entailed": [share(each[rows & contradicted]) for each in called],
        }
    return figures
