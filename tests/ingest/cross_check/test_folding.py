from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.documents.match_views import to_codes
from spanproof.ingest.cross_check.folding import fold, is_combining


def folded(text: str) -> str:
    codes, _ = fold(to_codes(text))
    return codes.tobytes().decode("utf-32-le")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ofﬁce", "office"),
        ("a\u00a0b", "a b"),
        ("co\u00adop", "co-op"),
        ("co\u200bop", "coop"),
        ("‘a’ “b”", "'a' \"b\""),
        ("10–20", "10-20"),
        ("Ａ", "A"),
    ],
)
def test_what_engines_write_differently_and_mean_alike_is_one(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("-5", "5"), ("−5", "-5"), ("10²", "102"), ("½", "1⁄2"), ("Not", "not"), ("1.5", "1,5")],
)
def test_what_changes_the_meaning_stays_apart(one: str, other: str) -> None:
    assert folded(one) != folded(other)


def test_marks_on_letters_are_told_from_letters() -> None:
    assert is_combining(to_codes("e\u0301ا\u064b𝑉")).tolist() == [False, True, False, True, False]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_folded_letter_leads_back_to_its_character_in_order(text: str) -> None:
    codes, positions = fold(to_codes(text))
    assert len(codes) == len(positions)
    assert (positions[1:] >= positions[:-1]).all()
    assert all(0 <= position < len(text) for position in positions.tolist())
    kept = {text[position] for position in positions.tolist()}
    assert not any(char.isspace() and char not in "\x1c\x1d\x1e\x1f" for char in kept)
