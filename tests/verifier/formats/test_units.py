from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.span import OFFSET_UNITS, OffsetUnit, Span, from_codepoint
from spanproof.verifier.formats.units import check_slice
from tests.strategies import texts_with_spans, unhurried

TEXT = "Zürich’s 😀 café. Prices rose."


@pytest.mark.parametrize("unit", OFFSET_UNITS)
def test_each_unit_is_told_where_the_text_tells_them_apart(unit: OffsetUnit) -> None:
    start = TEXT.index("Prices")
    first, last = (from_codepoint(TEXT, index, unit) for index in (start, len(TEXT)))
    found = check_slice(TEXT, first, last, "Prices rose.")
    assert found is not None
    assert (found.span, found.unit) == (Span(start, len(TEXT)), unit)
    assert (found.ambiguous, found.is_inclusive, found.trimmed) == (False, False, False)


def test_ascii_cannot_tell() -> None:
    found = check_slice("plain text", 6, 10, "text")
    assert found is not None
    assert found.span == Span(6, 10)
    assert found.ambiguous


def test_an_inclusive_end_is_believed_last() -> None:
    found = check_slice("plain text", 6, 9, "text")
    assert found is not None
    assert found.span == Span(6, 10)
    assert found.is_inclusive
    # Both readings cut out the word: the exclusive one is the one that was meant.
    found = check_slice("aa", 0, 1, "a")
    assert found is not None
    assert (found.span, found.is_inclusive) == (Span(0, 1), False)


def test_blanks_at_the_end_of_a_slice_are_left_out() -> None:
    found = check_slice("The grass is green. Blue.", 0, 20, "The grass is green.")
    assert found is not None
    assert (found.span, found.trimmed) == (Span(0, 19), True)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 4, ""), (0, 4, "  "), (-1, 4, "plai"), (4, 0, "plai"), (0, 99, "plain text"),
     (0, 4, "PLAI"), (1, 5, "plai"), (5, 9, "text")],
)  # fmt: skip
def test_what_no_reading_cuts_out_is_none(start: int, end: int, expected: str) -> None:
    assert check_slice("plain text", start, end, expected) is None


def test_two_units_at_two_places_are_none() -> None:
    assert check_slice("😀😀abab", 4, 6, "ab") is None
    found = check_slice("😀😀abab", 4, 6, "ab", units=["utf16"])
    assert found is not None
    assert found.span == Span(2, 4)


def test_offsets_inside_a_character_are_none() -> None:
    assert check_slice("😀b", 1, 3, "b", units=["utf16"]) is None


@unhurried
@given(texts_with_spans(), st.sampled_from(OFFSET_UNITS), st.booleans())
def test_offsets_of_a_known_unit_are_found_or_reported_and_never_a_wrong_slice(
    given: tuple[str, int, int],
    unit: OffsetUnit,
    alone: bool,
) -> None:
    text, start, end = given
    first, last = (from_codepoint(text, index, unit) for index in (start, end))
    units = [unit] if alone else OFFSET_UNITS
    found = check_slice(text, first, last, text[start:end], units=units)
    if found is None:
        # Another unit cuts the same words out of another place.
        assert not alone
        assert text.find(text[start:end]) != text.rfind(text[start:end])
        return
    assert text[found.span.start : found.span.end] == text[start:end]
    assert found.span == Span(start, end)
    assert found.unit in {None, unit}
    assert not found.is_inclusive
    assert not found.trimmed


@unhurried
@given(texts_with_spans(), st.integers(-3, 200), st.integers(-3, 200))
def test_any_offsets_give_the_words_or_nothing(
    given: tuple[str, int, int], start: int, end: int
) -> None:
    text, first, last = given
    words = text[first:last]
    found = check_slice(text, start, end, words)
    if found is not None:
        assert text[found.span.start : found.span.end] == (
            words.rstrip() if found.trimmed else words
        )
        assert found.span.end <= len(text)
