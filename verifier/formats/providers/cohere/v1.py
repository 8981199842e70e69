"""Cohere chat v1: ``citations`` over ``text``, each with the ids of documents beside it.

The SDK's own text gives an inclusive end ("Hello, world!", ``world`` ends at 11); payloads have an
exclusive one. The unit is not documented. The slice decides both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.cohere.source import read_text
from spanproof.verifier.formats.providers.payload import (
    check,
    cite_segment,
    find_cited,
    note_cut_answer,
    note_cut_stream,
    open_field,
    open_object,
    quote_of,
    raise_malformed,
    read_items,
    read_offsets,
    read_string,
    read_word,
    skip_null,
)

if TYPE_CHECKING:
    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.core.span import Span
    from spanproof.verifier.formats.envelope import Envelope


def read(envelope: Envelope) -> Draft:
    """Read a response of chat v1, or the list of its stream's events."""
    draft = Draft(envelope, origin="cohere-v1")
    if isinstance(envelope.response, list):
        _read_stream(draft, envelope.response)
    else:
        _read_response(draft, open_object(envelope.response, "/response"))
    return draft


def _read_response(draft: Draft, reader: ObjectReader) -> None:
    prose = draft.write(read_string(reader, "text"))
    reason = read_word(reader, "finish_reason")
    if reason not in {None, "COMPLETE"}:
        note_cut_answer(draft, f"{reader.pointer}/finish_reason", reason)
    citations = list(read_items(reader, "citations"))
    _read_citations(draft, prose, citations, list(read_items(reader, "documents")))


def _read_stream(draft: Draft, events: list[Any]) -> None:
    """The last event carries the whole response; without it the pieces are put together."""
    text = ""
    citations: list[tuple[str, Any]] = []
    documents: list[tuple[str, Any]] = []
    for position, event in enumerate(events):
        reader = open_object(event, f"/response/{position}")
        kind = read_string(reader, "event_type")
        if kind == "stream-end":
            _read_response(draft, open_field(reader, "response"))
            return
        if kind == "text-generation":
            text += read_string(reader, "text")
        citations.extend(read_items(reader, "citations"))
        documents.extend(read_items(reader, "documents"))
    note_cut_stream(draft, "stream-end")
    _read_citations(draft, draft.write(text), citations, documents)


def _read_citations(
    draft: Draft, prose: Span, citations: list[tuple[str, Any]], documents: list[tuple[str, Any]]
) -> None:
    given = [open_object(item, pointer) for pointer, item in documents]
    for pointer, item in citations:
        if skip_null(draft, pointer, item):
            continue
        reader = open_object(item, pointer)
        text = reader.optional("text", str)
        offsets = read_offsets(reader, "start", "end")
        ids = list(read_items(reader, "document_ids"))
        kind = read_word(reader, "type")
        if kind not in {None, "TEXT_CONTENT"}:
            detail = f"It belongs to {kind!r}, which is not part of the answer's text."
            draft.skip(pointer, detail, code="CITATION_NOT_IN_ANSWER")
            continue
        if not ids:
            draft.skip(pointer, "This part of the answer names no document.")
            continue
        segment = draft.place(pointer, prose, *offsets, text)
        for place, name in ids:
            _cite(draft, place, name, segment, given)


def _cite(
    draft: Draft, pointer: str, name: object, segment: Span | None, given: list[ObjectReader]
) -> None:
    if skip_null(draft, pointer, name):
        return
    if not isinstance(name, str):
        raise_malformed(pointer, "the id of a document", name)
    same = [document for document in given if document.fields.get("id") == name]
    texts = {read_text(document.fields) for document in same}
    text = texts.pop() if len(texts) == 1 else None
    if texts:
        draft.remark(pointer, "QUOTE_UNDECIDED", f"Several documents of the payload are {name!r}.")
    title = same[0].optional("title", str) if len(same) == 1 else None
    url = same[0].optional("url", str) if len(same) == 1 else None
    for document in same:
        check(document)
    supplied = find_cited(draft, pointer, file_id=name, uri=url)
    draft.keep_text(text, named=name, document=supplied, chunk_id=pointer[1:])
    cite_segment(
        draft,
        pointer,
        segment,
        named=name,
        document=supplied,
        quote=quote_of(text),
        doc_title=title,
        doc_url=url,
    )
