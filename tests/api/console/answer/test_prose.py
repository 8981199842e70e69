from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from spanproof.api.console.answer.prose import split_prose
from spanproof.core.citation import Anchor
from spanproof.core.span import Span
from spanproof.core.verdicts.status import Outcome
from tests.api.console.samples import cite, make_block, make_page, make_verdict, read_answer

PAGE = make_page("Refunds are paid within four business days.")


def make_orphan(prose: str, marker: str) -> dict[str, Any]:
    start = prose.index(marker)
    return {"anchor": int(marker.strip("[]")), "start": start, "end": start + len(marker)}


def test_an_anchor_takes_the_outcome_of_its_own_claim() -> None:
    answer = read_answer("Paid soon [1]. Paid late [1].", cite(PAGE, "four business days"))
    block = make_block(
        make_verdict(answer, PAGE, "Paid soon [1]."),
        make_verdict(answer, PAGE, "Paid late [1].", outcome=Outcome.FAIL),
    )

    links = [piece.link for piece in split_prose(answer, block) if piece.link]

    assert [(link.text, link.outcome) for link in links] == [("[1]", "pass"), ("[1]", "fail")]


def test_each_number_of_a_list_leads_to_its_own_card() -> None:
    quotes = (cite(PAGE, "four business days"), cite(PAGE, "five", anchor=2))
    answer = read_answer("Paid soon [1, 2].", *quotes)
    block = make_block(
        make_verdict(answer, PAGE, "Paid soon [1, 2]."),
        make_verdict(answer, PAGE, "Paid soon [1, 2].", citation=1, outcome=Outcome.FAIL),
    )

    links = [piece.link for piece in split_prose(answer, block) if piece.link]

    assert [(link.text, link.citation, link.outcome) for link in links] == [
        ("1", 0, "pass"),
        ("2", 1, "fail"),
    ]


def test_a_segment_gets_a_link_where_it_ends_and_no_word_changes() -> None:
    answer = read_answer("Paid soon. Else nothing.", cite(PAGE, "four business days"))
    answer = replace(answer, citations=(replace(answer.citations[0], segment=Span(0, 10)),))
    block = make_block(make_verdict(answer, PAGE, "Paid soon.", outcome=Outcome.REVIEW))

    pieces = split_prose(answer, block)

    assert [(p.text, p.link.text if p.link else None) for p in pieces] == [
        ("Paid soon.", None),
        ("", "[1]"),
        (" Else nothing.", None),
    ]
    link = pieces[1].link
    assert link is not None
    assert (link.outcome, link.citation, link.is_added) == ("review", 0, True)


def test_a_segment_whose_citation_hangs_on_a_marker_is_linked_once() -> None:
    answer = read_answer("Paid soon [1]. Else nothing.", cite(PAGE, "four business days"))
    answer = replace(answer, citations=(replace(answer.citations[0], segment=Span(0, 9)),))
    block = make_block(make_verdict(answer, PAGE, "Paid soon"))

    links = [piece.link for piece in split_prose(answer, block) if piece.link]

    assert [(link.text, link.outcome, link.is_added) for link in links] == [("[1]", "pass", False)]


def test_a_marker_without_numbers_is_followed_by_its_links() -> None:
    quotes = (cite(PAGE, "four business days"), cite(PAGE, "five", anchor=2))
    answer = read_answer("Paid soon [a:b, c:d].", *quotes)
    marker = Span(10, 20)
    anchors = (Anchor(number=1, span=marker), Anchor(number=2, span=marker))
    answer = replace(answer, anchors=anchors)

    pieces = split_prose(answer, make_block(make_verdict(answer, PAGE, "Paid soon [a:b, c:d].")))

    assert "".join(piece.text for piece in pieces) == answer.prose
    assert [(p.link.text, p.link.outcome) for p in pieces if p.link] == [
        ("[1]", "pass"),
        ("[2]", "unused"),
    ]


def test_an_orphan_is_called_orphan() -> None:
    answer = read_answer("Paid soon [7].", cite(PAGE, "four business days"))
    block = make_block(orphan_anchors=[make_orphan(answer.prose, "[7]")])

    (link,) = [piece.link for piece in split_prose(answer, block) if piece.link]

    assert (link.outcome, link.citation) == ("orphan", None)


def test_an_anchor_that_the_block_does_not_know_is_never_a_pass() -> None:
    answer = read_answer("Paid soon [1]. Else [7].", cite(PAGE, "four business days"))

    outcomes = [p.link.outcome for p in split_prose(answer, make_block()) if p.link]

    assert outcomes == ["unused", "orphan"]


def test_an_unknown_outcome_is_an_error() -> None:
    answer = read_answer("Paid soon [1].", cite(PAGE, "four business days"))
    verdict = make_verdict(answer, PAGE, "Paid soon [1].") | {"outcome": "splendid"}

    (link,) = [p.link for p in split_prose(answer, make_block(verdict)) if p.link]

    assert link.outcome == "error"


def test_uncited_sentences_and_claims_are_told_apart() -> None:
    answer = read_answer("Paid soon [1]. Who knows.", cite(PAGE, "four business days"))
    block = make_block(
        make_verdict(answer, PAGE, "Paid soon [1]."), uncited_sentences=[{"start": 15, "end": 25}]
    )

    pieces = split_prose(answer, block)

    assert "".join(piece.text for piece in pieces if piece.is_uncited) == "Who knows."
    assert "".join(piece.text for piece in pieces if piece.claims) == "Paid soon [1]."
    assert [index for piece in pieces for index in piece.opens] == [0]


@given(
    st.text("ab .[]12,\n\u05d0", max_size=60),
    st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70)), max_size=4),
)
def test_the_pieces_joined_are_the_prose(prose: str, spans: list[tuple[int, int]]) -> None:
    answer = read_answer(prose, cite(PAGE, "four business days"))
    sentences = [{"start": min(pair), "end": max(pair)} for pair in spans]

    pieces = split_prose(answer, make_block(uncited_sentences=sentences))

    assert "".join(piece.text for piece in pieces) == prose


def test_overlapping_claims_keep_their_own_pieces() -> None:
    answer = read_answer("One two three [1].", cite(PAGE, "four business days"))
    block = make_block(
        make_verdict(answer, PAGE, "One two three [1]."), make_verdict(answer, PAGE, "two three")
    )

    pieces = split_prose(answer, block)

    assert "".join(piece.text for piece in pieces if 0 in piece.claims) == "One two three [1]."
    assert "".join(piece.text for piece in pieces if 1 in piece.claims) == "two three"
    assert [piece.opens for piece in pieces if piece.opens] == [(0,), (1,)]
