from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from tests.verifier.entailment.tiny_models import build_folder, teach_canary
from training.evaluate import evaluate
from training.evaluation.cached_readings import CachedReadings
from training.evaluation.dev_readings import read_rows
from training.evaluation.tables import to_tables
from training.evaluation.unseen import draw_unseen, measure_unseen

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from training.pairs import Pair

KNOWN = "The court of appeal set the judgment aside in May."
OTHER = "A ferry leaves the northern harbour every second hour."


def write_rows(path: Path, rows: Iterable[tuple[str, str, str, str]], *, commercial: str) -> Path:
    """(source, premise, hypothesis, label) as one more member of a gzip'd file."""
    with gzip.open(path, "at", encoding="utf-8") as lines:
        for number, (source, premise, hypothesis, label) in enumerate(rows):
            row = {"source": source, "premise": premise, "hypothesis": hypothesis, "label": label}
            lines.write(json.dumps(row | {"doc": str(number), "commercial": commercial}) + "\n")
    return path


def draw(tmp_path: Path, *rows: tuple[str, str, str, str], per_class: int = 50) -> list[Pair]:
    train = write_rows(
        tmp_path / "train.jsonl.gz",
        [("fm2", f"{KNOWN} Nothing else.", "The judgment stands no more.", "entailment")],
        commercial="ok",
    )
    write_rows(train, rows, commercial="unclear")
    return draw_unseen(train, trained_on=[train], per_class=per_class)


def test_rows_of_a_trained_source_are_not_unseen(tmp_path: Path) -> None:
    drawn = draw(tmp_path, ("fm2", OTHER, "A ferry leaves.", "entailment"))
    assert drawn == []


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        (OTHER, "the JUDGMENT stands no more"),
        (f"{KNOWN} Nothing else.", "A new claim."),
        (f"{KNOWN} {OTHER}", "A new claim."),
    ],
    ids=["claim", "premise", "sentence of the premise"],
)
def test_a_row_that_the_training_pairs_hold_is_left_out(
    tmp_path: Path, premise: str, hypothesis: str
) -> None:
    kept = ("mpe", OTHER, "Ferries run.", "neutral")
    drawn = draw(tmp_path, ("mpe", premise, hypothesis, "entailment"), kept)
    assert [(pair.premise, pair.hypothesis) for pair in drawn] == [kept[1:3]]


def test_one_known_sentence_among_many_does_not_make_a_premise_known(tmp_path: Path) -> None:
    rest = " ".join(f"Ferry {n} leaves the northern harbour at noon." for n in range(5))
    assert len(draw(tmp_path, ("mpe", f"{KNOWN} {rest}", "Ferries run.", "neutral"))) == 1


def test_as_many_of_each_class_whatever_the_order_of_the_file(tmp_path: Path) -> None:
    rows = [
        (source, f"{OTHER} {n}", f"Claim {n}.", label)
        for n in range(30)
        for source in ("mpe", "rte")
        for label in ("entailment", "neutral", "contradiction")
    ]
    drawn = draw(tmp_path, *rows, per_class=7)
    for source in ("mpe", "rte"):
        entailed = [pair.label == 0 for pair in drawn if pair.source == source]
        assert (entailed.count(True), entailed.count(False)) == (7, 7)
    (tmp_path / "turned").mkdir()
    turned = draw(tmp_path / "turned", *rows[::-1], per_class=7)
    assert [(p.source, p.hypothesis) for p in turned] == [(p.source, p.hypothesis) for p in drawn]


def test_the_figures_are_at_the_shipped_threshold_and_stand_in_the_tables(tmp_path: Path) -> None:
    labelled = ((ENTAILED, "entailment"), (CONTRADICTED, "contradiction"), (NEUTRAL, "neutral"))
    rows = [
        (source, *pair, label)
        for source in ("attrbench_lfqa", "mpe")
        for pair, label in labelled
        for _ in range(25)
    ]
    unseen = draw(tmp_path, *rows)
    kept = CachedReadings(teach_canary(build_folder(tmp_path / "taught")), tmp_path / "kept.npz")
    readings = read_rows(kept, unseen, pairs_sha256="0" * 64)
    figures = measure_unseen(readings, kept.folder.calibration)
    assert figures["rows"] == 2 * 75
    assert figures["contradicted"] == 2 * 25
    assert figures["contradictions_called_entailed"] == 0.0
    assert figures["groups"]["all"]["sources"] == 2
    assert figures["groups"]["grounding"]["sources"] == 1
    assert figures["groups"]["all"]["balanced_accuracy"] == pytest.approx(1.0)
    text = to_tables(evaluate(kept, readings, unseen=unseen, padded_per_class=1))
    assert "| attrbench_lfqa * | 75 | 1.000 |" in text
    assert "| mean of 2, all | 150 | 1.000 |" in text
    assert "unseen source" not in to_tables(evaluate(kept, readings, padded_per_class=1))
