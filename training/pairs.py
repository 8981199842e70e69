"""Labelled premise-hypothesis pairs for training and for choosing thresholds.

A row of the data is a JSON object ``{id, source, premise, hypothesis, label, commercial, doc}``
(gzip'd JSON lines). Only rows whose origin states a licence that allows commercial use
(``commercial == "ok"``) may shape weights that are shipped.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

LABELS = ("entailment", "neutral", "contradiction")
#: The origin does not tell neutral from contradiction: costs -log(p_neutral + p_contradiction).
NOT_ENTAILMENT = len(LABELS)
LABEL_IDS = {name: index for index, name in enumerate((*LABELS, "not_entailment"))}

#: How often a pair of a source is drawn in one pass (1 when unnamed). Long, answer-like and edited
#: sources are few among the pairs and what the product meets; caption and template pairs are many.
SOURCE_WEIGHTS = {
    "begin_cmu": 3.0,
    "begin_tc": 3.0,
    "begin_wow": 3.0,
    "breaking_nli": 0.3,
    "bump": 3.0,
    "conjnli_auto": 0.4,
    "contractnli_window": 2.0,
    "expertqa": 3.0,
    "factcg_cg2c_doc": 2.0,
    "fever_symmetric": 3.0,
    "fm2": 3.0,
    "help_conj": 0.5,
    "infotabs": 0.6,
    "paws": 4.0,
    "snli_train18k": 0.6,
    "summedits_news": 3.0,
    "summedits_podcast": 3.0,
    "summedits_sales_call": 3.0,
    "summedits_scitldr": 3.0,
    "synth_contract": 2.0,
    "synth_summedits": 2.0,
    "wice_claim": 4.0,
    "wice_subclaim_partial": 2.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One premise and hypothesis; ``label`` indexes ``LABELS`` or is ``NOT_ENTAILMENT``."""

    premise: str
    hypothesis: str
    label: int
    source: str
    doc: str


def read_pairs(path: Path, *, shippable_only: bool) -> Iterator[Pair]:
    """The pairs of one file; with ``shippable_only``, those that may shape shipped weights."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if shippable_only and row["commercial"] != "ok":
                continue
            yield Pair(
                premise=row["premise"],
                hypothesis=row["hypothesis"],
                label=LABEL_IDS[row["label"]],
                source=row["source"],
                doc=f"{row['source']}/{row['doc']}",
            )


def order_of(pair: Pair) -> str:
    """A digest that orders pairs in a way that has nothing to do with what they say."""
    return hashlib.sha256(f"{pair.source}\0{pair.premise}\0{pair.hypothesis}".encode()).hexdigest()


def thin_out(pairs: Iterable[Pair], per_class: int | None) -> list[Pair]:
    """At most so many rows, entailed and not, of each source; their digests decide. None: all."""
    if per_class is None:
        return list(pairs)
    counts: Counter[tuple[str, bool]] = Counter()
    kept = []
    for pair in sorted(pairs, key=order_of):
        group = (pair.source, pair.label == LABEL_IDS["entailment"])
        counts[group] += 1
        if counts[group] <= per_class:
            kept.append(pair)
    return kept
