"""OpenAI Chat Completions: ``message.annotations``, of which each nests its ``url_citation``.

Source: ``types/chat/chat_completion_message.py`` of the SDK 3.54. An annotation has no quote and no
place in the source, and the answer is one string.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.openai.annotations import Part, cite_link
from spanproof.verifier.formats.providers.openai.markers import strip_markers, write_marked
from spanproof.verifier.formats.providers.payload import (
    check,
    note_cut_answer,
    note_cut_stream,
    open_field,
    open_object,
    raise_malformed,
    read_items,
    read_word,
    skip_null,
)

if TYPE_CHECKING:
    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.verifier.formats.envelope import Envelope

_CUT = frozenset({"length", "content_filter"})


def read(envelope: Envelope) -> Draft:
    """Read a completion, its message alone, or the list of its stream's chunks."""
    draft = Draft(envelope, origin="openai-chat")
    if isinstance(envelope.response, list):
        _read_chunks(draft, envelope.response)
        return draft
    reader = open_object(envelope.response, "/response")
    if "choices" in reader.fields:
        choice = _choose(draft, reader)
        if choice is None:
            raise_malformed(
                f"{reader.pointer}/choices", "at least one choice", reader.fields["choices"]
            )
        _note_reason(draft, choice)
        reader = open_field(choice, "message")
    role = reader.fields.get("role", "assistant")
    if role != "assistant":
        raise_malformed(f"{reader.pointer}/role", "'assistant': only its turn is an answer", role)
    if "content" not in reader.fields:
        raise_malformed(f"{reader.pointer}/content", "a string, or null", None)
    text, refusal = reader.optional("content", str), reader.optional("refusal", str)
    check(reader)
    _write(draft, reader.pointer, text, refusal, list(read_items(reader, "annotations")))
    return draft


def _choose(draft: Draft, reader: ObjectReader) -> ObjectReader | None:
    """The first choice; the others are other answers, and say so."""
    found: ObjectReader | None = None
    for position, (pointer, item) in enumerate(read_items(reader, "choices")):
        choice = open_object(item, pointer)
        index = choice.optional("index", int)
        check(choice)
        if (position if index is None else index) == 0 and found is None:
            found = choice
        else:
            detail = "Another choice is another answer; send it by itself."
            draft.skip(pointer, detail, code="CONTENT_SKIPPED")
    return found


def _note_reason(draft: Draft, choice: ObjectReader) -> None:
    reason = read_word(choice, "finish_reason")
    if reason in _CUT:
        note_cut_answer(draft, f"{choice.pointer}/finish_reason", reason)


def _read_chunks(draft: Draft, chunks: list[Any]) -> None:
    text, refusal, finished = "", "", False
    annotations: list[tuple[str, Any]] = []
    for position, chunk in enumerate(chunks):
        choice = _choose(draft, open_object(chunk, f"/response/{position}"))
        if choice is None:
            # The last chunk may hold the usage alone.
            continue
        _note_reason(draft, choice)
        finished = finished or choice.fields.get("finish_reason") is not None
        delta = open_field(choice, "delta")
        text += delta.optional("content", str) or ""
        refusal += delta.optional("refusal", str) or ""
        check(delta)
        annotations.extend(read_items(delta, "annotations"))
    if not finished:
        note_cut_stream(draft, "a finish_reason")
    _write(draft, "/response", text, refusal, annotations)


def _write(
    draft: Draft,
    pointer: str,
    text: str | None,
    refusal: str | None,
    annotations: list[tuple[str, Any]],
) -> None:
    if refusal:
        draft.remark(pointer, "ANSWER_REFUSED", "The text is the model's refusal.")
    marked = strip_markers(text or "")
    part = Part(pointer=pointer, text=marked, span=write_marked(draft, pointer, marked))
    for place, item in annotations:
        if skip_null(draft, place, item):
            continue
        reader = open_object(item, place)
        kind = read_word(reader, "type")
        if kind == "url_citation":
            cite_link(draft, open_field(reader, "url_citation"), part)
        else:
            draft.skip(place, f"No annotation of type {kind!r} is known.")
    draft.write(refusal or "")
