"""Labelled pairs drawn from a model whose truth is known, as a real model would have read them."""

from __future__ import annotations

import numpy as np

from spanproof.core.span import Span
from spanproof.verifier.entailment.fitting.labelled import Label, LabelledPair
from spanproof.verifier.entailment.fitting.observations import Evidence
from spanproof.verifier.entailment.labels import LabelMap
from spanproof.verifier.entailment.logits import Reading

LABELS = LabelMap.from_names({0: "entailment", 1: "neutral", 2: "contradiction"})
#: A premise and how many of a claim's four words it holds.
_WORDS = ("alpha", "beta", "gamma", "delta")
_OTHERS = ("mu", "nu", "xi", "pi")


def draw_evidence(
    rows: int,
    *,
    scale: float = 0.4,
    bias: float = -0.5,
    weight: float = 2.0,
    per_document: int = 1,
    sources: int = 3,
    seed: int = 3,
) -> Evidence:
    """Pairs that are entailed with log-odds ``scale * (margin - weight * uncovered) + bias``."""
    rng = np.random.default_rng(seed)
    pairs, readings = [], []
    for row in range(rows):
        uncovered = int(rng.integers(0, 5))
        margin = float(rng.normal(0, 5))
        log_odds = scale * (margin - weight * uncovered / 4) + bias
        entailed = rng.random() < 1 / (1 + np.exp(-log_odds))
        other = Label.CONTRADICTION if rng.random() < 0.5 else Label.NEUTRAL
        claim = " ".join((*_WORDS[: 4 - uncovered], *_OTHERS[:uncovered]))
        premise = " ".join(_WORDS)
        document = f"s{row % sources}/d{row // (per_document * sources)}"
        pairs.append(
            LabelledPair(
                premise=premise,
                hypothesis=claim,
                label=Label.ENTAILMENT if entailed else other,
                source=f"s{row % sources}",
                doc=document,
            )
        )
        # log(exp(a) + exp(a)) is a + log 2: the margin of these logits is the one drawn.
        rest = -margin - float(np.log(2))
        readings.append(
            Reading(
                reason=None,
                logits=((0.0, rest, rest),),
                spans=(Span(0, len(premise)),),
                coverage=1.0,
            )
        )
    return Evidence.of(pairs, readings, LABELS, names=("uncovered_words",))
