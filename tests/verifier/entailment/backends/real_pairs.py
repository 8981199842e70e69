"""Real pairs of the development set and the calls that the embedded model makes of them."""

from __future__ import annotations

import gzip
import json
import random
from typing import TYPE_CHECKING

from spanproof.verifier.entailment.encoding.planning import PairPlanner
from spanproof.verifier.entailment.models.tokenizer import load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spanproof.verifier.entailment.backend import Call, Logits
    from spanproof.verifier.entailment.models.folder import ModelFolder


def read_pairs(test_data: Path, count: int) -> list[tuple[str, str]]:
    """A drawn sample, the same every time."""
    with gzip.open(test_data / "nli" / "dev.jsonl.gz", "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    drawn = random.Random(0).sample(rows, count)  # noqa: S311 - a sample, not a secret
    return [(row["premise"], row["hypothesis"]) for row in drawn]


def plan(folder: ModelFolder, pairs: Sequence[tuple[str, str]]) -> list[Call]:
    """The calls of these pairs, window by window."""
    tokenizer, _ = load_tokenizer(folder)
    planner = PairPlanner(tokenizer, positions=folder.positions, has_types=folder.has_token_types)
    return [call for pair in pairs for call in planner.plan(*pair).calls]


def measure_distance(some: Sequence[Logits], others: Sequence[Logits]) -> float:
    """How far the farthest logit lies from its counterpart."""
    return max(
        abs(one - other)
        for row, counterpart in zip(some, others, strict=True)
        for one, other in zip(row, counterpart, strict=True)
    )
