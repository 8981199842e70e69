"""Keeps jobs: DBOS's system database, and beside it the progress of running jobs.

One for all tenants of a service: SQLite in the home (WAL, every commit synchronised), or a schema
of the PostgreSQL database that the settings name. It holds no evidence: what a job made stands in
the tenant's store, append-only. So its rows change and are forgotten (ADR 0023).
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import SettingsError
from spanproof.store.database.session import CONNECT_SECONDS, to_url
from spanproof.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from dbos import DBOSClient
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine import URL

    from spanproof.operations.jobs.inputs import JobInputs
    from spanproof.operations.jobs.outputs import JobOutputs
    from spanproof.operations.jobs.rows import JobRows
    from spanproof.operations.settings import Settings
    from spanproof.store.blobs.object_folder import ObjectFolder

#: PostgreSQL's schema for DBOS's tables and ours beside them.
SCHEMA = "spanproof_jobs"
#: What runs a job must be of this version: one for ever, so that a deployment strands no job.
APPLICATION_VERSION = "1"
APPLICATION_NAME = "spanproof"
#: DBOS's name of the one workflow, which runs jobs of every kind.
WORKFLOW = "spanproof_job"
#: Of our own tables and of what DBOS's mean to us; a newer one is refused.
SYSTEM_VERSION = 1
#: How long a request waits for another writer of SQLite before it is answered 503.
BUSY_MILLISECONDS = 10_000
#: A worker may wait longer: no caller waits for it.
WORKER_BUSY_MILLISECONDS = 30_000
_POOL = 10


class JobSystem:
    """The jobs of one service; opened at its first use, and then safe for several threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder: Path = settings.home.absolute() / "jobs"
        #: Called after a job was queued: a process that runs jobs itself begins to.
        self.on_start: Callable[[], None] | None = None
        self._lock = threading.Lock()
        self._client: DBOSClient | None = None
        self._engine: Engine | None = None
        self._rows: JobRows | None = None
        self._objects: ObjectFolder | None = None
        if settings.blobs is not None:
            from spanproof.store.blobs.object_folder import ObjectFolder
            from spanproof.store.blobs.object_place import ObjectPlace

            self._objects = ObjectFolder(
                ObjectPlace(url=settings.blobs, seconds=settings.blobs_seconds)
            )

    @property
    def url(self) -> URL:
        """The address of the database."""
        if self.settings.database_url:
            return to_url(self.settings.home, self.settings.database_url)
        return to_url(self.folder, None).set(database=str(self.folder / "jobs.db"))

    @property
    def name(self) -> str:
        """What may be said of the database in a message."""
        if self.settings.database_url:
            return f"the jobs of PostgreSQL database {self.url.database!r}"
        return f"SQLite file {self.url.database!r}"

    @property
    def exists(self) -> bool:
        """Whether jobs were ever kept here; without making anything."""
        if not self.settings.database_url:
            return (self.folder / "jobs.db").exists()
        from sqlalchemy import inspect

        engine = self.make_engine()
        try:
            with self.wrapped_errors():
                return inspect(engine).has_table("job_system", schema=SCHEMA)
        finally:
            engine.dispose()

    @property
    def client(self) -> DBOSClient:
        """DBOS's client, for processes that run no jobs."""
        return self._open()[0]

    @property
    def rows(self) -> JobRows:
        """Our rows beside DBOS's tables."""
        return self._open()[1]

    def inputs(self, tenant: str) -> JobInputs:
        """The files that a tenant's jobs were given."""
        from spanproof.operations.jobs.inputs import JobInputs

        folder, most = self.folder / "inputs" / tenant, self.settings.staged_bytes
        if self._objects is None:
            return JobInputs(folder, most_bytes=most)
        from spanproof.operations.jobs.object_inputs import ObjectJobInputs

        return ObjectJobInputs(folder, self._objects, tenant, most_bytes=most)

    def input_tenants(self) -> tuple[str, ...]:
        """The tenants whose jobs were given something that is kept."""
        from spanproof.operations.jobs.inputs import list_tenants

        found = set(list_tenants(self.folder / "inputs"))
        if self._objects is not None:
            from spanproof.operations.jobs.object_inputs import PREFIX

            found.update(self._objects.list(PREFIX))
        return tuple(sorted(found))

    def outputs(self, tenant: str) -> JobOutputs:
        """The folders that a tenant's jobs write into."""
        from spanproof.operations.jobs.outputs import JobOutputs

        folder = self.folder / "outputs" / tenant
        if self._objects is None:
            return JobOutputs(folder)
        from spanproof.operations.jobs.object_outputs import ObjectJobOutputs

        return ObjectJobOutputs(folder, self._objects, tenant)

    def output_tenants(self) -> tuple[str, ...]:
        """The tenants whose jobs have made files that are here."""
        from spanproof.operations.jobs.inputs import list_tenants

        return list_tenants(self.folder / "outputs")

    def find_known(self, tenant: str, job_ids: Sequence[str]) -> frozenset[str]:
        """Which of these are jobs of the tenant."""
        with self.connection() as connection:
            named = [f"{tenant}/{job_id}" for job_id in job_ids]
            known = self.rows.find_known(connection, named)
        return frozenset(each.partition("/")[2] for each in known)

    def find_named(self, inputs: Sequence[str]) -> frozenset[str]:
        """Which of these inputs a job of any tenant names."""
        with self.connection() as connection:
            return self.rows.find_named(connection, inputs)

    def _open(self) -> tuple[DBOSClient, JobRows]:
        with self._lock:
            if self._client is None or self._rows is None:
                with self.wrapped_errors():
                    self._engine, self._client, self._rows = self._make()
            return self._client, self._rows

    def _make(self) -> tuple[Engine, DBOSClient, JobRows]:
        import dbos

        from spanproof.operations.jobs.rows import JobRows

        silence_dbos()
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            msg = f"Expected a folder that can be written, got {self.folder} ({error.strerror})."
            raise SettingsError(msg, hint="Set SPANPROOF_HOME to a folder of yours.") from error
        engine = self.make_engine()
        try:
            rows = JobRows(engine, schema=self.schema)
            migrate(self, engine, rows)
            client = dbos.DBOSClient(
                system_database_engine=engine,
                dbos_system_schema=SCHEMA,
                application_name=APPLICATION_NAME,
                lazy=True,
                # A request is answered 503 and asked again; it does not wait for a database.
                retry_connection_errors=False,
            )
        except BaseException:
            engine.dispose()
            raise
        return engine, client, rows

    @property
    def schema(self) -> str | None:
        """The schema of our tables; SQLite has no schemas."""
        return SCHEMA if self.settings.database_url else None

    def make_engine(self, *, worker: bool = False, pool: int = _POOL) -> Engine:
        """Connections whose commits are durable; the caller disposes of them."""
        from sqlalchemy import create_engine, event

        busy_milliseconds = WORKER_BUSY_MILLISECONDS if worker else BUSY_MILLISECONDS

        url = self.url
        if self.settings.database_url:
            waiting: dict[str, Any] = {"application_name": "spanproof jobs"}
            if "connect_timeout" not in url.query:
                waiting["connect_timeout"] = CONNECT_SECONDS
            return create_engine(
                url,
                hide_parameters=True,
                pool_pre_ping=True,
                pool_size=pool,
                max_overflow=0,
                connect_args=waiting,
            )
        engine = create_engine(url, hide_parameters=True, pool_size=pool, max_overflow=pool)

        def prepare(connection: Any, record: object) -> None:  # noqa: ANN401 - a driver's own
            del record
            # DBOS expects writers that take their lock at once; WAL it leaves to us.
            connection.isolation_level = "IMMEDIATE"
            for pragma in (
                f"busy_timeout = {busy_milliseconds}",
                "journal_mode = WAL",
                "synchronous = FULL",
                "foreign_keys = ON",
            ):
                connection.execute(f"PRAGMA {pragma}")

        event.listen(engine, "connect", prepare)
        return engine

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection in a transaction of its own, for our tables."""
        _ = self.client
        engine = self._engine
        if engine is None:  # pragma: no cover - closed by another thread just now
            msg = f"Expected {self.name} open, got it closed."
            raise StoreUnavailableError(msg, hint="Try again.")
        with self.wrapped_errors(), engine.begin() as connection:
            yield connection

    @contextmanager
    def wrapped_errors(self) -> Iterator[None]:
        """Turn a driver's errors into StoreUnavailableError."""
        from sqlalchemy import exc

        try:
            yield
        except exc.SQLAlchemyError as error:
            msg = f"Expected {self.name} to answer, got {type(error).__name__}."
            raise StoreUnavailableError(msg, hint="Try again; if it stays, see the log.") from error

    def close(self) -> None:
        """Close the connections; the next use opens others."""
        with self._lock:
            client, self._client = self._client, None
            engine, self._engine = self._engine, None
            self._rows = None
        if self._objects is not None:
            self._objects.close()
        if client is not None:
            client.destroy()
        if engine is not None:
            engine.dispose()


