"""A file of contexts, and the answers that come with them → payloads that bring their texts."""

from __future__ import annotations

import json
from typing import Any

from spanproof.core.contexts import read_contexts, with_contexts
from spanproof.core.errors import MalformedAnswerError
from spanproof.core.json_reader.object_reader import load_json

_HINT = (
    'Give a JSON array of texts or of objects with "text", the same one a line, or a text a line.'
)


def parse_contexts(raw: bytes) -> list[dict[str, Any]]:
    """The contexts of a file, as ``retrieved`` entries; raise MalformedAnswerError for another.

    What begins with ``[`` is a JSON array, with ``{`` or ``"`` JSON lines, anything else one text
    a line. Empty lines are left out.
    """
    begin = raw.lstrip()[:1]
    try:
        if begin == b"[":
            values: list[Any] = load_json(raw)
        else:
            lines = [line for line in raw.splitlines() if line.strip()]
            is_json = begin in {b"{", b'"'}
            values = [load_json(line) if is_json else line.decode("utf-8") for line in lines]
        entries = read_contexts(values)
    except (TypeError, UnicodeDecodeError, MalformedAnswerError) as error:
        why = error.message if isinstance(error, MalformedAnswerError) else error
        msg = f"Expected a file of contexts, got another ({why})."
        raise MalformedAnswerError(msg, hint=_HINT) from error
    if not entries:
        msg = "Expected at least one context, got none."
        raise MalformedAnswerError(msg, hint=_HINT)
    return entries


def add_contexts(raw: bytes, contexts: list[dict[str, Any]]) -> bytes:
    """An answer (JSON, or its bare text) with these contexts, in the JSON of its format."""
    answer: Any
    if raw.lstrip()[:1] == b"{":
        answer = load_json(raw)
    else:
        try:
            answer = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            msg = f"Expected an answer in UTF-8, got {error.reason} at byte {error.start}."
            raise MalformedAnswerError(msg, hint="Give the answer as text or as JSON.") from error
    return json.dumps(with_contexts(answer, contexts), ensure_ascii=False).encode("utf-8")
