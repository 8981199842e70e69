"""What became of chosen answers: outcomes, incidents, and the alarms over them in order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import func
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from core.errors import ConflictError
from store.columns import to_utc
from store.samples.records import (
    ERASED,
    AlarmState,
    AlarmVersion,
    Incident,
    Outcome,
    RaisedAlarm,
)
from store.samples.tables import (
    AlarmRow,
    AlarmStateRow,
    AlarmVersionRow,
    IncidentRow,
    ReviewItemRow,
    SampledVerificationRow,
    SubmittedAnswerRow,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from sqlmodel import Session

    from store.samples.records import AlarmKind, IncidentKind, ReviewItem
    from store.session import Database

    #: The version, its state (None before its first answer), the outcome with its share → the
    #: state after it, and the alarms it raised.
    Step = Callable[
        [AlarmVersion, AlarmState | None, Outcome], tuple[AlarmState, Sequence[RaisedAlarm]]
    ]
    #: An answer's epoch and stratum → what it is held to: budget, alpha, gap.
    Contract = Callable[[str, str], tuple[float, float, float]]

_ALARM_LOCK = "spanproof sampling alarms"
_CHUNK = 200
#: Pairs of a model and an index version that a stratum keeps alarms of, by name, for a contract.
MAX_VERSIONS = 200
#: What those beyond them are called, together.
OTHER = "other"


class Outcomes:
    """Outcomes of one store's sample, and its alarms."""

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
            session.add(
                SampledVerificationRow(
                    answer_id=outcome.answer_id,
                    number=outcome.number,
                    verification_id=outcome.verification_id,
                    answer_kind=outcome.answer_kind,
                    result=outcome.result,
                    is_flagged=outcome.is_flagged,
                    cited=outcome.cited,
                    failed=outcome.failed,
                    share=outcome.share,
                    problem_code=outcome.problem_code,
                    verified_at=to_utc(outcome.verified_at),
                )
            )
            session.flush()
            session.add_all(
                IncidentRow(
                    answer_id=each.answer_id,
                    position=each.position,
                    kind=each.kind,
                    status=each.status,
                    raised_at=to_utc(each.raised_at),
                )
                for each in incidents
            )
            if review is not None:
                session.add(
                    ReviewItemRow(
                        answer_id=review.answer_id,
                        is_flagged=review.is_flagged,
                        randomness=f"{review.randomness:014x}",
                        threshold=f"{review.threshold:014x}",
                        queued_at=to_utc(review.queued_at),
                    )
                )
        return True

    def find(self, answer_id: str) -> Outcome | None:
        """The outcome of a chosen answer; None where there is none yet."""
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
        """When the newest answer with an outcome was verified; None where none was.

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

    def advance(self, contract: Contract, step: Step, *, at: datetime) -> list[RaisedAlarm]:
        """Take every outcome that is next in order into its alarms; the alarms that were raised.

        The order is that in which the answers came: the first chosen one without an outcome stops
        it, so that none is passed over because it takes long.
        """
        raised: list[RaisedAlarm] = []
        after = 0
        while True:
            with self._database.writing(_ALARM_LOCK) as session:
                newest = session.exec(select(func.max(AlarmStateRow.number))).one() or 0
                after = max(after, newest)
                rows = _list_next(session, after)
                for answer, found in rows:
                    if found is None:
                        return raised
                    after = answer.number
                    if found.share is None:
                        continue
                    held = contract(answer.epoch, answer.stratum)
                    version = _find_version(session, answer, held, at)
                    before = _find_state(session, version)
                    state, alarms = step(version, before, to_outcome(found))
                    session.add(_to_state_row(version, state, at))
                    session.flush()
                    session.add_all(_to_alarm_row(each, at) for each in alarms)
                    raised.extend(alarms)
                if len(rows) < _CHUNK:
                    return raised

    def list_states(self) -> list[tuple[AlarmVersion, AlarmState]]:
        """The newest state of each version, by stratum and version."""
        version, state, other = AlarmVersionRow, AlarmStateRow, aliased(AlarmStateRow)
        newest = (
            select(func.max(other.samples))
            .where(other.stratum == version.stratum, other.version == version.version)
            .correlate(version)
            .scalar_subquery()
        )
        query = (
            select(version, state)
            .join(
                state,
                (col(state.stratum) == version.stratum)
                & (col(state.version) == version.version)
                & (col(state.samples) == newest),
            )
            .order_by(col(version.stratum), col(version.version))
        )
        with self._database.reading() as session:
            return [(_to_version(one), _to_state(two)) for one, two in session.exec(query).all()]

    def list_alarms(self, limit: int = 200) -> list[RaisedAlarm]:
        """The alarms that were raised, newest first."""
        query = select(AlarmRow).order_by(
            col(AlarmRow.raised_at).desc(), col(AlarmRow.number).desc(), col(AlarmRow.kind)
        )
        with self._database.reading() as session:
            return [_to_alarm(row) for row in session.exec(query.limit(limit)).all()]


def _list_next(
    session: Session, after: int
) -> Sequence[tuple[SubmittedAnswerRow, SampledVerificationRow | None]]:
    number = col(SubmittedAnswerRow.number)
    query = (
        select(SubmittedAnswerRow, SampledVerificationRow)
        .outerjoin(
            SampledVerificationRow,
            col(SampledVerificationRow.answer_id) == SubmittedAnswerRow.answer_id,
        )
        .where(col(SubmittedAnswerRow.is_sampled).is_(True), number > after)
        .order_by(number)
        .limit(_CHUNK)
    )
    return session.exec(query).all()


def _find_version(
    session: Session,
    answer: SubmittedAnswerRow,
    contract: tuple[float, float, float],
    at: datetime,
) -> AlarmVersion:
    version = AlarmVersionRow
    budget, alpha, gap = contract
    held = (
        col(version.stratum) == answer.stratum,
        col(version.budget) == budget,
        col(version.alpha) == alpha,
        col(version.gap) == gap,
    )
    model, index_version = answer.model, answer.index_version
    found = _find_row(session, held, model, index_version)
    if found is not None:
        return _to_version(found)
    count = select(func.count(col(version.version))).where(*held)
    if session.exec(count).one() >= MAX_VERSIONS:
        # Callers choose the names: however many they are, the alarms stay bounded.
        model = index_version = OTHER
        found = _find_row(session, held, model, index_version)
        if found is not None:
            return _to_version(found)
    of_stratum = select(func.max(version.version)).where(col(version.stratum) == answer.stratum)
    row = AlarmVersionRow(
        stratum=answer.stratum,
        version=(session.exec(of_stratum).one() or 0) + 1,
        model=model,
        index_version=index_version,
        budget=budget,
        alpha=alpha,
        gap=gap,
        at=to_utc(at),
    )
    session.add(row)
    session.flush()
    return _to_version(row)


def _find_row(
    session: Session, held: Sequence[Any], model: str | None, index_version: str | None
) -> AlarmVersionRow | None:
    # ``= NULL`` is never true: SQLAlchemy writes a comparison with None as IS NULL.
    query = select(AlarmVersionRow).where(
        *held,
        col(AlarmVersionRow.model) == model,
        col(AlarmVersionRow.index_version) == index_version,
    )
    return session.exec(query.limit(1)).first()


def _find_state(session: Session, version: AlarmVersion) -> AlarmState | None:
    query = select(AlarmStateRow).where(
        AlarmStateRow.stratum == version.stratum, AlarmStateRow.version == version.version
    )
    row = session.exec(query.order_by(col(AlarmStateRow.samples).desc()).limit(1)).first()
    return None if row is None else _to_state(row)


def _to_state(row: AlarmStateRow) -> AlarmState:
    return AlarmState(
        samples=row.samples,
        number=row.number,
        total_share=row.total_share,
        budget_logs=tuple(json.loads(row.budget_logs)),
        change_logs=tuple(json.loads(row.change_logs)),
        log_e_value=row.log_e_value,
        log_statistic=row.log_statistic,
        is_budget_raised=row.is_budget_raised,
    )


def _to_version(row: AlarmVersionRow) -> AlarmVersion:
    return AlarmVersion(
        stratum=row.stratum,
        version=row.version,
        model=row.model,
        index_version=row.index_version,
        budget=row.budget,
        alpha=row.alpha,
        gap=row.gap,
    )


def _to_state_row(version: AlarmVersion, state: AlarmState, at: datetime) -> AlarmStateRow:
    return AlarmStateRow(
        stratum=version.stratum,
        version=version.version,
        samples=state.samples,
        number=state.number,
        total_share=state.total_share,
        # Python writes a float so that it is read back the same.
        budget_logs=json.dumps(state.budget_logs),
        change_logs=json.dumps(state.change_logs),
        log_e_value=state.log_e_value,
        log_statistic=state.log_statistic,
        is_budget_raised=state.is_budget_raised,
        at=to_utc(at),
    )


def _to_alarm_row(alarm: RaisedAlarm, at: datetime) -> AlarmRow:
    return AlarmRow(
        stratum=alarm.stratum,
        version=alarm.version,
        kind=alarm.kind,
        samples=alarm.samples,
        number=alarm.number,
        log_value=alarm.log_value,
        log_limit=alarm.log_limit,
        raised_at=to_utc(at),
    )


def _to_alarm(row: AlarmRow) -> RaisedAlarm:
    kind: AlarmKind = "budget" if row.kind == "budget" else "change"
    return RaisedAlarm(
        stratum=row.stratum,
        version=row.version,
        kind=kind,
        samples=row.samples,
        number=row.number,
        log_value=row.log_value,
        log_limit=row.log_limit,
        raised_at=row.raised_at,
    )


def _to_incident(row: IncidentRow) -> Incident:
    kind: IncidentKind = "hash_mismatch" if row.kind == "hash_mismatch" else "span_mismatch"
    return Incident(
        answer_id=row.answer_id,
        position=row.position,
        kind=kind,
        status=row.status,
        raised_at=row.raised_at,
    )


def to_outcome(row: SampledVerificationRow) -> Outcome:
    """The outcome of a row."""
    return Outcome(
        answer_id=row.answer_id,
        number=row.number,
        verification_id=row.verification_id,
        answer_kind=row.answer_kind,
        result=row.result,
        is_flagged=row.is_flagged,
        cited=row.cited,
        failed=row.failed,
        share=row.share,
        problem_code=row.problem_code,
        verified_at=row.verified_at,
    )
