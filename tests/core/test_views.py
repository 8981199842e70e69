from __future__ import annotations

import gc
import weakref

import pytest
from hypothesis import given

from core.views import MatchView, ligatures, view_of, widths
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


def test_a_view_lives_as_long_as_its_extraction() -> None:
    extraction = make_extraction("some text")
    view = view_of(extraction)
    assert view_of(extraction) is view
    gone = weakref.ref(extraction)
    del extraction
    gc.collect()
    assert gone() is None
