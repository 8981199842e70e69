"""Refuses erased content by name; every reader of documents and answers asks here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from sqlalchemy import exists
from sqlmodel import Session, col, select

from spanproof.core.errors import DocumentErasedError, VerificationErasedError
from spanproof.store.erasing.tables import ErasureRow
from spanproof.store.log.tables import LogRow
from spanproof.store.samples.tables import SubmittedAnswerRow
from spanproof.store.tables import DocumentRow

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection

#: A process that removes words of verifications locks this key, and so does one that writes words
#: of several: they take turns, because PostgreSQL has no room for thousands of single locks.
WORDS_KEY = "words of verifications"
ErasedKind = Literal["document", "verification", "answer"]
DOCUMENT: ErasedKind = "document"
VERIFICATION: ErasedKind = "verification"
#: One that was submitted for sampling, verified or not.
ANSWER: ErasedKind = "answer"

_KINDS = get_args(ErasedKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRecord:
    """An erasure that is recorded: of what, why, and the leaf of its tombstone."""

    kind: ErasedKind
    subject: str
    origin: str
    index: int
    reason: str
    erased_at: datetime


def find_erasure(session: Session, kind: ErasedKind, subject: str) -> ErasureRecord | None:
    """The erasure that is recorded of this, or None."""
    row = session.get(ErasureRow, (kind, subject))
    if row is None:
        return None
    return to_record(row, session.exec(select(LogRow.origin).filter_by(log_id=row.log_id)).one())


def refuse_erased(session: Session, kind: ErasedKind, subject: str) -> None:
    """Raise DocumentErasedError or VerificationErasedError where it was erased."""
    for error in find_refusals(session, kind, [subject]).values():
        raise error


def find_refusals(
    session: Session, kind: ErasedKind, subjects: Sequence[str]
) -> dict[str, DocumentErasedError | VerificationErasedError]:
    """The error of each of these that was erased."""
    rows = session.exec(
        select(ErasureRow, LogRow.origin)
        .join(LogRow, col(LogRow.log_id) == ErasureRow.log_id)
        .where(col(ErasureRow.kind) == kind, col(ErasureRow.subject).in_(subjects))
    )
    return {row.subject: _to_refusal(to_record(row, origin)) for row, origin in rows}


def _to_refusal(found: ErasureRecord) -> DocumentErasedError | VerificationErasedError:
    place = f"leaf {found.index} of {found.origin}"
    hint = f"Its tombstone is {place}: 'spanproof audit fsck' reads it."
    what = "an answer" if found.kind == ANSWER else f"a {found.kind}"
    msg = (
        f"Expected {what} that is kept here, got {found.subject!r},"
        f" erased {found.erased_at:%Y-%m-%d} ({found.reason})."
    )
    return (DocumentErasedError if found.kind == DOCUMENT else VerificationErasedError)(
        msg, hint=hint
    )


def refuse_erased_answer(connection: Connection, answer_id: str) -> None:
    """Raise VerificationErasedError where this submitted answer was erased.

    Its erasure is recorded only after this transaction, and so sees what it writes.
    """
    with Session(connection) as session:
        # An eraser locks the same row first; SQLite has one writer at a time anyway.
        session.exec(
            select(SubmittedAnswerRow.number)
            .where(_is_answer(answer_id))
            .with_for_update(read=True)
        )
        refuse_erased(session, ANSWER, answer_id)


def lock_answer(session: Session, answer_id: str) -> None:
    """Wait for writers of this submitted answer's words, and lock others out."""
    session.exec(select(SubmittedAnswerRow.number).where(_is_answer(answer_id)).with_for_update())


def _is_answer(answer_id: str) -> ColumnElement[bool]:
    return col(SubmittedAnswerRow.answer_id) == answer_id


def is_present() -> ColumnElement[bool]:
    """The condition that a row of ``document`` was not erased."""
    return ~exists().where(
        col(ErasureRow.kind) == DOCUMENT, col(ErasureRow.subject) == col(DocumentRow.doc_hash)
    )


def to_record(row: ErasureRow, origin: str) -> ErasureRecord:
    """A row, with the name of the log that its leaf is in."""
    return ErasureRecord(
        kind=next(kind for kind in _KINDS if kind == row.kind),
        subject=row.subject,
        origin=origin,
        index=row.idx,
        reason=row.reason,
        erased_at=row.erased_at,
    )
