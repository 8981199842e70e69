"""Queries that the documents share: find one, load records, load names."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlmodel import and_, col, select

from spanproof.core.errors import IntegrityError
from spanproof.store.erasing.refusal import is_present
from spanproof.store.mapping import from_document_row, from_extraction_row, from_stored_digest
from spanproof.store.names import find_digests
from spanproof.store.records import DocumentRecord
from spanproof.store.tables import (
    CrossCheckReportRow,
    DocumentNameRow,
    DocumentRow,
    DocumentTitleRow,
    ExtractionRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlmodel import Session

    from spanproof.core.digest import Digest
    from spanproof.store.records import ExtractionSummary

#: Keys of one IN list: both databases have a limit, and a caller may name any number.
_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDocument:
    """The target of a reference; ``extraction_id`` only where it names an extraction."""

    doc_hash: Digest
    extraction_id: Digest | None


def find_document(session: Session, ref: str) -> FoundDocument | None:
    """The document of a ``doc_hash``, a ``doc_id`` (its newest version) or an extraction."""
    for digest in find_digests([ref]):
        if session.get(DocumentRow, str(digest)) is not None:
            return FoundDocument(doc_hash=digest, extraction_id=None)
        extraction = session.get(ExtractionRow, str(digest))
        if extraction is not None:
            return FoundDocument(
                doc_hash=from_stored_digest(extraction.doc_hash), extraction_id=digest
            )
    for row in load_names(session, doc_ids=[ref]):
        return FoundDocument(doc_hash=from_stored_digest(row.doc_hash), extraction_id=None)
    return None


def load_names(
    session: Session, *, doc_ids: Sequence[str] = (), doc_hashes: Sequence[Digest] = ()
) -> list[DocumentNameRow]:
    """The name rows of these names and of these documents, the newest of each name first."""
    found: dict[tuple[str, int], DocumentNameRow] = {}
    queries = [
        select(DocumentNameRow).where(col(DocumentNameRow.doc_id).in_(batch))
        for batch in _batches(doc_ids)
    ] + [
        select(DocumentNameRow).where(col(DocumentNameRow.doc_hash).in_(batch))
        for batch in _batches([str(doc_hash) for doc_hash in doc_hashes])
    ]
    for query in queries:
        found |= {(row.doc_id, row.position): row for row in session.exec(query)}
    return sorted(found.values(), key=lambda row: (row.since, row.position), reverse=True)


def load_records(
    session: Session, doc_hashes: Sequence[Digest], *, current: Digest | None = None
) -> tuple[DocumentRecord, ...]:
    """The records of those that are kept and were not erased, in the order asked for.

    ``current`` puts one extraction of theirs forward as the current one.
    """
    names: defaultdict[str, list[str]] = defaultdict(list)
    for name in load_names(session, doc_hashes=doc_hashes):
        names[name.doc_hash].append(name.doc_id)
    documents: dict[str, DocumentRow] = {}
    titles: dict[str, DocumentTitleRow] = {}
    extractions: defaultdict[str, list[ExtractionRow]] = defaultdict(list)
    for batch in _batches([str(doc_hash) for doc_hash in doc_hashes]):
        by_hash = and_(col(DocumentRow.doc_hash).in_(batch), is_present())
        documents |= {row.doc_hash: row for row in session.exec(select(DocumentRow).where(by_hash))}
        titled = select(DocumentTitleRow).where(col(DocumentTitleRow.doc_hash).in_(batch))
        for title in session.exec(titled.order_by(col(DocumentTitleRow.position))):
            titles[title.doc_hash] = title
        extracted = select(ExtractionRow).where(col(ExtractionRow.doc_hash).in_(batch))
        for row in session.exec(extracted.order_by(col(ExtractionRow.position).desc())):
            extractions[row.doc_hash].append(row)
    reports = load_cross_check_rows(
        session, [row.extraction_id for rows in extractions.values() for row in rows]
    )
    return tuple(
        _to_record(
            documents[key],
            # A name that came back to a document appears once.
            doc_ids=(*dict.fromkeys(names[key]), key),
            title=titles[key].title if key in titles else None,
            extractions=[
                from_extraction_row(row, reports.get(row.extraction_id)) for row in extractions[key]
            ],
            current=current,
        )
        for key in map(str, doc_hashes)
        if key in documents
    )


def load_cross_check_rows(
    session: Session, extraction_ids: Sequence[str], *, until: datetime | None = None
) -> dict[str, CrossCheckReportRow]:
    """The newest report of a second engine on each of these extractions that has one.

    With ``until``, the newest that was kept by that moment.
    """
    found: dict[str, CrossCheckReportRow] = {}
    for batch in _batches(extraction_ids):
        query = select(CrossCheckReportRow).where(col(CrossCheckReportRow.extraction_id).in_(batch))
        if until is not None:
            query = query.where(col(CrossCheckReportRow.added_at) <= until)
        oldest_first = (col(CrossCheckReportRow.added_at), col(CrossCheckReportRow.pipeline_digest))
        found |= {row.extraction_id: row for row in session.exec(query.order_by(*oldest_first))}
    return found


def _to_record(
    row: DocumentRow,
    *,
    doc_ids: tuple[str, ...],
    title: str | None,
    extractions: list[ExtractionSummary],
    current: Digest | None,
) -> DocumentRecord:
    if not extractions:
        msg = f"Expected an extraction of {row.doc_hash}, got none."
        raise IntegrityError(msg, hint="Restore the store from a backup.")
    named = (each for each in extractions if each.extraction_id == current)
    written = (each for each in extractions if each.text_source != "ocr")
    return DocumentRecord(
        document=from_document_row(row),
        doc_ids=doc_ids,
        title=title,
        added_at=row.added_at,
        extraction_ids=tuple(each.extraction_id for each in extractions),
        current_extraction=next(named, None) or next(written, None) or extractions[0],
    )


def _batches(keys: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(keys), _BATCH):
        yield list(keys[start : start + _BATCH])
