"""Versions of indexes and the citations that depend on them: values, rows and their query."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import exists
from sqlalchemy import select as select_columns
from sqlmodel import and_, col

from spanproof.core.moment import write_moment
from spanproof.store.database.copying import to_value
from spanproof.store.erasing.refusal import VERIFICATION
from spanproof.store.erasing.tables import ErasureRow
from spanproof.store.mapping import from_stored_digest
from spanproof.store.tables import (
    ExtractionRow,
    IndexManifestRow,
    ReanchorRow,
    VerdictChunkRow,
    VerdictRow,
)

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Select

    from spanproof.core.digest import Digest
    from spanproof.core.span import Span
    from spanproof.core.verdicts.reanchoring import Reanchored


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A version of an index that is to be registered: its names, and when it was given."""

    name: str
    version: str
    registered_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexVersion:
    """A version of an index as it was registered."""

    name: str
    version: str
    position: int
    manifest_sha256: Digest
    byte_length: int
    facts_sha256: Digest
    rows: int
    rows_with_offsets: int
    header: dict[str, Any] | None
    registered_at: datetime

    def to_json(self) -> dict[str, Any]:
        """The version as both doors show it."""
        return {
            "name": self.name,
            "version": self.version,
            "manifest_sha256": str(self.manifest_sha256),
            "byte_length": self.byte_length,
            "rows": self.rows,
            "rows_with_offsets": self.rows_with_offsets,
            "header": self.header,
            "registered_at": write_moment(self.registered_at),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedCitation:
    """A verdict whose words were found, and the chunk that its citation names."""

    verification_id: str
    position: int
    citation: int
    doc_hash: str | None
    extraction_id: str | None
    pipeline: str | None
    start: int
    end: int
    chunk_id: str | None


def select_citations() -> Select[Any]:
    """Citations whose words were found and were not erased, in the order of their verdicts."""
    verdict = VerdictRow.__table__  # type: ignore[attr-defined]
    chunk = VerdictChunkRow.__table__  # type: ignore[attr-defined]
    extraction = ExtractionRow.__table__  # type: ignore[attr-defined]
    same = and_(
        chunk.c.verification_id == verdict.c.verification_id,
        chunk.c.position == verdict.c.position,
    )
    return (
        select_columns(
            verdict.c.verification_id,
            verdict.c.position,
            verdict.c.citation,
            verdict.c.doc_hash,
            verdict.c.extraction_id,
            extraction.c.pipeline_name,
            verdict.c.char_start,
            verdict.c.char_end,
            chunk.c.chunk_id,
        )
        .select_from(verdict)
        .join(chunk, same, isouter=True)
        .join(extraction, extraction.c.extraction_id == verdict.c.extraction_id, isouter=True)
        .where(
            verdict.c.char_start.is_not(None),
            verdict.c.char_end.is_not(None),
            ~exists().where(
                col(ErasureRow.kind) == VERIFICATION,
                col(ErasureRow.subject) == verdict.c.verification_id,
            ),
        )
        .order_by(verdict.c.verification_id, verdict.c.position)
    )


def find_model(row: IndexManifestRow) -> str | None:
    """The embedding model that a version's manifest states, if any."""
    header = None if row.header_json is None else json.loads(row.header_json)
    model: str | None = None if header is None else header.get("embedding_model")
    return model


def to_version(row: IndexManifestRow) -> IndexVersion:
    """The version of a row."""
    return to_value(
        IndexVersion,
        row,
        name=row.index_name,
        manifest_sha256=from_stored_digest(row.manifest_sha256),
        facts_sha256=from_stored_digest(row.facts_sha256),
        header=None if row.header_json is None else json.loads(row.header_json),
    )


def to_reanchor(
    citation: IndexedCitation, found: Reanchored, source: Digest, target: Digest, moment: datetime
) -> ReanchorRow:
    """The row of where a citation's span is now, in the extraction ``target``."""
    difference = found.difference
    detail = {
        "folds": list(found.folds),
        "candidates": [_to_pair(each.span) for each in found.candidates],
        "difference": None if difference is None else difference.source,
    }
    return ReanchorRow(
        verification_id=citation.verification_id,
        position=citation.position,
        target_id=str(target),
        algorithm=found.algorithm,
        source_id=str(source),
        source_start=citation.start,
        source_end=citation.end,
        status=found.status.value,
        channels=found.channels.value,
        reason=found.reason,
        char_start=None if found.span is None else found.span.start,
        char_end=None if found.span is None else found.span.end,
        detail_json=json.dumps(detail, ensure_ascii=True),
        added_at=moment,
    )


def _to_pair(span: Span) -> list[int]:
    return [span.start, span.end]
