from __future__ import annotations

from hypothesis import given

from tests.verifier.formats.grammars.prose import INLINE, PROSE
from verifier.formats.cleaning import clean
from verifier.formats.grammars import GRAMMARS


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
