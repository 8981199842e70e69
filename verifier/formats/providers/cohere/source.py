"""The text of a document of Cohere's: the model was given it, so the model cites it."""

from __future__ import annotations

from typing import Any

#: The fields that hold a document's text, as callers and connectors name them.
_TEXTS = ("text", "snippet", "content", "data")


def read_text(fields: dict[str, Any]) -> str | None:
    """The first text among the fields; ``data`` may be an object with one. Or None."""
    for name in _TEXTS:
        value = fields.get(name)
        if isinstance(value, dict):
            value = next((value[n] for n in _TEXTS if isinstance(value.get(n), str)), None)
        if isinstance(value, str):
            return value
    return None
