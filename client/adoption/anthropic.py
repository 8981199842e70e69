"""Anthropic: a message with its citations, checked at once against the documents of the request.

Needs ``anthropic``. ``create_message(client, spanproof.verify, model=…, messages=…)`` asks the
model as ``client.messages.create`` does, and gives the message with its block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.client.adoption.submission import Submission
from spanproof.core.plain_json import to_plain_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from anthropic import Anthropic
    from anthropic.types import Message

    from spanproof.client.adoption.checking import Checked, Verify


def create_message(
    client: Anthropic,
    verify: Verify,
    **request: Any,  # noqa: ANN401 - what the SDK takes
) -> tuple[Message, Checked]:
    """Ask as ``client.messages.create(**request)`` does; the message and its block.

    Documents of the request that hold their text (``source`` of the type ``text`` or ``content``)
    are what the citations are judged against. A PDF has to be ingested: its title is its
    ``doc_id``.
    """
    message = client.messages.create(**request)
    return message, verify(to_payload(message, request["messages"]), format="anthropic")


def to_submission(message: Message, messages: Iterable[Mapping[str, Any]]) -> Submission:
    """A message for the queue, which checks it in the background."""
    generator = {"generator": {"model": message.model}}
    return Submission.of(generator | to_payload(message, messages), format="anthropic")


def to_payload(message: Message, messages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The envelope of a message: its documents by their index, with their texts."""
    documents, retrieved = [], []
    for index, block in enumerate(_find_documents(messages)):
        named = str(block.get("title") or f"document-{index}")
        documents.append({"doc_id": named, "index": index})
        text = _read_text(block.get("source"))
        if text:
            retrieved.append({"chunk_id": f"document-{index}", "doc_id": named, "text": text})
    beside = {"documents": documents, "retrieved": retrieved}
    return {"response": to_plain_json(message)} | {n: v for n, v in beside.items() if v}


def _find_documents(messages: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The document blocks of all messages, in the order of their indices."""
    for message in messages:
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") == "document":
                yield block


def _read_text(source: object) -> str | None:
    """The text of a document's source; None for a file, whose bytes are not read here."""
    if not isinstance(source, dict):
        return None
    if source.get("type") == "text":
        return str(source.get("data") or "")
    if source.get("type") == "content":
        parts = source.get("content")
        if isinstance(parts, str):
            return parts
        return "".join(str(part.get("text", "")) for part in parts or ())
    return None
