"""The blobs of a document: which are its own, which something else names, which come back.

A blob that something else still names stays: two documents of one text share it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import exists, func
from sqlmodel import and_, col, or_, select

from spanproof.store.erasing.refusal import DOCUMENT, is_present
from spanproof.store.erasing.tables import ErasureRow
from spanproof.store.mapping import from_stored_digest
from spanproof.store.tables import DocumentRow, ExtractionRow, IndexManifestRow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlmodel import Session

    from spanproof.core.digest import Digest
    from spanproof.store.database.session import Database
    from spanproof.store.sealing.document_blobs import DocumentBlobs


def list_blobs(session: Session, doc_hash: str) -> list[str]:
    """The blobs of a document: its source, and the parts of every extraction, each once."""
    parts = select(
        ExtractionRow.text_sha256, ExtractionRow.meta_sha256, ExtractionRow.layout_sha256
    ).where(ExtractionRow.doc_hash == doc_hash)
    rows = session.exec(parts.order_by(col(ExtractionRow.position))).all()
    found = [doc_hash, *(part for row in rows for part in row if part is not None)]
    return list(dict.fromkeys(found))


def is_named_elsewhere(session: Session, digest: str, doc_hash: str) -> bool:
    """Whether a document that is kept, or an index, has this blob too."""
    others = (
        select(func.count())
        .select_from(ExtractionRow)
        .where(
            or_(
                col(ExtractionRow.text_sha256) == digest,
                col(ExtractionRow.meta_sha256) == digest,
                col(ExtractionRow.layout_sha256) == digest,
            ),
            col(ExtractionRow.doc_hash) != doc_hash,
            ~exists().where(
                col(ErasureRow.kind) == DOCUMENT,
                col(ErasureRow.subject) == col(ExtractionRow.doc_hash),
            ),
        )
    )
    sources = (
        select(func.count())
        .select_from(DocumentRow)
        .where(
            col(DocumentRow.doc_hash) == digest,
            col(DocumentRow.doc_hash) != doc_hash,
            is_present(),
        )
    )
    manifests = (
        select(func.count())
        .select_from(IndexManifestRow)
        .where(
            or_(
                col(IndexManifestRow.manifest_sha256) == digest,
                col(IndexManifestRow.facts_sha256) == digest,
            )
        )
    )
    return any(session.exec(query).one() for query in (others, sources, manifests))


def remove_put_blobs(
    database: Database, blobs: DocumentBlobs, doc_hash: Digest, digests: Iterable[Digest]
) -> None:
    """Remove blobs that were put for a document while it was erased; shared ones stay."""
    named = tuple(dict.fromkeys(digests))
    # As in ``Erasures.remove``: ``add`` of the same text waits, then finds it gone.
    keys = [f"blob {each}" for each in named]
    with database.writing(f"document {doc_hash}", *keys) as session:
        for each in named:
            if not is_named_elsewhere(session, str(each), str(doc_hash)):
                blobs.remove(each)


def list_erased_blobs(database: Database) -> frozenset[Digest]:
    """The blobs that erased documents had, those too that something else shares."""
    erased = select(ExtractionRow).join(
        ErasureRow,
        and_(
            col(ErasureRow.kind) == DOCUMENT,
            col(ErasureRow.subject) == col(ExtractionRow.doc_hash),
        ),
    )
    with database.reading() as session:
        rows = session.exec(erased).all()
    named = (
        part
        for row in rows
        for part in (row.doc_hash, row.text_sha256, row.meta_sha256, row.layout_sha256)
    )
    return frozenset(from_stored_digest(part) for part in named if part is not None)
