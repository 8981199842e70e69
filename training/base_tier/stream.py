"""Draw the training pairs of the larger encoder: ``python -m training.base_tier.stream --help``.

A source of n pairs is drawn by n^0.6, and long, answer-like and edited ones more often; about a
fifth of the pairs is made by rules. The file holds token ids, labels and what each pair costs.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from training.base_tier.made_pairs import make_pair
from training.batches import CONTRADICTION_WEIGHT, best_window, weigh_classes
from training.pairs import LABEL_IDS, Pair, read_pairs
from training.variants.augment import (
    PADDABLE_SOURCES,
    PASSAGE_SOURCES,
    change_slot,
    check_sentence,
    pad_premise,
    rewrite,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_TOKENS = 256
#: Of a claim's tokens at most.
_CLAIM_TOKENS = 96
#: MPNet's marks: before a pair, and behind each of its texts.
_FIRST, _END = 0, 2
_POWER = 0.6
#: Which sources are drawn more or less often than their size says.
_SHARES = {
    "begin_cmu": 1.6,
    "begin_tc": 1.6,
    "begin_wow": 1.6,
    "breaking_nli": 0.2,
    "bump": 1.6,
    "conjnli_auto": 0.4,
    "contractnli_window": 0.7,
    "expertqa": 1.6,
    "factcg_cg2c_doc": 1.6,
    "fever_dev": 1.4,
    "fever_symmetric": 1.6,
    "fm2": 1.6,
    "help_conj": 0.3,
    "infotabs": 0.7,
    "mnli_dev_matched": 1.4,
    "negation_rte": 0.6,
    "negation_snli": 0.6,
    "paws": 1.6,
    "summedits_news": 1.6,
    "summedits_podcast": 1.6,
    "summedits_sales_call": 1.6,
    "summedits_scitldr": 1.6,
    "wice_claim": 1.6,
}
_REWRITTEN, _PADDED = 0.10, 0.10
#: A drawn number below these asks for one changed slot, a checked sentence, a pair of our rules.
_SLOT_TO, _SENTENCE_TO, _MADE_TO = 0.18, 0.36, 0.72


def draw(pairs: Sequence[Pair], count: int, seed: int) -> list[tuple[Pair, bool]]:
    """At least ``count`` pairs, and whether each is a labelled one; the seed decides them."""
    rng = random.Random(seed)
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_source[pair.source].append(pair)
    shares = {
        name: len(rows) ** _POWER * _SHARES.get(name, 1.0) for name, rows in by_source.items()
    }
    total = sum(shares.values())
    chances = [share / total for share in shares.values()]
    decks: dict[str, list[Pair]] = {}
    drawn: list[tuple[Pair, bool]] = []
    while len(drawn) < count:
        source = rng.choices(list(shares), chances)[0]
        if not decks.get(source):
            decks[source] = by_source[source][:]
            rng.shuffle(decks[source])
        pair = decks[source].pop()
        chosen = rewrite(pair, rng) if rng.random() < _REWRITTEN else pair
        if source in PADDABLE_SOURCES and rng.random() < _PADDED:
            chosen = pad_premise(chosen, by_source[source], rng)
        drawn.append((chosen, True))
        made = _make(pair, by_source[source], rng)
        if made is not None:
            drawn.append((made, False))
    rng.shuffle(drawn)
    return drawn


def _make(pair: Pair, others: Sequence[Pair], rng: random.Random) -> Pair | None:
    kind = rng.random()
    if kind < _SLOT_TO:
        return change_slot(pair, rng)
    if kind < _SENTENCE_TO and pair.source in PASSAGE_SOURCES:
        return check_sentence(pair, others, rng)
    return make_pair(pair, rng) if kind < _MADE_TO else None


def write(
    drawn: Sequence[tuple[Pair, bool]],
    weights: Mapping[tuple[str, bool], float],
    tokenizer: Tokenizer,
    path: Path,
) -> None:
    """``<s> premise </s></s> claim </s>`` of each pair, its label and what it costs."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    cut = [best_window(one.premise, one.hypothesis, int(MAX_TOKENS / 1.3)) for one, _ in drawn]
    claimed = [pair.hypothesis for pair, _ in drawn]
    premises = tokenizer.encode_batch(cut, add_special_tokens=False)
    claims = tokenizer.encode_batch(claimed, add_special_tokens=False)
    ids: list[int] = []
    lengths, costs = [], []
    for (pair, is_labelled), premise, claim in zip(drawn, premises, claims, strict=True):
        held = claim.ids[:_CLAIM_TOKENS]
        room = MAX_TOKENS - 4 - len(held)
        row = [_FIRST, *premise.ids[:room], _END, _END, *held, _END]
        entailed = pair.label == LABEL_IDS["entailment"]
        cost = weights.get((pair.source, entailed), 1.0) if is_labelled else 1.0
        costs.append(
            cost * (CONTRADICTION_WEIGHT if pair.label == LABEL_IDS["contradiction"] else 1.0)
        )
        ids += row
        lengths.append(len(row))
    np.savez(
        path,
        ids=np.array(ids, np.uint16),
        lengths=np.array(lengths),
        labels=np.array([pair.label for pair, _ in drawn]),
        weights=np.array(costs, np.float32),
    )


def main() -> None:
    """Read the command line, draw, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, nargs="+", required=True, help="labelled *.jsonl.gz")
    parser.add_argument("--base", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--output", type=Path, required=True, help="stream.npz")
    parser.add_argument("--count", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=20261123)
    arguments = parser.parse_args()
    pairs = [pair for path in arguments.pairs for pair in read_pairs(path, shippable_only=True)]
    drawn = draw(pairs, arguments.count, arguments.seed)
    tokenizer = Tokenizer.from_file(str(arguments.base / "tokenizer.json"))
    write(drawn, weigh_classes(pairs), tokenizer, arguments.output)
    print(f"{len(drawn)} pairs")


if __name__ == "__main__":
    main()
