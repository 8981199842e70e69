"""Draws of answers that a witness's signature draws: later than they came in, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func
from sqlmodel import col, or_, select

from spanproof.store.database.columns import to_utc
from spanproof.store.database.copying import to_row
from spanproof.store.samples.records import LATE
from spanproof.store.samples.tables import AnswerDrawRow, SubmittedAnswerRow

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement

    from spanproof.store.database.session import Database
    from spanproof.store.samples.records import AnswerDraw


class WaitingAnswer(NamedTuple):
    """An answer that is not drawn yet."""

    number: int
    answer_id: str
    stratum: str
    threshold: int


class Draws:
    """The draws of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_all(self, draws: Sequence[AnswerDraw], *, at: datetime) -> list[AnswerDraw]:
        """Keep these in one transaction; returns those that were not kept before."""
        names = [each.answer_id for each in draws]
        with self._database.writing("spanproof answer draws") as session:
            query = select(AnswerDrawRow.answer_id).where(col(AnswerDrawRow.answer_id).in_(names))
            known = set(session.exec(query).all())
            new = [each for each in draws if each.answer_id not in known]
            session.add_all(
                to_row(
                    AnswerDrawRow, each, randomness=f"{each.randomness:014x}", drawn_at=to_utc(at)
                )
                for each in new
            )
        return new

    def list_waiting(self, epoch: str, *, limit: int) -> list[WaitingAnswer]:
        """The first answers of an epoch that are not drawn yet, in order."""
        answer, draw = SubmittedAnswerRow, AnswerDrawRow
        query = (
            select(answer.number, answer.answer_id, answer.stratum, answer.threshold)
            .outerjoin(draw, col(draw.answer_id) == answer.answer_id)
            .where(answer.epoch == epoch, answer.source == LATE, col(draw.answer_id).is_(None))
            .order_by(col(answer.number))
            .limit(limit)
        )
        with self._database.reading() as session:
            return [
                WaitingAnswer(number, name, stratum, int(threshold, 16))
                for number, name, stratum, threshold in session.exec(query).all()
            ]

    def find_oldest_waiting(self, epoch: str) -> datetime | None:
        """When the oldest answer of an epoch that is not drawn yet came in; None: all are drawn.

        Answers are drawn in the order of their numbers, so those behind the last draw wait.
        """
        answer = SubmittedAnswerRow
        last = select(func.coalesce(func.max(AnswerDrawRow.number), 0)).scalar_subquery()
        query = select(answer.received_at).where(
            answer.epoch == epoch, col(answer.number) > last, answer.source == LATE
        )
        with self._database.reading() as session:
            return session.exec(query.order_by(col(answer.number)).limit(1)).first()


def is_chosen() -> ColumnElement[bool]:
    """The condition that a submitted answer is drawn, at its intake or later."""
    later = select(AnswerDrawRow.number).where(col(AnswerDrawRow.is_sampled).is_(True))
    return or_(
        col(SubmittedAnswerRow.is_sampled).is_(True), col(SubmittedAnswerRow.number).in_(later)
    )
