from __future__ import annotations

import gzip
import json
import random
from typing import TYPE_CHECKING

import pytest
import torch

from training.augment import CONTRADICTION, ENTAILMENT, change_number, negate
from training.batches import best_window, cut_batches
from training.pairs import NOT_ENTAILMENT, Pair, read_pairs
from training.train import learning_rate, masked_loss

if TYPE_CHECKING:
    from pathlib import Path


def make_pair(hypothesis: str, label: int = ENTAILMENT) -> Pair:
    return Pair(premise="It has 40 rooms.", hypothesis=hypothesis, label=label, source="s", doc="d")


def test_only_licensed_rows_may_shape_shipped_weights(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl.gz"
    row = {"premise": "p", "hypothesis": "h", "label": "neutral", "source": "s", "doc": "1"}
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        for commercial in ("ok", "unclear", "nc"):
            lines.write(json.dumps(row | {"commercial": commercial}) + "\n")
    assert len(list(read_pairs(path, shippable_only=True))) == 1
    assert len(list(read_pairs(path, shippable_only=False))) == 3


def test_a_masked_label_costs_nothing_for_which_of_the_two_it_is() -> None:
    labels = torch.tensor([NOT_ENTAILMENT])
    one = masked_loss(torch.tensor([[0.0, 3.0, -9.0]]), labels)
    other = masked_loss(torch.tensor([[0.0, -9.0, 3.0]]), labels)
    assert one.item() == pytest.approx(other.item())
    assert masked_loss(torch.tensor([[9.0, 0.0, 0.0]]), labels).item() > 5


def test_the_rate_warms_up_and_ends_at_nothing() -> None:
    assert learning_rate(0.01) < learning_rate(0.06)
    assert learning_rate(1.0) == 0.0
    assert learning_rate(0.5) > learning_rate(0.9)


def test_a_changed_number_is_no_longer_entailed_nor_in_the_premise() -> None:
    for seed in range(30):
        rng = random.Random(seed)  # noqa: S311 - a drawn pair, not a secret
        made = change_number(make_pair("It has 40 rooms."), rng)
        if made is not None:
            assert made.label == NOT_ENTAILMENT
            assert "40" not in made.hypothesis


def test_a_negated_claim_contradicts_and_a_negated_one_is_left_alone() -> None:
    rng = random.Random(0)  # noqa: S311 - a drawn pair, not a secret
    made = negate(make_pair("It was sold."), rng)
    assert made is not None
    assert made.hypothesis == "It was not sold."
    assert made.label == CONTRADICTION
    assert negate(make_pair("It was not sold."), rng) is None


def test_the_best_window_holds_the_claims_words() -> None:
    premise = " ".join(["filler"] * 300 + ["zebra", "crossing"] + ["filler"] * 300)
    assert "zebra" in best_window(premise, "A zebra crossing.", 50).split()


def test_batches_hold_every_example_within_the_budget() -> None:
    examples = [([1] * length, [0] * length, 0) for length in range(5, 90)]
    batches = list(cut_batches(examples, tokens=300, seed=1))
    assert sum(len(batch["labels"]) for batch in batches) == len(examples)
    assert all(batch["input_ids"].size <= 300 for batch in batches)
