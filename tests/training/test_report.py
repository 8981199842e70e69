from __future__ import annotations

import random

import numpy as np
import pytest

from training.evaluation.baselines import ClaimOnly, measure_containment
from training.evaluation.groups import GROUNDING, LENGTHS, name_length
from training.evaluation.judged import Judged
from training.evaluation.metrics import Scored, bootstrap
from training.evaluation.slices import measure_lengths
from training.pairs import LABEL_IDS, Pair
from training.variants.augment import PADDABLE_SOURCES
from training.variants.padding import PADDED_WORDS, pad_pairs, pad_premise

WORDS = [f"word{n}" for n in range(500)]


def make_pair(number: int, *, words: int = 60, source: str = "fm2", label: int = 0) -> Pair:
    rng = random.Random(number)  # noqa: S311 - the same words every time
    premise = " ".join(rng.choices(WORDS, k=words))
    return Pair(
        premise=premise, hypothesis=f"claim {number}", label=label, source=source, doc=f"d{number}"
    )


def test_containment_is_the_share_of_the_claims_words() -> None:
    pair = Pair(premise="A cat sat.", hypothesis="The cat sat", label=0, source="s", doc="d")
    assert measure_containment(pair) == pytest.approx(2 / 3)


def test_the_claim_alone_tells_what_its_words_give_away_and_nothing_else() -> None:
    rng = random.Random(4)  # noqa: S311 - the same claims every time
    claims = [" ".join(rng.choices(WORDS[:60], k=6)) for _ in range(600)]
    entailed = np.array([rng.random() < 0.5 for _ in claims])
    telling = [f"{claim} never" if not yes else claim for claim, yes in zip(claims, entailed)]  # noqa: B905
    told = ClaimOnly.fit(telling[:400], entailed[:400]).score(telling[400:])
    assert ((told >= 0.5) == entailed[400:]).mean() > 0.95
    untold = ClaimOnly.fit(claims[:400], entailed[:400]).score(claims[400:])
    assert 0.35 < ((untold >= 0.5) == entailed[400:]).mean() < 0.65


def test_words_never_seen_leave_the_claim_at_its_prior() -> None:
    claims = ["a b c", "a b d", "a b e", "x y c", "x y d", "x y e"]
    model = ClaimOnly.fit(claims, np.array([True, True, True, False, False, False]))
    assert model.score(["q r s"])[0] == pytest.approx(0.5, abs=0.05)
    assert model.score(["a b"])[0] > 0.5 > model.score(["x y"])[0]


def test_a_padded_premise_holds_its_own_whole_and_nothing_of_its_document() -> None:
    pairs = [make_pair(number) for number in range(200)]
    twin = Pair(premise="twin premise", hypothesis="c", label=0, source="fm2", doc=pairs[0].doc)
    padded = pad_premise(pairs[0], [*pairs, twin], random.Random(1))  # noqa: S311
    assert pairs[0].premise in padded.premise
    assert "twin premise" not in padded.premise
    assert padded.hypothesis == pairs[0].hypothesis
    assert PADDED_WORDS - 60 <= len(padded.premise.split()) <= PADDED_WORDS


def test_padding_takes_as_many_of_each_class_from_sources_that_stand_alone() -> None:
    paddable = [make_pair(n, label=n % 2 * LABEL_IDS["contradiction"]) for n in range(200)]
    captions = [make_pair(n, source="snli_dev", label=n % 2) for n in range(200)]
    few = [make_pair(n, source="paws", label=n % 2) for n in range(8)]
    made = pad_pairs([*paddable, *captions, *few], per_class=10)
    assert {bare.source for bare, _ in made} == {"fm2"}
    assert sum(bare.label == 0 for bare, _ in made) == len(made) / 2 == 10
    assert pad_pairs(paddable, per_class=10) == [pair for pair in made if pair[0] in paddable]


def test_every_length_falls_into_one_row() -> None:
    for words in (0, 49, 50, 149, 599, 600, 1199, 1200, 90_000):
        rows = [name_length(*each) for each in LENGTHS if each[0] <= words < (each[1] or words + 1)]
        assert len(rows) == 1
    assert name_length(50, 150) == "50 to 149"
    assert name_length(1200, None) == "1200 and more"


def test_lengths_count_every_source_but_templates() -> None:
    labels = [0, 1]
    pairs = [make_pair(n, words=20, label=labels[n % 2]) for n in range(80)]
    pairs += [make_pair(n, words=20, label=labels[n % 2], source="breaking_nli") for n in range(80)]
    pairs += [make_pair(n, words=700, label=labels[n % 2], source="bump") for n in range(80)]
    entailed = np.array([pair.label == 0 for pair in pairs])
    scored = Scored.of(
        np.where(entailed, 0.9, 0.1),
        entailed,
        [pair.source for pair in pairs],
        [pair.doc for pair in pairs],
    )
    judged = Judged.of("sure", scored)
    table = measure_lengths(pairs, judged, judged)
    assert table["0 to 49"]["rows"] == 80
    assert table["600 to 1199"]["rows"] == 80
    assert table["0 to 49"]["balanced_accuracy"] == 1.0
    assert set(table) == {"0 to 49", "600 to 1199"}


def test_the_grounding_row_is_the_mean_of_its_sources_alone() -> None:
    entailed = np.array([True, False] * 200)
    sources = ["bump"] * 200 + ["snli_dev"] * 200
    scores = np.where(entailed, 0.9, 0.1)
    scores[200:] = 0.5
    judged = Judged.of(
        "half sure", Scored.of(scores, entailed, sources, [str(n) for n in range(400)])
    )
    row = judged.summarise(np.zeros(400, dtype=bool))
    assert row["grounding"] == pytest.approx(1.0)
    assert row["mean"] == pytest.approx(0.75)
    assert row["contradictions_called_entailed"] is None


def test_an_interval_counts_both_halves_alike() -> None:
    # All of half 0 is right, all of half 1 wrong: whatever the halves' sizes, the figure is 0.5.
    docs = [f"doc-{n}" for n in range(300)]
    entailed = np.array([True, False] * 150)
    scored = Scored.of(np.zeros(300), entailed, ["a"] * 300, docs)
    called = np.where(scored.halves == 0, entailed, ~entailed)
    low, high = bootstrap(scored, called, ["a"])["a"]
    assert low == pytest.approx(0.5)
    assert high == pytest.approx(0.5)


def test_an_interval_of_few_documents_is_made_of_their_rows() -> None:
    entailed = np.array([True, False] * 100)
    called = np.where(np.arange(200) % 5 == 0, ~entailed, entailed)
    scored = Scored.of(np.zeros(200), entailed, ["a"] * 200, ["one"] * 200)
    low, high = bootstrap(scored, called, ["a"])["a"]
    assert 0.72 < low < 0.8 < high < 0.88


def test_every_grounding_source_has_its_reason() -> None:
    assert all(reason for reason in GROUNDING.values())
    assert "snli_dev" not in GROUNDING
    assert GROUNDING.keys() & PADDABLE_SOURCES
