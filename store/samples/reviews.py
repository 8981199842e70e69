"""Answers that were drawn for people, and what people said of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func
from sqlmodel import col, select

from spanproof.core.errors import InputError, NotFoundError
from spanproof.store.database.columns import to_utc
from spanproof.store.database.copying import to_row, to_value
from spanproof.store.erasing.tables import ErasureRow
from spanproof.store.names import check_name
from spanproof.store.samples.outcomes import to_outcome
from spanproof.store.samples.records import ClaimLabel, QueuedReview, ReviewItem, ReviewLabel
from spanproof.store.samples.tables import (
    ReviewAssignmentRow,
    ReviewItemRow,
    ReviewLabelRow,
    ReviewSheetRow,
    SampledVerificationRow,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlmodel import Session

    from spanproof.store.database.session import Database
    from spanproof.store.samples.records import Label

LABELS: tuple[Label, ...] = ("correct", "wrong", "unclear")
#: A note tells why, not the whole answer again.
MAX_NOTE_CHARACTERS = 4000
_ASSIGNING = "review assignments"
_CHUNK = 500


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
        self,
        *,
        only_open: bool = True,
        by: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> list[QueuedReview]:
        """Items in the order of their draw, so that the first of them are a sample too.

        ``only_open`` leaves out what has a label, one of the reviewer ``by`` where one is given.
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
                if by is not None:
                    labelled = labelled.where(ReviewLabelRow.reviewer == by)
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

    def add_label(  # noqa: PLR0913 - a label, whose it is, and of what
        self,
        answer_id: str,
        label: Label,
        *,
        reviewer: str,
        note: str | None,
        labelled_at: datetime,
        claims: Sequence[ClaimLabel] = (),
        is_final: bool = False,
    ) -> QueuedReview:
        """Keep a person's label, with those of the claims where there are; earlier labels stay.

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
            said = ReviewLabel(
                answer_id=answer_id,
                position=len(labels) + 1,
                label=label,
                reviewer=reviewer,
                note=note,
                labelled_at=to_utc(labelled_at),
                claims=tuple(claims),
                is_final=is_final,
            )
            own = [each for each in labels if each.reviewer == reviewer]
            if not own or _say(own[-1]) != _say(said):
                session.add(to_row(ReviewLabelRow, said))
                if said.claims or is_final:
                    session.flush()
                    written = json.dumps([[c.start, c.end, c.label] for c in said.claims])
                    session.add(to_row(ReviewSheetRow, said, claims_json=written))
        return self.load(answer_id)

    def assign(self, reviewer: str, *, places: int, since: datetime, at: datetime) -> str | None:
        """Give the reviewer the next answer of the draw, or the one taken before; None: none left.

        An answer has so many ``places``: a label takes one, and so does an assignment of a person
        from ``since`` on.
        """
        check_name("reviewer", reviewer)
        item, label, taken = ReviewItemRow, ReviewLabelRow, ReviewAssignmentRow
        own = select(label.answer_id).where(label.reviewer == reviewer)
        fresh = col(taken.assigned_at) >= to_utc(since)
        # ``union`` counts a person once who took the answer and labelled it.
        busy = (
            select(label.answer_id, label.reviewer)
            .union(select(taken.answer_id, taken.reviewer).where(fresh))
            .subquery()
        )
        full = (
            select(busy.c.answer_id)
            .where(busy.c.reviewer != reviewer)
            .group_by(busy.c.answer_id)
            .having(func.count() >= places)
        )
        order = (col(item.randomness).desc(), col(item.answer_id))
        mine = select(taken.answer_id).where(taken.reviewer == reviewer, fresh)
        gone = (
            select(SampledVerificationRow.answer_id)
            .join(ErasureRow, col(ErasureRow.subject) == SampledVerificationRow.verification_id)
            .where(ErasureRow.kind == "verification")
        )
        is_open = (col(item.answer_id).not_in(own), col(item.answer_id).not_in(gone))
        with self._database.writing(_ASSIGNING) as session:
            held = select(item.answer_id).where(*is_open, col(item.answer_id).in_(mine))
            found = session.exec(held.order_by(*order).limit(1)).first()
            if found is not None:
                return found
            free = select(item.answer_id).where(*is_open, col(item.answer_id).not_in(full))
            found = session.exec(free.order_by(*order).limit(1)).first()
            if found is not None:
                session.add(taken(answer_id=found, reviewer=reviewer, assigned_at=to_utc(at)))
        return found

    def find_assignment(self, answer_id: str, reviewer: str, since: datetime) -> bool:
        """Whether the reviewer took the answer from then on."""
        row = ReviewAssignmentRow
        query = select(row.answer_id).where(
            row.answer_id == answer_id,
            row.reviewer == reviewer,
            col(row.assigned_at) >= to_utc(since),
        )
        with self._database.reading() as session:
            return session.exec(query.limit(1)).first() is not None

    def list_split(self, places: int) -> tuple[QueuedReview, ...]:
        """Items whose ``places`` are full and whose reviewers differ, with no final label."""
        label = ReviewLabelRow
        query = (
            select(label.answer_id)
            .group_by(col(label.answer_id))
            .having(func.count(func.distinct(label.reviewer)) >= max(2, places))
        )
        final = select(ReviewSheetRow.answer_id).where(col(ReviewSheetRow.is_final))
        with self._database.reading() as session:
            names = session.exec(query.where(col(label.answer_id).not_in(final))).all()
        found = [self.load(name) for name in sorted(names)]
        return tuple(each for each in found if each.is_split)

    def list_sheets(self) -> dict[str, tuple[ReviewLabel, ...]]:
        """All labels with claims by answer, each answer's first first."""
        with self._database.reading() as session:
            names = session.exec(select(ReviewSheetRow.answer_id).distinct()).all()
            found: dict[str, tuple[ReviewLabel, ...]] = {}
            for start in range(0, len(names), _CHUNK):
                found |= _list_labels(session, names[start : start + _CHUNK])
        return found


def _unknown(answer_id: str) -> NotFoundError:
    msg = f"Expected an answer of the review queue, got {answer_id!r}."
    return NotFoundError(msg, hint="Take an id of GET /v1/reviews.")


def _list_labels(session: Session, names: Sequence[str]) -> dict[str, tuple[ReviewLabel, ...]]:
    row, sheet = ReviewLabelRow, ReviewSheetRow
    query = (
        select(row, sheet)
        .outerjoin(
            sheet,
            (col(sheet.answer_id) == row.answer_id) & (col(sheet.position) == row.position),
        )
        .where(col(row.answer_id).in_(names))
    )
    found: dict[str, tuple[ReviewLabel, ...]] = {}
    for said, of_claims in session.exec(query.order_by(col(row.position))).all():
        more: dict[str, Any] = {"label": to_label(said.label)}
        if of_claims is not None:
            more["is_final"] = bool(of_claims.is_final)
            more["claims"] = tuple(
                ClaimLabel(start=start, end=end, label=to_label(label))
                for start, end, label in json.loads(of_claims.claims_json)
            )
        label = to_value(ReviewLabel, said, **more)
        found[said.answer_id] = (*found.get(said.answer_id, ()), label)
    return found


def _say(label: ReviewLabel) -> tuple[object, ...]:
    return label.label, label.note, label.claims, label.is_final


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
