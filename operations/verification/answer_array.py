"""A JSON array of answers, cut into its items as they came."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from spanproof.core.errors import MalformedAnswerError

if TYPE_CHECKING:
    from collections.abc import Iterator


def is_array(raw: bytes) -> bool:
    """Whether the text begins as a JSON array."""
    return raw.lstrip().startswith(b"[")


def split_array(raw: bytes) -> list[bytes] | None:
    """The unchanged items of a JSON array; None for anything else.

    Raises MalformedAnswerError for an array that is no JSON, or empty.
    """
    if not is_array(raw):
        return None
    try:
        source = raw.decode("utf-8")
        json.loads(source)
    except (ValueError, RecursionError) as error:
        msg = f"Expected a JSON array of answers, got text that is not JSON ({error})."
        raise MalformedAnswerError(msg, hint="Fix the JSON and verify again.") from error
    items = list(_slice_items(source))
    if not items:
        msg = "Expected at least one answer in the array, got none."
        raise MalformedAnswerError(msg, hint="Give an answer, or an array of answers.")
    return items


def _slice_items(source: str) -> Iterator[bytes]:
    # Slices, not rewritten items: the store keeps the characters that were sent.
    decoder = json.JSONDecoder()
    position = _skip(source, source.index("[") + 1)
    while source[position] != "]":
        _, end = decoder.raw_decode(source, position)
        yield source[position:end].encode("utf-8")
        position = _skip(source, end)


def _skip(source: str, position: int) -> int:
    while source[position] in " \t\r\n,":
        position += 1
    return position
