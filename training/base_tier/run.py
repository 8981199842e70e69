"""Train the larger encoder on a CPU, to be stopped and gone on with at will.

``python -m training.base_tier.run --help``. The rate warms up, stays, and falls to zero over the
last steps. ``trunk.pt`` is the state before it falls: a longer run goes on from there (copy it to
``checkpoint.pt``). Products are in bfloat16, the numbers that learn in float32; the embeddings and
the first layers stay as they are.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import AutoModelForSequenceClassification

from training.base_tier.encoder import Encoder, count_layers, rename, restore
from training.train import masked_loss

if TYPE_CHECKING:
    from collections.abc import Iterator

RATE, HEAD_RATE, LAYER_DECAY, WARM_STEPS = 4e-5, 2e-4, 0.95, 100
BATCH_TOKENS, POOL, FROZEN_LAYERS, HEADS = 2048, 2048, 3, 12
CHECKPOINT_SECONDS = 600
#: MPNet's padding, and the norm that a gradient is cut to.
_PADDING, _MOST_NORM = 1, 1.0


def order_batches(lengths: np.ndarray[Any, Any], seed: int) -> Iterator[list[int]]:
    """Rows of like length, within a bound of padded tokens, pass after pass."""
    while True:
        rng = random.Random(seed)
        for start in range(0, len(lengths), POOL):
            pool = range(start, min(start + POOL, len(lengths)))
            batches: list[list[int]] = [[]]
            for row in sorted(pool, key=lambda one: int(lengths[one])):
                if batches[-1] and (len(batches[-1]) + 1) * lengths[row] > BATCH_TOKENS:
                    batches.append([])
                batches[-1].append(row)
            rng.shuffle(batches)
            yield from batches
        seed += 1


class Trainer:
    """The state of one run."""

    def __init__(self, base: Path, stream: Path, seed: int, *, heads: int = HEADS) -> None:
        torch.manual_seed(seed)
        reference = AutoModelForSequenceClassification.from_pretrained(base, num_labels=3)
        self._whole = {
            name: tensor.detach().clone().float()
            for name, tensor in rename(reference.state_dict()).items()
        }
        layers = count_layers(self._whole)
        depths = {name: _find_depth(name, layers) for name in self._whole}
        self.master = {
            name: torch.nn.Parameter(tensor.clone())
            for name, tensor in self._whole.items()
            if depths[name] >= FROZEN_LAYERS
        }
        self._encoder = Encoder(
            {name: tensor.bfloat16() for name, tensor in self._whole.items()}, heads=heads
        )
        for name in self.master:
            self._encoder.tensor(name).requires_grad_()
        self._groups = [
            {
                "params": [parameter],
                "peak": HEAD_RATE
                if depths[name] == layers
                else RATE * LAYER_DECAY ** (layers - 1 - depths[name]),
                "weight_decay": 0.01 if parameter.dim() == 2 else 0.0,
            }
            for name, parameter in self.master.items()
        ]
        self.optimizer = torch.optim.AdamW(
            self._groups, lr=0.0, betas=(0.9, 0.98), eps=1e-6, fused=True
        )
        with np.load(stream) as kept:
            self._stream = {name: kept[name] for name in kept.files}
        self.lengths = self._stream["lengths"]
        self._starts = np.concatenate([[0], np.cumsum(self.lengths)])

    def step(self, rows: list[int], share: float) -> float:
        """Learn one batch at a share of the peak rates; its loss."""
        width = int(self.lengths[rows].max())
        ids = np.full((len(rows), width), _PADDING, np.int64)
        for place, row in enumerate(rows):
            start = self._starts[row]
            ids[place, : self.lengths[row]] = self._stream["ids"][start : self._starts[row + 1]]
        logits = self._encoder(torch.from_numpy(ids), torch.from_numpy(self.lengths[rows]))
        labels = torch.from_numpy(self._stream["labels"][rows])
        weights = torch.from_numpy(self._stream["weights"][rows])
        loss = masked_loss(logits, labels, weights)
        # Batches of few long pairs count for less than those of many short ones.
        torch.autograd.backward(loss * (weights.sum() / 18).sqrt())
        with torch.no_grad():
            for name, parameter in self.master.items():
                low = self._encoder.tensor(name)
                parameter.grad = None if low.grad is None else low.grad.float()
                low.grad = None
            torch.nn.utils.clip_grad_norm_(self.master.values(), _MOST_NORM)
            for group in self.optimizer.param_groups:
                group["lr"] = group["peak"] * share
            self.optimizer.step()
            self._refresh()
        return float(loss.detach())

    def save(self, path: Path, step: int) -> None:
        """Everything that a run needs to go on, whole or not at all."""
        partial = path.with_suffix(".part")
        state = {"step": step, "optimizer": self.optimizer.state_dict(), "master": self.master}
        torch.save(state, partial)
        partial.replace(path)

    def load(self, path: Path) -> int:
        """Go on from there; the number of the next step."""
        state = torch.load(path, weights_only=True)
        self.optimizer.load_state_dict(state["optimizer"])
        with torch.no_grad():
            for name, parameter in self.master.items():
                parameter.copy_(state["master"][name])
            self._refresh()
        return int(state["step"])

    def write(self, path: Path) -> None:
        """The weights in half precision under transformers' names."""
        learnt = {name: parameter.detach() for name, parameter in self.master.items()}
        state = restore({**self._whole, **learnt})
        halves = {name: tensor.half().contiguous() for name, tensor in state.items()}
        save_file(halves, path, metadata={"format": "pt"})

    def _refresh(self) -> None:
        for name, parameter in self.master.items():
            self._encoder.tensor(name).copy_(parameter)
            parameter.grad = None


