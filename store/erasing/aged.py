"""What is kept and older than a moment, the oldest first: what retention looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import exists, func
from sqlmodel import col, select

from spanproof.store.database.columns import to_utc
from spanproof.store.erasing.refusal import ANSWER, DOCUMENT, VERIFICATION, is_present
from spanproof.store.samples.tables import SubmittedAnswerRow, SubmittedPayloadRow
from spanproof.store.tables import DocumentRow, PayloadRow, VerificationRow

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.store.database.session import Database
    from spanproof.store.erasing.refusal import ErasedKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Aged:
    """Something that is kept, since when."""

    kind: ErasedKind
    subject: str
    since: datetime


def list_aged_answers(database: Database, before: datetime) -> tuple[Aged, ...]:
    """Verifications and submitted answers without one, whose words are still here."""
    moment = to_utc(before)
    made, came = col(VerificationRow.verified_at), col(SubmittedAnswerRow.received_at)
    judged = (
        select(VerificationRow.verification_id, VerificationRow.verified_at)
        .join(PayloadRow, col(PayloadRow.verification_id) == VerificationRow.verification_id)
        .where(made < moment, func.length(col(PayloadRow.block)) > 0)
        .order_by(made)
    )
    same = exists().where(
        col(VerificationRow.answer_id) == SubmittedAnswerRow.answer_id,
        col(PayloadRow.verification_id) == VerificationRow.verification_id,
        col(PayloadRow.raw_sha256) == SubmittedAnswerRow.payload_sha256,
    )
    waiting = (
        select(SubmittedAnswerRow.answer_id, SubmittedAnswerRow.received_at)
        .join(
            SubmittedPayloadRow, col(SubmittedPayloadRow.answer_id) == SubmittedAnswerRow.answer_id
        )
        .where(came < moment, func.length(col(SubmittedPayloadRow.raw)) > 0, ~same)
        .order_by(came)
    )
    with database.reading() as session:
        found = [
            Aged(kind=VERIFICATION, subject=subject, since=since)
            for subject, since in session.exec(judged)
        ]
        found += [
            Aged(kind=ANSWER, subject=subject, since=since)
            for subject, since in session.exec(waiting)
        ]
    return tuple(sorted(found, key=lambda each: each.since))


def list_aged_documents(database: Database, before: datetime) -> tuple[Aged, ...]:
    """The documents that were added before a moment and are still here."""
    added = col(DocumentRow.added_at)
    query = select(DocumentRow).where(added < to_utc(before), is_present()).order_by(added)
    with database.reading() as session:
        return tuple(
            Aged(kind=DOCUMENT, subject=row.doc_hash, since=row.added_at)
            for row in session.exec(query)
        )
