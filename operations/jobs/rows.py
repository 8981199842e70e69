"""Our own rows beside DBOS's: whose a job is, how far it is, and which workers live.

Changed in place and forgotten in time, not append-only: they say how things are now, and nothing of
them is evidence (ADR 0023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    delete,
    func,
    inspect,
    literal_column,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from spanproof.core.errors import SettingsError
from spanproof.operations.jobs.records import Progress
from spanproof.store.database.columns import escape_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine, Row

#: The condition of DBOS's own index, in its words: with others SQLite would not use it.
_IN_FLIGHT = "workflow_status.status IN ('ENQUEUED', 'PENDING')"
#: Where a job that is asked for can wait; the second is DBOS's own, after a restart.
_QUEUES = ("jobs", "_dbos_internal_queue")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """Our row of one job; ``created_at`` in milliseconds since 1970, UTC."""

    workflow_id: str
    tenant: str
    kind: str
    created_at: int
    progress: Progress
    is_cancelled: bool
    input: str | None


class JobRows:
    """The tables, on one engine."""

    def __init__(self, engine: Engine, *, schema: str | None) -> None:
        self._engine = engine
        self._schema = schema
        self._metadata = MetaData(schema=schema)
        self._version = Table(
            "job_system",
            self._metadata,
            Column("version", Integer, primary_key=True, autoincrement=False),
            Column("dbos_version", Text, nullable=False),
        )
        self._job = Table(
            "job",
            self._metadata,
            Column("workflow_id", Text, primary_key=True),
            Column("tenant", Text, nullable=False),
            Column("kind", Text, nullable=False),
            Column("created_at", BigInteger, nullable=False),
            Column("done", BigInteger, nullable=False),
            Column("total", BigInteger, nullable=False),
            Column("is_cancelled", Integer, nullable=False),
            Column("input", Text, nullable=True),
            Index("job_by_time", "tenant", "created_at", "workflow_id"),
            Index("job_by_input", "input"),
        )
        self._worker = Table(
            "job_worker",
            self._metadata,
            Column("executor_id", Text, primary_key=True),
            Column("last_seen", Float, nullable=False),
        )
        # DBOS's own: never made here.
        self._workflow = Table(
            "workflow_status",
            MetaData(schema=schema),
            Column("workflow_uuid", Text, primary_key=True),
            Column("queue_name", Text),
            Column("recovery_attempts", BigInteger),
        )
        self._is_postgresql = is_postgresql = engine.dialect.name == "postgresql"
        self._insert = postgresql.insert if is_postgresql else sqlite.insert
        # The database's clock: those of several machines differ.
        self._now = literal_column(
            "extract(epoch from clock_timestamp())"
            if is_postgresql
            else "((julianday('now') - 2440587.5) * 86400.0)",
            Float,
        )

    def check_version(self, ours: int) -> None:
        """Raise SettingsError where a newer Spanproof made the tables."""
        found = self._find_version()
        if found is not None and found[0] > ours:
            msg = f"Expected jobs of version {ours} or older, got {found[0]}."
            raise SettingsError(msg, hint="Use the newer Spanproof that wrote them.")

    def is_current(self, ours: int, dbos_version: str) -> bool:
        """Whether this version, with this release of DBOS, has made the tables."""
        return self._find_version() == (ours, dbos_version)

    def _find_version(self) -> tuple[int, str] | None:
        if not inspect(self._engine).has_table("job_system", schema=self._schema):
            return None
        with self._engine.connect() as connection:
            row = connection.execute(select(self._version)).first()
        return None if row is None else (row[0], row[1])

    def create(self, ours: int, dbos_version: str) -> None:
        """Make the tables that are missing, and say by whom."""
        with self._engine.begin() as connection:
            self._metadata.create_all(connection)
            connection.execute(delete(self._version))
            row = {"version": ours, "dbos_version": dbos_version}
            connection.execute(self._version.insert().values(row))

    def now(self, connection: Connection) -> float:
        """Seconds since 1970 by the database's clock."""
        return float(connection.execute(select(self._now)).scalar_one())

    def add(
        self, connection: Connection, workflow_id: str, *, tenant: str, kind: str, given: str | None
    ) -> bool:
        """Note a job and the name of its input; False where one of that id is there."""
        statement = self._insert(self._job).values(
            workflow_id=workflow_id,
            tenant=tenant,
            kind=kind,
            created_at=int(self.now(connection) * 1000),
            done=0,
            total=0,
            is_cancelled=0,
            input=given,
        )
        statement = statement.on_conflict_do_nothing()
        made = connection.execute(statement.returning(self._job.c.workflow_id))
        return made.scalar() is not None

    def count_active(
        self, connection: Connection, tenant: str, kinds: Sequence[str], *, most: int
    ) -> int:
        """How many jobs of these kinds a tenant has queued or running; counted up to ``most``.

        Who adds one to them in this transaction waits for others of the tenant to have done so.
        """
        if self._is_postgresql:
            # SQLite has one writer at a time anyway.
            name = func.hashtextextended(f"spanproof jobs {tenant}", 0)
            connection.execute(select(func.pg_advisory_xact_lock(name)))
        job, workflow = self._job.c, self._workflow.c
        # As a value and not as a join: there may be ten thousands that are over, and few that are
        # in flight, of which DBOS has an index.
        whose = (
            select(job.tenant)
            .where(job.workflow_id == workflow.workflow_uuid, job.kind.in_(list(kinds)))
            .scalar_subquery()
        )
        found = (
            select(workflow.workflow_uuid)
            .where(workflow.queue_name.in_(_QUEUES), text(_IN_FLIGHT), whose == tenant)
            .limit(most)
        )
        counted = select(func.count()).select_from(found.subquery())
        return int(connection.execute(counted).scalar_one())

    def find(self, connection: Connection, workflow_id: str) -> JobRow | None:
        """The row of a job, or None."""
        query = select(self._job).where(self._job.c.workflow_id == workflow_id)
        row = connection.execute(query).first()
        return None if row is None else _to_job_row(row)

    def list(
        self,
        connection: Connection,
        tenant: str,
        *,
        kind: str | None,
        before: tuple[int, str] | None,
        limit: int,
    ) -> tuple[JobRow, ...]:
        """A tenant's jobs, newest first, from the place ``before`` on (its moment and id)."""
        job = self._job.c
        query = select(self._job).where(job.tenant == tenant)
        if kind is not None:
            query = query.where(job.kind == escape_text(kind))
        if before is not None:
            query = query.where(tuple_(job.created_at, job.workflow_id) < before)
        query = query.order_by(job.created_at.desc(), job.workflow_id.desc()).limit(limit)
        return tuple(map(_to_job_row, connection.execute(query)))

    def set_progress(
        self, connection: Connection, workflow_id: str, progress: Progress | None
    ) -> bool:
        """Say how far a job is (None: as far as it was); whether it is to end because of a cancel.

        A job that is there no more is to end, too.
        """
        job = self._job.c
        if progress is not None:
            values = {"done": progress.done, "total": progress.total}
            connection.execute(
                update(self._job).where(job.workflow_id == workflow_id).values(**values)
            )
        query = select(job.is_cancelled).where(job.workflow_id == workflow_id)
        found = connection.execute(query).scalar()
        return found is None or bool(found)

    def set_cancelled(self, connection: Connection, workflow_id: str) -> None:
        """Mark a job to end: its worker stops, and so does one that picks it up again."""
        job = self._job.c
        connection.execute(
            update(self._job).where(job.workflow_id == workflow_id).values(is_cancelled=1)
        )

    def list_inputs(self, connection: Connection, limit: int) -> tuple[JobRow, ...]:
        """Jobs whose input has not been removed, the oldest first."""
        job = self._job.c
        query = select(self._job).where(job.input.is_not(None))
        return tuple(
            map(_to_job_row, connection.execute(query.order_by(job.created_at).limit(limit)))
        )

    def find_named(self, connection: Connection, inputs: Sequence[str]) -> frozenset[str]:
        """Which of these inputs a job names."""
        query = select(self._job.c.input).where(self._job.c.input.in_(list(inputs)))
        return frozenset(connection.execute(query).scalars())

    def find_by_input(self, connection: Connection, tenant: str, name: str) -> str | None:
        """The workflow of a tenant's job that was given this input; None where there is none."""
        job = self._job.c
        query = select(job.workflow_id).where(job.tenant == tenant, job.input == name)
        found = connection.execute(query).scalar()
        return None if found is None else str(found)

    def find_known(self, connection: Connection, workflow_ids: Sequence[str]) -> frozenset[str]:
        """Which of these jobs have not been forgotten."""
        job = self._job.c.workflow_id
        query = select(job).where(job.in_(list(workflow_ids)))
        return frozenset(connection.execute(query).scalars())

    def forget_inputs(self, connection: Connection, workflow_ids: Sequence[str]) -> None:
        """Note that the inputs of these jobs are gone."""
        chosen = self._job.c.workflow_id.in_(list(workflow_ids))
        connection.execute(update(self._job).where(chosen).values(input=None))

    def list_older(self, connection: Connection, seconds: float, limit: int) -> tuple[str, ...]:
        """Jobs that were started so long ago, the oldest first."""
        job = self._job.c
        until = int((self.now(connection) - seconds) * 1000)
        query = select(job.workflow_id).where(job.created_at < until)
        found = connection.execute(query.order_by(job.created_at).limit(limit))
        return tuple(found.scalars())

    def forget(self, connection: Connection, workflow_ids: Sequence[str]) -> None:
        """Remove the rows of jobs that are forgotten."""
        statement = delete(self._job).where(self._job.c.workflow_id.in_(list(workflow_ids)))
        connection.execute(statement)

    def add_attempts(self, connection: Connection, workflow_id: str, attempts: int) -> None:
        """Count the runs that DBOS has forgotten: it restarts its count if a job is queued again.

        They are added: a fast worker may have started the job meanwhile.
        """
        counted = self._workflow.c.recovery_attempts
        statement = update(self._workflow).where(self._workflow.c.workflow_uuid == workflow_id)
        connection.execute(statement.values(recovery_attempts=func.coalesce(counted, 0) + attempts))

    def beat(self, connection: Connection, executor_id: str) -> None:
        """Say that a worker lives now."""
        now = self.now(connection)
        statement = self._insert(self._worker).values(executor_id=executor_id, last_seen=now)
        statement = statement.on_conflict_do_update(
            index_elements=["executor_id"], set_={"last_seen": now}
        )
        connection.execute(statement)

    def find_silent(self, connection: Connection, seconds: float) -> tuple[str, ...]:
        """The workers that have not been seen for so long."""
        until = self.now(connection) - seconds
        query = select(self._worker.c.executor_id).where(self._worker.c.last_seen < until)
        return tuple(connection.execute(query).scalars())

    def list_workers(self, connection: Connection) -> frozenset[str]:
        """Every worker that was ever seen and has not been forgotten."""
        return frozenset(connection.execute(select(self._worker.c.executor_id)).scalars())

    def remove_worker(self, connection: Connection, executor_id: str) -> None:
        """Forget a worker that has stopped, or whose jobs others have taken."""
        connection.execute(delete(self._worker).where(self._worker.c.executor_id == executor_id))


def _to_job_row(row: Row[tuple[object, ...]]) -> JobRow:
    return JobRow(
        workflow_id=row.workflow_id,
        tenant=row.tenant,
        kind=row.kind,
        created_at=row.created_at,
        progress=Progress(done=row.done, total=row.total),
        is_cancelled=bool(row.is_cancelled),
        input=row.input,
    )
