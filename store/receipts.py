"""Receipts: the bundles that were answered, by the verification that each is of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import tuple_
from sqlmodel import col, select

from spanproof.core.digest import Digest
from spanproof.core.errors import BlobDigestMismatchError, ReceiptNotFoundError
from spanproof.store.log.tables import LogRow, ReceiptRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.store.database.session import Database

#: How many bundles are read from the database at once; each takes some kilobytes.
_CHUNK = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReceipt:
    """A bundle's bytes as they were answered, and the leaf that they are of."""

    verification_id: str
    origin: str
    index: int
    bundle: bytes


class Receipts:
    """What is kept of receipts; ``TransparencyLog.include`` keeps them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, verification_id: str) -> StoredReceipt | None:
        """The receipt of a verification, digested again, or None."""
        query = select(ReceiptRow, LogRow).join(LogRow, col(LogRow.log_id) == ReceiptRow.log_id)
        with self._database.reading() as session:
            found = session.exec(query.where(ReceiptRow.verification_id == verification_id)).first()
        return None if found is None else _to_receipt(*found)

    def load(self, verification_id: str) -> StoredReceipt:
        """The receipt of a verification; raise ReceiptNotFoundError if it is missing."""
        found = self.find(verification_id)
        if found is None:
            msg = f"Expected a verification with a receipt, got {verification_id!r}."
            raise ReceiptNotFoundError(msg, hint="Verify the answer again: that gives a receipt.")
        return found

    def list(self, origin: str | None = None) -> Iterator[StoredReceipt]:
        """Every receipt in the order of its leaf, of one log or of all, some at a time."""
        query = select(ReceiptRow, LogRow).join(LogRow, col(LogRow.log_id) == ReceiptRow.log_id)
        if origin is not None:
            query = query.where(LogRow.origin == origin)
        key = tuple_(col(ReceiptRow.log_id), col(ReceiptRow.idx))
        query = query.order_by(col(ReceiptRow.log_id), col(ReceiptRow.idx)).limit(_CHUNK)
        last = (-1, -1)
        while True:
            with self._database.reading() as session:
                page = session.exec(query.where(key > last)).all()
            for receipt, log in page:
                yield _to_receipt(receipt, log)
            if len(page) < _CHUNK:
                return
            last = (page[-1][0].log_id, page[-1][0].idx)


def _to_receipt(row: ReceiptRow, log: LogRow) -> StoredReceipt:
    found = str(Digest.of(row.bundle))
    if found != row.bundle_sha256:
        msg = f"Expected a receipt of {row.bundle_sha256}, got {found}."
        raise BlobDigestMismatchError(msg, hint="Restore the store from a backup.")
    return StoredReceipt(
        verification_id=row.verification_id, origin=log.origin, index=row.idx, bundle=row.bundle
    )
