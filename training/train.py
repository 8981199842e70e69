"""Train the embedded entailment model from a BERT encoder: ``python -m training.train --help``.

Masked three-way cross-entropy (``not_entailment`` costs -log(p_neutral + p_contradiction)), AdamW,
6 % warm-up, then linear decay to zero over a budget of minutes, so that a run always ends cooled
down; checkpoints let a stopped run go on. The artefact is fp16 safetensors.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForSequenceClassification

from training.batches import cut_batches, draw_pass, encode, weigh_classes
from training.pairs import LABELS, NOT_ENTAILMENT, Pair, read_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

PEAK_RATE = 1.2e-4
#: Up to this width eager attention is faster than the fused kernel on a CPU (heads of 32).
EAGER_WIDTH = 160
WARM_UP = 0.06
BATCH_TOKENS = 3000
CHECKPOINT_SECONDS = 600


def masked_loss(logits: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Weighted mean in nats: -log p(label), or -log(1 - p_entailment) where only that is known."""
    log_p = torch.log_softmax(logits.float(), dim=-1)
    not_entailed = torch.logsumexp(log_p[:, 1:], dim=-1)
    known = labels.clamp(max=NOT_ENTAILMENT - 1)
    picked = log_p.gather(1, known[:, None])[:, 0]
    costs = -torch.where(labels == NOT_ENTAILMENT, not_entailed, picked)
    return (costs * weights).sum() / weights.sum()


def learning_rate(progress: float) -> float:
    """The rate as a share of its peak, at a share ``progress`` in [0, 1] of the budget."""
    if progress < WARM_UP:
        return max(progress / WARM_UP, 0.01)
    return max(0.0, (1 - progress) / (1 - WARM_UP))


def load_encoder(base: Path) -> Any:  # noqa: ANN401 - transformers ships no usable class type
    """The encoder with its three-way head, fresh where it has none.

    Dropout is off (it costs 3-5x on a CPU), and word embeddings stay as they are: their dense
    gradient costs a tenth of a step, and the pairs show but a part of the words.
    """
    model = AutoModelForSequenceClassification.from_pretrained(
        base,
        num_labels=len(LABELS),
        id2label=dict(enumerate(LABELS)),
        label2id={name: index for index, name in enumerate(LABELS)},
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        dtype=torch.float32,
    )
    model.get_input_embeddings().weight.requires_grad_(False)  # noqa: FBT003 - torch takes it so
    return model


def stream(pairs: list[Pair], tokenizer: Tokenizer, seed: int) -> Iterator[dict[str, Any]]:
    """Batches without end: pass after pass, each drawn anew from its own seed."""
    weights = weigh_classes(pairs)
    for number in itertools.count():
        drawn = draw_pass(pairs, seed + number)
        print(f"pass {number}: {len(drawn)} pairs", file=sys.stderr, flush=True)
        for start in range(0, len(drawn), 16_384):
            examples = encode(tokenizer, drawn[start : start + 16_384], weights)
            yield from cut_batches(examples, tokens=BATCH_TOKENS, seed=seed + number)


def train(arguments: argparse.Namespace) -> None:
    """Run or resume the recipe and write the fp16 model folder."""
    torch.manual_seed(arguments.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = Tokenizer.from_file(str(arguments.base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    pairs = [pair for path in arguments.pairs for pair in read_pairs(path, shippable_only=True)]
    model = load_encoder(arguments.base).to(device)
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=0.0, weight_decay=0.01, fused=True)
    checkpoint = arguments.output / "checkpoint.pt"
    step, seen, spent = 0, 0, 0.0
    arguments.output.mkdir(parents=True, exist_ok=True)
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step, seen, spent = state["step"], state["seen"], state["spent"]
    budget = arguments.minutes * 60
    last_saved = spent
    clock = time.monotonic()
    model.train()
    # A resumed run draws its passes from a seed of its own: it sees new pairs, not the first again.
    for batch in stream(pairs, tokenizer, arguments.seed + 1000 * step):
        progress = spent / budget
        if progress >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = arguments.rate * learning_rate(progress)
        labels = torch.from_numpy(batch.pop("labels")).to(device)
        weights = torch.from_numpy(batch.pop("weights")).to(device)
        inputs = {name: torch.from_numpy(value).to(device) for name, value in batch.items()}
        if device == "cpu":
            short = inputs["input_ids"].shape[1] <= EAGER_WIDTH
            model.set_attn_implementation("eager" if short else "sdpa")
        with torch.autocast(device, dtype=torch.bfloat16):
            logits = model(**inputs).logits
        loss = masked_loss(logits, labels, weights)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        step, seen = step + 1, seen + len(labels)
        now = time.monotonic()
        spent, clock = spent + now - clock, now
        if step % 100 == 0:
            print(f"step {step} pairs {seen} {progress:.1%} loss {loss:.3f}", flush=True)
        if spent - last_saved > CHECKPOINT_SECONDS:
            last_saved = spent
            part = checkpoint.with_suffix(".part")
            torch.save(
                {
                    "model": model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "step": step,
                    "seen": seen,
                    "spent": spent,
                },
                part,
            )
            part.replace(checkpoint)
    save(model, tokenizer, arguments, {"steps": step, "pairs_seen": seen, "device": device})


def save(
    model: Any,  # noqa: ANN401 - transformers ships no usable class type
    tokenizer: Tokenizer,
    arguments: argparse.Namespace,
    run: dict[str, Any],
) -> None:
    """Write config.json, fp16 model.safetensors, tokenizer.json and the run's own record."""
    model.eval()
    model.half().save_pretrained(arguments.output, safe_serialization=True)
    tokenizer.save(str(arguments.output / "tokenizer.json"))
    record = run | {
        "minutes": arguments.minutes,
        "seed": arguments.seed,
        "peak_rate": arguments.rate,
        "batch_tokens": BATCH_TOKENS,
        "torch": torch.__version__,
    }
    before = arguments.base / "training_run.json"
    if before.is_file():
        # The run that made what this one went on from; its own beginning is in it.
        weights = (arguments.base / "model.safetensors").read_bytes()
        record["began_from"] = json.loads(before.read_text()) | {
            "weights_sha256": hashlib.sha256(weights).hexdigest()
        }
    (arguments.output / "training_run.json").write_text(json.dumps(record, indent=1) + "\n")
    with contextlib.suppress(FileNotFoundError):
        (arguments.output / "checkpoint.pt").unlink()


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="encoder or model")
    parser.add_argument("--pairs", type=Path, nargs="+", required=True, help="*.jsonl.gz files")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=90.0)
    parser.add_argument("--rate", type=float, default=PEAK_RATE, help="peak learning rate")
    parser.add_argument("--seed", type=int, default=20261120)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
