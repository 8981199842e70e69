from __future__ import annotations

import pytest

from spanproof.core.shown import first_words, shorten, show_count, show_value


@pytest.mark.parametrize(
    ("text", "shown"), [("a" * 80, "a" * 80), ("a" * 81, "a" * 77 + "..."), ("", "")]
)
def test_a_long_text_is_cut_to_eighty_characters(text: str, shown: str) -> None:
    assert shorten(text) == shown


def test_a_value_is_shown_as_python_writes_it() -> None:
    assert show_value("four") == "'four'"
    assert show_value(["x" * 100]) == "['" + "x" * 75 + "..."


def test_first_words_stand_on_one_line() -> None:
    assert first_words(" four\n days ", 9) == "four days"
    assert first_words("four\tdays", 8) == "four da…"


def test_one_is_singular() -> None:
    assert [show_count(n, "page") for n in (0, 1, 2)] == ["0 pages", "1 page", "2 pages"]
