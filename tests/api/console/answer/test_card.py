from __future__ import annotations

from typing import Any

from spanproof.api.console.answer.extraction_reader import ExtractionReader
from spanproof.core.digest import Digest
from spanproof.core.errors import BlobDigestMismatchError
from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus, Outcome, SupportStatus
from spanproof.core.verdicts.verdict import (
    Candidate,
    Difference,
    Edit,
    Existence,
    ReadTexts,
    SubClaim,
    Support,
)
from tests.api.console.samples import (
    MemoryStore,
    cite,
    make_block,
    make_page,
    make_verdict,
    make_view,
    read_answer,
    render_answer,
)

PAGE = make_page("The supplier must not subcontract. Notices go by post. Notices go by post.")
OTHER = make_page("The tenant repairs the roof every spring.")


def test_cards_are_named_by_their_anchor_and_never_twice() -> None:
    quotes = [cite(PAGE, "by post", anchor=anchor) for anchor in (3, 1, 3)]

    view = make_view(read_answer("Text.", *quotes), make_block())

    assert [card.card_id for card in view.cards] == ["citation-3", "citation-1", "citation-3-2"]


def test_a_citation_that_was_not_judged_is_unused_and_says_so() -> None:
    answer = read_answer("Text.", cite(PAGE, "must not"))

    html = render_answer(answer, make_block(result="error", unused_citations=[1]), PAGE)

    assert make_view(answer, make_block()).cards[0].outcome == "unused"
    assert "it was not judged. This is not a pass." in html


def test_a_card_comes_to_the_worst_of_its_claims() -> None:
    answer = read_answer("One [1]. Two [1].", cite(PAGE, "must not"))
    block = make_block(
        make_verdict(answer, PAGE, "One [1]."),
        make_verdict(answer, PAGE, "Two [1].", outcome=Outcome.REVIEW),
    )

    (card,) = make_view(answer, block, PAGE).cards

    assert card.outcome == "review"
    assert [claim.outcome for claim in card.claims] == ["pass", "review"]


def test_a_card_shows_the_parts_of_a_claim_and_what_was_read() -> None:
    answer = read_answer("It must and it may [1].", cite(PAGE, "must not"))
    part = SubClaim(
        text="it <may>", span=Span(12, 18), hypothesis="It may.", status=SupportStatus.NEUTRAL
    )
    support = Support(
        status=SupportStatus.BORDERLINE,
        reason="parts_disagree",
        grade="partial",
        subclaims=(part,),
        context="headers",
        read=ReadTexts(premise="Duties. must not", hypothesis="It must and it may."),
    )
    verdict = make_verdict(answer, PAGE, "It must and it may [1].", support=support)

    html = render_answer(answer, make_block(verdict), PAGE)

    assert '<q>it &lt;may&gt;</q> <span class="status' in html
    assert "<q>Duties. must not</q>" in html
    for name in ("subclaims", "read"):
        del verdict["support"][name]
    assert "Duties." not in render_answer(answer, make_block(verdict), PAGE)


def test_an_altered_quote_shows_what_was_changed() -> None:
    answer = read_answer("It may [1].", cite(PAGE, "supplier may subcontract"))
    edit = Edit(kind="replace", quote="may", source="must not", span=Span(13, 21), protected=True)
    existence = Existence(
        status=ExistenceStatus.ALTERED,
        span=Span(4, 33),
        difference=Difference(source="supplier must not subcontract", edits=(edit,)),
    )
    block = make_block(
        make_verdict(answer, PAGE, "It may [1].", existence=existence, outcome=Outcome.FAIL)
    )

    html = render_answer(answer, block, PAGE)

    assert 'supplier <del class="protected">may</del><ins class="protected">must not</ins>' in html
    assert "The <mark>supplier must not subcontract</mark>. Notices" in html


def make_candidates(status: ExistenceStatus, *places: tuple[Any, int, int]) -> Existence:
    candidates = (
        Candidate(span=Span(start, end), doc_hash=page.document.doc_hash)
        for page, start, end in places
    )
    return Existence(status=status, candidates=tuple(candidates))