def find_share(step: int, *, steps: int, decay_steps: int) -> float:
    """The rate at a step, as a share of its peak."""
    left = (steps - step) / decay_steps
    return max(0.0, min(1.0, (step + 1) / WARM_STEPS, left))


def _find_depth(name: str, layers: int) -> int:
    """The layer of a tensor; the embeddings lie before all, the head behind."""
    first = name.partition(".")[0]
    if first.isdigit():
        return int(first)
    return layers if first in {"head", "logits"} else -1


def main() -> None:
    """Read the command line, train, write weights and what was done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--stream", type=Path, required=True, help="of training.base_tier.stream")
    parser.add_argument("--output", type=Path, required=True, help="checkpoints and weights")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--decay-steps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20261123)
    arguments = parser.parse_args()
    output: Path = arguments.output
    output.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(arguments.base, arguments.stream, arguments.seed)
    kept = output / "checkpoint.pt"
    begin = trainer.load(kept) if kept.is_file() else 0
    trunk = arguments.steps - arguments.decay_steps
    saved, pairs = time.monotonic(), 0
    for step, rows in enumerate(order_batches(trainer.lengths, arguments.seed)):
        if step >= arguments.steps:
            break
        pairs += len(rows)
        if step < begin:
            continue
        if step == trunk:
            trainer.save(output / "trunk.pt", step)
        share = find_share(step, steps=arguments.steps, decay_steps=arguments.decay_steps)
        loss = trainer.step(rows, share)
        if step % 20 == 0:
            print(f"step {step}, {pairs} pairs, loss {loss:.3f}", flush=True)
        if time.monotonic() - saved > CHECKPOINT_SECONDS:
            trainer.save(kept, step + 1)
            saved = time.monotonic()
    trainer.write(output / "model.safetensors")
    record = {
        "pairs_seen": pairs,
        "steps": arguments.steps,
        "decay_steps": arguments.decay_steps,
        "seed": arguments.seed,
        "peak_rate": RATE,
        "head_rate": HEAD_RATE,
        "layer_decay": LAYER_DECAY,
        "warm_steps": WARM_STEPS,
        "batch_tokens": BATCH_TOKENS,
        "frozen_layers": FROZEN_LAYERS,
    }
    (output / "training_run.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
