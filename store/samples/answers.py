"""Submitted answers: many in one transaction, each decided once."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, exists, func, insert
from sqlalchemy import select as select_columns
from sqlmodel import col, or_, select, update

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError, IntegrityError, NotFoundError
from spanproof.store.database.columns import to_utc
from spanproof.store.database.copying import to_columns, to_value
from spanproof.store.erasing.refusal import ANSWER, WORDS_KEY
from spanproof.store.samples.draws import is_chosen
from spanproof.store.samples.epochs import ANSWERS_LOCK, is_closing
from spanproof.store.samples.records import LATE, NewAnswer, SubmittedAnswer
from spanproof.store.samples.tables import (
    AnswerDrawRow,
    SampledVerificationRow,
    SubmittedAnswerRow,
    SubmittedPayloadRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from spanproof.store.database.session import Database
    from spanproof.store.sealing.content_keys import ContentKeys

#: How many rows are read at once: an epoch may hold millions.
_CHUNK = 1000
_DIGITS = 14
_ANSWERS = SubmittedAnswerRow.__table__  # type: ignore[attr-defined]
_PAYLOADS = SubmittedPayloadRow.__table__  # type: ignore[attr-defined]
_DRAWS = AnswerDrawRow.__table__  # type: ignore[attr-defined]
#: Whether the epoch is being closed, and the last number: made once, as the others are, for what
#: makes a statement costs as much as what runs it.
_BEFORE = select_columns(
    exists(is_closing(bindparam("epoch"))),
    select_columns(func.max(_ANSWERS.c.number)).scalar_subquery(),
)
_KNOWN = (
    select_columns(
        _ANSWERS, _DRAWS.c.randomness.label("late_bits"), _DRAWS.c.is_sampled.label("late_choice")
    )
    .outerjoin(_DRAWS, _DRAWS.c.answer_id == _ANSWERS.c.answer_id)
    .where(_ANSWERS.c.answer_id.in_(bindparam("names", expanding=True)))
)
_ADD, _ADD_PAYLOADS = insert(_ANSWERS), insert(_PAYLOADS)


#: Each answer with its later draw, where it has one.
_SELECT_DRAWN = select(SubmittedAnswerRow, AnswerDrawRow).outerjoin(
    AnswerDrawRow, col(AnswerDrawRow.answer_id) == SubmittedAnswerRow.answer_id
)


class EpochClosedError(Exception):
    """The epoch takes no answer any more; the caller opens the next and tries again."""


class SubmittedAnswers:
    """The answers that came in."""

    def __init__(self, database: Database, keys: ContentKeys) -> None:
        self._database = database
        self._keys = keys

    def add_all(
        self,
        answers: Sequence[NewAnswer],
        *,
        epoch: str,
        received_at: datetime,
        seals: bool = False,
    ) -> list[SubmittedAnswer | ConflictError]:
        """Keep a batch in one transaction, durable on return; returns the results in order.

        An answer that is kept already gives the row that was first; with other bytes under its id
        it gives the error, and the others are kept. ``seals`` encrypts the bytes of each with a
        key of its own. Raises EpochClosedError, and keeps none, where the epoch is being closed.
        """
        moment = to_utc(received_at)
        held = [each.answer_id for each in answers if each.raw is not None]
        keys = self._keys.make_all(ANSWER, held) if seals else {}
        # Below the sessions, whose own work for a batch is more than the database's.
        with self._database.connection(ANSWERS_LOCK) as connection:
            closing, last = connection.execute(_BEFORE, {"epoch": epoch}).one()
            if closing:
                raise EpochClosedError(epoch)
            known = _find_known(connection, [each.answer_id for each in answers])
            last = last or 0
            rows: list[dict[str, Any]] = []
            payloads: list[dict[str, Any]] = []
            found: list[SubmittedAnswer | ConflictError] = []
            for answer in answers:
                before = known.get(answer.answer_id)
                if before is None:
                    last += 1
                    before = known[answer.answer_id] = _number(answer, last, epoch, moment)
                    rows.append(_to_row(before))
                    if (raw := answer.raw) is not None:
                        name = answer.answer_id
                        if seals:
                            raw = self._keys.seal(ANSWER, name, keys[name], raw)
                        payloads.append({"answer_id": name, "raw": raw})
                    found.append(before)
                else:
                    found.append(_check_same(before, answer))
            if rows:
                connection.execute(_ADD, rows)
            if payloads:
                connection.execute(_ADD_PAYLOADS, payloads)
        return found

    def load(self, answer_id: str) -> SubmittedAnswer:
        """An answer, its bytes too where they are kept; NotFoundError where it never came in."""
        with self._database.reading() as session:
            row = session.get(SubmittedAnswerRow, answer_id)
            payload = session.get(SubmittedPayloadRow, answer_id)
            draw = session.get(AnswerDrawRow, answer_id)
        if row is None:
            msg = f"Expected an answer that was submitted here, got {answer_id!r}."
            raise NotFoundError(msg, hint="Give an answer_id that POST /v1/answers returned.")
        # Emptied where its verification was erased; no answer is empty by itself.
        raw = None
        if payload is not None and payload.raw:
            raw = self._keys.open(ANSWER, answer_id, payload.raw)
        if raw is not None and str(Digest.of(raw)) != row.payload_sha256:
            msg = f"Expected a payload of {row.payload_sha256}, got {Digest.of(raw)}."
            raise IntegrityError(msg, hint="Restore the store from a backup.")
        return _to_answer(row, draw, raw)

    def empty_used(self, since: datetime) -> int:
        """Empty the bytes of answers that came in since, and that nothing waits for any more.

        Those that have an outcome, and those that were not drawn; how many they were. The trigger
        lets it happen only in a store that keeps no words.
        """
        answer, payload = SubmittedAnswerRow, SubmittedPayloadRow
        judged = exists().where(col(SampledVerificationRow.answer_id) == payload.answer_id)
        left = exists().where(
            col(AnswerDrawRow.answer_id) == payload.answer_id, ~col(AnswerDrawRow.is_sampled)
        )
        came = exists().where(
            col(answer.answer_id) == payload.answer_id,
            col(answer.received_at) >= to_utc(since),
        )
        held = func.length(col(payload.raw)) > 0
        with self._database.erasing(WORDS_KEY) as session:
            done = session.exec(
                update(payload).where(held, came, or_(judged, left)).values(raw=b"")
            )
            return int(done.rowcount)

    def page_waiting(
        self, *, first: int = 1, last: int | None = None, limit: int = 1000
    ) -> list[SubmittedAnswer]:
        """Chosen answers without an outcome, in the order in which they came, without bytes."""
        query = _narrow_waiting(_SELECT_DRAWN, first, last)
        number = col(SubmittedAnswerRow.number)
        with self._database.reading() as session:
            rows = session.exec(query.order_by(number).limit(limit)).all()
            return [_to_answer(row, draw) for row, draw in rows]

    def count_waiting(self, *, first: int = 1, last: int | None = None) -> int:
        """How many chosen answers have no outcome."""
        query = _narrow_waiting(select(func.count(col(SubmittedAnswerRow.number))), first, last)
        with self._database.reading() as session:
            return int(session.exec(query).one())

    def find_waiting_range(self) -> tuple[int, int] | None:
        """The numbers of the first and the last chosen answer without an outcome, if any."""
        number = SubmittedAnswerRow.number
        query = _narrow_waiting(select(func.min(number), func.max(number)), 1, None)
        with self._database.reading() as session:
            first, last = session.exec(query).one()
        return None if first is None else (first, last)

    def iterate(self, epoch: str) -> Iterator[SubmittedAnswer]:
        """The answers of an epoch in the order in which they came, some at a time."""
        number = col(SubmittedAnswerRow.number)
        query = _SELECT_DRAWN.where(SubmittedAnswerRow.epoch == epoch)
        last = 0
        while True:
            with self._database.reading() as session:
                page = session.exec(query.where(number > last).order_by(number).limit(_CHUNK)).all()
            yield from (_to_answer(row, draw) for row, draw in page)
            if len(page) < _CHUNK:
                return
            last = page[-1][0].number


def _narrow_waiting(query: Any, first: int, last: int | None) -> Any:  # noqa: ANN401 - a query
    outcome = SampledVerificationRow
    query = query.outerjoin(outcome, col(outcome.answer_id) == SubmittedAnswerRow.answer_id).where(
        is_chosen(),
        col(outcome.answer_id).is_(None),
        col(SubmittedAnswerRow.number) >= first,
    )
    return query if last is None else query.where(col(SubmittedAnswerRow.number) <= last)


def digest_rows(answers: Iterator[SubmittedAnswer]) -> tuple[int, int, Digest]:
    """How many there are, how many of them were chosen, and SHA-256 over a line of JCS each."""
    count = chosen = 0
    hashed = hashlib.sha256()
    for each in answers:
        count += 1
        chosen += each.is_sampled
        hashed.update(canonical_json.dumps(to_line(each)) + b"\n")
    return count, chosen, Digest(hashed.hexdigest())


def to_line(answer: SubmittedAnswer) -> dict[str, Any]:
    """What an auditor needs of an answer to decide again; ids as their SHA-256."""
    return {
        **_to_submission(answer),
        "source": answer.source,
        "randomness": f"{answer.randomness:0{_DIGITS}x}",
        "is_sampled": answer.is_sampled,
    }


def write_submission(answer: SubmittedAnswer) -> bytes:
    """The line of an answer before it is drawn, as the log's leaf digests it."""
    return canonical_json.dumps(_to_submission(answer)) + b"\n"