def test_every_place_of_an_ambiguous_quote_is_shown_and_drawn() -> None:
    answer = read_answer("By post [1].", cite(PAGE, "Notices go by post"))
    existence = make_candidates(ExistenceStatus.AMBIGUOUS, (PAGE, 35, 53), (PAGE, 55, 73))
    block = make_block(
        make_verdict(answer, PAGE, "By post [1].", existence=existence, outcome=Outcome.REVIEW)
    )

    (card,) = make_view(answer, block, PAGE).cards

    assert [place.excerpt.marked for place in card.candidates if place.excerpt] == [
        "Notices go by post",
        "Notices go by post",
    ]
    assert len(card.figures[0].polygons) == 2


def test_a_misattributed_quote_shows_the_page_where_it_does_stand() -> None:
    answer = read_answer("The roof [1].", cite(PAGE, "repairs the roof"))
    existence = make_candidates(ExistenceStatus.MISATTRIBUTED, (OTHER, 11, 27))
    block = make_block(
        make_verdict(answer, PAGE, "The roof [1].", existence=existence, outcome=Outcome.FAIL)
    )

    html = render_answer(answer, block, PAGE, OTHER)
    (card,) = make_view(answer, block, PAGE, OTHER).cards

    assert card.figures[0].doc_hash == str(OTHER.document.doc_hash)
    assert "This is not the cited document" in html
    assert "tenant <mark>repairs the roof</mark> every" in html


def test_a_place_in_a_document_that_is_not_kept_has_no_text_and_no_link() -> None:
    answer = read_answer("The roof [1].", cite(PAGE, "repairs the roof"))
    existence = make_candidates(ExistenceStatus.MISATTRIBUTED, (OTHER, 11, 27))
    block = make_block(make_verdict(answer, PAGE, "The roof [1].", existence=existence))

    (card,) = make_view(answer, block, PAGE).cards

    assert (card.candidates[0].excerpt, card.candidates[0].view_url) == (None, None)
    assert card.figures == ()


def test_hovering_shows_the_retrieved_chunk_before_the_canonical_text() -> None:
    chunk = {"chunk_id": "c-1", "text": "Suppliers: must not subcontract, ever"}
    quote = cite(PAGE, "must not subcontract", chunk_id="c-1", index_version="idx-7")
    answer = read_answer("They must not [1].", quote, retrieved=[chunk])
    block = make_block(make_verdict(answer, PAGE, "They must not [1]."))

    html = render_answer(answer, block, PAGE)
    tip = html.split('role="tooltip"', 1)[1].split('class="claim"', 1)[0]

    assert "Suppliers: <mark>must not subcontract</mark>, ever" in tip
    assert "index idx-7" in tip
    assert "pass" in tip


def test_a_fault_of_the_store_is_never_shown_as_the_citations_fault() -> None:
    answer = read_answer("They must not [1].", cite(PAGE, "must not"))
    block = make_block(make_verdict(answer, PAGE, "They must not [1]."))
    error = BlobDigestMismatchError("Expected one digest, got another.", hint="Restore it.")
    reader = ExtractionReader(MemoryStore(PAGE, error=error))

    assert reader.find(block["verdicts"][0]["identity"]["extraction_id"]) is None
    assert reader.problems == [
        "BLOB_DIGEST_MISMATCH: Expected one digest, got another. Restore it."
    ]


def test_an_unknown_extraction_is_named_among_the_problems() -> None:
    answer = read_answer("They must not [1].", cite(PAGE, "must not"))
    block = make_block(make_verdict(answer, PAGE, "They must not [1]."))

    view = make_view(answer, block)

    assert view.problems[0].startswith("EXTRACTION_NOT_FOUND")
    assert view.cards[0].figures == ()


def test_a_malformed_identity_finds_nothing() -> None:
    reader = ExtractionReader(MemoryStore(PAGE))

    assert reader.find(None) is None
    assert reader.find_superseding("sha256:short") is None
    assert reader.find_superseding(str(Digest.of(b"unknown"))) is None
