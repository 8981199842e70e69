"""Anthropic Messages: citations belong to text blocks, and name a place in a source.

Source: ``types/citation_*.py`` of the SDK 2.12 and the page "Citations". Characters are counted
from 0 with an exclusive end, in a unit that is not documented; pages from 1 with an exclusive end;
blocks from 0 with an exclusive end. The answer's side has no offsets: a block is its segment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.providers.anthropic.stream import Block, read_blocks
from spanproof.verifier.formats.providers.payload import (
    check,
    cite_segment,
    find_cited,
    open_object,
    quote_of,
    read_offsets,
    read_word,
    skip_content,
    skip_null,
)

if TYPE_CHECKING:
    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.core.span import Span
    from spanproof.verifier.formats.envelope import Envelope

#: Blocks that a reader of the answer does not see as its prose.
_SILENT = frozenset(
    {"thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use"}
    | {"container_upload"}
)
_OF_DOCUMENTS = frozenset({"char_location", "page_location", "content_block_location"})
#: A citation tag that the model wrote into its text: ``(cite index="1-1,1-2">`` was seen, too.
LEAKED = re.compile(r"""[(<]\s*(?:antml:)?cite\s+index\s*=\s*["'][^"'\n]{0,200}["']\s*[>)]""")


def read(envelope: Envelope) -> Draft:
    """Read a Message, or the list of its stream's events."""
    draft = Draft(envelope, origin="anthropic")
    for block in read_blocks(draft, envelope.response):
        if block.kind == "text":
            _read_text(draft, block)
        else:
            _skip_block(draft, block)
    return draft


def _skip_block(draft: Draft, block: Block) -> None:
    for pointer, _ in block.citations:
        detail = (
            f"It belongs to a block of type {block.kind!r}, which is not part of the answer's text."
        )
        draft.skip(pointer, detail, code="CITATION_NOT_IN_ANSWER")
    if block.kind not in _SILENT and not block.kind.endswith("_tool_result"):
        skip_content(draft, block.pointer, block.kind)


def _read_text(draft: Draft, block: Block) -> None:
    segment = draft.write(block.text)
    for match in LEAKED.finditer(block.text):
        detail = f"The text has a citation tag that is not read: {match.group()!r}."
        draft.skip(block.pointer, detail)
    for pointer, item in block.citations:
        if not skip_null(draft, pointer, item):
            _read_citation(draft, open_object(item, pointer), segment)


def _read_citation(draft: Draft, reader: ObjectReader, segment: Span) -> None:
    kind = read_word(reader, "type")
    if kind is not None and kind in _OF_DOCUMENTS:
        _cite_document(draft, reader, segment, kind)
    elif kind == "search_result_location":
        _cite_page(draft, reader, segment, "source")
    elif kind == "web_search_result_location":
        _cite_page(draft, reader, segment, "url")
    else:
        draft.skip(reader.pointer, f"No location of type {kind!r} is known.")


def _cite_document(draft: Draft, reader: ObjectReader, segment: Span, kind: str) -> None:
    text = reader.optional("cited_text", str)
    index, file_id = reader.required("document_index", int, 0), reader.optional("file_id", str)
    title = reader.optional("document_title", str)
    check(reader)
    offsets, pages = None, None
    if kind == "char_location":
        offsets = read_offsets(reader, "start_char_index", "end_char_index")
    elif kind == "page_location":
        pages = _read_pages(draft, reader)
    else:
        # Blocks say which part of a list was cited; the joined text is what can be looked for.
        read_offsets(reader, "start_block_index", "end_block_index")
    cite_segment(
        draft,
        reader.pointer,
        segment,
        named=file_id or f"document_index:{index}",
        document=find_cited(draft, reader.pointer, index=index, file_id=file_id),
        quote=quote_of(text, offsets),
        pages=pages,
        doc_title=title,
    )


def _read_pages(draft: Draft, reader: ObjectReader) -> tuple[int, int]:
    """The first and the last page; the payload's end is exclusive."""
    first, after = read_offsets(reader, "start_page_number", "end_page_number")
    if first < 1:
        reader.report("start_page_number", "a page counted from 1", first)
        check(reader)
    if first == after:
        draft.remark(reader.pointer, "END_INCLUSIVE", f"Pages {first} to {after}: read as one.")
    return first, max(first, after - 1)


def _cite_page(draft: Draft, reader: ObjectReader, segment: Span, name: str) -> None:
    """A search result: named by its source alone, because its index belongs to another list."""
    text, title = reader.optional("cited_text", str), reader.optional("title", str)
    source = reader.required(name, str, "")
    check(reader)
    file_id = source if name == "source" else None
    cite_segment(
        draft,
        reader.pointer,
        segment,
        named=source,
        document=find_cited(draft, reader.pointer, uri=source, file_id=file_id),
        quote=quote_of(text),
        doc_title=title,
        doc_url=source if name == "url" else None,
    )
