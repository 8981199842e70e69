from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.citation import Quote
from spanproof.core.span import OFFSET_UNITS, OffsetUnit, Span, from_codepoint
from spanproof.core.verdicts.verification_block import UNMAPPED
from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.envelope import SuppliedDocument, read_envelope
from tests.strategies import texts_with_spans, unhurried

LEAD, BODY = "Before 😀. ", "Zürich’s 😀 café. Prices rose."


def make_draft(unit: OffsetUnit | None = None) -> tuple[Draft, Span]:
    """A draft of two pieces of prose, and where the second one stands."""
    raw = json.dumps({"response": "x"}).encode()
    draft = Draft(read_envelope(raw), origin="test", declared_unit=unit)
    draft.write(LEAD)
    return draft, draft.write(BODY)


def codes(draft: Draft) -> list[str]:
    return [remark.code for remark in draft.remarks]


def test_prose_grows_and_says_where() -> None:
    draft, within = make_draft()
    assert draft.prose == LEAD + BODY
    assert draft.prose[within.start : within.end] == BODY
    empty = draft.write("")
    assert (empty.start, empty.end) == (within.end, within.end)
    more = draft.write("more")
    assert draft.prose[more.start :] == "more"


@pytest.mark.parametrize("unit", OFFSET_UNITS)
def test_offsets_are_relative_to_their_part_and_found_by_slicing(unit: OffsetUnit) -> None:
    draft, within = make_draft()
    start = BODY.index("Prices")
    first, last = (from_codepoint(BODY, index, unit) for index in (start, len(BODY)))
    span = draft.place("/p", within, first, last, "Prices rose.")
    assert span is not None
    assert draft.prose[span.start : span.end] == "Prices rose."
    assert draft.observed_units == {unit}
    assert codes(draft) == []


def test_another_unit_than_the_declared_one_is_remarked() -> None:
    draft, within = make_draft("utf16")
    start = len(BODY[: BODY.index("Prices")].encode())
    span = draft.place("/p", within, start, start + 12, "Prices rose.")
    assert span == Span(within.start + BODY.index("Prices"), within.end)
    assert codes(draft) == ["OFFSET_UNIT_MISMATCH"]


def test_words_at_one_other_place_are_moved_and_at_none_or_several_are_not_placed() -> None:
    draft, within = make_draft()
    span = draft.place("/p", within, 0, 3, "Prices rose.")
    assert span is not None
    assert draft.prose[span.start : span.end] == "Prices rose."
    assert draft.place("/p", within, 0, 3, "Prices fell.") is None
    assert draft.place("/p", within, 1, 2, "e") is None
    assert draft.place("/p", within, 0, 3, "") is None
    assert codes(draft) == ["SEGMENT_MOVED", *["SEGMENT_MISMATCH"] * 3]


def test_an_inclusive_end_is_remarked() -> None:
    draft, within = make_draft("codepoint")
    start = BODY.index("Prices")
    span = draft.place("/p", within, start, len(BODY) - 1, "Prices rose.")
    assert span is not None
    assert span.end == within.end
    assert codes(draft) == ["END_INCLUSIVE"]


def test_without_text_the_declared_unit_is_believed() -> None:
    draft, within = make_draft("utf8")
    end = len(BODY.encode())
    assert draft.place("/p", within, 0, end, None) == within
    assert draft.place("/p", within, 0, end + 1, None) is None
    assert draft.place("/p", within, 5, 1, None) is None
    assert draft.place("/p", within, -1, 3, None) is None
    # Inside a character of two bytes.
    assert draft.place("/p", within, 2, 4, None) is None
    assert codes(draft) == ["SEGMENT_OUT_OF_RANGE"] * 4


def test_without_text_and_unit_only_an_unambiguous_place_is_taken() -> None:
    draft, within = make_draft()
    assert draft.place("/p", within, 0, 1, None) == Span(within.start, within.start + 1)
    start = BODY.index("Prices")
    assert draft.place("/p", within, start, start + 3, None) is None
    assert codes(draft) == ["SEGMENT_UNIT_UNKNOWN"]


def test_citations_are_numbered_after_what_is_taken() -> None:
    draft, within = make_draft()
    document = SuppliedDocument(doc_id="d", source_tier="primary")
    quote = Quote(text="Prices rose.")
    first = draft.cite(document=document, named="x", quote=quote, segment=within)
    seventh = draft.cite(document=None, named="x", quote=None, number=7, marker=Span(0, 2))
    after = draft.cite(document=document, named="x", quote=quote)
    assert [first.anchor, seventh.anchor, after.anchor] == [1, 7, 8]
    assert (first.doc_id, seventh.doc_id) == ("d", "x")
    assert (first.source_tier, seventh.source_tier) == ("primary", None)
    assert [(anchor.number, anchor.span) for anchor in draft.anchors] == [(7, Span(0, 2))]
    assert {citation.origin for citation in draft.citations} == {"test"}


def test_pages_become_a_locator_without_a_box() -> None:
    draft, _ = make_draft()
    citation = draft.cite(document=None, named="x", quote=None, pages=(2, 3))
    assert citation.locator is not None
    assert (citation.locator.page, citation.locator.last_page) == (2, 3)
    assert citation.locator.bbox is None


def test_what_became_nothing_is_listed_with_its_reason() -> None:
    draft, _ = make_draft()
    draft.skip("/response/citations/0", "No document.")
    draft.skip("/response/other", "Not read.", code="FIELD_UNREAD")
    assert draft.unmapped == ["/response/citations/0", "/response/other"]
    assert codes(draft) == [UNMAPPED, "FIELD_UNREAD"]


@unhurried
@given(
    texts_with_spans(), st.integers(-2, 200), st.integers(-2, 200), st.sampled_from(OFFSET_UNITS)
)
def test_a_placed_segment_is_its_text_and_lies_within(
    given: tuple[str, int, int], start: int, end: int, unit: OffsetUnit
) -> None:
    text, first, last = given
    draft, _ = make_draft(unit)
    within = draft.write(text)
    draft.write("after")
    words = text[first:last]
    span = draft.place("/p", within, start, end, words)
    if span is not None:
        assert within.contains(span)
        assert draft.prose[span.start : span.end].rstrip() == words.rstrip()
    else:
        assert codes(draft)
    bare = draft.place("/p", within, start, end, None)
    assert bare is None or within.contains(bare)
