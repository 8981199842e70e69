from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from tests.training.base_tier.test_build import make_mpnet
from tests.verifier.entailment.tiny_models import build_tokenizer
from training.base_tier.encoder import rename
from training.base_tier.run import BATCH_TOKENS, Trainer, find_share, order_batches
from training.base_tier.stream import MAX_TOKENS, draw, write
from training.batches import weigh_classes
from training.pairs import NOT_ENTAILMENT, Pair

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = [
    Pair(
        premise="A man is playing a guitar on a stage. " * (1 + 60 * (number % 7 == 0)),
        hypothesis="A man is playing." if number % 2 else "A man is asleep.",
        label=0 if number % 2 else NOT_ENTAILMENT,
        source=f"source-{number % 3}",
        doc=str(number),
    )
    for number in range(60)
]


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    drawn = draw(PAIRS, 80, seed=1)
    build_tokenizer().save(str(tmp_path / "tokenizer.json"))
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    write(drawn, weigh_classes(PAIRS), tokenizer, tmp_path / "stream.npz")
    return tmp_path / "stream.npz"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    make_mpnet(layers=5).save_pretrained(tmp_path / "base")
    return tmp_path / "base"


def test_the_seed_decides_what_is_drawn() -> None:
    assert draw(PAIRS, 40, seed=1) == draw(PAIRS, 40, seed=1)
    assert draw(PAIRS, 40, seed=1) != draw(PAIRS, 40, seed=2)


def test_pairs_are_laid_out_with_two_marks_between(stream: Path) -> None:
    with np.load(stream) as kept:
        ids, lengths = kept["ids"], kept["lengths"]
    assert int(lengths.max()) <= MAX_TOKENS
    for row in np.split(ids, np.cumsum(lengths)[:-1]):
        assert row[0] == 0
        assert row[-1] == 2
        assert [a == b == 2 for a, b in pairwise(row)].count(True) == 1


def test_batches_are_bounded_and_hold_every_row_once() -> None:
    lengths = np.random.default_rng(0).integers(5, 256, 500)
    seen: list[int] = []
    for batch in order_batches(lengths, seed=1):
        assert len(batch) * int(lengths[batch].max()) <= BATCH_TOKENS
        seen += batch
        if len(seen) >= 500:
            break
    assert sorted(seen) == list(range(500))


def test_the_rate_warms_up_stays_and_falls_to_zero() -> None:
    shares = [find_share(step, steps=1200, decay_steps=200) for step in (0, 99, 1000, 1100, 1200)]
    assert shares == [0.01, 1.0, 1.0, 0.5, 0.0]


@pytest.mark.long
def test_a_run_that_was_stopped_goes_on_with_the_same_numbers(
    base: Path, stream: Path, tmp_path: Path
) -> None:
    torch.set_num_threads(1)
    whole, first = (Trainer(base, stream, 1, heads=2) for _ in range(2))
    batches = list(islice(order_batches(whole.lengths, 1), 6))
    losses = [whole.step(rows, 1.0) for rows in batches]
    for rows in batches[:3]:
        first.step(rows, 1.0)
    first.save(tmp_path / "checkpoint.pt", 3)
    again = Trainer(base, stream, 1, heads=2)
    assert again.load(tmp_path / "checkpoint.pt") == 3
    assert [again.step(rows, 1.0) for rows in batches[3:]] == losses[3:]


@pytest.mark.long
def test_it_learns_and_leaves_the_first_layers_alone(
    base: Path, stream: Path, tmp_path: Path
) -> None:
    torch.set_num_threads(1)
    trainer = Trainer(base, stream, 1, heads=2)
    (rows,) = islice(order_batches(trainer.lengths, 1), 1)
    losses = [trainer.step(rows, 1.0) for _ in range(10)]
    assert losses[-1] < losses[0]
    trainer.write(tmp_path / "model.safetensors")
    before = rename(load_file(base / "model.safetensors"))
    after = rename(load_file(tmp_path / "model.safetensors"))
    assert torch.equal(after["2.qkv.weight"], before["2.qkv.weight"].half())
    assert not torch.equal(after["4.qkv.weight"], before["4.qkv.weight"].half())
