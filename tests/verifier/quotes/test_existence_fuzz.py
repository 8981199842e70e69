"""A lie told by one token is never believed: the fuzzer, and what it found before."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from bench.mutations.fuzz import ACCEPTED, OFFSETS, Fuzzer, draw_mutations
from bench.mutations.mutators import MUTATORS
from bench.mutations.texts import draw_paths, load_extraction, make_extraction, make_text
from spanproof.core.citation import Quote
from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.core.verdicts.verdict import Existence
from spanproof.verifier.quotes.existence import check_existence, check_places

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction

SEED = 7_000
TEXTS = 10
EACH = 500


@pytest.fixture(scope="module")
def texts() -> list[Extraction]:
    return [make_extraction(make_text(SEED + number)) for number in range(TEXTS)]


@pytest.mark.long
def test_no_mutation_of_a_made_text_is_believed(texts: list[Extraction]) -> None:
    fuzzer = Fuzzer(SEED, whole_every=100)
    for extraction in texts:
        fuzzer.run(extraction, EACH)
    assert fuzzer.mutations == TEXTS * EACH
    assert fuzzer.false_accepts == []
    assert {kind for kind, tally in fuzzer.tallies.items() if tally.mutations > 100} == set(
        MUTATORS
    )


def test_the_true_quotes_of_the_same_draws_are_believed(texts: list[Extraction]) -> None:
    # Else the test above would pass for a ladder that accepts nothing.
    for mutation in draw_mutations(texts[0], "truths", 200):
        start, end = mutation.span.start, mutation.span.end
        existence, _ = check_existence(
            Quote(text=mutation.quote, start=start, end=end), texts[0], ()
        )
        assert existence.status == "EXACT"


def test_what_a_credulous_ladder_believes_is_counted(
    texts: list[Extraction], monkeypatch: pytest.MonkeyPatch
) -> None:
    believed = Existence(status=ExistenceStatus.EXACT, span=Span(0, 20))
    monkeypatch.setattr("bench.mutations.fuzz.check_places", lambda *_: believed)
    fuzzer = Fuzzer(SEED, whole_every=10_000)
    fuzzer.run(texts[0], 4)
    assert len(fuzzer.false_accepts) == 4 * len(OFFSETS)


def test_the_first_rungs_alone_say_what_the_whole_ladder_says(texts: list[Extraction]) -> None:
    rng = random.Random(SEED)  # noqa: S311 - repeatable, no secret
    text = texts[1].text.text
    for mutation in draw_mutations(texts[1], "both", 40):
        words = rng.choice([mutation.quote, mutation.mutated])
        span = Span(mutation.span.start, min(len(text), mutation.span.start + len(words)))
        for quote in (Quote(text=words), Quote(text=words, start=span.start, end=span.end)):
            found, (whole, _) = check_places(quote, texts[1]), check_existence(quote, texts[1], ())
            assert (found == whole) if found is not None else whole.status not in ACCEPTED


@pytest.mark.slow
def test_no_mutation_of_a_real_document_is_believed(test_data: Path) -> None:
    fuzzer = Fuzzer(SEED, whole_every=200)
    for path in draw_paths(test_data / "documents", SEED):
        extraction = load_extraction(path)
        if extraction is not None:
            fuzzer.run(extraction, 400)
        if fuzzer.mutations >= 100_000:
            break
    assert fuzzer.mutations >= 100_000
    assert fuzzer.false_accepts == []