def _to_submission(answer: SubmittedAnswer) -> dict[str, Any]:
    return {
        # A caller's id may hold what JCS cannot: a lone surrogate.
        "answer_id_sha256": _hash_name(answer.answer_id),
        "number": answer.number,
        "payload_sha256": str(answer.payload_digest),
        "stratum": answer.stratum,
        "trace_id": answer.trace_id,
        "trace_state": answer.trace_state,
        "threshold": f"{answer.threshold:0{_DIGITS}x}",
    }


def _hash_name(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def _find_known(connection: Connection, names: Sequence[str]) -> dict[str, SubmittedAnswer]:
    rows = connection.execute(_KNOWN, {"names": names}).all()
    return {row.answer_id: _to_answer(row, _read_late(row)) for row in rows}


def _read_late(row: Row[Any]) -> _Late | None:
    return None if row.late_bits is None else _Late(row.late_bits, row.late_choice)


def _check_same(known: SubmittedAnswer, answer: NewAnswer) -> SubmittedAnswer | ConflictError:
    if (known.payload_digest, known.format) == (answer.payload_digest, answer.format):
        return known
    msg = (
        f"Expected the answer {answer.answer_id!r} as it first came in ({known.payload_digest}), "
        f"got other bytes under its id ({answer.payload_digest})."
    )
    return ConflictError(msg, hint="Give another answer its own answer_id.")


def _number(answer: NewAnswer, number: int, epoch: str, moment: datetime) -> SubmittedAnswer:
    return to_value(SubmittedAnswer, answer, number=number, epoch=epoch, received_at=moment)


def _to_row(answer: SubmittedAnswer) -> dict[str, Any]:
    return to_columns(
        SubmittedAnswerRow,
        answer,
        payload_sha256=str(answer.payload_digest),
        randomness=f"{answer.randomness:0{_DIGITS}x}",
        threshold=f"{answer.threshold:0{_DIGITS}x}",
    )


class _Late(NamedTuple):
    """The bits and the decision of a draw, as their row has them."""

    randomness: str
    is_sampled: bool


def _to_answer(
    row: SubmittedAnswerRow | Row[Any], draw: AnswerDrawRow | _Late | None, raw: bytes | None = None
) -> SubmittedAnswer:
    decided = row if draw is None else draw
    return to_value(
        SubmittedAnswer,
        row,
        payload_digest=Digest.parse(row.payload_sha256),
        randomness=int(decided.randomness, 16),
        threshold=int(row.threshold, 16),
        is_sampled=bool(decided.is_sampled),
        is_drawn=draw is not None or row.source != LATE,
        raw=raw,
    )
