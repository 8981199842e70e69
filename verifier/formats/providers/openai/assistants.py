"""OpenAI Assistants: markers such as ``【6:0†source】`` in the text, each with its annotation.

Source: ``types/beta/threads`` of the SDK 3.54. The annotation carries the marker, so its offsets
are settled by slicing; payloads count characters with an exclusive end. The SDK no longer has
``quote``; it is read from older payloads.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.openai.markers import START
from spanproof.verifier.formats.providers.payload import (
    check,
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

_MARKER = re.compile(r"【\d+(?::\d+)?†[^【】\n]{0,200}】")
_PICTURES = frozenset({"image_file", "image_url"})


def read(envelope: Envelope) -> Draft:
    """Read one message of a thread, by the assistant."""
    draft = Draft(envelope, origin="openai-assistants")
    message = open_object(envelope.response, "/response")
    role = message.fields.get("role", "assistant")
    if role != "assistant":
        raise_malformed("/response/role", "'assistant': only its turn is an answer", role)
    if message.fields.get("content") is None:
        raise_malformed("/response/content", "an array of content parts", None)
    if message.fields.get("status") == "incomplete":
        note_cut_answer(draft, "/response/status", "incomplete")
    for pointer, item in read_items(message, "content"):
        _read_part(draft, open_object(item, pointer))
    return draft


def _read_part(draft: Draft, part: ObjectReader) -> None:
    kind = read_string(part, "type")
    if kind == "text":
        _read_text(draft, open_field(part, "text"))
    elif kind == "refusal":
        draft.remark(part.pointer, "ANSWER_REFUSED", "The text is the model's refusal.")
        draft.write(read_string(part, "refusal"))
    elif kind not in _PICTURES:
        skip_content(draft, part.pointer, kind)


def _read_text(draft: Draft, text: ObjectReader) -> None:
    value = read_string(text, "value")
    span = draft.write(value)
    covered: set[Span] = set()
    for pointer, item in read_items(text, "annotations"):
        if skip_null(draft, pointer, item):
            continue
        reader = open_object(item, pointer)
        kind = read_word(reader, "type")
        if kind == "file_citation":
            marker = _cite(draft, reader, span)
            covered |= {marker} if marker is not None else set()
        elif kind == "file_path":
            detail = "A 'file_path' names a file that a tool wrote, not a source."
            draft.skip(pointer, detail, code="ANNOTATION_NOT_A_SOURCE")
        else:
            draft.skip(pointer, f"No annotation of type {kind!r} is known.")
    for match in _MARKER.finditer(value):
        start, end = span.start + match.start(), span.start + match.end()
        if not any(mark.start <= start and end <= mark.end for mark in covered):
            draft.skip(f"{text.pointer}/value", f"The marker {match.group()!r} has no annotation.")
    if START in value:
        draft.skip(f"{text.pointer}/value", "The text holds a marker of another grammar.")


def _cite(draft: Draft, reader: ObjectReader, within: Span) -> Span | None:
    shown = read_string(reader, "text")
    offsets = read_offsets(reader, "start_index", "end_index")
    cited = open_field(reader, "file_citation")
    file_id, quote = read_string(cited, "file_id"), cited.optional("quote", str)
    check(cited)
    marker = draft.place(reader.pointer, within, *offsets, shown)
    if marker is None:
        draft.skip(
            reader.pointer, "Its marker is not at exactly one place of the text: it is not judged."
        )
    draft.cite(
        document=find_cited(draft, reader.pointer, file_id=file_id),
        named=file_id,
        # An empty quote was common: it means the same as no quote.
        quote=quote_of(quote or None),
        marker=marker,
    )
    return marker
