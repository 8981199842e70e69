"""Which documents hold a text, of all that are kept: by fingerprints, then by their texts.

A row holds the fingerprints of one extraction in one bucket. They are written with the extraction.
Those of a store that an earlier release filled are written when texts are searched, the newest
first. Erasing a document empties its rows. A sealed text has none: its key could not erase them.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sqlalchemy import exists, func, insert, literal
from sqlalchemy.orm import aliased
from sqlmodel import and_, col, select, update

from spanproof.core.errors import DocumentErasedError, IntegrityError
from spanproof.store.documents.fingerprints import (
    BUCKETS,
    METHOD,
    choose_fingerprints,
    to_row,
    to_rows,
    to_skeleton,
)
from spanproof.store.documents.tables import IndexedTextRow, TextFingerprintRow
from spanproof.store.erasing.refusal import DOCUMENT, is_present, refuse_erased
from spanproof.store.mapping import from_stored_digest
from spanproof.store.tables import DocumentRow, ExtractionRow

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlmodel import Session
    from sqlmodel.sql.expression import SelectOfScalar

    from spanproof.core.digest import Digest
    from spanproof.store.database.session import Database
    from spanproof.store.documents.fingerprints import Hashes
    from spanproof.store.sealing.document_blobs import DocumentBlobs

#: Fingerprints of a text that a search asks for; each leaves fewer documents to read.
_ASKED = 4
#: Characters of texts that a search reads, and that it writes fingerprints for beforehand.
_MOST_READ, _MOST_FILLED = 16_000_000, 2_000_000
#: Documents that are searched for a text too short for fingerprints.
_NEWEST = 100
#: Extractions that a search looks at; with more of them the text is a common one.
_MOST_CANDIDATES = 500


class TextIndex:
    """The search for the documents that hold a text."""

    def __init__(self, database: Database, blobs: DocumentBlobs) -> None:
        self._database = database
        self._blobs = blobs
        self._is_filled = False
        self._damaged: set[str] = set()

    def find_holder(self, text: str) -> Digest | None:
        """The only document of which some extraction holds this text; None for none or several.

        What a match view drops does not count: white space, hyphens, ligatures. Every document is
        searched; for a text too short for fingerprints, the newest 100, up to ``_MOST_READ``
        characters. None too where fingerprints leave more to read than that, or more texts than
        ``_MOST_CANDIDATES``.
        """
        skeleton = to_skeleton(text)
        if not skeleton:
            return None
        self._fill()
        hashes = choose_fingerprints(skeleton)
        query = _select_newest()
        if len(hashes):
            query = _select_candidates(hashes, is_postgresql=self._database.is_postgresql)
        with self._database.reading() as session:
            rows = session.exec(query).all()
        if len(hashes) and len(rows) == _MOST_CANDIDATES:
            return None
        found: set[str] = set()
        left = _MOST_READ
        for row in rows:
            left -= row.characters
            if left < 0 and len(hashes):
                return None
            if left < 0:
                break
            held = "" if row.doc_hash in found else self._read(row)
            found |= {row.doc_hash} if skeleton in to_skeleton(held) else set()
            if len(found) > 1:
                return None
        return from_stored_digest(found.pop()) if found else None

    def _read(self, row: ExtractionRow) -> str:
        return self._blobs.read(from_stored_digest(row.text_sha256)).decode("utf-8")

    def _fill(self) -> None:
        """Write the fingerprints of extractions that have none, a bounded number at a time."""
        left = _MOST_FILLED
        while not self._is_filled and left > 0:
            with self._database.reading() as session:
                row = session.exec(_select_missing(self._damaged)).first()
            if row is None:
                self._is_filled = True
                return
            left -= max(row.characters, 1)
            try:
                is_sealed = self._blobs.is_sealed(from_stored_digest(row.text_sha256))
                rows = [] if is_sealed else make_rows(self._read(row))
                with self._database.writing(f"document {row.doc_hash}") as session:
                    refuse_erased(session, DOCUMENT, row.doc_hash)
                    add_fingerprints(session, from_stored_digest(row.extraction_id), rows)
            except DocumentErasedError:
                continue
            except IntegrityError:
                # fsck tells it; the search goes on without this text.
                self._damaged.add(row.extraction_id)


def make_rows(text: str) -> list[tuple[int, bytes]]:
    """The buckets of a text, and its fingerprints in each."""
    return to_rows(choose_fingerprints(to_skeleton(text)))


def add_fingerprints(
    session: Session, extraction_id: Digest, rows: list[tuple[int, bytes]]
) -> None:
    """Write the rows of an extraction, unless they are there."""
    number = _to_number(extraction_id)
    if session.get(IndexedTextRow, number) is not None:
        return
    session.add(IndexedTextRow(number=number, extraction_id=str(extraction_id), method=METHOD))
    session.flush()
    if rows:
        names = ("bucket", "number", "fingerprints")
        given = [dict(zip(names, (bucket, number, each), strict=True)) for bucket, each in rows]
        session.connection().execute(insert(TextFingerprintRow), given)


def empty_fingerprints(session: Session, doc_hash: str) -> None:
    """Empty the rows of an erased document; the trigger asks for its erasure."""
    extractions = select(ExtractionRow.extraction_id).where(ExtractionRow.doc_hash == doc_hash)
    mine = [_to_number(from_stored_digest(each)) for each in session.exec(extractions)]
    # Every bucket by its number: the key begins with it.
    buckets = col(TextFingerprintRow.bucket).in_(range(BUCKETS))
    session.exec(
        update(TextFingerprintRow)
        .where(buckets, col(TextFingerprintRow.number).in_(mine))
        .values(fingerprints=b"")
    )


def _to_number(extraction_id: Digest) -> int:
    named = hashlib.sha256(f"{METHOD} {extraction_id}".encode()).digest()
    # Both databases have 63 bits and a sign.
    return int.from_bytes(named[:8], "big") >> 1


def _select_texts() -> SelectOfScalar[ExtractionRow]:
    texts = select(ExtractionRow).join(
        DocumentRow, col(DocumentRow.doc_hash) == col(ExtractionRow.doc_hash)
    )
    return texts.where(is_present())


def _select_missing(damaged: Collection[str]) -> SelectOfScalar[ExtractionRow]:
    is_indexed = exists().where(
        col(IndexedTextRow.extraction_id) == col(ExtractionRow.extraction_id),
        col(IndexedTextRow.method) == METHOD,
    )
    newest_first = (col(ExtractionRow.added_at).desc(), col(ExtractionRow.extraction_id))
    readable = col(ExtractionRow.extraction_id).not_in(damaged)
    return _select_texts().where(~is_indexed, readable).order_by(*newest_first).limit(1)


def _select_newest() -> SelectOfScalar[ExtractionRow]:
    newest = (
        select(DocumentRow.doc_hash)
        .where(is_present())
        .order_by(col(DocumentRow.added_at).desc(), col(DocumentRow.doc_hash).desc())
        .limit(_NEWEST)
    )
    texts = select(ExtractionRow).where(col(ExtractionRow.doc_hash).in_(newest))
    return texts.order_by(col(ExtractionRow.added_at).desc(), col(ExtractionRow.extraction_id))


def _select_candidates(hashes: Hashes, *, is_postgresql: bool) -> SelectOfScalar[ExtractionRow]:
    """The extractions that have the first fingerprints of a text."""
    # Both say where the second stands in the first, from 1 on.
    find = func.pg_catalog.position if is_postgresql else func.instr
    first, *others = (aliased(TextFingerprintRow) for _ in hashes[:_ASKED])
    wanted = []
    for row, (bucket, fingerprint) in zip((first, *others), map(to_row, hashes), strict=False):
        has_it = find(col(row.fingerprints), literal(fingerprint)) > 0
        wanted.append(and_(col(row.bucket) == bucket, has_it))
    shared = (
        exists().where(col(row.number) == col(first.number), has_it)
        for row, has_it in zip(others, wanted[1:], strict=True)
    )
    query = _select_texts().join(
        IndexedTextRow, col(IndexedTextRow.extraction_id) == col(ExtractionRow.extraction_id)
    )
    query = query.join(first, col(first.number) == col(IndexedTextRow.number))
    return query.where(wanted[0], *shared).limit(_MOST_CANDIDATES)
