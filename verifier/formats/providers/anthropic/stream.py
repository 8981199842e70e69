"""Anthropic's message, whole or as the events of its stream, as the blocks that it comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.providers.payload import (
    check,
    note_cut_answer,
    note_cut_stream,
    open_field,
    open_object,
    raise_malformed,
    read_items,
    read_string,
    read_word,
    skip_content,
)

if TYPE_CHECKING:
    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.verifier.formats.draft import Draft

#: Events that repeat others or say nothing: pings, and the sums that the SDK adds.
_QUIET = frozenset({"ping", "text", "citation", "thinking", "signature", "input_json"})
#: Why an answer ends before its end. ``refusal`` cuts, too.
_CUT = frozenset({"max_tokens", "model_context_window_exceeded", "pause_turn", "refusal"})


@dataclass(slots=True, kw_only=True)
class Block:
    """One content block: its type, its text, and its citations, each with its pointer."""

    pointer: str
    kind: str
    text: str = ""
    citations: list[tuple[str, Any]] = field(default_factory=list)


def read_blocks(draft: Draft, response: Any) -> list[Block]:  # noqa: ANN401 - any JSON value
    """The blocks of a Message, or of the list of events that a stream gave."""
    if isinstance(response, list):
        return _Stream(draft).fold(response)
    message = open_object(response, "/response")
    return _read_message(draft, message)


def _read_message(draft: Draft, message: ObjectReader) -> list[Block]:
    kind = message.fields.get("type", "message")
    if kind != "message":
        raise_malformed(f"{message.pointer}/type", "'message', or a list of stream events", kind)
    role = message.fields.get("role", "assistant")
    if role != "assistant":
        raise_malformed(f"{message.pointer}/role", "'assistant': only its turn is an answer", role)
    if message.fields.get("content") is None:
        raise_malformed(f"{message.pointer}/content", "an array of content blocks", None)
    _note_stop(draft, message)
    return [_read_block(pointer, item) for pointer, item in read_items(message, "content")]


def _read_block(pointer: str, value: object) -> Block:
    reader = open_object(value, pointer)
    block = Block(pointer=pointer, kind=read_string(reader, "type"))
    if block.kind == "text":
        block.text = read_string(reader, "text")
    block.citations.extend(read_items(reader, "citations"))
    return block


def _note_stop(draft: Draft, reader: ObjectReader) -> None:
    reason = read_word(reader, "stop_reason")
    if reason in _CUT:
        note_cut_answer(draft, f"{reader.pointer}/stop_reason", reason)


class _Stream:
    """Folds events into blocks; every citation keeps the pointer of the event that brought it."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._blocks: dict[int, Block] = {}
        self._open: set[int] = set()
        self._started = False
        self._stopped = False

    def fold(self, events: list[Any]) -> list[Block]:
        for position, event in enumerate(events):
            reader = open_object(event, f"/response/{position}")
            self._take(reader, read_string(reader, "type"))
        if not self._started:
            raise_malformed("/response", "a stream that begins with message_start", events)
        if not self._stopped or self._open:
            note_cut_stream(self._draft, "content_block_stop and message_stop")
        return [self._blocks[index] for index in sorted(self._blocks)]

    def _take(self, reader: ObjectReader, kind: str) -> None:
        if kind == "message_start":
            self._start(reader)
        elif kind == "content_block_start":
            self._open_block(reader)
        elif kind == "content_block_delta":
            self._add(reader)
        elif kind == "content_block_stop":
            self._open.discard(self._index(reader))
        elif kind == "message_delta":
            _note_stop(self._draft, open_field(reader, "delta"))
        elif kind == "message_stop":
            self._stopped = True
        elif kind == "error":
            self._draft.skip(reader.pointer, "The provider reports an error inside the stream.")
        elif kind not in _QUIET:
            skip_content(self._draft, reader.pointer, kind)

    def _start(self, reader: ObjectReader) -> None:
        if self._started:
            raise_malformed(reader.pointer, "one message_start", reader.fields)
        self._started = True
        for index, block in enumerate(_read_message(self._draft, open_field(reader, "message"))):
            self._blocks[index] = block

    def _index(self, reader: ObjectReader) -> int:
        index = reader.required("index", int, 0)
        check(reader)
        return index

    def _open_block(self, reader: ObjectReader) -> None:
        index = self._index(reader)
        if index in self._blocks:
            raise_malformed(f"{reader.pointer}/index", "a block that was not started before", index)
        pointer = f"{reader.pointer}/content_block"
        self._blocks[index] = _read_block(pointer, reader.fields.get("content_block"))
        self._open.add(index)

    def _add(self, reader: ObjectReader) -> None:
        index = self._index(reader)
        block = self._blocks.get(index)
        if block is None or index not in self._open:
            raise_malformed(f"{reader.pointer}/index", "a block that is open", index)
        delta = open_field(reader, "delta")
        kind = read_string(delta, "type")
        if kind == "text_delta":
            block.text += read_string(delta, "text")
        elif kind == "citations_delta":
            block.citations.append((f"{delta.pointer}/citation", delta.fields.get("citation")))
        elif kind not in {"thinking_delta", "signature_delta", "input_json_delta"}:
            skip_content(self._draft, delta.pointer, kind)
