"""What became of chosen answers: their outcomes, and the incidents among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlmodel import col, select

from spanproof.core.errors import ConflictError
from spanproof.store.database.columns import to_utc
from spanproof.store.database.copying import to_row, to_value
from spanproof.store.samples.records import ERASED, Incident, Outcome
from spanproof.store.samples.tables import (
    IncidentRow,
    ReviewItemRow,
    SampledVerificationRow,
    SubmittedAnswerRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from spanproof.store.database.session import Database
    from spanproof.store.samples.records import IncidentKind, ReviewItem

_CHUNK = 200


class Outcomes:
    """Outcomes of one store's sample, and its incidents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, outcome: Outcome, incidents: Sequence[Incident], review: ReviewItem | None
    ) -> bool:
        """Keep an outcome whole, its incidents and its draw for people too; False: known already.

        Another outcome of the same answer raises ConflictError.
        """
        with self._database.writing(f"sampled {outcome.answer_id}") as session:
            known = session.get(SampledVerificationRow, outcome.answer_id)
            if known is not None:
                if known.verification_id != outcome.verification_id:
                    msg = f"Expected one outcome of {outcome.answer_id!r}, got another."
                    raise ConflictError(msg, hint="The first one holds.")
                return False
            session.add(to_row(SampledVerificationRow, outcome))
            session.flush()
            session.add_all(to_row(IncidentRow, each) for each in incidents)
            if review is not None:
                drawn = {
                    "randomness": f"{review.randomness:014x}",
                    "threshold": f"{review.threshold:014x}",
                }
                session.add(to_row(ReviewItemRow, review, **drawn))
        return True

    def find(self, answer_id: str) -> Outcome | None:
        """The outcome of a chosen answer, or None."""
        with self._database.reading() as session:
            row = session.get(SampledVerificationRow, answer_id)
            return None if row is None else to_outcome(row)

    def iterate(self, epoch: str) -> Iterator[tuple[Outcome, bool]]:
        """The outcomes of an epoch in the order of its answers, and whether each is in the queue.

        Some are read at a time.
        """
        number = col(SampledVerificationRow.number)
        query = (
            select(SampledVerificationRow, ReviewItemRow.answer_id)
            .join(
                SubmittedAnswerRow,
                col(SubmittedAnswerRow.answer_id) == SampledVerificationRow.answer_id,
            )
            .outerjoin(
                ReviewItemRow, col(ReviewItemRow.answer_id) == SampledVerificationRow.answer_id
            )
            .where(SubmittedAnswerRow.epoch == epoch)
        )
        last = 0
        while True:
            with self._database.reading() as session:
                page = session.exec(query.where(number > last).order_by(number).limit(_CHUNK)).all()
            yield from ((to_outcome(row), item is not None) for row, item in page)
            if len(page) < _CHUNK:
                return
            last = page[-1][0].number

    def find_last_moment(self) -> datetime | None:
        """When the newest answer with an outcome was verified, if any.

        One that was erased before was not.
        """
        is_judged = col(SampledVerificationRow.result) != ERASED
        query = select(SampledVerificationRow.verified_at).where(is_judged)
        newest = query.order_by(col(SampledVerificationRow.number).desc()).limit(1)
        with self._database.reading() as session:
            return session.exec(newest).first()

    def has_verified_since(self, moment: datetime) -> bool:
        """Whether an answer was verified at that moment or later; one that is refused was not."""
        row = SampledVerificationRow
        query = select(row.number).where(
            col(row.verification_id).is_not(None), col(row.verified_at) >= to_utc(moment)
        )
        with self._database.reading() as session:
            return session.exec(query.limit(1)).first() is not None

    def list_incidents(self, limit: int = 200) -> list[Incident]:
        """The incidents, newest first."""
        query = select(IncidentRow).order_by(
            col(IncidentRow.raised_at).desc(), col(IncidentRow.answer_id)
        )
        with self._database.reading() as session:
            return [_to_incident(row) for row in session.exec(query.limit(limit)).all()]


def _to_incident(row: IncidentRow) -> Incident:
    kind: IncidentKind = "hash_mismatch" if row.kind == "hash_mismatch" else "span_mismatch"
    return to_value(Incident, row, kind=kind)


def to_outcome(row: SampledVerificationRow) -> Outcome:
    """The outcome of a row."""
    return to_value(Outcome, row)
