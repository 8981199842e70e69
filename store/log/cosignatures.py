"""What witnesses have signed below the heads of a log: the lines, kept as they came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlmodel import col, select

from spanproof.store.database.copying import to_row, to_value
from spanproof.store.log.tables import CosignatureRow

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.store.database.session import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCosignature:
    """A witness's line below the head of ``size`` leaves; ``witness`` is its verifier key."""

    size: int
    witness: str
    line: str


class Cosignatures:
    """The lines below the heads of one log."""

    def __init__(self, database: Database, log_id: int) -> None:
        self._database = database
        self._log_id = log_id

    def add(self, kept: StoredCosignature, *, added_at: datetime) -> bool:
        """Keep a line; False where this witness signed that head before, whose line stays.

        The first one has the earlier time, so it says more.
        """
        key = (self._log_id, kept.size, kept.witness)
        with self._database.writing(f"log {self._log_id} cosignatures") as session:
            if session.get(CosignatureRow, key) is not None:
                return False
            session.add(to_row(CosignatureRow, kept, log_id=self._log_id, added_at=added_at))
            return True

    def list(self, size: int) -> tuple[StoredCosignature, ...]:
        """The lines below one head, by witness."""
        query = select(CosignatureRow).where(
            CosignatureRow.log_id == self._log_id, CosignatureRow.size == size
        )
        with self._database.reading() as session:
            found = session.exec(query.order_by(col(CosignatureRow.witness))).all()
            return tuple(to_value(StoredCosignature, row) for row in found)

    def find_last(self, witness: str) -> StoredCosignature | None:
        """The line below the largest head that the witness signed, if any."""
        query = select(CosignatureRow).where(
            CosignatureRow.log_id == self._log_id, CosignatureRow.witness == witness
        )
        with self._database.reading() as session:
            found = session.exec(query.order_by(col(CosignatureRow.size).desc())).first()
            return None if found is None else to_value(StoredCosignature, found)

    def list_of(self, witness: str) -> tuple[StoredCosignature, ...]:
        """The lines of one witness, the smallest head first."""
        query = select(CosignatureRow).where(
            CosignatureRow.log_id == self._log_id, CosignatureRow.witness == witness
        )
        with self._database.reading() as session:
            found = session.exec(query.order_by(col(CosignatureRow.size))).all()
            return tuple(to_value(StoredCosignature, row) for row in found)

    def list_sizes(self) -> tuple[int, ...]:
        """The sizes of the heads that any witness signed, the smallest first."""
        query = select(CosignatureRow.size).where(CosignatureRow.log_id == self._log_id).distinct()
        with self._database.reading() as session:
            return tuple(session.exec(query.order_by(col(CosignatureRow.size))).all())
