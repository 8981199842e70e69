"""Re-anchoring on changes with known truth: what is accepted is true, and most is found."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.anchors.mutations import KINDS, Clauses, mutate
from spanproof.core.span import Span
from spanproof.verifier.quotes.reanchor import Channels, ReanchorStatus, reanchor
from tests.builders import make_extraction

CLAUSES = Clauses.draw(60, seed=20261122)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_false_is_accepted_and_most_is_found(kind: str) -> None:
    source = make_extraction(CLAUSES.text)
    rng = random.Random(kind)  # noqa: S311 - drawn examples
    accepted = asked = 0
    for _ in range(12):
        mutated = mutate(CLAUSES, kind, rng)
        target = make_extraction(mutated.text)
        for number, truth in mutated.truth.items():
            found = reanchor(source, CLAUSES.spans[number], target)
            if found.is_accepted:
                assert found.span == truth, (kind, number, found)
                accepted += 1
            asked += truth is not None
    # Clauses that are repeated word for word may stay undecided where their neighbours changed.
    assert accepted >= 0.95 * asked


def test_the_same_text_keeps_its_offsets() -> None:
    one = make_extraction(CLAUSES.text)
    other = make_extraction(CLAUSES.text, pipeline="plain@2")
    found = reanchor(one, CLAUSES.spans[3], other)
    assert (found.status, found.channels) == (ReanchorStatus.SAME, Channels.AGREE)
    assert found.span == CLAUSES.spans[3]
    assert found.is_accepted


def test_a_changed_number_is_altered_and_says_where() -> None:
    source = make_extraction(
        "Pay within 30 days of receipt of the invoice. Then nothing more is due."
    )
    target = make_extraction(
        "Pay within 45 days of receipt of the invoice. Then nothing more is due."
    )
    found = reanchor(source, Span(0, 45), target)
    assert found.status is ReanchorStatus.ALTERED
    assert found.difference is not None
    assert not found.is_accepted


def test_words_that_stood_twice_and_stand_once_are_not_guessed() -> None:
    same = "The fee is due on the first day."
    source = make_extraction(
        f"Alpha clause about rents.\n{same}\nBeta clause.\n{same}\nGamma clause."
    )
    target = make_extraction(f"Delta.\n{same}\nEpsilon and other things entirely.")
    found = reanchor(source, Span(26, 26 + len(same)), target)
    assert found.status is ReanchorStatus.AMBIGUOUS
    assert found.reason == "copies"
    assert not found.is_accepted


def test_words_that_are_nowhere_are_gone() -> None:
    source = make_extraction("Team Alpha raised its forecast by seven percent in March.")
    target = make_extraction("Nothing of that kind was ever said by anybody in this text.")
    found = reanchor(source, Span(0, len(source.text)), target)
    assert found.status is ReanchorStatus.GONE
    assert found.channels is Channels.NEITHER
    assert found.span is None


def test_a_lookalike_does_not_take_over() -> None:
    """hypothesis/client#7571: a deleted sentence's twin about another team."""
    source = make_extraction("Team Alpha raised its forecast by seven percent. Other news follows.")
    target = make_extraction("Team Beta raised its forecast by twelve percent. Other news follows.")
    assert not reanchor(source, Span(0, 48), target).is_accepted


def test_a_blank_span_is_no_anchor() -> None:
    extraction = make_extraction("a \n b")
    with pytest.raises(ValueError, match="words"):
        reanchor(extraction, Span(1, 4), extraction)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(KINDS))
def test_whatever_is_accepted_reads_the_same_words(seed: int, kind: str) -> None:
    rng = random.Random(seed)  # noqa: S311 - drawn examples
    clauses = Clauses.draw(20, seed)
    mutated = mutate(clauses, kind, rng)
    source, target = make_extraction(clauses.text), make_extraction(mutated.text)
    number = rng.choice(sorted(mutated.truth))
    span = clauses.spans[number]
    found = reanchor(source, span, target)
    if found.is_accepted:
        assert found.span is not None
        words = target.text.slice(found.span).split()
        assert words == clauses.text[span.start : span.end].split()
        assert found.span == mutated.truth[number]
