"""A claim against a premise of about 2,000 words: dev pairs, their premise set among others.

Only sources whose premises stand alone are used (``augment.PADDABLE_SOURCES``): what other
documents say beside them changes no label. The pairs are drawn by a fixed seed, as many of each
class, and each is judged bare and padded, so that the difference is the padding's.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from training.pairs import LABEL_IDS
from training.variants.augment import PADDABLE_SOURCES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.pairs import Pair

#: How long the padded premise is, and how long one may be that is padded.
PADDED_WORDS, LONGEST_BARE_WORDS = 2_000, 400
SEED = 20


def pad_pairs(pairs: Sequence[Pair], *, per_class: int) -> list[tuple[Pair, Pair]]:
    """(bare, padded): up to ``per_class`` entailed and as many other pairs of each source.

    A source is left out that has fewer than half of ``per_class`` in a class, or too few words of
    other documents to fill a premise.
    """
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.source in PADDABLE_SOURCES:
            by_source[pair.source].append(pair)
    made: list[tuple[Pair, Pair]] = []
    for source in sorted(by_source):
        rng = random.Random(f"{SEED} {source}")
        rows = by_source[source]
        short = [pair for pair in rows if len(pair.premise.split()) <= LONGEST_BARE_WORDS]
        classes = [
            [pair for pair in short if (pair.label == LABEL_IDS["entailment"]) is entailed]
            for entailed in (True, False)
        ]
        count = min(per_class, *map(len, classes))
        if 2 * count < per_class or not _fills(rows):
            continue
        drawn = [pair for members in classes for pair in rng.sample(members, count)]
        made.extend((pair, pad_premise(pair, rows, rng)) for pair in drawn)
    return made


def pad_premise(pair: Pair, others: Sequence[Pair], rng: random.Random) -> Pair:
    """The premise somewhere among those of other documents of its source, each used once."""
    premises = sorted({other.premise for other in others if other.doc != pair.doc})
    rng.shuffle(premises)
    room = PADDED_WORDS - len(pair.premise.split())
    beside: list[str] = []
    for premise in premises:
        words = len(premise.split())
        if words <= room:
            beside.append(premise)
            room -= words
    position = rng.randint(0, len(beside))
    return replace(pair, premise="\n".join([*beside[:position], pair.premise, *beside[position:]]))


def _fills(rows: Sequence[Pair]) -> bool:
    # One document's own premises are taken out, so that there must be clearly more than enough.
    premises = {pair.premise for pair in rows}
    return sum(len(premise.split()) for premise in premises) >= 1.5 * PADDED_WORDS
