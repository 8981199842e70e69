from __future__ import annotations

from typing import Any

import pytest

from spanproof.core.errors import InputError
from spanproof.core.span import Span
from spanproof.verifier.answers.display import (
    find_footers,
    hide_footers,
    strip_history,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Four days.\n\nSources:\n- Handbook\n[2] Deed\n", "Four days.\n\n"),
        ("Four days.\n## References\n1. Handbook", "Four days.\n"),
        ("Four days.\n**Source:** Handbook, page 2", "Four days.\n"),
        ("A[^1] b.\n[^1]: Handbook\nMore.", "A[^1] b.\nMore."),
        ("Sources: none of them agree.\nSo we cannot say.", None),
        ("Sources:\nThe river has two.", None),
        ("```\nSources:\n- a\n```", None),
    ],
)
def test_footers_are_hidden_and_nothing_else(text: str, shown: str | None) -> None:
    found = hide_footers(text)
    assert found.text == (text if shown is None else shown)
    assert found.removed == find_footers(text)


def test_the_removed_ranges_are_listed() -> None:
    assert find_footers("Four.\nSources:\n- a") == (Span(6, 18),)


def test_only_the_assistants_turns_are_cleaned() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "What of [1] ?  "},
        {"role": "assistant", "content": "Four [1].", "id": 5},
        {"role": "tool", "content": [{"type": "text", "text": "[1]"}]},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Five [2]."}, {"type": "image"}],
        },
        {"role": "assistant", "content": None},
    ]
    stripped = strip_history(messages, ("numbered",))
    assert [a is b for a, b in zip(stripped, messages, strict=True)] == [
        True,
        False,
        True,
        False,
        True,
    ]
    assert stripped[1] == {"role": "assistant", "content": "Four.", "id": 5}
    assert stripped[3]["content"] == [{"type": "text", "text": "Five."}, {"type": "image"}]
    assert messages[1]["content"] == "Four [1]."


def test_a_text_in_place_of_a_message_is_refused() -> None:
    with pytest.raises(InputError, match="'hello'"):
        strip_history(["hello"], ("numbered",))  # type: ignore[list-item]
