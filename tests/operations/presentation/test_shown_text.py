from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.operations.presentation.words import show_text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_no_text_becomes_markup(text: str) -> None:
    shown = str(show_text(text))
    chipped = shown.replace('<span class="hidden-character" title="', "").replace("</span>", "")

    assert shown.count("<") == 2 * shown.count('<span class="hidden-character" title="')
    assert "<script" not in chipped


def test_white_space_and_scripts_stay_as_they_are() -> None:
    text = "a\tb\nc  \u00a0d \u05d0\u05d1 \u0915\u094d\u200d\u0937 \U0001f468\u200d\U0001f469"

    assert str(show_text(text)) == text


@pytest.mark.parametrize(
    "character", ["\u202e", "\u2066", "\u200b", "\xad", "\x00", "\x1b", "\r", "\ufeff", "\ud800"]
)
def test_characters_that_hide_or_reorder_are_named(character: str) -> None:
    shown = str(show_text(f"pay{character}ment"))

    assert character not in shown
    assert f"U+{ord(character):04X}" in shown


def test_a_page_separator_reads_as_a_page_break() -> None:
    assert ">page break</span>" in str(show_text("one\ftwo"))
