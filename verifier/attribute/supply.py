"""Sources of an answer that are kept as documents → the regions in which its claims are sought."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanproof.core.digest import PREFIX, Digest
from spanproof.core.shown import first_words
from spanproof.core.span import Span
from spanproof.verifier.attribute.sources import SNIPPET_CHARACTERS, AnswerSource, FoundText, Region
from spanproof.verifier.formats.parsed import Attachment
from spanproof.verifier.quotes.existence import AT_SPAN, find_quote

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.citation import Answer, Retrieval
    from spanproof.core.documents.document import Extraction, Library
    from spanproof.verifier.attribute.sources import SourceScope, ToolResult


@dataclass(slots=True, kw_only=True)
class Supply:
    """Sources and regions as they are added; ``unresolved`` names missing ones, and why.

    Reasons: ``unknown_document``, ``no_text``, and for a chunk ``no_place`` (neither its offsets
    nor its text stand in the document).
    """

    library: Library
    sources: list[AnswerSource] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    unresolved: list[tuple[str, str]] = field(default_factory=list)

    def add_text(self, result: ToolResult, found: FoundText) -> None:
        """A text of a tool's output, which was ingested under the hash of its bytes."""
        doc_hash = found.attachment.doc_hash
        source = AnswerSource(
            id=self._next_id(),
            type=found.type,
            doc_hash=doc_hash,
            evidence_scope=found.scope,
            tool_name=result.tool_name,
            tool_request_id=result.tool_request_id,
            uri=found.uri,
            title=found.title,
            snippet=found.snippet,
            page_number=found.page_number,
        )
        self._add(source, str(doc_hash), self._find(doc_hash), None)

    def add_document(self, reference: str, at: datetime | None = None) -> None:
        """A supplied document by its hash or its name."""
        if reference.startswith(PREFIX):
            doc_hash: Digest | None = Digest.parse(reference)
        else:
            doc_hash = self.library.resolve(reference, at=at)
        if doc_hash is None:
            self.unresolved.append((reference, "unknown_document"))
            return
        held = self.library.find(doc_hash)
        source = AnswerSource(
            id=self._next_id(),
            type="document",
            doc_hash=doc_hash,
            title=None if held is None else held.title,
        )
        self._add(source, reference, self._find(doc_hash), None)

    def add_chunk(self, chunk: Retrieval, at: datetime | None = None) -> None:
        """A retrieved chunk: the range of its document that it names, else where its text is."""
        doc_hash = find_document(chunk, self.library, at)
        extraction = None if doc_hash is None else self._find(doc_hash)
        span = None if extraction is None else find_place(chunk, extraction)
        scope: SourceScope = "full"
        if span is None and (own := to_attachment(chunk)) is not None:
            # Its text was kept as a document of its own, because the whole document was not
            # supplied.
            other = self._find(own.doc_hash)
            if other is not None:
                doc_hash, extraction, scope = own.doc_hash, other, "snippet"
                span = Span(0, len(other.text))
        if doc_hash is None or extraction is None or span is None:
            reason = "unknown_document" if extraction is None else "no_place"
            self.unresolved.append((chunk.chunk_id, reason))
            return
        source = AnswerSource(
            id=self._next_id(),
            type="chunk",
            doc_hash=doc_hash,
            evidence_scope=scope,
            snippet=first_words(extraction.text.slice(span), SNIPPET_CHARACTERS),
            page_number=_find_page(extraction, span),
            chunk_id=chunk.chunk_id,
        )
        self._add(source, chunk.chunk_id, extraction, span)

    def _add(
        self, source: AnswerSource, reference: str, extraction: Extraction | None, span: Span | None
    ) -> None:
        if extraction is None:
            self.unresolved.append((reference, "unknown_document"))
            return
        if not extraction.text.text.strip():
            self.unresolved.append((reference, "no_text"))
            return
        self.sources.append(source)
        self.regions.append(
            Region(
                extraction=extraction,
                span=span or Span(0, len(extraction.text)),
                source_ids=(source.id,),
                scope=source.evidence_scope,
            )
        )

    def _find(self, doc_hash: Digest) -> Extraction | None:
        held = self.library.find(doc_hash)
        return None if held is None else held.find_extraction(None)

    def _next_id(self) -> str:
        return f"s{len(self.sources) + 1}"


def supply_retrieved(answer: Answer, library: Library) -> Supply:
    """The retrieved chunks of an answer or, if it has none, its documents."""
    supply = Supply(library=library)
    for chunk in answer.retrieved:
        supply.add_chunk(chunk, answer.generated_at)
    if not answer.retrieved:
        for reference in answer.documents:
            supply.add_document(reference, answer.generated_at)
    return supply


def to_attachment(chunk: Retrieval) -> Attachment | None:
    """The text of a chunk as a document of its own; None if it came without."""
    if chunk.text is None or not chunk.text.strip():
        return None
    return Attachment(data=chunk.text.encode("utf-8"), media_type="text/plain; charset=utf-8")


def find_document(chunk: Retrieval, library: Library, at: datetime | None) -> Digest | None:
    """The document of a chunk, if it is stored."""
    doc_hash = chunk.doc_hash
    if doc_hash is None and chunk.doc_id is not None:
        doc_hash = library.resolve(chunk.doc_id, at=at)
    return doc_hash


def find_place(chunk: Retrieval, extraction: Extraction) -> Span | None:
    """Where a chunk stands: its own offsets if they hold its text, else the place of that text."""
    span = chunk.span
    if span is not None and len(span) and extraction.text.holds(span):
        told = extraction.text.slice(span)
        if chunk.text is None or chunk.text.strip() == told.strip():
            return span
    if not chunk.text:
        return None
    found = find_quote(chunk.text, extraction)
    return found.span if found.status in AT_SPAN else None


def _find_page(extraction: Extraction, span: Span) -> int | None:
    page = extraction.page_at(span.start)
    return page.number if page.frame is not None else None
