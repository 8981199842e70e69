from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from spanproof.verifier.scope.doubts import doubt_scope
from spanproof.verifier.slots import compare_slots
from tests.strategies import any_texts

#: Lines of what a source says => what a claim makes of it. The claim drops what made it less.
DROPPED = "dropped.txt"
#: The claim keeps it, says it in another way, or speaks of what it does not govern.
KEPT = "kept.txt"


def read(name: str) -> list[tuple[str, str]]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [(source, claim) for source, claim in (line.split(" => ") for line in lines)]


@pytest.mark.parametrize(("source", "claim"), read(DROPPED))
def test_a_claim_that_drops_what_governs_it_is_doubted(source: str, claim: str) -> None:
    doubts = doubt_scope(claim, source, level="likely")
    assert doubts
    for doubt in doubts:
        assert doubt.kind.startswith("unconfirmed_")
        assert claim[doubt.claim_span.start : doubt.claim_span.end] == doubt.claim
        assert doubt.source_span is not None
        assert source[doubt.source_span.start : doubt.source_span.end] == doubt.source


@pytest.mark.parametrize(("source", "claim"), read(KEPT))
def test_a_claim_that_keeps_it_is_not(source: str, claim: str) -> None:
    assert doubt_scope(claim, source, level="likely") == ()


@pytest.mark.parametrize(("source", "_"), read(DROPPED) + read(KEPT))
def test_a_claim_word_for_word_is_never_doubted(source: str, _: str) -> None:
    assert doubt_scope(source, source, level="possible") == ()


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ("If the levy falls, the harbour will close.", "condition", "If"),
        ("Some fear that the harbour will close.", "attribution", "fear that"),
        ("It is a myth that the harbour will close.", "falsehood", "is a myth"),
        ("Will the harbour close in spring? We ask.", "question", "spring?"),
        ("The harbour will not close.", "negation", "will not"),
        ("The harbour is expected to close.", "modality", "expected to"),
    ],
)
def test_a_doubt_names_its_kind_and_the_words(source: str, kind: str, words: str) -> None:
    (doubt, *_) = doubt_scope("The harbour closes.", source, level="likely")
    assert (doubt.kind, doubt.source) == (f"unconfirmed_{kind}", words)


def test_what_somebody_says_is_doubted_and_what_a_text_says_only_possibly() -> None:
    claim = "The harbour was closed in spring."
    (doubt,) = doubt_scope(claim, f"The mayor said that {claim.lower()}", level="likely")
    assert (doubt.kind, doubt.source) == ("unconfirmed_attribution", "said")
    source = f"The contract says that {claim.lower()}"
    assert doubt_scope(claim, source, level="likely") == ()
    (doubt,) = doubt_scope(claim, source, level="possible")
    assert doubt.kind == "unconfirmed_attribution"


def test_another_sentence_that_says_it_plainly_leaves_no_doubt() -> None:
    claim = "The firm opened a plant in Poland."
    planned = "The firm planned to open a plant in Poland."
    assert doubt_scope(claim, planned, level="likely")
    assert doubt_scope(claim, f"{planned} {claim}", level="likely") == ()
    assert compare_slots(claim, f"{planned} {claim}", premise_start=0) == ()


@given(claim=any_texts, source=any_texts)
def test_any_text_may_be_doubted(claim: str, source: str) -> None:
    likely = doubt_scope(claim, source, level="likely")
    assert len(likely) <= len(doubt_scope(claim, source, level="possible"))


def test_the_effort_grows_with_the_text() -> None:
    long = "If it may not, unless nobody but the seller denies that it could, " * 2_000
    assert doubt_scope("The seller could.", long, level="possible") is not None


def test_a_claim_whose_second_sentence_speaks_of_its_first_is_read() -> None:
    claim = "The harbour may close in spring, and will be sold. This is false."
    assert (
        doubt_scope(claim, "It may be that the harbour will close in spring.", level="likely") == ()
    )
