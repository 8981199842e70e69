from __future__ import annotations

import gzip
import itertools
import json
import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import torch

from training.batches import WEIGHT_BOUNDS, best_window, cut_batches, weigh_classes
from training.pairs import NOT_ENTAILMENT, Pair, read_pairs, thin_out
from training.train import learning_rate, masked_loss
from training.variants.augment import (
    CONTRADICTION,
    ENTAILMENT,
    change_number,
    check_sentence,
    negate,
    swap_names,
)

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
    labels, weights = torch.tensor([NOT_ENTAILMENT]), torch.ones(1)
    one = masked_loss(torch.tensor([[0.0, 3.0, -9.0]]), labels, weights)
    other = masked_loss(torch.tensor([[0.0, -9.0, 3.0]]), labels, weights)
    assert one.item() == pytest.approx(other.item())
    assert masked_loss(torch.tensor([[9.0, 0.0, 0.0]]), labels, weights).item() > 5


def test_a_weight_counts_a_pair_as_often() -> None:
    logits, labels = torch.tensor([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), torch.tensor([0, 0])
    thrice = masked_loss(logits[[0, 0, 0, 1]], labels[[0, 0, 0, 1]], torch.ones(4))
    assert masked_loss(logits, labels, torch.tensor([3.0, 1.0])).item() == pytest.approx(
        thrice.item()
    )


def test_both_classes_of_a_source_weigh_the_same_within_bounds() -> None:
    pairs = [make_pair("It has 40 rooms.")] * 30 + [make_pair("It has 41 rooms.", 1)] * 70
    weights = weigh_classes(pairs)
    assert 30 * weights[("s", True)] == pytest.approx(70 * weights[("s", False)])
    lone = weigh_classes([make_pair("It has 40 rooms.")] * 99 + [make_pair("No.", 1)])
    assert lone[("s", False)] == WEIGHT_BOUNDS[1]


PASSAGE = (
    "The museum (which opened late) was built in 1903 by the architect Carl Moser. "
    "It was sold in 1950 to the widow Anna Keller of Basel. "
    "Visitors may enter every day before noon without a ticket."
)


def test_a_checked_sentence_is_labelled_by_its_rule() -> None:
    pair = replace(make_pair("x"), premise=PASSAGE)
    other = replace(pair, premise="Nothing of that.", doc="other")
    sentences = PASSAGE.split(". ")
    for seed in range(200):
        made = check_sentence(pair, [other], random.Random(seed))  # noqa: S311
        if made is None:
            continue
        whole = any(sentence.strip(".") in made.hypothesis for sentence in sentences)
        if made.label == ENTAILMENT:
            assert made.premise == PASSAGE
        elif made.premise not in {PASSAGE, other.premise}:
            # Left out of its own passage, it is not supported by the rest.
            assert made.label == NOT_ENTAILMENT
            assert whole
            assert made.hypothesis not in made.premise


def test_a_swapped_name_comes_from_the_premise_and_is_another() -> None:
    pair = replace(make_pair("It was sold to the widow Anna Keller in May."), premise=PASSAGE)
    made = swap_names(pair, random.Random(3))  # noqa: S311 - a drawn pair, not a secret
    assert made is not None
    assert made.label == NOT_ENTAILMENT
    assert "Carl Moser" in made.hypothesis or "Basel" in made.hypothesis


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
    examples = [([1] * length, [0] * length, 0, 1.0) for length in range(5, 90)]
    batches = list(cut_batches(examples, tokens=300, seed=1))
    assert sum(len(batch["labels"]) for batch in batches) == len(examples)
    assert all(batch["input_ids"].size <= 300 for batch in batches)


def test_thinned_rows_are_bounded_in_each_class_of_each_source_and_always_the_same() -> None:
    pairs = [
        Pair(premise=str(number), hypothesis="x", label=number % 2, source=source, doc="d")
        for number in range(60)
        for source in ("a", "b")
    ]
    thin = thin_out(pairs, 7)
    assert Counter((pair.source, pair.label) for pair in thin) == dict.fromkeys(
        itertools.product("ab", (0, 1)), 7
    )
    assert thin_out(reversed(pairs), 7) == thin
    assert {pair.premise for pair in thin} != {str(number) for number in range(14)}
    assert thin_out(pairs, None) == pairs
