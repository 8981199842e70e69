from __future__ import annotations

from typing import Any

import pytest

from spanproof.core.errors import InputError
from spanproof.verifier.answers.history import strip_history


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


def test_a_message_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="'hello'"):
        strip_history(["hello"], ("numbered",))  # type: ignore[list-item]
