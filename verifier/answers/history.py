"""Earlier turns without their tokens: what goes back to a model or into a new prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError
from spanproof.verifier.formats.cleaning import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ASSISTANT = "assistant"


def strip_history(
    messages: Sequence[dict[str, Any]], grammars: Iterable[str]
) -> list[dict[str, Any]]:
    """The messages with the assistant's turns cleaned; every other turn is the very same object.

    ``content`` is a string, or a list of parts of which those with a string ``text`` are cleaned.
    Raises InputError for a message that is no object.
    """
    names = tuple(grammars)
    return [_strip(message, names) for message in messages]


def _strip(message: Any, names: tuple[str, ...]) -> dict[str, Any]:  # noqa: ANN401 - checked here
    if not isinstance(message, dict):
        msg = f"Expected messages with 'role' and 'content', got {message!r}."
        raise InputError(msg, hint="Give the messages as the model's interface has them.")
    kept: dict[str, Any] = message
    content = kept.get("content")
    if kept.get("role") != ASSISTANT:
        return kept
    if isinstance(content, str):
        return kept | {"content": clean(content, names).text}
    if isinstance(content, list):
        return kept | {"content": [_strip_part(part, names) for part in content]}
    return kept


def _strip_part(part: Any, names: tuple[str, ...]) -> Any:  # noqa: ANN401 - a provider's part
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return part | {"text": clean(part["text"], names).text}
    return part
