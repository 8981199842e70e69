"""The rows of logs: leaves, tiles, heads, notes, statements and receipts, all append-only.

A log's rows carry its number, ``log_id``; leaves and heads only ever grow at the end (the trigger
of their table demands it).
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    Text,
    UniqueConstraint,
)
from sqlmodel import Field

from spanproof.store.database.columns import WITHOUT_ROWID, AnyText, ExactBytes, Row, UtcDateTime


class LogRow(Row, table=True):
    """A log by its origin; ``log_id`` counts them from 0."""

    __tablename__ = "log"
    __table_args__ = (UniqueConstraint("origin"), WITHOUT_ROWID)

    log_id: int = Field(
        primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False}
    )
    origin: str = Field(sa_type=AnyText)
    vkey: str | None = Field(sa_type=AnyText)
    opened_at: datetime = Field(sa_type=UtcDateTime)


class LeafRow(Row, table=True):
    """A leaf: its bytes, and SHA-256 over 0x00 and them."""

    __tablename__ = "log_leaf"
    __table_args__ = (
        ForeignKeyConstraint(["log_id"], ["log.log_id"]),
        CheckConstraint("idx >= 0 AND length(leaf_hash) = 32 AND length(entry) <= 65535"),
        WITHOUT_ROWID,
    )

    log_id: int = Field(primary_key=True, sa_type=BigInteger)
    idx: int = Field(primary_key=True, sa_type=BigInteger)
    leaf_hash: bytes = Field(sa_type=ExactBytes)
    entry: bytes = Field(sa_type=ExactBytes)


class TileRow(Row, table=True):
    """Hashes of one tile; of level 0 only whole tiles, for the leaves' rows have the others."""

    __tablename__ = "log_tile"
    __table_args__ = (
        ForeignKeyConstraint(["log_id"], ["log.log_id"]),
        CheckConstraint("width BETWEEN 1 AND 256 AND length(hashes) = 32 * width"),
        WITHOUT_ROWID,
    )

    log_id: int = Field(primary_key=True, sa_type=BigInteger)
    level: int = Field(primary_key=True, sa_type=BigInteger)
    n: int = Field(primary_key=True, sa_type=BigInteger)
    width: int = Field(primary_key=True, sa_type=BigInteger)
    hashes: bytes = Field(sa_type=ExactBytes)


class TreeRow(Row, table=True):
    """The head that was written with the leaves below it, before anything signed it."""

    __tablename__ = "log_tree"
    __table_args__ = (
        ForeignKeyConstraint(["log_id"], ["log.log_id"]),
        CheckConstraint("size >= 0 AND length(root) = 32"),
        WITHOUT_ROWID,
    )

    log_id: int = Field(primary_key=True, sa_type=BigInteger)
    size: int = Field(primary_key=True, sa_type=BigInteger)
    root: bytes = Field(sa_type=ExactBytes)


class CheckpointRow(Row, table=True):
    """A head and the note that signs it."""

    __tablename__ = "log_checkpoint"
    __table_args__ = (
        ForeignKeyConstraint(["log_id", "size"], ["log_tree.log_id", "log_tree.size"]),
        CheckConstraint("length(root) = 32"),
        WITHOUT_ROWID,
    )

    log_id: int = Field(primary_key=True, sa_type=BigInteger)
    size: int = Field(primary_key=True, sa_type=BigInteger)
    root: bytes = Field(sa_type=ExactBytes)
    note: str = Field(sa_type=AnyText)


class CosignatureRow(Row, table=True):
    """A witness's signature line below a checkpoint."""

    __tablename__ = "log_cosignature"
    __table_args__ = (
        ForeignKeyConstraint(["log_id", "size"], ["log_checkpoint.log_id", "log_checkpoint.size"]),
        WITHOUT_ROWID,
    )

    log_id: int = Field(primary_key=True, sa_type=BigInteger)
    size: int = Field(primary_key=True, sa_type=BigInteger)
    witness: str = Field(primary_key=True, sa_type=AnyText)
    line: str = Field(sa_type=AnyText)
    added_at: datetime = Field(sa_type=UtcDateTime)


class StatementRow(Row, table=True):
    """The signed statement behind a leaf; ``intake_idx`` names the intake that it answers."""

    __tablename__ = "log_statement"
    __table_args__ = (
        ForeignKeyConstraint(["log_id", "idx"], ["log_leaf.log_id", "log_leaf.idx"]),
        ForeignKeyConstraint(["log_id", "intake_idx"], ["log_leaf.log_id", "log_leaf.idx"]),
        # An intake is answered once.
        UniqueConstraint("log_id", "intake_idx"),
        Index("log_statement_by_subject", "subject"),
        Index("log_statement_by_kind", "log_id", "kind", "idx"),
        WITHOUT_ROWID,
    )

    log_id: int = Field(primary_key=True, sa_type=BigInteger)
    idx: int = Field(primary_key=True, sa_type=BigInteger)
    kind: str = Field(sa_type=Text)
    subject: str = Field(sa_type=AnyText)
    payload_type: str = Field(sa_type=AnyText)
    payload: bytes = Field(sa_type=ExactBytes)
    signature: bytes = Field(sa_type=ExactBytes)
    intake_idx: int | None = Field(sa_type=BigInteger)


class FreezeRow(Row, table=True):
    """A log that was closed for ever, its last state, and the origin that continues it."""

    __tablename__ = "log_freeze"
    __table_args__ = (
        ForeignKeyConstraint(["log_id"], ["log.log_id"]),
        CheckConstraint("size >= 0 AND length(root) = 32"),
        WITHOUT_ROWID,
    )

    log_id: int = Field(primary_key=True, sa_type=BigInteger)
    size: int = Field(sa_type=BigInteger)
    root: bytes = Field(sa_type=ExactBytes)
    reason: str = Field(sa_type=AnyText)
    successor: str = Field(sa_type=AnyText)
    frozen_at: datetime = Field(sa_type=UtcDateTime)


class ReceiptRow(Row, table=True):
    """The bundle that was answered for a verification."""

    __tablename__ = "receipt"
    __table_args__ = (
        ForeignKeyConstraint(["log_id", "idx"], ["log_leaf.log_id", "log_leaf.idx"]),
        UniqueConstraint("log_id", "idx"),
        WITHOUT_ROWID,
    )

    verification_id: str = Field(primary_key=True, sa_type=AnyText)
    log_id: int = Field(sa_type=BigInteger)
    idx: int = Field(sa_type=BigInteger)
    bundle: bytes = Field(sa_type=ExactBytes)
    bundle_sha256: str = Field(sa_type=Text)
