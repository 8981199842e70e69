"""The row of an erasure: append-only like every other, and below it a leaf that says the same."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint, Text
from sqlmodel import Field

from spanproof.store.database.columns import WITHOUT_ROWID, AnyText, Row, UtcDateTime


class ErasureRow(Row, table=True):
    """A document, a verification or a submitted answer whose content is gone, and its tombstone.

    ``subject`` is a ``doc_hash``, a ``verification_id`` or an ``answer_id``. The triggers of the
    rows that hold an answer's words let them be emptied where such a row exists, and nothing else.
    """

    __tablename__ = "erasure"
    __table_args__ = (
        ForeignKeyConstraint(["log_id", "idx"], ["log_leaf.log_id", "log_leaf.idx"]),
        CheckConstraint("kind IN ('document', 'verification', 'answer')"),
        WITHOUT_ROWID,
    )

    kind: str = Field(primary_key=True, sa_type=Text)
    subject: str = Field(primary_key=True, sa_type=AnyText)
    log_id: int = Field(sa_type=BigInteger)
    idx: int = Field(sa_type=BigInteger)
    reason: str = Field(sa_type=AnyText)
    erased_at: datetime = Field(sa_type=UtcDateTime)
