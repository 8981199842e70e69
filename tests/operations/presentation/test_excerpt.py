from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.citation import Retrieval
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.operations.presentation.excerpt import MAX_SHOWN_CHARACTERS, cut_excerpt, mark_chunk


@given(st.text("ab \n", max_size=900), st.data())
def test_an_excerpt_is_a_slice_of_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    span = Span(start, data.draw(st.integers(start, len(text))))

    cut = cut_excerpt(CanonicalText.of(text), span)

    assert cut is not None
    assert cut.marked == text[span.start : span.end]
    assert text[: span.start].endswith(cut.before)
    assert text[span.end :].startswith(cut.after)
    assert cut.is_cut_before == (span.start > 300)
    assert cut.is_cut_after == (len(text) - span.end > 300)
    assert max(len(cut.before), len(cut.after)) <= 300


def test_a_span_beyond_the_text_has_no_excerpt() -> None:
    assert cut_excerpt(CanonicalText.of("short"), Span(2, 9)) is None


def test_what_is_left_out_of_a_long_span_is_counted() -> None:
    text = CanonicalText.of("x" * (MAX_SHOWN_CHARACTERS + 5))

    cut = cut_excerpt(text, Span(0, len(text)))

    assert cut is not None
    assert cut.left_out == 5


TEXT = CanonicalText.of("one two three two five")


def test_a_chunk_is_marked_by_its_own_offsets() -> None:
    chunk = Retrieval(chunk_id="c", text="three two five", span=Span(8, 22))

    marked = mark_chunk(chunk, TEXT, Span(14, 17))

    assert marked is not None
    assert (marked.before, marked.marked, marked.after) == ("three ", "two", " five")


def test_offsets_that_do_not_fit_the_words_mark_nothing_wrong() -> None:
    chunk = Retrieval(chunk_id="c", text="Three   two five", span=Span(8, 24))

    marked = mark_chunk(chunk, TEXT, Span(14, 17))

    assert marked is not None
    assert marked.marked == "two"
    assert marked.before == "Three   "


def test_a_chunk_whose_lines_were_joined_is_marked() -> None:
    chunk = Retrieval(chunk_id="c", text="so: one two three, and on")

    marked = mark_chunk(chunk, CanonicalText.of("one\ntwo  three"), Span(0, 14))

    assert marked is not None
    assert marked.marked == "one two three"


def test_words_that_stand_twice_in_a_chunk_are_not_marked() -> None:
    chunk = Retrieval(chunk_id="c", text="two two")

    marked = mark_chunk(chunk, TEXT, Span(4, 7))

    assert marked is not None
    assert marked.marked == ""
    assert marked.before + marked.after == "two two"


def test_a_chunk_without_text_shows_nothing() -> None:
    assert mark_chunk(Retrieval(chunk_id="c"), TEXT, Span(0, 3)) is None
