"""Documents, their names and their extractions: added once, found again, never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlmodel import and_, col, exists, or_, select

from spanproof.core.documents.document import DocumentName, Extraction, Library, Source
from spanproof.core.documents.extraction_record import ExtractionRecord, from_record
from spanproof.core.errors import (
    DocumentErasedError,
    DocumentNotFoundError,
    ExtractionNotFoundError,
    IntegrityError,
)
from spanproof.store.database.columns import escape_text, to_utc
from spanproof.store.database.cursor import Position, check_limit, parse_cursor, to_cursor
from spanproof.store.documents.intake import (
    add_names,
    add_pipeline,
    add_rows,
    find_meta,
    store_parts,
)
from spanproof.store.documents.queries import (
    find_document,
    load_cross_check_rows,
    load_names,
    load_records,
)
from spanproof.store.documents.text_index import add_fingerprints, make_rows
from spanproof.store.erasing.document_blobs import remove_put_blobs
from spanproof.store.erasing.refusal import DOCUMENT, is_present, refuse_erased
from spanproof.store.mapping import (
    from_cross_check_row,
    from_name_row,
    from_stored_digest,
    to_cross_check_row,
)
from spanproof.store.names import check_doc_id, find_digests
from spanproof.store.records import CrossCheckReport, DocumentPage, DocumentRecord
from spanproof.store.tables import CrossCheckReportRow, DocumentRow, ExtractionRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Pipeline
    from spanproof.store.blobs.port import StagedBlob
    from spanproof.store.database.session import Database
    from spanproof.store.sealing.document_blobs import DocumentBlobs

__all__ = ["CrossCheckReport", "DocumentPage", "DocumentRecord", "Documents"]

_LISTING = "documents"


class Documents:
    """What is kept of documents: rows in the database, bytes in the blobs."""

    def __init__(self, database: Database, blobs: DocumentBlobs) -> None:
        self._database = database
        self._blobs = blobs

    def add(  # noqa: PLR0913 - a document, its bytes and what is said of it
        self,
        extraction: Extraction,
        staged: StagedBlob,
        *,
        doc_id: str | None,
        title: str | None,
        added_at: datetime,
        seals: bool = False,
    ) -> bool:
        """Keep a document, an extraction of it, and its name; adding twice stores once.

        Tells whether the extraction is new: of several that add it at once, one is told so.
        Blobs become durable first, then one transaction names them: a process killed in between
        leaves blobs that nothing names and the next ``add`` takes up. A name that stood for other
        bytes gets a new version; the old one stays in its history. ``seals`` encrypts each new blob
        with a key of its own; such a text has no fingerprints.
        """
        document = extraction.document
        if staged.digest != document.doc_hash or staged.size != document.byte_length:
            msg = (
                f"Expected the {document.byte_length} bytes of {document.doc_hash},"
                f" got {staged.size} of {staged.digest}."
            )
            raise IntegrityError(msg, hint="Ingest the document again.")
        name = check_doc_id(doc_id, document.doc_hash)
        moment = to_utc(added_at)
        with self._database.reading() as session:
            refuse_erased(session, DOCUMENT, str(document.doc_hash))
            named = find_meta(session, extraction)
        self._blobs.keep(staged, seals=seals)
        parts = store_parts(extraction, self._blobs, seals=seals, named=named)
        is_sealed = self._blobs.is_sealed(extraction.text.digest)
        fingerprints = [] if is_sealed else make_rows(extraction.text.text)
        keys = [f"document {document.doc_hash}", f"pipeline {extraction.pipeline.digest}"]
        keys += [] if name is None else [f"name {name}"]
        # A process that erases a document of the same text must see this one, or come first.
        keys += [f"blob {each}" for each in (extraction.text.digest, parts.layout) if each]
        try:
            with self._database.writing(*keys) as session:
                refuse_erased(session, DOCUMENT, str(document.doc_hash))
                is_new = add_rows(session, extraction, parts, added_at=moment)
                add_fingerprints(session, extraction.extraction_id, fingerprints)
                add_names(session, document.doc_hash, doc_id=name, title=title, added_at=moment)
        except DocumentErasedError:
            # Erased since the first look: what was put meanwhile goes as the rest went.
            put = (document.doc_hash, extraction.text.digest, parts.meta, parts.layout)
            remove_put_blobs(self._database, self._blobs, document.doc_hash, filter(None, put))
            raise
        if not all(map(self._blobs.has, filter(None, (extraction.text.digest, parts.layout)))):
            # An erasure of another document with the same text came in between.
            store_parts(extraction, self._blobs, seals=seals, named=parts.meta)
        return is_new

    def find_titles(self, doc_hashes: Sequence[str]) -> dict[str, str]:
        """The title of each of these that is kept, or its first name; those without either miss."""
        with self._database.reading() as session:
            found = load_records(session, [from_stored_digest(each) for each in doc_hashes])
        names = {str(each.document.doc_hash): each.title or each.doc_ids[0] for each in found}
        return {doc_hash: name for doc_hash, name in names.items() if name != doc_hash}

    def add_cross_check(
        self,
        extraction_id: Digest,
        report: CrossCheckReport,
        *,
        pipeline: Pipeline,
        added_at: datetime,
    ) -> None:
        """Keep a second engine's report beside an extraction; the same report is kept once."""
        moment = to_utc(added_at)
        keys = (f"witness {extraction_id}", f"pipeline {pipeline.digest}")
        with self._database.writing(*keys) as session:
            if session.get(ExtractionRow, str(extraction_id)) is None:
                msg = f"Expected an extraction that is kept here, got {extraction_id}."
                raise ExtractionNotFoundError(msg, hint="Ingest the document that it is of.")
            add_pipeline(session, pipeline)
            if session.get(CrossCheckReportRow, (str(extraction_id), str(pipeline.digest))) is None:
                session.add(
                    to_cross_check_row(report, extraction_id=extraction_id, added_at=moment)
                )

    def find_cross_check(
        self, extraction_id: Digest, *, until: datetime | None = None
    ) -> CrossCheckReport | None:
        """The newest report of a second engine on an extraction; None where it was never asked.

        With ``until``, as it was at that moment.
        """
        moment = None if until is None else to_utc(until)
        key = str(extraction_id)
        with self._database.reading() as session:
            row = load_cross_check_rows(session, [key], until=moment).get(key)
            return None if row is None else from_cross_check_row(row)

    def find(self, ref: str) -> DocumentRecord | None:
        """The document of a ``doc_hash``, a ``doc_id`` (its newest version) or an extraction.

        DocumentErasedError for one that was erased.
        """
        with self._database.reading() as session:
            found = find_document(session, ref)
            if found is None:
                return None
            refuse_erased(session, DOCUMENT, str(found.doc_hash))
            records = load_records(session, [found.doc_hash], current=found.extraction_id)
        return records[0]

    def list(
        self, cursor: str | None = None, limit: int = 50, *, only_degraded: bool = False
    ) -> DocumentPage:
        """The documents, newest first; raise InputError for a malformed cursor.

        With ``only_degraded`` those of which an extraction found a problem.
        """
        check_limit(limit)
        query = select(DocumentRow).where(is_present())
        if only_degraded:
            own = col(ExtractionRow.doc_hash) == col(DocumentRow.doc_hash)
            query = query.where(exists().where(own, col(ExtractionRow.status) != "ok"))
        when, key = col(DocumentRow.added_at), col(DocumentRow.doc_hash)
        if cursor is not None:
            last = parse_cursor(cursor, _LISTING)
            # A cursor may say anything, and the column is of plain text.
            before = escape_text(last.key)
            query = query.where(or_(when < last.moment, and_(when == last.moment, key < before)))
        with self._database.reading() as session:
            rows = session.exec(query.order_by(when.desc(), key.desc()).limit(limit + 1)).all()
            shown = rows[:limit]
            records = load_records(session, [from_stored_digest(row.doc_hash) for row in shown])
        has_more = len(rows) > limit
        ending = Position(moment=shown[-1].added_at, key=shown[-1].doc_hash) if has_more else None
        return DocumentPage(
            items=records, next_cursor=None if ending is None else to_cursor(ending, _LISTING)
        )

    def extractions_of(self, doc_hash: Digest) -> tuple[Digest, ...]:
        """The extractions of a document, newest first; empty for an unknown document."""
        query = select(ExtractionRow.extraction_id).where(
            col(ExtractionRow.doc_hash) == str(doc_hash)
        )
        with self._database.reading() as session:
            found = session.exec(query.order_by(col(ExtractionRow.position).desc())).all()
        return tuple(from_stored_digest(extraction_id) for extraction_id in found)

    def extractions_until(self, doc_hash: Digest, moment: datetime) -> frozenset[Digest]:
        """The extractions of a document that were kept by a moment."""
        query = select(ExtractionRow.extraction_id).where(
            col(ExtractionRow.doc_hash) == str(doc_hash),
            col(ExtractionRow.added_at) <= to_utc(moment),
        )
        with self._database.reading() as session:
            return frozenset(map(from_stored_digest, session.exec(query).all()))

    def load_extraction(self, extraction_id: Digest) -> Extraction:
        """The whole extraction, every part digested again and its identity computed again."""
        with self._database.reading() as session:
            row = session.get(ExtractionRow, str(extraction_id))
            if row is None:
                msg = f"Expected an extraction that is kept here, got {extraction_id}."
                raise ExtractionNotFoundError(msg, hint="Ingest the document that it is of.")
            refuse_erased(session, DOCUMENT, row.doc_hash)
            meta, text, layout = row.meta_sha256, row.text_sha256, row.layout_sha256
        record = ExtractionRecord(
            meta=self._blobs.read(from_stored_digest(meta)),
            text=self._blobs.read(from_stored_digest(text)),
            layout=b"" if layout is None else self._blobs.read(from_stored_digest(layout)),
        )
        extraction = from_record(record)
        if extraction.extraction_id != extraction_id:
            msg = f"Expected extraction {extraction_id}, got {extraction.extraction_id}."
            raise IntegrityError(msg, hint="Restore the store from a backup.")
        return extraction

    def layouts_of(self, extraction_ids: Iterable[Digest]) -> dict[Digest, Digest | None]:
        """The digest of each extraction's stored layout; None for one without geometry."""
        wanted = [str(each) for each in extraction_ids]
        if not wanted:
            return {}
        query = select(ExtractionRow.extraction_id, ExtractionRow.layout_sha256).where(
            col(ExtractionRow.extraction_id).in_(wanted)
        )
        with self._database.reading() as session:
            found = session.exec(query).all()
        return {
            from_stored_digest(extraction_id): from_stored_digest(layout) if layout else None
            for extraction_id, layout in found
        }

    def read_source(self, doc_hash: Digest) -> bytes:
        """The source bytes, digested again."""
        with self._database.reading() as session:
            is_known = session.get(DocumentRow, str(doc_hash)) is not None
            refuse_erased(session, DOCUMENT, str(doc_hash))
        if not is_known:
            msg = f"Expected a document that is kept here, got {doc_hash}."
            raise DocumentNotFoundError(msg, hint="Ingest it first.")
        return self._blobs.read(doc_hash)

    def load_library(self, doc_hashes: Iterable[Digest], doc_ids: Iterable[str]) -> Library:
        """The documents of these hashes and of every version of these names, with all extractions.

        ``names`` holds the whole history of the names, of every other name of these documents, and
        each document's own hash as its name. Documents that are not kept here are left out.
        """
        wanted_ids = tuple(dict.fromkeys(doc_ids))
        asked = dict.fromkeys((*doc_hashes, *find_digests(wanted_ids)))
        with self._database.reading() as session:
            versions = [from_name_row(row) for row in load_names(session, doc_ids=wanted_ids)]
            asked |= dict.fromkeys(name.doc_hash for name in versions)
            records = load_records(session, list(asked))
            aliases = {doc_id for record in records for doc_id in record.doc_ids[:-1]}
            history = load_names(session, doc_ids=sorted(aliases.union(wanted_ids)))
        own = [
            DocumentName(
                doc_id=str(record.document.doc_hash),
                doc_hash=record.document.doc_hash,
                since=record.added_at,
            )
            for record in records
        ]
        return Library(
            sources=tuple(self._load_source(record) for record in records),
            names=(*map(from_name_row, history), *own),
        )

    def _load_source(self, record: DocumentRecord) -> Source:
        return Source(
            document=record.document,
            extractions=tuple(self.load_extraction(each) for each in record.extraction_ids),
            title=record.title,
        )
