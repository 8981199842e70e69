"""The alarms over outcomes in the order of the answers: versions, states and raised alarms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import func
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from spanproof.store.database.columns import to_utc
from spanproof.store.database.copying import to_row, to_value
from spanproof.store.samples.draws import is_chosen
from spanproof.store.samples.outcomes import to_outcome
from spanproof.store.samples.records import AlarmState, AlarmVersion, RaisedAlarm
from spanproof.store.samples.tables import (
    AlarmRow,
    AlarmStateRow,
    AlarmVersionRow,
    SampledVerificationRow,
    SubmittedAnswerRow,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from sqlmodel import Session

    from spanproof.store.database.session import Database
    from spanproof.store.samples.records import AlarmKind, Outcome

    #: The version, its state (None before its first answer), the outcome with its share → the
    #: state after it, and the alarms it raised.
    Step = Callable[
        [AlarmVersion, AlarmState | None, Outcome], tuple[AlarmState, Sequence[RaisedAlarm]]
    ]
    #: An answer's epoch and stratum → what it is held to: budget, alpha, gap.
    Contract = Callable[[str, str], tuple[float, float, float]]

_LOCK = "spanproof sampling alarms"
_CHUNK = 200
_LOGS = ("budget_logs", "change_logs")
#: Pairs of a model and an index version that a stratum keeps alarms of, by name, for a contract.
MAX_VERSIONS = 200
#: What those beyond them are called, together.
OTHER = "other"


class Alarms:
    """Alarms of one store's sample."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def advance(self, contract: Contract, step: Step, *, at: datetime) -> list[RaisedAlarm]:
        """Take every outcome that is next in order into its alarms; the alarms that were raised.

        The order is that in which the answers came: the first chosen one without an outcome stops
        it, so that none is passed over because it takes long.
        """
        raised: list[RaisedAlarm] = []
        after = 0
        while True:
            with self._database.writing(_LOCK) as session:
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
                    session.add_all(to_row(AlarmRow, each, raised_at=at) for each in alarms)
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

    def list_raised(self, limit: int = 200) -> list[RaisedAlarm]:
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
        .where(is_chosen(), number > after)
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
    logs = {name: tuple(json.loads(getattr(row, name))) for name in _LOGS}
    return to_value(AlarmState, row, **logs)


def _to_version(row: AlarmVersionRow) -> AlarmVersion:
    return to_value(AlarmVersion, row)


def _to_state_row(version: AlarmVersion, state: AlarmState, at: datetime) -> AlarmStateRow:
    # Python writes a float so that it is read back the same.
    logs = {name: json.dumps(getattr(state, name)) for name in _LOGS}
    held = {"stratum": version.stratum, "version": version.version}
    return to_row(AlarmStateRow, state, at=at, **held, **logs)


def _to_alarm(row: AlarmRow) -> RaisedAlarm:
    kind: AlarmKind = "budget" if row.kind == "budget" else "change"
    return to_value(RaisedAlarm, row, kind=kind)
