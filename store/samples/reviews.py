"""Answers that were drawn for people, and what people said of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func
from sqlmodel import col, select

from spanproof.core.errors import InputError, NotFoundError
from spanproof.store.database.columns import to_utc
from spanproof.store.database.copying import to_value
from spanproof.store.names import check_name
from spanproof.store.samples.outcomes import to_outcome
from spanproof.store.samples.records import QueuedReview, ReviewItem, ReviewLabel
from spanproof.store.samples.tables import ReviewItemRow, ReviewLabelRow, SampledVerificationRow

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlmodel import Session

    from spanproof.store.database.session import Database
    from spanproof.store.samples.records import Label

LABELS: tuple[Label, ...] = ("correct", "wrong", "unclear")
#: A note tells why, not the whole answer again.
MAX_NOTE_CHARACTERS = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueCounts:
    """Items in all, with a label, and those that people disagree on."""

    items: int
    labelled: int


class Reviews:
    """The queue of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(
        self, *, only_open: bool = True, after: str | None = None, limit: int = 50
    ) -> list[QueuedReview]:
        """Items in the order of their draw, so that the first of them are a sample too.

        ``after`` is the id of the last item shown; NotFoundError for an id outside the queue.
        """
        randomness, key = col(ReviewItemRow.randomness), col(ReviewItemRow.answer_id)
        query = select(ReviewItemRow, SampledVerificationRow).join(
            SampledVerificationRow, col(SampledVerificationRow.answer_id) == key
        )
        with self._database.reading() as session:
            if after is not None:
                last = session.get(ReviewItemRow, after)
                if last is None:
                    raise _unknown(after)
                query = query.where(
                    (randomness < last.randomness)
                    | ((randomness == last.randomness) & (key > last.answer_id))
                )
            if only_open:
                labelled = select(ReviewLabelRow.answer_id)
                query = query.where(key.not_in(labelled))
            rows = session.exec(query.order_by(randomness.desc(), key).limit(limit)).all()
            labels = _list_labels(session, [item.answer_id for item, _ in rows])
        return [_to_review(item, found, labels.get(item.answer_id, ())) for item, found in rows]

    def load(self, answer_id: str) -> QueuedReview:
        """An item; NotFoundError where no item of that id was drawn."""
        with self._database.reading() as session:
            item = session.get(ReviewItemRow, answer_id)
            found = session.get(SampledVerificationRow, answer_id)
            if item is None or found is None:
                raise _unknown(answer_id)
            labels = _list_labels(session, [answer_id])
        return _to_review(item, found, labels.get(answer_id, ()))

    def count(self) -> QueueCounts:
        """How long the queue is, and how many of it have a label."""
        with self._database.reading() as session:
            items = session.exec(select(func.count()).select_from(ReviewItemRow)).one()
            labelled = session.exec(
                select(func.count(func.distinct(ReviewLabelRow.answer_id)))
            ).one()
        return QueueCounts(items=items, labelled=labelled)

    def add_label(
        self,
        answer_id: str,
        label: Label,
        *,
        reviewer: str,
        note: str | None,
        labelled_at: datetime,
    ) -> QueuedReview:
        """Keep a person's label; earlier labels stay.

        The same again by the same person changes nothing.
        """
        check_name("reviewer", reviewer)
        if note is not None and len(note) > MAX_NOTE_CHARACTERS:
            msg = f"Expected a note of at most {MAX_NOTE_CHARACTERS} characters, got {len(note)}."
            raise InputError(msg, hint="Say why in a few sentences.")
        with self._database.writing(f"review {answer_id}") as session:
            if session.get(ReviewItemRow, answer_id) is None:
                raise _unknown(answer_id)
            labels = _list_labels(session, [answer_id]).get(answer_id, ())
            own = [each for each in labels if each.reviewer == reviewer]
            if not own or (own[-1].label, own[-1].note) != (label, note):
                session.add(
                    ReviewLabelRow(
                        answer_id=answer_id,
                        position=len(labels) + 1,
                        label=label,
                        reviewer=reviewer,
                        note=note,
                        labelled_at=to_utc(labelled_at),
                    )
                )
        return self.load(answer_id)


def _unknown(answer_id: str) -> NotFoundError:
    msg = f"Expected an answer of the review queue, got {answer_id!r}."
    return NotFoundError(msg, hint="Take an id of GET /v1/reviews.")


def _list_labels(session: Session, names: Sequence[str]) -> dict[str, tuple[ReviewLabel, ...]]:
    query = select(ReviewLabelRow).where(col(ReviewLabelRow.answer_id).in_(names))
    found: dict[str, tuple[ReviewLabel, ...]] = {}
    for row in session.exec(query.order_by(col(ReviewLabelRow.position))).all():
        label = to_value(ReviewLabel, row, label=to_label(row.label))
        found[row.answer_id] = (*found.get(row.answer_id, ()), label)
    return found


def to_label(text: str) -> Label:
    """The label; any other text in a row is ``unclear``, never a verdict."""
    for label in LABELS:
        if label == text:
            return label
    return "unclear"


def _to_review(
    item: ReviewItemRow, found: SampledVerificationRow, labels: tuple[ReviewLabel, ...]
) -> QueuedReview:
    return QueuedReview(
        item=to_value(
            ReviewItem,
            item,
            randomness=int(item.randomness, 16),
            threshold=int(item.threshold, 16),
        ),
        outcome=to_outcome(found),
        labels=labels,
    )
