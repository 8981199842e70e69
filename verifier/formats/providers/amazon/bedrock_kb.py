"""Amazon Bedrock Knowledge Bases, RetrieveAndGenerate: stretches of the answer and whole chunks.

Source: botocore's model of ``bedrock-agent-runtime``. The span's unit and end are not documented;
``text`` beside it decides. The quote is the whole chunk that was retrieved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.payload import (
    check,
    cite_segment,
    find_cited,
    note_cut_stream,
    open_field,
    open_object,
    quote_of,
    read_items,
    read_offsets,
    read_string,
    skip_content,
    skip_null,
)

if TYPE_CHECKING:
    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.core.span import Span
    from spanproof.verifier.formats.envelope import Envelope

#: Where each kind of location keeps its address.
_ADDRESSES = {
    "s3Location": "uri",
    "webLocation": "url",
    "confluenceLocation": "url",
    "salesforceLocation": "url",
    "sharePointLocation": "url",
    "kendraDocumentLocation": "uri",
    "customDocumentLocation": "id",
}
_CHUNK_ID = "x-amz-bedrock-kb-chunk-id"


def read(envelope: Envelope) -> Draft:
    """Read the output of RetrieveAndGenerate, or the events of RetrieveAndGenerateStream."""
    draft = Draft(envelope, origin="bedrock-kb")
    if isinstance(envelope.response, list):
        prose, citations = _fold(draft, envelope.response)
    else:
        reader = open_object(envelope.response, "/response")
        prose = draft.write(read_string(open_field(reader, "output"), "text"))
        citations = list(read_items(reader, "citations"))
    for pointer, item in citations:
        if not skip_null(draft, pointer, item):
            _read_citation(draft, open_object(item, pointer), prose)
    return draft


def _fold(draft: Draft, events: list[Any]) -> tuple[Span, list[tuple[str, Any]]]:
    text, citations = "", []
    for position, event in enumerate(events):
        reader = open_object(event, f"/response/{position}")
        for name in sorted(reader.fields):
            if name == "output":
                text += read_string(open_field(reader, name), "text")
            elif name == "citation":
                pointer, value = f"{reader.pointer}/{name}", reader.fields[name]
                # The old shape wraps the citation once more.
                if isinstance(value, dict) and isinstance(value.get("citation"), dict):
                    pointer, value = f"{pointer}/citation", value["citation"]
                citations.append((pointer, value))
            elif name.endswith("Exception"):
                draft.skip(f"{reader.pointer}/{name}", "The stream reports an error.")
            elif name != "guardrail":
                skip_content(draft, f"{reader.pointer}/{name}", name)
    if not text:
        note_cut_stream(draft, "any output")
    return draft.write(text), citations


def _read_citation(draft: Draft, reader: ObjectReader, prose: Span) -> None:
    part = open_field(open_field(reader, "generatedResponsePart"), "textResponsePart")
    text = part.optional("text", str)
    check(part)
    offsets = read_offsets(open_field(part, "span"), "start", "end")
    references = list(read_items(reader, "retrievedReferences"))
    if not references:
        detail = "This part of the answer names no retrieved reference."
        draft.skip(reader.pointer, detail)
        return
    segment = draft.place(part.pointer, prose, *offsets, text)
    for pointer, item in references:
        if not skip_null(draft, pointer, item):
            _read_reference(draft, open_object(item, pointer), segment)


def _read_reference(draft: Draft, reader: ObjectReader, segment: Span | None) -> None:
    text = None
    if reader.fields.get("content") is not None:
        content = open_field(reader, "content")
        text = content.optional("text", str)
        check(content)
    address = _read_address(reader)
    metadata = reader.optional("metadata", dict) or {}
    check(reader)
    chunk_id = metadata.get(_CHUNK_ID)
    chunk_id = chunk_id if isinstance(chunk_id, str) else None
    named = address or "location not given"
    document = find_cited(draft, reader.pointer, uri=address, file_id=address)
    draft.keep_text(text, named=named, document=document, chunk_id=chunk_id or reader.pointer[1:])
    cite_segment(
        draft,
        reader.pointer,
        segment,
        named=named,
        document=document,
        quote=quote_of(text),
        chunk_id=chunk_id,
        doc_url=address,
    )


def _read_address(reader: ObjectReader) -> str | None:
    if reader.fields.get("location") is None:
        return None
    location = open_field(reader, "location")
    for kind, name in _ADDRESSES.items():
        if location.fields.get(kind) is not None:
            return read_string(open_field(location, kind), name)
    return None
