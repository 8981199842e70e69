from __future__ import annotations

import pytest
from hypothesis import given

from spanproof.core.errors import MalformedSpanError
from spanproof.core.span import Span
from spanproof.verifier.formats.cleaning import clean
from spanproof.verifier.formats.grammars import GRAMMARS
from tests.verifier.formats.grammars.prose import INLINE, PROSE


@given(prose=INLINE)
def test_stripping_twice_is_stripping_once(prose: str) -> None:
    once = clean(prose, GRAMMARS)
    assert clean(once.text, GRAMMARS).text == once.text


@given(prose=PROSE)
def test_the_maps_are_monotone_and_agree(prose: str) -> None:
    found = clean(prose, GRAMMARS)
    assert "".join(prose[span.start : span.end] for span in found.kept) == found.text
    there = [found.to_clean(offset) for offset in range(len(prose) + 1)]
    back = [found.to_raw(offset) for offset in range(len(found.text) + 1)]
    assert there == sorted(there)
    assert back == sorted(back)
    assert [found.to_clean(offset) for offset in back] == list(range(len(found.text) + 1))
    for offset, letter in enumerate(found.text):
        assert prose[found.to_raw(offset)] == letter


@given(prose=PROSE)
def test_only_tokens_and_single_blanks_beside_them_go(prose: str) -> None:
    found = clean(prose, GRAMMARS)
    inside = {at for token in found.tokens for at in range(token.span.start, token.span.end)}
    for span in found.removed:
        rest = [at for at in range(span.start, span.end) if at not in inside]
        assert all(prose[at] in " \t" for at in rest)
        tokens = {t.span for t in found.tokens if span.contains(t.span)}
        assert len(rest) <= len(tokens)


@pytest.mark.parametrize(
    ("prose", "cleaned"),
    [
        ("four days [1].", "four days."),
        ("four days[1] and", "four days and"),
        ("a [1] b [2][3] c", "a b c"),
        ("a [1] [2].", "a."),
        ("see [1]and", "see and"),
        ("[1] Four days", "Four days"),
        ("- [1] item\n  [2] more\n", "- item\n  more\n"),
        ("| a [1] | b |\n|---|---|\n", "| a | b |\n|---|---|\n"),
        ("a  [1]  b", "a   b"),
        ("line [1]\r\nnext", "line\r\nnext"),
        ("(see [1])", "(see)"),
        ("code `x [1]` stays [1]", "code `x [1]` stays"),
        ("nested [[1]1] stays", "nested [[1]1] stays"),
        ("broken [citation:a and [1", "broken [citation:a and [1"),
        ("END.\n\nSOURCES_START\n[]\nSOURCES_END\n", "END.\n\n\n"),
        ("cut off. SOURCES_START\n[{", "cut off."),
        ("", ""),
    ],
)
def test_stripping(prose: str, cleaned: str) -> None:
    assert clean(prose, GRAMMARS).text == cleaned


def test_a_token_that_would_make_another_is_left_and_named() -> None:
    assert clean("[[1]1]", GRAMMARS).left == (Span(1, 4),)


def test_spans_map_both_ways() -> None:
    found = clean("four days [1]. Else", ("numbered",))
    assert found.span_to_clean(Span(10, 13)) == Span(9, 9)
    assert found.span_to_raw(Span(5, 10)) == Span(5, 14)
    with pytest.raises(MalformedSpanError, match=r"0\.\.15"):
        found.to_raw(16)
