from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.citation import Anchor, Answer, Citation, Quote
from spanproof.core.span import Span
from spanproof.verifier.claims.pairing import Pairing, pair_claims
from spanproof.verifier.formats.grammars.tokenizer import find_anchors
from tests.strategies import unhurried


def pair(prose: str, *segments: Span | None, anchors: tuple[Anchor, ...] | None = None) -> Pairing:
    """One citation for each segment, numbered from 1; None: by its anchor in the prose."""
    citations = tuple(
        Citation(anchor=number, quote=Quote(text="x"), doc_id="d", segment=segment)
        for number, segment in enumerate(segments, start=1)
    )
    found = find_anchors(prose) if anchors is None else anchors
    return pair_claims(Answer(prose=prose, anchors=found, citations=citations))


def at(prose: str, part: str) -> Span:
    start = prose.index(part)
    return Span(start, start + len(part))


PROSE = "Refunds take four days. The supplier pays within ten days and must notify the buyer. Bye."


@pytest.mark.parametrize(
    ("part", "hypothesis"),
    [
        ("Refunds take four days.", "Refunds take four days."),
        ("Refunds take four days", "Refunds take four days."),
        # A clause of a coordinated sentence: the part that can be true by itself.
        ("pays within ten days", "The supplier pays within ten days."),
        ("must notify the buyer", "The supplier must notify the buyer."),
        # Of both clauses something: the whole sentence.
        ("within ten days and must notify",
         "The supplier pays within ten days and must notify the buyer."),
        ("four days. The supplier pays",
         "Refunds take four days. The supplier pays within ten days and must notify the buyer."),
        (". The supplier pays within ten days and must notify the buyer.",
         "The supplier pays within ten days and must notify the buyer."),
        ("our day", "Refunds take four days."),
    ],
)  # fmt: skip
def test_a_segment_is_widened_to_what_can_be_true(part: str, hypothesis: str) -> None:
    pairing = pair(PROSE, at(PROSE, part))
    ((claim, index),) = pairing.pairs
    assert (claim.text, index) == (part, 0)
    assert PROSE[claim.span.start : claim.span.end] == part
    assert claim.hypothesis == hypothesis


@pytest.mark.parametrize(
    ("prose", "part", "hypothesis"),
    [
        (
            "According to the terms, the supplier replaces the goods.",
            "the supplier replaces the goods",
            "The supplier replaces the goods.",
        ),
        (
            "According to the report, the grass is green and the sky is blue.",
            " and the sky is blue",
            "The sky is blue.",
        ),
        # A lead that limits what is said, and one that the provider cites too, is read.
        (
            "Without approval, the supplier replaces the goods.",
            "the supplier replaces the goods",
            "Without approval, the supplier replaces the goods.",
        ),
        (
            "According to Smith, the court agreed.",
            "According to Smith, the court agreed",
            "According to Smith, the court agreed.",
        ),
        (
            "It is not true, according to Smith, that the court agreed.",
            "the court agreed",
            "It is not true, according to Smith, that the court agreed.",
        ),
    ],
)
def test_a_lead_that_names_the_source_is_not_read_into_a_segment(
    prose: str, part: str, hypothesis: str
) -> None:
    ((claim, _),) = pair(prose, at(prose, part)).pairs

    assert claim.text == part
    assert claim.hypothesis == hypothesis


def test_a_stop_at_the_edge_of_a_segment_cites_no_neighbour() -> None:
    pairing = pair(PROSE, at(PROSE, ". The supplier pays within ten days"))
    assert [PROSE[u.span.start : u.span.end] for u in pairing.uncited] == [
        "Refunds take four days.",
        "Bye.",
    ]


def test_blank_and_empty_segments_make_no_claim() -> None:
    pairing = pair(PROSE, at(PROSE, " "), Span(3, 3))
    assert pairing.pairs == ()
    assert pairing.unused == (1, 2)
    assert len(pairing.uncited) == pairing.sentences == 3


