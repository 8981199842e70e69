"""An answer and the texts that it was made from → one payload in the native format.

The library and the client take the same words, and both send what this module makes of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from spanproof.core.arguments import check_type
from spanproof.core.citation import Answer
from spanproof.core.errors import InputError, MalformedAnswerError
from spanproof.core.native_json import answer_to_native

#: ``Retrieval`` fields that a context may have under their own names.
_AS_THEY_ARE = (
    *("chunk_id", "doc_id", "doc_hash", "text", "char_start", "char_end", "score", "rank"),
    *("source_tier", "page"),
)


def encode_answer(answer: object, contexts: object) -> bytes:
    """The payload of ``with_contexts`` as JSON; bytes are a payload already, and take no contexts.

    Raises TypeError for values of other types, InputError for what JSON cannot say.
    """
    if not isinstance(answer, bytes):
        return encode_payload(with_contexts(answer, contexts))
    if read_contexts(contexts):
        msg = "answer: expected a text or a mapping beside contexts, got bytes"
        raise TypeError(msg)
    return answer


def encode_payload(payload: Mapping[str, Any]) -> bytes:
    """A payload as JSON; raise InputError for what JSON cannot say."""
    try:
        return json.dumps(dict(payload), ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError) as error:
        # Its text may quote the answer.
        msg = f"Expected an answer of JSON values, got {type(error).__name__}."
        hint = "Give texts, numbers, lists and objects only."
        raise InputError(msg, hint=hint) from error


def with_contexts(answer: object, contexts: object) -> dict[str, Any]:
    """A text, an ``Answer`` or a payload, with ``contexts`` as its ``retrieved`` entries.

    ``[1]`` names the first. A context is a text, or a mapping with ``text`` and, where known,
    ``id``, ``source`` (the name of the document that it comes from) and ``page`` (from 1). Raises
    TypeError for anything else, and InputError for an ``Answer`` that the native format cannot say.
    """
    if isinstance(answer, str):
        payload: dict[str, Any] = {"answer": answer, "citations": []}
    elif isinstance(answer, Answer):
        payload = answer_to_native(answer)
    elif isinstance(answer, Mapping):
        payload = dict(answer)
        if "answer" in payload:
            payload.setdefault("citations", [])
    else:
        expected = "a text, a mapping or an Answer"
        msg = f"answer: expected {expected}, got {type(answer).__name__}"
        raise TypeError(msg)
    retrieved = read_contexts(contexts)
    if retrieved and payload.get("retrieved"):
        msg = "Expected contexts or 'retrieved' entries of the answer, got both."
        raise MalformedAnswerError(msg, hint="Leave one of them out.")
    return payload | {"retrieved": retrieved} if retrieved else payload


def read_contexts(contexts: object) -> list[dict[str, Any]]:
    """The ``retrieved`` entries of these contexts, in their order."""
    expected = 'a list of texts, or of mappings with "text"'
    if isinstance(contexts, str | bytes | Mapping) or not isinstance(contexts, Iterable):
        msg = f"contexts: expected {expected}, got {type(contexts).__name__}"
        raise TypeError(msg)
    return [_read_context(each, number) for number, each in enumerate(contexts, start=1)]


def _read_context(context: object, number: int) -> dict[str, Any]:
    if isinstance(context, str):
        context = {"text": context}
    if not isinstance(context, Mapping):
        msg = (
            f'context {number}: expected a text or a mapping with "text",'
            f" got {type(context).__name__}"
        )
        raise TypeError(msg)
    check_type(f"context {number}", context.get("text"), str, 'a str under "text"')
    entry = {name: context[name] for name in _AS_THEY_ARE if context.get(name) is not None}
    for name, field in (("id", "chunk_id"), ("source", "doc_id")):
        value = context.get(name)
        if value is None:
            continue
        check_type(f"context {number}", value, str, f'a str under "{name}"')
        entry.setdefault(field, value)
    page = entry.get("page")
    if page is not None and (not isinstance(page, int) or isinstance(page, bool)):
        msg = f'context {number}: expected an int under "page", got {type(page).__name__}'
        raise TypeError(msg)
    return {"chunk_id": f"context-{number}"} | entry
