"""LangChain's annotations: one shape for several providers, distinguished by their keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.span import OFFSET_UNITS, Span, to_codepoint
from spanproof.verifier.formats.providers.either_case import (
    EitherCaseReader,
    choose_id,
    note_scores,
)
from spanproof.verifier.formats.providers.google.gemini_chunks import read_chunk
from spanproof.verifier.formats.providers.openai.annotations import is_link
from spanproof.verifier.formats.providers.openai.markers import attach_at
from spanproof.verifier.formats.providers.payload import cite_segment, find_cited, quote_of

if TYPE_CHECKING:
    from spanproof.verifier.formats.draft import Draft

#: The v1 annotation, and what integrations leave in the content as their provider gave it.
_KNOWN = frozenset(
    {"citation", "url_citation", "file_citation", "char_location", "page_location"}
    | {"content_block_location", "search_result_location", "web_search_result_location"}
)


@dataclass(slots=True, kw_only=True)
class MessageImport:
    """The draft, the Gemini metadata of the message if it has any, and how much was read."""

    draft: Draft
    metadata: EitherCaseReader | None
    annotations: int = 0


def read_annotation(imported: MessageImport, annotation: EitherCaseReader, block: Span) -> None:
    """Add the citation of one annotation of a text block; list one of an unknown type."""
    kind = annotation.text("type")
    if kind not in _KNOWN:
        value = annotation.fields.get("value")
        inner = value.get("type") if isinstance(value, dict) else None
        imported.draft.skip(
            annotation.pointer, f"No annotation of type {inner or kind!r} is known."
        )
        return
    extras = annotation.open("extras")
    google = None if extras is None else extras.open("google_ai_metadata")
    if google is not None:
        _read_google(imported, annotation, google, block)
        return
    # Fields unknown to the block translators stand in extras, without the location's type.
    fields = (extras.fields if extras is not None else {}) | annotation.fields
    _read_located(imported.draft, EitherCaseReader(fields, annotation.pointer, []), block)


def _read_google(
    imported: MessageImport, annotation: EitherCaseReader, google: EitherCaseReader, block: Span
) -> None:
    """Gemini's: ``cited_text`` is the answer's own, and the chunk may stand beside the message."""
    draft, index = imported.draft, google.integer("grounding_chunk_index")
    segment = _place(draft, annotation, block, annotation.text("cited_text"))
    scores = google.fields.get("confidence_scores")
    if scores:
        note_scores(draft, google.at("confidence_scores"), scores)
    metadata = imported.metadata
    chunks = [] if metadata is None else list(metadata.open_each("groundingChunks"))
    if index is not None and 0 <= index < len(chunks):
        chunk = read_chunk(draft, chunks[index])
        named, document, quote, pages = chunk.named, chunk.document, chunk.quote, chunk.pages
        title, url = chunk.title, chunk.url
    else:
        title, url, quote, pages = annotation.text("title"), annotation.text("url"), None, None
        named = url or title or f"grounding_chunk:{index}"
        document = find_cited(draft, annotation.pointer, uri=url, file_id=named)
    cite_segment(
        draft,
        annotation.pointer,
        segment,
        named=named,
        document=document,
        quote=quote,
        pages=pages,
        doc_title=title,
        doc_url=url,
    )


def _read_located(draft: Draft, fields: EitherCaseReader, block: Span) -> None:
    """Anthropic's, OpenAI's and others', by the keys that they have."""
    segment: Span | None = block
    marker = None
    if fields.has("start_index", "end_index"):
        marker = _find_link(draft, fields, block)
        segment = None if marker is not None else _place(draft, fields, block, None)
    elif fields.has("index") and fields.has("file_id") and not fields.has("document_index"):
        # OpenAI's file citation: the place after which its marker would stand.
        offset = fields.integer("index") or 0
        point = draft.place(fields.pointer, block, offset, offset, None) if offset >= 0 else None
        segment, marker = (None, None) if point is None else attach_at(draft, block, point.start)
    url, source = fields.text("url"), fields.text("source")
    title = fields.text("title") or fields.text("document_title") or fields.text("filename")
    chosen = choose_id(draft.envelope, (fields.text("file_id"), source, title))
    index = fields.integer("document_index")
    details: dict[str, Any] = {
        "document": find_cited(
            draft,
            fields.pointer,
            index=index,
            uri=url or source,
            file_id=_skip_unlisted(draft, chosen, given=fields.has("file_id")),
        ),
        "named": url or source or chosen or f"document_index:{index}",
        "quote": quote_of(fields.text("cited_text"), _read_chars(fields)),
        "pages": _read_pages(draft, fields),
        "doc_title": title,
        "doc_url": url,
    }
    if marker is not None:
        draft.cite(marker=marker, segment=segment, **details)
    else:
        cite_segment(draft, fields.pointer, segment, **details)


def _skip_unlisted(draft: Draft, name: str | None, *, given: bool) -> str | None:
    """An id; a title or a source only if the caller listed it as one."""
    listed = name is not None and draft.envelope.find_document(file_id=name) is not None
    return name if given or listed else None


def _read_chars(fields: EitherCaseReader) -> tuple[int, int] | None:
    if not fields.has("start_char_index", "end_char_index"):
        return None
    return fields.offsets("start_char_index", "end_char_index")


def _read_pages(draft: Draft, fields: EitherCaseReader) -> tuple[int, int] | None:
    """Anthropic's pages: from 1, the end exclusive."""
    if not fields.has("start_page_number", "end_page_number"):
        return None
    first, after = fields.offsets("start_page_number", "end_page_number")
    if first < 1:
        detail = f"Pages {first} to {after}: pages are counted from 1."
        draft.remark(fields.pointer, "PAGE_UNREAD", detail)
        return None
    return first, max(first, after - 1)


def _place(draft: Draft, fields: EitherCaseReader, block: Span, text: str | None) -> Span | None:
    if not fields.has("end_index"):
        return None
    start, end = fields.offsets("start_index", "end_index")
    return draft.place(fields.pointer, block, start, end, text)


def _find_link(draft: Draft, fields: EitherCaseReader, block: Span) -> Span | None:
    """The slice if it is a link to the source: such words are not a claim."""
    url = fields.text("url")
    if url is None or not fields.has("end_index"):
        return None
    start, end = fields.offsets("start_index", "end_index")
    body = draft.prose[block.start : block.end]
    found = set()
    for unit in OFFSET_UNITS:
        first, last = to_codepoint(body, start, unit), to_codepoint(body, end, unit)
        if first is not None and last is not None and is_link(body[first:last], url):
            found.add(Span(first, last))
    return found.pop().shift(block.start) if len(found) == 1 else None
