"""Pairs → token ids: one pass of drawn and rule-made pairs, cut into batches of a token budget."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from training.pairs import LABEL_IDS, SOURCE_WEIGHTS, Pair
from training.variants.augment import (
    PADDABLE_SOURCES,
    PASSAGE_SOURCES,
    change_slot,
    check_sentence,
    pad_premise,
    rewrite,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokenizers import Tokenizer

#: Tokens of premise, claim and the three special tokens. Longer premises are cut to their window
#: that shares most words with the claim; the runtime reads every window, training only the best.
MAX_TOKENS = 320
#: Chance of a padded premise and of a sentence check, for a drawn pair.
PAD_CHANCE, SENTENCE_CHANCE = 0.12, 0.4
#: Chance that an entailed pair is followed by itself with one slot changed, and that a pair's claim
#: is written another way.
SLOT_CHANCE, REWRITE_CHANCE = 0.35, 0.15
#: Batches are sorted by length within this many pairs, which keeps padding under 3 %.
SORT_POOL = 4096

_WORD = re.compile(r"\w{3,}")
#: Token ids, type ids, label and how much the example costs.
Example = tuple[list[int], list[int], int, float]
#: Bounds of what a class may weigh in its source, and what a contradiction weighs more: calling
#: one entailed is the gravest mistake.
WEIGHT_BOUNDS, CONTRADICTION_WEIGHT = (0.5, 2.0), 1.3


def draw_pass(pairs: Sequence[Pair], seed: int) -> list[Pair]:
    """One weighted pass over the pairs with rule-made ones among them; the seed decides it."""
    rng = random.Random(seed)
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_source[pair.source].append(pair)
    drawn: list[Pair] = []
    for pair in pairs:
        weight = SOURCE_WEIGHTS.get(pair.source, 1.0)
        for _ in range(int(weight) + (rng.random() < weight % 1)):
            chosen = pair
            if rng.random() < REWRITE_CHANCE:
                chosen = rewrite(pair, rng)
            if rng.random() < SLOT_CHANCE:
                changed = change_slot(pair, rng)
                drawn.extend([changed] if changed else [])
            if pair.source in PADDABLE_SOURCES and rng.random() < PAD_CHANCE:
                chosen = pad_premise(chosen, by_source[pair.source], rng)
            drawn.append(chosen)
            if pair.source in PASSAGE_SOURCES and rng.random() < SENTENCE_CHANCE:
                made = check_sentence(pair, by_source[pair.source], rng)
                drawn.extend([made] if made else [])
    rng.shuffle(drawn)
    return drawn


def best_window(premise: str, hypothesis: str, max_words: int) -> str:
    """The window of at most ``max_words`` words that shares most words with the hypothesis."""
    words = premise.split()
    if len(words) <= max_words:
        return premise
    wanted = set(_WORD.findall(hypothesis.lower()))
    hits = np.array([bool(wanted & set(_WORD.findall(word.lower()))) for word in words])
    totals = np.concatenate([[0], np.cumsum(hits)])
    starts = np.arange(0, len(words) - max_words + 1, max(1, max_words // 8))
    start = int(starts[np.argmax(totals[starts + max_words] - totals[starts])])
    return " ".join(words[start : start + max_words])


def weigh_classes(pairs: Sequence[Pair]) -> dict[tuple[str, bool], float]:
    """By source and entailed or not: what makes both classes of a source cost the same.

    One threshold serves all sources; a source that is mostly neutral must not teach that pairs of
    its style are neutral.
    """
    counts = Counter((pair.source, pair.label == LABEL_IDS["entailment"]) for pair in pairs)
    weights = {}
    for (source, entailed), count in counts.items():
        share = count / (count + counts[(source, not entailed)])
        weights[(source, entailed)] = min(max(0.5 / share, WEIGHT_BOUNDS[0]), WEIGHT_BOUNDS[1])
    return weights


def encode(
    tokenizer: Tokenizer, pairs: Sequence[Pair], weights: Mapping[tuple[str, bool], float]
) -> list[Example]:
    """``([CLS] premise [SEP] claim [SEP], type ids, label, weight)``; claims are cut at 96."""
    cut = [
        (best_window(pair.premise, pair.hypothesis, int(MAX_TOKENS / 1.3)), pair.hypothesis)
        for pair in pairs
    ]
    premises = tokenizer.encode_batch([premise for premise, _ in cut], add_special_tokens=False)
    claims = tokenizer.encode_batch([claim for _, claim in cut], add_special_tokens=False)
    cls, sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    if cls is None or sep is None:
        msg = "Expected a BERT tokenizer with [CLS] and [SEP], but this tokenizer lacks them."
        raise ValueError(msg)
    examples: list[Example] = []
    for pair, premise, claim in zip(pairs, premises, claims, strict=True):
        claim_ids = claim.ids[:96]
        premise_ids = premise.ids[: MAX_TOKENS - 3 - len(claim_ids)]
        ids = [cls, *premise_ids, sep, *claim_ids, sep]
        types = [0] * (len(premise_ids) + 2) + [1] * (len(claim_ids) + 1)
        weight = weights.get((pair.source, pair.label == LABEL_IDS["entailment"]), 1.0)
        if pair.label == LABEL_IDS["contradiction"]:
            weight *= CONTRADICTION_WEIGHT
        examples.append((ids, types, pair.label, weight))
    return examples


def cut_batches(
    examples: Sequence[Example], *, tokens: int, seed: int
) -> Iterator[dict[str, np.ndarray]]:
    """Length-sorted batches of at most ``tokens`` padded tokens, in shuffled order."""
    rng = random.Random(seed)
    for start in range(0, len(examples), SORT_POOL):
        pool = sorted(examples[start : start + SORT_POOL], key=lambda example: len(example[0]))
        batches: list[list[Example]] = [[]]
        for example in pool:
            if (len(batches[-1]) + 1) * len(example[0]) > tokens and batches[-1]:
                batches.append([])
            batches[-1].append(example)
        rng.shuffle(batches)
        for batch in batches:
            width = max(len(ids) for ids, *_ in batch)
            shape = (len(batch), width)
            ids = np.zeros(shape, dtype=np.int64)
            types, mask = np.zeros_like(ids), np.zeros_like(ids)
            for row, (row_ids, row_types, *_) in enumerate(batch):
                ids[row, : len(row_ids)] = row_ids
                types[row, : len(row_ids)] = row_types
                mask[row, : len(row_ids)] = 1
            yield {
                "input_ids": ids,
                "token_type_ids": types,
                "attention_mask": mask,
                "labels": np.array([label for _, _, label, _ in batch], dtype=np.int64),
                "weights": np.array([weight for *_, weight in batch], dtype=np.float32),
            }
