"""Amazon Bedrock Converse: Anthropic's citations in Bedrock's own words.

Source: botocore's model of ``bedrock-runtime``. The base, the end and the unit of its numbers are
not documented: slicing decides about characters, pages are not believed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.draft import Draft
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
    skip_content,
    skip_null,
)

if TYPE_CHECKING:
    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.verifier.formats.envelope import Envelope

#: Members of a content block that are not part of the answer's text.
_SILENT = frozenset({"reasoningContent", "toolUse", "toolResult", "image", "document", "video"})
_SILENT_EVENTS = frozenset({"messageStart", "contentBlockStart", "contentBlockStop", "metadata"})
_CUT = frozenset(
    {"max_tokens", "guardrail_intervened", "content_filtered", "model_context_window_exceeded"}
)


@dataclass(slots=True, kw_only=True)
class _Block:
    """One block: its text, and its citations, each with its pointer."""

    text: str = ""
    citations: list[tuple[str, Any]] = field(default_factory=list)


def read(envelope: Envelope) -> Draft:
    """Read the output of Converse, its message alone, or the events of ConverseStream."""
    draft = Draft(envelope, origin="bedrock-converse")
    response = envelope.response
    blocks = _fold(draft, response) if isinstance(response, list) else _read_output(draft, response)
    for block in blocks:
        segment = draft.write(block.text)
        for pointer, item in block.citations:
            if skip_null(draft, pointer, item):
                continue
            reader = open_object(item, pointer)
            quote, names, named = _read_source(draft, reader)
            cite_segment(
                draft,
                pointer,
                segment,
                named=named,
                document=find_cited(draft, pointer, **names),
                quote=quote,
                doc_title=reader.optional("title", str),
                doc_url=names.get("uri"),
            )
            check(reader)
    return draft


def _read_output(draft: Draft, response: object) -> list[_Block]:
    reader = open_object(response, "/response")
    reason = read_word(reader, "stopReason")
    if reason in _CUT:
        note_cut_answer(draft, "/response/stopReason", reason)
    if "output" in reader.fields:
        reader = open_field(open_field(reader, "output"), "message")
    role = reader.fields.get("role", "assistant")
    if role != "assistant":
        raise_malformed(f"{reader.pointer}/role", "'assistant': only its turn is an answer", role)
    if reader.fields.get("content") is None:
        raise_malformed(f"{reader.pointer}/content", "an array of content blocks", None)
    return [_read_block(draft, p, item) for p, item in read_items(reader, "content")]


def _read_block(draft: Draft, pointer: str, value: object) -> _Block:
    reader = open_object(value, pointer)
    block = _Block(text=reader.optional("text", str) or "")
    check(reader)
    if "citationsContent" in reader.fields:
        cited = open_field(reader, "citationsContent")
        for place, part in read_items(cited, "content"):
            block.text += read_string(open_object(part, place), "text")
        block.citations.extend(read_items(cited, "citations"))
    for name in sorted(reader.fields.keys() - _SILENT - {"text", "citationsContent"}):
        skip_content(draft, f"{pointer}/{name}", name)
    return block


def _fold(draft: Draft, events: list[Any]) -> list[_Block]:
    blocks: dict[int, _Block] = {}
    stopped = False
    for position, event in enumerate(events):
        reader = open_object(event, f"/response/{position}")
        for name in sorted(reader.fields):
            if name == "contentBlockDelta":
                change = open_field(reader, name)
                index = change.required("contentBlockIndex", int, 0)
                check(change)
                _add(draft, blocks.setdefault(index, _Block()), open_field(change, "delta"))
            elif name == "messageStop":
                stopped = True
                reason = read_word(open_field(reader, name), "stopReason")
                if reason in _CUT:
                    note_cut_answer(draft, f"{reader.pointer}/messageStop/stopReason", reason)
            elif name.endswith("Exception"):
                draft.skip(f"{reader.pointer}/{name}", "The stream reports an error.")
            elif name not in _SILENT_EVENTS:
                skip_content(draft, f"{reader.pointer}/{name}", name)
    if not stopped:
        note_cut_stream(draft, "messageStop")
    return [blocks[index] for index in sorted(blocks)]


def _add(draft: Draft, block: _Block, delta: ObjectReader) -> None:
    if "text" in delta.fields:
        block.text += read_string(delta, "text")
    if "citation" in delta.fields:
        block.citations.append((f"{delta.pointer}/citation", delta.fields["citation"]))
    for name in sorted(delta.fields.keys() - _SILENT - {"text", "citation"}):
        skip_content(draft, f"{delta.pointer}/{name}", name)


def _read_source(draft: Draft, reader: ObjectReader) -> tuple[Any, dict[str, Any], str]:
    """The quote, the names of the document, and the name to use if none is listed."""
    texts = [
        read_string(open_object(item, pointer), "text")
        for pointer, item in read_items(reader, "sourceContent")
    ]
    text = "".join(texts) if texts else None
    source = reader.optional("source", str)
    check(reader)
    if reader.fields.get("location") is None:
        return quote_of(text), {"uri": source, "file_id": source}, source or "source not given"
    location = open_field(reader, "location")
    kinds = sorted(location.fields)
    if len(kinds) != 1:
        raise_malformed(location.pointer, "one kind of location", kinds)
    place = open_field(location, kinds[0])
    if kinds[0] == "web":
        url = place.optional("url", str) or place.optional("domain", str) or source
        check(place)
        return quote_of(text), {"uri": url}, url or "address not given"
    if kinds[0] == "searchResultLocation":
        # Its index is of the search results; the source names the document.
        return quote_of(text), {"uri": source, "file_id": source}, source or "source not given"
    if kinds[0] not in {"documentChar", "documentPage", "documentChunk"}:
        detail = f"The location {kinds[0]!r} is not known; only the quote is searched."
        draft.remark(place.pointer, "LOCATION_UNKNOWN", detail)
        return quote_of(text), {"uri": source, "file_id": source}, source or "source not given"
    index = place.required("documentIndex", int, 0)
    start, end = read_offsets(place, "start", "end")
    if kinds[0] == "documentPage":
        detail = f"Pages {start} to {end}: base and end are not documented; not compared."
        draft.remark(place.pointer, "PAGES_UNDOCUMENTED", detail)
    offsets = (start, end) if kinds[0] == "documentChar" else None
    return quote_of(text, offsets), {"index": index}, f"documentIndex:{index}"
