"""Epochs of sampling: the key of each, and how far it is."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import select as select_columns
from sqlmodel import col, select

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError, NotFoundError
from spanproof.store.database.columns import to_utc
from spanproof.store.database.copying import to_row, to_value
from spanproof.store.migration import locked_file
from spanproof.store.samples.records import Epoch, EpochStep
from spanproof.store.samples.tables import SamplingEpochRow, SamplingEpochStepRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import BindParameter, Select
    from sqlmodel import Session

    from spanproof.store.database.session import Database
    from spanproof.store.samples.records import StepName

#: Who writes answers names it, and so does who begins to close their epoch.
ANSWERS_LOCK = "spanproof submitted answers"
_LOCK_ID = "spanproof sampling epoch"


class Epochs:
    """The epochs of one store."""

    def __init__(self, database: Database, home: Path) -> None:
        self._database = database
        self._turns = home / "sampling.lock"

    @contextmanager
    def database_lock(self) -> Iterator[None]:
        """One process at a time opens or closes an epoch, the leaf in the log included."""
        with locked_file(self._turns):
            if not self._database.is_postgresql:
                # Users of one SQLite file share the home; a transaction would stop the log.
                yield
                return
            with self._database.connection(_LOCK_ID):
                yield

    def add(self, epoch: Epoch) -> Epoch:
        """Keep a new epoch behind the last one; ConflictError where another came first."""
        digests = {"commitment": str(epoch.commitment), "plan_sha256": str(epoch.plan_digest)}
        row = to_row(SamplingEpochRow, epoch, **digests)
        with self._database.writing(_LOCK_ID + " row") as session:
            last = _find_last(session)
            if epoch.position != (1 if last is None else last.position + 1):
                msg = f"Expected an epoch behind the last one, got position {epoch.position}."
                raise ConflictError(msg, hint="Read the last epoch again.")
            session.add(row)
        return epoch

    def add_step(
        self, epoch: str, step: StepName, *, at: datetime, leaf: tuple[str, int] | None = None
    ) -> None:
        """Record a step; the same again changes nothing."""
        origin, index = leaf or (None, None)
        # No answer may come between the look at the epoch and this row.
        with self._database.writing(ANSWERS_LOCK) as session:
            if session.get(SamplingEpochStepRow, (epoch, step)) is None:
                session.add(
                    SamplingEpochStepRow(
                        epoch=epoch, step=step, log_origin=origin, log_index=index, at=to_utc(at)
                    )
                )

    def find_last(self) -> Epoch | None:
        """The newest epoch in any state, or None."""
        with self._database.reading() as session:
            row = _find_last(session)
            return None if row is None else _to_epoch(row, _list_steps(session, row.epoch))

    def load(self, epoch: str) -> Epoch:
        """An epoch; raise NotFoundError if it is missing."""
        with self._database.reading() as session:
            row = session.get(SamplingEpochRow, epoch)
            if row is None:
                msg = f"Expected an epoch of this home, got {epoch!r}."
                raise NotFoundError(msg, hint="List them: 'spanproof sample epochs'.")
            return _to_epoch(row, _list_steps(session, epoch))

    def list(self) -> list[Epoch]:
        """All epochs, the oldest first."""
        query = select(SamplingEpochRow).order_by(col(SamplingEpochRow.position))
        with self._database.reading() as session:
            rows = session.exec(query).all()
            steps: dict[str, list[SamplingEpochStepRow]] = {}
            for each in session.exec(select(SamplingEpochStepRow)).all():
                steps.setdefault(each.epoch, []).append(each)
        return [_to_epoch(row, steps.get(row.epoch, [])) for row in rows]


def is_closing(epoch: BindParameter[str]) -> Select[Any]:
    """Finds a row where no answer may join the epoch; for a transaction of ANSWERS_LOCK."""
    steps = SamplingEpochStepRow.__table__  # type: ignore[attr-defined]
    return select_columns(steps.c.epoch).where(steps.c.epoch == epoch, steps.c.step == "closing")


def _find_last(session: Session) -> SamplingEpochRow | None:
    query = select(SamplingEpochRow).order_by(col(SamplingEpochRow.position).desc())
    return session.exec(query.limit(1)).first()


def _list_steps(session: Session, epoch: str) -> Sequence[SamplingEpochStepRow]:
    return session.exec(
        select(SamplingEpochStepRow).where(SamplingEpochStepRow.epoch == epoch)
    ).all()


def _to_epoch(row: SamplingEpochRow, rows: Sequence[SamplingEpochStepRow]) -> Epoch:
    steps = {
        each.step: EpochStep(origin=each.log_origin, index=each.log_index, at=each.at)
        for each in rows
    }
    return to_value(
        Epoch,
        row,
        commitment=Digest.parse(row.commitment),
        plan_digest=Digest.parse(row.plan_sha256),
        **steps,
    )
