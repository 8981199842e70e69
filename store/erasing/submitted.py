"""The words of submitted answers: where they appear beside those of a verification, and emptied.

A verification is of a submitted answer where it is the answer's outcome, or has the answer's id and
its bytes: then its words are the answer's, whether an outcome says so yet or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import exists
from sqlmodel import and_, col, or_, select, update

from spanproof.core.errors import NotFoundError
from spanproof.store.erasing.refusal import ANSWER, VERIFICATION
from spanproof.store.erasing.tables import ErasureRow
from spanproof.store.samples.tables import (
    SampledVerificationRow,
    SubmittedAnswerRow,
    SubmittedPayloadRow,
)
from spanproof.store.tables import PayloadRow, VerificationRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlmodel import Session

#: A submitted answer with the row of its bytes, which may be empty by now.
Submitted = tuple[SubmittedAnswerRow, SubmittedPayloadRow]


def list_outcomes_answers(session: Session, verification_id: str) -> list[Submitted]:
    """The submitted answer behind this verification, with its bytes, if there is one."""
    of_outcome = exists().where(
        col(SampledVerificationRow.answer_id) == SubmittedAnswerRow.answer_id,
        col(SampledVerificationRow.verification_id) == verification_id,
    )
    return _list_kept(session, of_outcome)


def list_answers_of(session: Session, verification_id: str) -> list[Submitted]:
    """The submitted answers whose words this verification has, with their bytes."""
    found = session.exec(
        select(VerificationRow.answer_id, PayloadRow.raw_sha256)
        .join(PayloadRow, col(PayloadRow.verification_id) == VerificationRow.verification_id)
        .where(VerificationRow.verification_id == verification_id)
    ).first()
    if found is None:
        return []
    answer_id, digest = found
    of_outcome = exists().where(
        col(SampledVerificationRow.answer_id) == SubmittedAnswerRow.answer_id,
        col(SampledVerificationRow.verification_id) == verification_id,
    )
    of_same = and_(
        col(SubmittedAnswerRow.answer_id) == answer_id,
        col(SubmittedAnswerRow.payload_sha256) == digest,
    )
    return _list_kept(session, or_(of_same, of_outcome))


def list_verifications_of(session: Session, answer_id: str) -> tuple[str, ...]:
    """The verifications that have the words of a submitted answer, or had them."""
    answer = session.get(SubmittedAnswerRow, answer_id)
    outcome = session.get(SampledVerificationRow, answer_id)
    if answer is None:
        return ()
    same = (
        select(VerificationRow.verification_id)
        .join(PayloadRow, col(PayloadRow.verification_id) == VerificationRow.verification_id)
        .where(
            VerificationRow.answer_id == answer_id, PayloadRow.raw_sha256 == answer.payload_sha256
        )
    )
    found = set(session.exec(same).all())
    if outcome is not None and outcome.verification_id is not None:
        found.add(outcome.verification_id)
    return tuple(sorted(found))


def load_submitted(session: Session, answer_id: str) -> Submitted:
    """A submitted answer whose bytes were kept; NotFoundError for any other."""
    found = _list_kept(session, col(SubmittedAnswerRow.answer_id) == answer_id)
    if not found:
        msg = f"Expected an answer that was submitted and whose words are kept, got {answer_id!r}."
        raise NotFoundError(msg, hint="Of one that was not chosen only its digest is kept.")
    return found[0]


def list_remaining_of(session: Session, answer_id: str) -> list[str]:
    """The digests of an erased answer's remaining content: its bytes, and its verifications'."""
    answer, kept = load_submitted(session, answer_id)
    is_whole = any(
        session.get(ErasureRow, (VERIFICATION, each)) is None
        for each in list_verifications_of(session, answer_id)
    )
    return [answer.payload_sha256] if kept.raw or is_whole else []


def empty_answers(session: Session, answers: Sequence[Submitted]) -> int:
    """Empty the bytes of these; how many there were. The trigger asks for their erasure."""
    names = [answer.answer_id for answer, kept in answers if kept.raw]
    if names:
        of_these = col(SubmittedPayloadRow.answer_id).in_(names)
        session.exec(update(SubmittedPayloadRow).where(of_these).values(raw=b""))
    return len(names)


def is_erased_answer(session: Session, answer_id: str) -> bool:
    """Whether the erasure of this answer is recorded."""
    return session.get(ErasureRow, (ANSWER, answer_id)) is not None


def _list_kept(session: Session, wanted: ColumnElement[bool]) -> list[Submitted]:
    query = (
        select(SubmittedAnswerRow, SubmittedPayloadRow)
        .join(
            SubmittedPayloadRow, col(SubmittedPayloadRow.answer_id) == SubmittedAnswerRow.answer_id
        )
        .where(wanted)
    )
    return [(answer, kept) for answer, kept in session.exec(query).all()]
