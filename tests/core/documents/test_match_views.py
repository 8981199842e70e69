from __future__ import annotations

import gc
import unicodedata
import weakref
from functools import cache

import pytest
from hypothesis import given

from spanproof.core.documents.match_views import (
    DASHES,
    LOST_HYPHENS,
    QUOTE_MARKS,
    WHITE_SPACE,
    MatchView,
    ligatures,
    view_of,
    widths,
)
from tests.builders import make_extraction
from tests.strategies import any_texts, unhurried


@unhurried
@given(any_texts)
def test_every_view_character_comes_from_a_canonical_one(text: str) -> None:
    view = MatchView.of(text)
    positions = view.positions.tolist()
    assert len(view.text) == len(positions)
    assert positions == sorted(positions)
    for character, position in zip(view.text, positions, strict=True):
        source = text[position]
        letters = ligatures().get(source) or widths().get(source) or source
        assert character in letters or character in "'\""


@unhurried
@given(any_texts)
def test_the_plain_path_and_the_general_path_agree(text: str) -> None:
    plain = "".join(c for c in text if c.isascii())
    general = MatchView.of(plain + "é")
    assert MatchView.of(plain).text + "é" == general.text
    assert [*MatchView.of(plain).positions.tolist(), len(plain)] == general.positions.tolist()


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("conﬁ-\ndential", "confidential"),
        ("a\u200bb\ufeffc\xadd", "abcd"),
        ("“x” ‘y’", "\"x\"'y'"),
        ("ＡＢ", "AB"),
        ("ﬅ ﷲ", "st" + "\u0627\u0644\u0644\u0647"),
    ],
)
def test_what_typesetting_changes_is_gone(text: str, view: str) -> None:
    assert MatchView.of(text).text == view


@pytest.mark.parametrize(
    "kept", ["²", "½", "①", "𝑉", "−", "１", "\u202e", "\u2066", "\u200f", "ſ", "µ"]
)
def test_what_changes_the_meaning_stays(kept: str) -> None:
    assert MatchView.of(kept).text == kept


@cache
def _folded_by_character() -> dict[str, str]:
    """What the view makes of each character that a text may hold, higher ideographs apart."""
    planes = (*range(1, 0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE1000))
    every = [chr(code) for code in planes]
    view = MatchView.of("".join(every))
    folded = dict.fromkeys(every, "")
    for character, position in zip(view.text, view.positions.tolist(), strict=True):
        folded[every[position]] += character
    return folded


def _tag(character: str) -> str:
    tag = unicodedata.decomposition(character).partition(" ")[0]
    return tag if tag.startswith("<") else ""


def test_folding_never_brings_a_raised_character_and_a_plain_one_together() -> None:
    """INGEST I9: 10² is not 102, ½ is not 1/2, ① is not 1."""
    meaning = {"<super>", "<sub>", "<fraction>", "<circle>", "<square>", "<font>"}
    folded = _folded_by_character()
    by_view: dict[str, set[bool]] = {}
    for character, view in folded.items():
        if view:
            by_view.setdefault(view, set()).add(_tag(character) in meaning)
    assert [view for view, kinds in by_view.items() if len(kinds) > 1] == []
    assert all(folded[c] == c for c in folded if _tag(c) in meaning)


def test_only_the_listed_kinds_of_characters_are_folded() -> None:
    """The whitelist: spaces, dashes, ignorables, quotation marks, ligatures, widths of letters."""
    allowed = {"<compat>", "<wide>", "<narrow>", "<initial>", "<medial>", "<final>", "<isolated>"}
    for character, view in _folded_by_character().items():
        if view == character or character in QUOTE_MARKS:
            continue
        if view:
            assert _tag(character) in allowed, hex(ord(character))
            assert view.isalpha()
        else:
            dropped = character in WHITE_SPACE | DASHES | LOST_HYPHENS
            # What else is dropped takes no room: format characters, fillers, variation selectors.
            assert dropped or unicodedata.category(character) in {"Cf", "Mn", "Lo", "Cn"}


def test_a_view_lives_as_long_as_its_extraction() -> None:
    extraction = make_extraction("some text")
    view = view_of(extraction)
    assert view_of(extraction) is view
    gone = weakref.ref(extraction)
    del extraction
    gc.collect()
    assert gone() is None
