"""Cohere chat v2: citations over the message's contents, each with the sources it rests on.

The SDK 7.3 says that ``start`` and ``end`` index "the original source text"; they index the
generated text of ``content[content_index]``, with an exclusive end. The unit is not documented.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.cohere.source import read_text
from spanproof.verifier.formats.providers.cohere.stream import fold_events
from spanproof.verifier.formats.providers.payload import (
    check,
    cite_segment,
    find_cited,
    note_cut_answer,
    open_field,
    open_object,
    quote_of,
    raise_malformed,
    read_items,
    read_offsets,
    read_string,
    read_word,
    skip_content,
    skip_null,
)

if TYPE_CHECKING:
    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.core.span import Span
    from spanproof.verifier.formats.envelope import Envelope


@dataclass(slots=True, kw_only=True)
class _Message:
    """The spans of the text contents by index, and the citations with their pointers."""

    texts: dict[int, Span] = field(default_factory=dict)
    citations: list[tuple[str, Any]] = field(default_factory=list)


def read(envelope: Envelope) -> Draft:
    """Read a response of chat v2, its message alone, or the list of its stream's events."""
    draft = Draft(envelope, origin="cohere-v2")
    message = _Message()
    if isinstance(envelope.response, list):
        stream = fold_events(draft, envelope.response)
        message.texts = {i: draft.write(text) for i, text in sorted(stream.texts.items())}
        message.citations = stream.citations
    else:
        _read_response(draft, message, open_object(envelope.response, "/response"))
    for pointer, item in message.citations:
        if not skip_null(draft, pointer, item):
            _read_citation(draft, message, open_object(item, pointer))
    return draft


def _read_response(draft: Draft, message: _Message, reader: ObjectReader) -> None:
    reason = read_word(reader, "finish_reason")
    if reason not in {None, "COMPLETE", "STOP_SEQUENCE"}:
        note_cut_answer(draft, "/response/finish_reason", reason)
    if "message" in reader.fields:
        reader = open_field(reader, "message")
    role = reader.fields.get("role", "assistant")
    if role != "assistant":
        raise_malformed(f"{reader.pointer}/role", "'assistant': only its turn is an answer", role)
    if "content" not in reader.fields:
        raise_malformed(f"{reader.pointer}/content", "an array of contents, or null", None)
    for index, (pointer, item) in enumerate(read_items(reader, "content")):
        content = open_object(item, pointer)
        kind = read_string(content, "type")
        if kind == "text":
            message.texts[index] = draft.write(read_string(content, "text"))
        elif kind != "thinking":
            skip_content(draft, pointer, kind)
    message.citations.extend(read_items(reader, "citations"))


def _read_citation(draft: Draft, message: _Message, reader: ObjectReader) -> None:
    kind = read_word(reader, "type") or "TEXT_CONTENT"
    if kind in {"THINKING_CONTENT", "PLAN"}:
        detail = f"It belongs to {kind!r}, which is not part of the answer's text."
        draft.skip(reader.pointer, detail, code="CITATION_NOT_IN_ANSWER")
        return
    sources = list(read_items(reader, "sources"))
    if kind != "TEXT_CONTENT" or not sources:
        why = f"The kind {kind!r} is not known." if sources else "It names no source."
        draft.skip(reader.pointer, why)
        return
    segment = _place(draft, message, reader)
    for pointer, item in sources:
        if not skip_null(draft, pointer, item):
            _cite(draft, open_object(item, pointer), segment)


def _place(draft: Draft, message: _Message, reader: ObjectReader) -> Span | None:
    index, text = reader.optional("content_index", int), reader.optional("text", str)
    check(reader)
    # Without an index it is the only text, or the first of several.
    given = min(message.texts, default=0) if index is None else index
    within = message.texts.get(given)
    if within is None:
        detail = f"There is no text content of index {index}."
        draft.remark(reader.pointer, "SEGMENT_OUT_OF_RANGE", detail)
        return None
    if reader.fields.get("start") is None and reader.fields.get("end") is None:
        # Every field is optional: the words are then looked for.
        return draft.place(reader.pointer, within, 0, 0, text or "")
    return draft.place(reader.pointer, within, *read_offsets(reader, "start", "end"), text)


def _cite(draft: Draft, reader: ObjectReader, segment: Span | None) -> None:
    kind = read_word(reader, "type") or "document"
    if kind not in {"document", "tool"}:
        draft.skip(reader.pointer, f"No source of type {kind!r} is known.")
        return
    body: dict[str, Any] = {}
    name = "document" if kind == "document" else "tool_output"
    if reader.fields.get(name) is not None:
        body = open_field(reader, name).fields
    url, title = body.get("url"), body.get("title")
    url = url if isinstance(url, str) else None
    source = reader.optional("id", str)
    check(reader)
    named, text = source or url or "source not given", read_text(body)
    document = find_cited(draft, reader.pointer, file_id=source, uri=url)
    draft.keep_text(text, named=named, document=document, chunk_id=reader.pointer[1:])
    cite_segment(
        draft,
        reader.pointer,
        segment,
        named=named,
        document=document,
        quote=quote_of(text),
        doc_title=title if isinstance(title, str) else None,
        doc_url=url,
    )
