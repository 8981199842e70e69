"""Chunks of documents that are kept: as rows, a page at a time, and as a manifest."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.errors import FieldProblem
from spanproof.ingest.chunking.chunk import ChunkChoice, chunk
from spanproof.ingest.manifest.rows import ManifestHeader, ManifestRow, RowsDigest, to_jcs, to_row
from spanproof.operations.documents.references import load_record
from spanproof.operations.errors import MalformedParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context

#: How many chunks to go on after, and the digest of what they are chunks of.
_CURSOR = re.compile(r"(\d{1,9})-([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSource:
    """One extraction to be cut, and the name of its document."""

    doc_id: str
    doc_hash: Digest
    extraction_id: Digest
    pipeline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkListReport:
    """Some chunks of one document, how many there are, and where to read on."""

    source: ChunkSource
    choice: ChunkChoice
    total: int
    rows: tuple[ManifestRow, ...]
    next_cursor: str | None

    def to_json(self) -> dict[str, Any]:
        """The rows of a manifest, with the source of the chunks."""
        return {
            "doc_id": self.source.doc_id,
            "doc_hash": str(self.source.doc_hash),
            "extraction_id": str(self.source.extraction_id),
            "extraction_pipeline": self.source.pipeline,
            "chunker": self.choice.to_config(),
            "total": self.total,
            "chunks": [row.to_json() for row in self.rows],
            "next_cursor": self.next_cursor,
        }


def find_sources(context: Context, refs: Sequence[str]) -> list[ChunkSource]:
    """The extractions of the references, each once; raise where one is not kept."""
    found: dict[Digest, ChunkSource] = {}
    for ref in refs:
        source = find_source(context, ref)
        found.setdefault(source.extraction_id, source)
    return list(found.values())


def find_source(context: Context, ref: str) -> ChunkSource:
    """The extraction of a reference; the name is the one given, else the document's latest."""
    record = load_record(context, ref)
    summary = record.current_extraction
    return ChunkSource(
        doc_id=ref if ref in record.doc_ids else record.doc_ids[0],
        doc_hash=record.document.doc_hash,
        extraction_id=summary.extraction_id,
        pipeline=summary.pipeline,
    )


def make_rows(
    context: Context, sources: Sequence[ChunkSource], choice: ChunkChoice, *, with_text: bool
) -> Iterator[ManifestRow]:
    """The rows of all chunks; one document at a time is in memory."""
    for source in sources:
        extraction = context.store.documents.load_extraction(source.extraction_id)
        for one in chunk(extraction, choice):
            yield to_row(extraction, one, doc_id=source.doc_id, with_text=with_text)


def make_header(
    sources: Sequence[ChunkSource],
    choice: ChunkChoice,
    *,
    created_at: datetime,
    name: str | None = None,
) -> ManifestHeader:
    """The header of a manifest of these documents."""
    return ManifestHeader(
        created_at=created_at,
        extraction_pipelines=tuple(sorted({source.pipeline for source in sources})),
        chunker=choice.to_config(),
        name=name,
    )


def finish_header(
    header: ManifestHeader, rows: Iterable[ManifestRow]
) -> tuple[ManifestHeader, list[dict[str, Any]]]:
    """The header with number and digest of the rows, and the rows as JSON."""
    fields, digest = [row.to_json() for row in rows], RowsDigest()
    for each in fields:
        digest.add(to_jcs(each))
    return replace(header, rows=digest.count, rows_sha256=digest.digest), fields


def list_chunks(  # noqa: PLR0913 - which chunks, and which page of them
    context: Context,
    ref: str,
    choice: ChunkChoice,
    *,
    with_text: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> ChunkListReport:
    """One page of a document's chunks."""
    source = find_source(context, ref)
    listing = canonical_json.digest([str(source.extraction_id), choice.to_config()]).hex
    first = _parse_cursor(cursor, listing)
    extraction = context.store.documents.load_extraction(source.extraction_id)
    chunks = chunk(extraction, choice)
    rows = tuple(
        to_row(extraction, one, doc_id=source.doc_id, with_text=with_text)
        for one in chunks[first : first + limit]
    )
    after = first + limit
    return ChunkListReport(
        source=source,
        choice=choice,
        total=len(chunks),
        rows=rows,
        next_cursor=f"{after}-{listing}" if after < len(chunks) else None,
    )


def _parse_cursor(cursor: str | None, listing: str) -> int:
    """How many chunks were shown; a cursor of another text or choice would leave some out."""
    if cursor is None:
        return 0
    match = _CURSOR.fullmatch(cursor)
    if match is None or match[2] != listing:
        expected = "next_cursor of the page before, with the same document and options"
        problem = FieldProblem(pointer="/query/cursor", expected=expected, got="another text")
        msg = f"Expected {expected}, got another text as cursor."
        raise MalformedParameterError(msg, hint="Begin without a cursor.", problems=(problem,))
    return int(match[1])
