"""A proposal of the format of a payload, for a caller who asks for one, with the reason.

Importers never read a format off field names: providers share names and differ in their meaning.
So a proposal is said aloud, it names the field that decides, and two possible formats are none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError
from spanproof.core.json_reader.object_reader import load_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: A caller gives it in place of a format's name.
AUTO = "auto"
_HINT = "Name the format with --format; docs/reference/provider-formats.md shows each payload."
#: Fields of a response that only one format has, each with that format.
_OWN_FIELDS = {
    "source_nodes": "llamaindex",
    "extractions": "langextract",
    "ungroundedDetected": "azure-groundedness",
    "supportScore": "check-grounding",
    "candidates": "gemini",
    "choices": "openai-chat",
    "stopReason": "bedrock-converse",
}
#: Markers of a bare text, each with its format.
_MARKERS = {"[citation:": "chunk", "[[REF:": "ref", "[[": "field"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A format's name, and why the payload looks like it."""

    format: str
    why: str


def propose_format(raw: bytes) -> Proposal:
    """The only format that the payload can be; raise InputError where none or several can."""
    payload = load_json(raw)
    found = list(_find(payload)) if isinstance(payload, dict) else []
    names = sorted({each.format for each in found})
    if len(names) == 1:
        return found[0]
    got = f"one that may be {' or '.join(names)}" if names else "one that looks like none of them"
    msg = f"Expected a payload of a format that its fields tell, got {got}."
    raise InputError(msg, hint=_HINT)


def _find(payload: Mapping[str, Any]) -> list[Proposal]:
    if "answer" in payload and "response" not in payload:
        return [Proposal(format="native", why="it has 'answer' and no 'response'")]
    response = payload.get("response")
    if isinstance(response, str):
        marker = next((each for each in _MARKERS if each in response), None)
        why = f"the text of its 'response' has {marker!r}"
        return [] if marker is None else [Proposal(format=_MARKERS[marker], why=why)]
    if not isinstance(response, dict):
        return []
    if set(response) == {"request", "response"} and isinstance(response["response"], dict):
        # Two services say too little in what they answer: what was asked stands beside it.
        response = response["response"]
    found = [
        Proposal(format=name, why=f"its 'response' has {field!r}")
        for field, name in _OWN_FIELDS.items()
        if field in response
    ]
    found += [
        Proposal(format=name, why=f"its 'response' has the {why}")
        for name, why, is_so in _SHAPES
        if is_so(response)
    ]
    return found


def _has(rows: object, name: str) -> bool:
    return isinstance(rows, list) and any(isinstance(row, dict) and name in row for row in rows)


def _has_text(rows: object) -> bool:
    """Whether there is a text block as Anthropic has it; OpenAI calls its own ``output_text``."""
    return isinstance(rows, list) and any(
        isinstance(row, dict) and row.get("type") == "text" for row in rows
    )


def _is_of_langchain(response: Mapping[str, Any]) -> bool:
    message = response.get("message")
    return isinstance(message, dict) and message.get("type") in {"ai", "AIMessageChunk"}


#: What tells a format by more than the name of one field: the format, the reason, the test.
_SHAPES: tuple[tuple[str, str, Callable[[Mapping[str, Any]], bool]], ...] = (
    ("openai-responses", "'object' 'response'", lambda it: it.get("object") == "response"),
    (
        "openai-assistants",
        "'object' 'thread.message'",
        lambda it: it.get("object") == "thread.message",
    ),
    (
        "anthropic",
        "'type' 'message' and a 'stop_reason'",
        lambda it: it.get("type") == "message" and "stop_reason" in it,
    ),
    (
        "anthropic",
        "'type' 'message' and content of 'type' 'text'",
        lambda it: it.get("type") == "message" and _has_text(it.get("content")),
    ),
    (
        "bedrock-kb",
        "citations with 'generatedResponsePart'",
        lambda it: _has(it.get("citations"), "generatedResponsePart"),
    ),
    (
        "cohere-v1",
        "citations with 'document_ids'",
        lambda it: _has(it.get("citations"), "document_ids"),
    ),
    (
        "langchain",
        "documents with 'page_content'",
        lambda it: any(_has(it.get(name), "page_content") for name in ("documents", "context")),
    ),
    ("langchain", "message of the type 'ai'", _is_of_langchain),
)
