"""Pairs a second of our runtime and of the transformers pipeline: ``python -m bench.entailment``.

Same weights, same pairs, alternated in one process on the same number of torch threads; the
pipeline runs as its documentation shows it, in batches of 32. The outputs are compared. The pairs
are dev pairs of ``SPANPROOF_TEST_DATA`` when it is set, else sentences made here; those that need
more than one window are left out, as the pipeline would cut them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import random
import statistics
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers

from verifier.entailment.loading import embedded_folder, load_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifier.entailment.model import LocalEntailment

BATCH = 32
TARGET_RATIO = 2.0
#: Above this the two do not compute the same thing, and their speeds must not be compared.
MOST_DIFFERENCE = 1e-3
Pairs = list[tuple[str, str]]


def take_pairs(count: int, seed: int) -> tuple[Pairs, str]:
    """Drawn dev pairs, or made ones, and which they are."""
    rng = random.Random(seed)  # noqa: S311 - a drawn sample, not a secret
    data = os.environ.get("SPANPROOF_TEST_DATA")
    path = Path(data) / "nli" / "dev.jsonl.gz" if data else None
    if path is not None and path.is_file():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return [(row["premise"], row["hypothesis"]) for row in rng.sample(rows, count)], "dev"
    sentences = [
        f"Section {n} of the agreement lets the tenant keep {n + 2} rooms until March {1990 + n}."
        for n in range(60)
    ]
    made = [(" ".join(rng.sample(sentences, rng.randint(1, 9))), s) for s in sentences * 20]
    return rng.sample(made, min(count, len(made))), "made"


def measure(run: Callable[[], list[dict[str, float]]]) -> tuple[float, float, Any]:
    """Wall seconds, CPU seconds, result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def judge_ours(model: LocalEntailment, pairs: Pairs) -> list[dict[str, float]]:
    """The raw outputs by label, so that both sides are compared before calibration."""
    names = model.identity.labels
    return [
        dict(zip(names, torch.softmax(torch.tensor(reading.logits[0]), -1).tolist(), strict=True))
        for reading in model.read_windows(pairs)
    ]


def judge_theirs(pipeline: Any, pairs: Pairs, names: Sequence[str]) -> list[dict[str, float]]:  # noqa: ANN401 - transformers ships no types
    """The pipeline's own outputs, all labels, by our names."""
    inputs = [{"text": premise, "text_pair": claim} for premise, claim in pairs]
    rows = pipeline(inputs, batch_size=BATCH, top_k=None, truncation=True)
    own = [pipeline.model.config.id2label[index] for index in range(len(names))]
    meaning = dict(zip(own, names, strict=True))
    return [{meaning[item["label"]]: item["score"] for item in row} for row in rows]


def compare(folder: Path, *, count: int, rounds: int, seed: int) -> dict[str, Any]:
    """Alternate the two and report medians, ranges and the greatest difference of a probability."""
    model = load_model(folder, device="cpu")
    threads = torch.get_num_threads()
    pipeline = transformers.pipeline(
        "text-classification",
        model=transformers.AutoModelForSequenceClassification.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        ),
        tokenizer=transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True),
        device="cpu",
    )
    pairs, origin = take_pairs(count, seed)
    pairs = [
        pair
        for pair, reading in zip(pairs, model.read_windows(pairs), strict=True)
        if len(reading.logits) == 1
    ]
    names = model.identity.labels
    walls: dict[str, list[float]] = {"ours": [], "pipeline": []}
    cpus: dict[str, list[float]] = {"ours": [], "pipeline": []}
    difference = 0.0
    for _ in range(rounds):
        ours_wall, ours_cpu, ours = measure(lambda: judge_ours(model, pairs))
        # torch's own number of threads for the peer: as many as we run calls beside each other.
        torch.set_num_threads(len(os.sched_getaffinity(0)))
        wall, cpu, theirs = measure(lambda: judge_theirs(pipeline, pairs, names))
        torch.set_num_threads(threads)
        walls["ours"].append(ours_wall)
        walls["pipeline"].append(wall)
        cpus["ours"].append(ours_cpu)
        cpus["pipeline"].append(cpu)
        difference = max(
            difference,
            *(
                abs(mine[name] - yours[name])
                for mine, yours in zip(ours, theirs, strict=True)
                for name in names
            ),
        )
    ratios = [peer / mine for peer, mine in zip(walls["pipeline"], walls["ours"], strict=True)]
    cpu_ratios = [peer / mine for peer, mine in zip(cpus["pipeline"], cpus["ours"], strict=True)]
    return {
        "taken_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        "model": model.identity.name,
        "weights_sha256": str(model.identity.weights_digest),
        "pairs": len(pairs),
        "pairs_from": origin,
        "rounds": rounds,
        "pairs_per_second": {
            name: len(pairs) / statistics.median(values) for name, values in walls.items()
        },
        "cpu_ms_per_pair": {
            name: 1000 * statistics.median(values) / len(pairs) for name, values in cpus.items()
        },
        "ratio": statistics.median(ratios),
        "ratio_range": [min(ratios), max(ratios)],
        "cpu_ratio": statistics.median(cpu_ratios),
        "cpu_ratio_range": [min(cpu_ratios), max(cpu_ratios)],
        "target_ratio": TARGET_RATIO,
        "greatest_difference": difference,
    }


def print_table(figures: dict[str, Any]) -> None:
    """Both sides, the ratio with its range, and whether the outputs agree."""
    for name, speed in figures["pairs_per_second"].items():
        print(f"{name:9} {speed:7.1f} pairs/s  {figures['cpu_ms_per_pair'][name]:6.1f} ms CPU/pair")
    low, high = figures["ratio_range"]
    cpu_low, cpu_high = figures["cpu_ratio_range"]
    print(
        f"ratio {figures['ratio']:.2f} [{low:.2f}, {high:.2f}] by the clock,"
        f" {figures['cpu_ratio']:.2f} [{cpu_low:.2f}, {cpu_high:.2f}] by CPU time"
        f" (target {figures['target_ratio']}); greatest difference of a probability"
        f" {figures['greatest_difference']:.1e} over {figures['pairs']} pairs"
        f" ({figures['pairs_from']})"
    )


def main() -> None:
    """Run the comparison; exit 1 where the two do not agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=embedded_folder())
    parser.add_argument("--pairs", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("bench/results/entailment.json"))
    arguments = parser.parse_args()
    figures = compare(
        arguments.model, count=arguments.pairs, rounds=arguments.rounds, seed=arguments.seed
    )
    print_table(figures)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if figures["greatest_difference"] > MOST_DIFFERENCE:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
