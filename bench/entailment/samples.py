"""Pairs to time: labelled dev pairs, and text of the lengths that the design was measured with.

Every pair fits one window, for the pipeline reads no other.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from spanproof.verifier.entailment.encoding.planning import MAX_POSITIONS, PairPlanner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanproof.verifier.entailment.models.tokenizer import Tokenizer


Pair = tuple[str, str]
#: Tokens of the mix: claim normal, premise log-normal, both cut; 164 a pair with special tokens.
CLAIM_MEAN, CLAIM_SPREAD, CLAIM_LEAST = 25, 7, 5
PREMISE_MEDIAN, PREMISE_SIGMA, PREMISE_LEAST, PREMISE_MOST = 110, 0.68, 30, 400
#: Dev pairs whose premises are the running text.
_ROWS_OF_TEXT = 2_000
_DAYS = ("March", "May", "June", "October")


class _Chosen(TypedDict):
    pairs: tuple[Pair, ...]
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Pairs, the tokens of each with its special ones, and where the texts come from."""

    name: str
    origin: str
    pairs: tuple[Pair, ...]
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A labelled pair; ``entailed`` against the rest."""

    pair: Pair
    entailed: bool


def wide_planner(tokenizer: Tokenizer, *, positions: int) -> PairPlanner:
    """A planner that never cuts a premise that fits the model with its claim."""
    return PairPlanner(tokenizer, positions=positions, window_tokens=MAX_POSITIONS)


def read_labelled(count: int, seed: int) -> list[Labelled]:
    """Dev pairs of ``SPANPROOF_TEST_DATA``, drawn in a fixed order; without it, none."""
    data = os.environ.get("SPANPROOF_TEST_DATA")
    path = Path(data) / "nli" / "dev.jsonl.gz" if data else None
    if path is None or not path.is_file():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rng = random.Random(seed)  # noqa: S311 - a drawn sample, not a secret
    return [
        Labelled(pair=(row["premise"], row["hypothesis"]), entailed=row["label"] == "entailment")
        for row in rng.sample(rows, min(count, len(rows)))
    ]


def draw_dev(planner: PairPlanner, count: int, seed: int) -> Sample | None:
    """Dev pairs that fit one window as the model is shipped; None where there is no data."""
    pairs = (row.pair for row in read_labelled(8 * count, seed))
    chosen = _keep_single(planner, pairs, count)
    return Sample(name="dev pairs", origin="dev", **chosen) if chosen["pairs"] else None


def draw_mix(tokenizer: Tokenizer, planner: PairPlanner, count: int, seed: int) -> Sample:
    """Running text cut to the lengths of the mix: dev's premises, or made sentences without it."""
    rng = random.Random(seed)  # noqa: S311 - the same lengths every time
    texts = [row.pair[0] for row in read_labelled(_ROWS_OF_TEXT, seed)]
    origin = "text of dev" if texts else "made sentences"
    words = " ".join(texts or _make_sentences(rng)).split()

    def draw() -> Iterator[Pair]:
        while True:
            claim = max(CLAIM_LEAST, round(rng.gauss(CLAIM_MEAN, CLAIM_SPREAD)))
            length = rng.lognormvariate(math.log(PREMISE_MEDIAN), PREMISE_SIGMA)
            premise = round(min(max(length, PREMISE_LEAST), PREMISE_MOST))
            yield _cut_text(tokenizer, words, premise, rng), _cut_text(tokenizer, words, claim, rng)

    return Sample(name="mix of lengths", origin=origin, **_keep_single(planner, draw(), count))


def _keep_single(planner: PairPlanner, pairs: Iterable[Pair], count: int) -> _Chosen:
    kept: list[Pair] = []
    tokens: list[int] = []
    for pair in pairs:
        plan = planner.plan(*pair)
        if plan.reason is None and len(plan.calls) == 1:
            kept.append(pair)
            tokens.append(len(plan.calls[0].ids))
        if len(kept) == count:
            break
    return {"pairs": tuple(kept), "tokens": tuple(tokens)}


def _cut_text(tokenizer: Tokenizer, words: list[str], tokens: int, rng: random.Random) -> str:
    """So many tokens of the text, from somewhere in it."""
    start = rng.randrange(len(words) - tokens)
    text = " ".join(words[start : start + tokens])
    offsets = tokenizer.encode(text, add_special_tokens=False).offsets
    return text if len(offsets) <= tokens else text[: offsets[tokens - 1][1]]


def _make_sentences(rng: random.Random) -> list[str]:
    return [
        f"Section {n} of the agreement lets the tenant keep {n + 2} rooms until {rng.choice(_DAYS)}"
        f" {1990 + n % 40}, and the owner may end it after {n % 9 + 2} months."
        for n in range(400)
    ]