def migrate(system: JobSystem, engine: Engine, rows: JobRows) -> None:
    """Bring DBOS's tables and ours to this version; SettingsError where they are newer."""
    from sqlalchemy import text

    from spanproof.store.migration import locked_file

    # One at a time: concurrent first starts would each create the tables.
    with locked_file(system.folder / "migration.lock"):
        rows.check_version(SYSTEM_VERSION)
        if rows.is_current(SYSTEM_VERSION, dbos_version()):
            return
        if system.settings.database_url:
            # Outside of any transaction: DBOS makes indexes that wait for every open one.
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": _LOCK})
                try:
                    _create(system, rows)
                finally:
                    connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": _LOCK})
            return
        _create(system, rows)


#: The process that creates the tables holds this advisory lock of PostgreSQL.
_LOCK = 0x5350414E4A4F4253


def _create(system: JobSystem, rows: JobRows) -> None:
    from dbos import DBOS

    DBOS.migrate(system.url.render_as_string(hide_password=False), schema=SCHEMA)
    rows.create(SYSTEM_VERSION, dbos_version())


def dbos_version() -> str:
    """The installed release of DBOS, whose tables are in the database."""
    from importlib import metadata

    return metadata.version("dbos")


def silence_dbos() -> None:
    """Keep DBOS's own lines off our stderr: they quote what failed, which may quote a document."""
    import logging

    logger = logging.getLogger("dbos")
    logger.setLevel(logging.CRITICAL)
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
