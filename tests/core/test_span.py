from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedSpanError
from spanproof.core.span import OFFSET_UNITS, OffsetUnit, Span, from_codepoint, to_codepoint


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (-5, -3)])
def test_a_reversed_or_negative_span_cannot_be_built(start: int, end: int) -> None:
    with pytest.raises(MalformedSpanError):
        Span(start, end)


def test_span_end_is_exclusive() -> None:
    assert "abcd"[Span(1, 3).start : Span(1, 3).end] == "bc"
    assert len(Span(1, 3)) == 2
    assert Span(0, 3).contains(Span(1, 3))
    assert not Span(0, 3).contains(Span(1, 4))
    assert Span(1, 3).shift(2) == Span(3, 5)


SPANS = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda ends: Span(*sorted(ends)))


@given(SPANS, SPANS)
def test_the_intersection_holds_the_characters_of_both(one: Span, other: Span) -> None:
    both = set(range(one.start, one.end)) & set(range(other.start, other.end))
    shared = one.intersection(other)
    assert set(range(shared.start, shared.end)) == both
    assert one.contains(shared)
    if one and other:
        assert one.overlaps(other) == other.overlaps(one) == bool(both)


def test_an_empty_span_overlaps_what_is_around_it() -> None:
    assert Span(2, 2).overlaps(Span(0, 4))
    assert not Span(2, 2).intersection(Span(0, 4))
    assert not Span(2, 2).overlaps(Span(2, 4))


@given(st.text(), st.sampled_from(OFFSET_UNITS), st.data())
def test_every_boundary_survives_the_way_there_and_back(
    text: str, unit: OffsetUnit, data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(text)))
    assert to_codepoint(text, from_codepoint(text, index, unit), unit) == index


@given(st.text(min_size=1), st.sampled_from(OFFSET_UNITS))
def test_offsets_grow_with_the_index(text: str, unit: OffsetUnit) -> None:
    offsets = [from_codepoint(text, index, unit) for index in range(len(text) + 1)]
    assert offsets == sorted(set(offsets))


def test_inside_a_character_and_beyond_the_text_there_is_no_index() -> None:
    text = "a𝑉b"
    assert to_codepoint(text, 2, "utf16") is None
    assert to_codepoint(text, 3, "utf16") == 2
    assert to_codepoint(text, 3, "utf8") is None
    assert to_codepoint(text, 5, "utf8") == 2
    for unit in OFFSET_UNITS:
        assert to_codepoint(text, 99, unit) is None
        assert to_codepoint(text, -1, unit) is None


def test_flags_of_two_letters_count_as_their_units() -> None:
    flag = "🇮🇩"
    assert from_codepoint(flag, 2, "codepoint") == 2
    assert from_codepoint(flag, 2, "utf16") == 4
    assert from_codepoint(flag, 2, "utf8") == 8


@pytest.mark.parametrize("unit", OFFSET_UNITS)
@pytest.mark.parametrize("length", [1023, 1024, 1025, 2048, 5000])
def test_a_long_text_is_converted_as_a_short_one_is(length: int, unit: OffsetUnit) -> None:
    text = ("aé€𝑉\n" * length)[:length]
    codec, width = {"utf16": ("utf-16-le", 2), "utf8": ("utf-8", 1), "codepoint": ("utf-32-le", 4)}[
        unit
    ]
    ends = {0: 0}
    for index in range(1, length + 1):
        last = len(text[index - 1].encode(codec)) // width
        ends[max(ends) + last] = index
    for offset in range(max(ends) + 3):
        assert to_codepoint(text, offset, unit) == ends.get(offset)
    for offset, index in ends.items():
        assert from_codepoint(text, index, unit) == offset
