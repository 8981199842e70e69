"""Gemini's grounding chunks: texts retrieved from the web, a store, a map or a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.citation import Retrieval
from spanproof.verifier.formats.providers.either_case import choose_id, note_page
from spanproof.verifier.formats.providers.payload import find_cited, quote_of

if TYPE_CHECKING:
    from spanproof.core.citation import Quote
    from spanproof.verifier.formats.draft import Draft
    from spanproof.verifier.formats.envelope import SuppliedDocument
    from spanproof.verifier.formats.providers.either_case import EitherCaseReader


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingChunk:
    """One chunk: its document, its words if the payload has them, its pages.

    ``pages`` are the first and the last, from 1, both inclusive.
    """

    kind: str
    named: str
    document: SuppliedDocument | None
    text: str | None = None
    pages: tuple[int, int] | None = None
    title: str | None = None
    url: str | None = None
    chunk_id: str | None = None

    @property
    def quote(self) -> Quote | None:
        """The chunk's words; None for a page of the web, which comes without words."""
        return quote_of(self.text)


def read_chunk(draft: Draft, reader: EitherCaseReader) -> GroundingChunk:
    """Read one grounding chunk; one of an unknown kind has no text and no document."""
    for kind, read in (("retrievedContext", _read_retrieved), ("web", _read_web)):
        body = reader.open(kind)
        if body is not None:
            return read(draft, body)
    maps, image = reader.open("maps"), reader.open("image")
    if maps is not None:
        return _read_maps(draft, maps)
    if image is not None:
        uri, title = image.text("sourceUri") or image.text("imageUri"), image.text("title")
        return _of_page(draft, image, "image", uri, title)
    draft.remark(reader.pointer, "CONTENT_SKIPPED", "A grounding chunk of an unknown kind.")
    return GroundingChunk(kind="unknown", named=reader.pointer, document=None)


def _read_retrieved(draft: Draft, reader: EitherCaseReader) -> GroundingChunk:
    uri, title = reader.text("uri"), reader.text("title")
    name, store = reader.text("documentName"), reader.text("fileSearchStore")
    rag = reader.open("ragChunk")
    text, file_id, chunk_id, pages = reader.text("text"), None, None, None
    if rag is not None:
        text = rag.text("text") or text
        file_id, chunk_id = rag.text("fileId"), rag.text("chunkId")
        pages = _read_span(draft, rag)
    if pages is None:
        note_page(draft, reader.at("pageNumber"), reader.integer("pageNumber"))
    # From what names one document to what names many; a title only if the caller listed it.
    ids = (name, file_id, reader.text("mediaId"), chunk_id, store, title)
    chosen = choose_id(draft.envelope, ids)
    return GroundingChunk(
        kind="retrievedContext",
        named=uri or name or file_id or title or store or reader.pointer,
        document=find_cited(draft, reader.pointer, uri=uri, file_id=chosen),
        text=text,
        pages=pages,
        title=title,
        url=uri,
        chunk_id=chunk_id,
    )


def _read_span(draft: Draft, rag: EitherCaseReader) -> tuple[int, int] | None:
    span = rag.open("pageSpan")
    if span is None or not span.has("firstPage", "lastPage"):
        return None
    first, last = span.integer("firstPage") or 0, span.integer("lastPage") or 0
    if not 1 <= first <= last:
        detail = f"Pages {first} to {last}: pages are counted from 1, in order."
        draft.remark(span.pointer, "PAGE_UNREAD", detail)
        return None
    return first, last


def _read_web(draft: Draft, reader: EitherCaseReader) -> GroundingChunk:
    return _of_page(draft, reader, "web", reader.text("uri"), reader.text("title"))


def _read_maps(draft: Draft, reader: EitherCaseReader) -> GroundingChunk:
    uri, title, place = reader.text("uri"), reader.text("title"), reader.text("placeId")
    document = find_cited(draft, reader.pointer, uri=uri, file_id=place)
    return GroundingChunk(
        kind="maps",
        named=place or uri or reader.pointer,
        document=document,
        text=reader.text("text"),
        title=title,
        url=uri,
    )


def _of_page(
    draft: Draft, reader: EitherCaseReader, kind: str, uri: str | None, title: str | None
) -> GroundingChunk:
    return GroundingChunk(
        kind=kind,
        named=uri or title or reader.pointer,
        document=find_cited(draft, reader.pointer, uri=uri),
        title=title,
        url=uri,
    )


def keep_retrieved(draft: Draft, chunk: GroundingChunk, name: str, rank: int) -> None:
    """Note a chunk that brought words among those that the retriever returned."""
    if chunk.text is None:
        return
    document = chunk.document
    draft.retrieved.append(
        Retrieval(
            chunk_id=chunk.chunk_id or name,
            doc_id=document.doc_id if document else chunk.named,
            doc_hash=document.doc_hash if document else None,
            text=chunk.text,
            rank=rank,
        )
    )