def test_overlapping_segments_are_claims_of_their_own_in_order() -> None:
    wide, narrow = at(PROSE, PROSE[:40]), at(PROSE, "four days")
    pairing = pair(PROSE, narrow, wide, narrow)
    assert [(claim.span, index) for claim, index in pairing.pairs] == [
        (wide, 1),
        (narrow, 0),
        (narrow, 2),
    ]
    assert pairing.unused == ()


def test_segments_without_gaps_between_sentences_are_found() -> None:
    prose = "付款在四天内。退货免费。不包括运费。"
    pairing = pair(prose, at(prose, "退货"))
    ((claim, _),) = pairing.pairs
    assert claim.hypothesis == "退货免费。"
    assert [prose[u.span.start : u.span.end] for u in pairing.uncited] == [
        "付款在四天内。",
        "不包括运费。",
    ]


def test_a_segment_over_list_items_is_read_as_sentences() -> None:
    prose = "- Refunds are free\n- Returns take four days"
    ((claim, _),) = pair(prose, Span(0, len(prose))).pairs
    assert claim.hypothesis == "Refunds are free. Returns take four days"


def test_a_cell_is_read_with_its_row_and_headers() -> None:
    prose = "| Plan | Refund |\n|---|---|\n| Basic | 4 days [1] |\n"
    ((claim, _),) = pair(prose, None).pairs
    assert claim.text == "| Basic | 4 days [1] |"
    assert claim.hypothesis == "Plan: Basic, Refund: 4 days"
    ((segment, _),) = pair(prose, at(prose, "4 days")).pairs
    assert segment.hypothesis == "Plan: Basic, Refund: 4 days"


def test_a_segment_in_code_is_read_as_it_stands() -> None:
    prose = "Run it.\n```\nmake all\n```\n"
    ((claim, _),) = pair(prose, at(prose, "make all")).pairs
    assert claim.hypothesis == "make all"


def test_anchors_and_segments_stand_side_by_side() -> None:
    prose = "Refunds take four days [1]. Returns are free. Nobody objects [7]."
    pairing = pair(prose, None, at(prose, "Returns are free."), None)
    assert [(claim.hypothesis, index) for claim, index in pairing.pairs] == [
        ("Refunds take four days.", 0),
        ("Returns are free.", 1),
    ]
    assert pairing.orphans == ((7, at(prose, "[7]")),)
    assert pairing.unused == (3,)
    assert pairing.uncited == ()


def test_a_marker_of_a_citation_with_a_segment_makes_no_second_claim() -> None:
    prose = "Refunds take four days [1]. Returns are free."
    pairing = pair(prose, at(prose, "Returns are free."))
    assert [claim.text for claim, _ in pairing.pairs] == ["Returns are free."]
    assert pairing.orphans == ()


def test_uncited_sentences_carry_their_hint_and_statements_are_counted() -> None:
    pairing = pair("Hello! Refunds take four days [1]. Fees rose by 5 %. Anything else?", None)
    assert [(u.check_worthy, u.reason) for u in pairing.uncited] == [
        (False, "greeting"),
        (True, "number"),
        (False, "question"),
    ]
    assert pairing.statements == 2


SEGMENTS = st.lists(st.tuples(st.integers(0, 90), st.integers(0, 30)), max_size=6)


@unhurried
@given(st.text(alphabet="Ab. \n[1]2,é𝑉。|-", max_size=90), SEGMENTS)
def test_every_citation_is_paired_or_unused_and_every_claim_is_its_slice(
    prose: str, places: list[tuple[int, int]]
) -> None:
    segments = [
        Span(min(start, len(prose)), min(start + size, len(prose))) for start, size in places
    ]
    pairing = pair(prose, *segments)
    for claim, index in pairing.pairs:
        assert claim.text == prose[claim.span.start : claim.span.end]
        assert claim.span == segments[index]
    judged: dict[int, Any] = {index: claim for claim, index in pairing.pairs}
    assert set(judged) | {number - 1 for number in pairing.unused} == set(range(len(segments)))
    starts = [(claim.span.start, claim.span.end) for claim, _ in pairing.pairs]
    assert starts == sorted(starts)
    uncited = {u.span for u in pairing.uncited}
    assert len(uncited) == len(pairing.uncited) <= pairing.sentences
