"""A log's inputs and its own state, apart from the checkpoints of ``core``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from spanproof.core.log.checkpoint import IncludedLeaf

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

#: ``included`` → the bundle to keep; called inside the transaction that stores the note.
WriteReceipt = Callable[[IncludedLeaf], bytes]


class AttachedRows(Protocol):
    """Other rows that belong to a leaf: both are kept, or neither is."""

    def write(self, connection: Connection) -> None:
        """Insert them; what this raises is the error of their leaf's caller alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLog:
    """What is recorded of a log once: when it was opened, and its verifier key."""

    opened_at: datetime
    vkey: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStatement:
    """The signed statement of a leaf (a DSSE envelope), kept in the leaf's transaction.

    ``kind`` is what it is ("intake", "result", …), ``subject`` what it is about (a verification's
    id), ``intake_index`` the intake that it answers: an intake is answered once.
    """

    kind: str
    subject: str
    payload: bytes
    signature: bytes
    payload_type: str = "application/vnd.in-toto+json"
    intake_index: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredStatement:
    """A statement and the index of its leaf."""

    index: int
    statement: LogStatement


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReceipt:
    """A bundle to be made of the signed checkpoint and kept in the transaction of its note."""

    verification_id: str
    write: WriteReceipt


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLeaf:
    """A leaf to come: its bytes, the statement behind it, and the receipt that it is for.

    A receipt is kept only where the leaf is included, for it needs the signed checkpoint; the rows
    ``beside`` are kept in the leaf's own transaction.
    """

    entry: bytes
    statement: LogStatement | None = None
    receipt: NewReceipt | None = None
    beside: AttachedRows | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFreeze:
    """The last state of a closed log, the reason, and the origin that continues."""

    size: int
    root: bytes
    reason: str
    successor: str
    frozen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LogState:
    """A log of this store; ``size`` counts its leaves, signed or not."""

    log_id: int
    origin: str
    vkey: str | None
    opened_at: datetime
    size: int
    root: bytes
    freeze: LogFreeze | None
