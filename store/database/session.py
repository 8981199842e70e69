"""Connections and transactions: the one place that speaks to a database's driver.

SQLite: WAL, synchronous=FULL, foreign keys, and a writer that takes its lock at BEGIN. PostgreSQL:
synchronous commits, and a lock for each key that a writer names, so that two writers of one key
take turns on both.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event, exc, text
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlmodel import Session

from spanproof.core.errors import ConflictError, IntegrityError, SettingsError, SpanproofError
from spanproof.store.errors import StoreFullError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: How long a SQLite writer waits for another one.
BUSY_MILLISECONDS = 30_000
#: How long to wait for a PostgreSQL server that does not answer.
CONNECT_SECONDS = 10
_PRAGMAS = (
    # First, for the others may have to wait.
    f"busy_timeout = {BUSY_MILLISECONDS}",
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    # Without it REPLACE deletes rows behind the triggers' back.
    "recursive_triggers = ON",
    "trusted_schema = OFF",
    # From the first row on: what a page that is split leaves behind is words too.
    "secure_delete = ON",
)
_WRITES = "spanproof_writes"
#: PostgreSQL's ``disk_full``.
_DISK_FULL = "53100"
#: Such a lock is the whole database's: tenants in schemas of their own do not wait for each other.
_TAKE_LOCK = text(
    "SELECT pg_advisory_xact_lock(:lock # hashtextextended(coalesce(current_schema(), ''), 0))"
)
#: Begins the name of a tenant's schema.
_SCHEMA = "spanproof_tenant_"


class Database:
    """One database: ``reading`` and ``writing`` give a session in a transaction of its own."""

    def __init__(self, url: URL) -> None:
        self._url = url
        self._engine = _create_engine(url)
        self._writer = self._engine.execution_options(**{_WRITES: True})

    @property
    def is_postgresql(self) -> bool:
        """Whether it is PostgreSQL (else SQLite)."""
        return self._engine.dialect.name == "postgresql"

    @property
    def name(self) -> str:
        """What may be said of the database in a message: never its user or its password."""
        if not self.is_postgresql:
            return f"SQLite file {self._url.database!r}"
        host = self._url.host or self._url.query.get("host") or "localhost"
        return f"PostgreSQL database {self._url.database!r} on {host!r}"

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees committed rows and changes nothing."""
        with self._wrapped_errors(), Session(self._engine) as session:
            self._start(session.connection(), "BEGIN")
            yield session

    @contextmanager
    def snapshot(self) -> Iterator[Session]:
        """``reading`` in which every question sees the moment of the first, on PostgreSQL too."""
        with self.reading() as session:
            if self.is_postgresql:
                session.connection().exec_driver_sql(
                    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
                )
            yield session

    @contextmanager
    def read_connection(self) -> Iterator[Connection]:
        """``reading`` below the sessions, for one question that is asked often.

        A second snapshot may see later commits.
        """
        with self._wrapped_errors(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self, *keys: str) -> Iterator[Session]:
        """A session that is committed on the way out, or rolled back whole.

        Writers that name a key in common wait for each other, so what one reads stays true until
        it has written.
        """
        with (
            self._wrapped_errors(),
            self._begin(*keys) as connection,
            Session(connection) as session,
        ):
            yield session
            session.flush()

    @contextmanager
    def erasing(self, *keys: str) -> Iterator[Session]:
        """``writing`` for what must not stay behind: SQLite overwrites it, and empties its WAL.

        PostgreSQL keeps old versions of a row until it is vacuumed, and in its archives.
        """
        with self.writing(*keys) as session:
            yield session
        if not self.is_postgresql:
            # Outside of a transaction: none starts before ``_start`` does it.
            with self._wrapped_errors(), self._engine.connect() as connection:
                # While somebody reads, the file is emptied by a later checkpoint.
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all()

    @contextmanager
    def connection(self, *keys: str) -> Iterator[Connection]:
        """``writing`` below the sessions: for the schema itself, and where a session costs much."""
        with self._wrapped_errors(), self._begin(*keys) as connection:
            yield connection

    @contextmanager
    def _begin(self, *keys: str) -> Iterator[Connection]:
        with self._writer.connect() as connection, connection.begin():
            # A writer that begins as a reader cannot wait for its turn: it fails when it first
            # writes.
            self._start(connection, "BEGIN IMMEDIATE")
            if self.is_postgresql:
                # In one order for everybody: two writers never wait for each other.
                for lock in sorted(map(_to_lock, keys)):
                    connection.execute(_TAKE_LOCK, {"lock": lock})
            yield connection

    def _start(self, connection: Connection, statement: str) -> None:
        """Begin a transaction of SQLite, whose driver begins none by itself.

        Not as a listener: one of them makes every statement of the engine look for others, which
        takes a third of its time.
        """
        if not self.is_postgresql:
            connection.exec_driver_sql(statement)

    def check_reachable(self) -> None:
        """Raise SettingsError unless the database can be opened and holds Unicode text."""
        try:
            with self._engine.connect() as connection:
                encoding = "UTF8"
                if self.is_postgresql:
                    encoding = str(connection.execute(text("SHOW server_encoding")).scalar())
        except exc.SQLAlchemyError as error:
            msg = f"Expected a database that can be opened, got an error: {self.name}."
            hint = "Check SPANPROOF_DATABASE_URL, SPANPROOF_HOME, and that the server runs."
            raise SettingsError(msg, hint=hint) from error
        if encoding != "UTF8":
            msg = f"Expected a database in encoding UTF8, got {encoding}: {self.name}."
            raise SettingsError(msg, hint="Create the database WITH ENCODING 'UTF8'.")

    def make_schema(self) -> None:
        """Make the missing schema of a tenant's address; do nothing for any other address."""
        if not self.is_postgresql:
            return
        with self._wrapped_errors(), self._begin(_SCHEMA) as connection:
            found = connection.execute(
                text("SELECT current_schema(), current_setting('search_path')")
            ).one()
            if found[0] is None and found[1].startswith(_SCHEMA):
                # The name is of a-z, 0-9 and '_': ``to_tenant_url`` wrote it.
                connection.execute(text(f"CREATE SCHEMA {found[1]}"))

    @property
    def schema(self) -> str:
        """The schema of PostgreSQL that its tables stand in."""
        with self.read_connection() as connection:
            return str(connection.execute(text("SELECT current_schema()")).scalar_one())

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    @contextmanager
    def _wrapped_errors(self) -> Iterator[None]:
        try:
            yield
        except exc.SQLAlchemyError as error:
            raise to_store_error(error, self.name) from error


def to_url(home: Path, database_url: str | None) -> URL:
    """The address to use; raise SettingsError for anything but PostgreSQL."""
    if not database_url:
        return URL.create("sqlite", database=str(home / "spanproof.db"))
    hint = "Give postgresql://user:password@host/database, or unset it for SQLite in the home."
    try:
        url = make_url(database_url)
    except (exc.ArgumentError, ValueError):
        msg = "Expected SPANPROOF_DATABASE_URL to be an address, got other text."
        # Without its cause, whose text may show the password.
        raise SettingsError(msg, hint=hint) from None
    if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg") or not url.database:
        got = f"scheme {url.drivername!r} and database {url.database!r}"
        msg = f"Expected SPANPROOF_DATABASE_URL to name a PostgreSQL database, got {got}."
        raise SettingsError(msg, hint=hint)
    return url.set(drivername="postgresql+psycopg")


def to_tenant_url(database_url: str | None, tenant: str) -> str | None:
    """The address under which a tenant's tables alone are seen; None for SQLite.

    ``tenant`` is of a-z, 0-9 and '-'.
    """
    if not database_url:
        return None
    # The address is read once before any tenant is: it is one.
    url = make_url(database_url)
    schema = _SCHEMA + tenant.replace("-", "_")
    # Not the schema 'public' too: what a tenant lacks is missing, not the default tenant's.
    given = url.query.get("options") or ""
    options = f"{given if isinstance(given, str) else ' '.join(given)} -csearch_path={schema}"
    own = url.update_query_dict({"options": options.strip()})
    return own.render_as_string(hide_password=False)


def _create_engine(url: URL) -> Engine:
    # Parameters are documents and answers: they have no place in an error's text.
    if url.get_backend_name() == "postgresql":
        waiting = {} if "connect_timeout" in url.query else {"connect_timeout": CONNECT_SECONDS}
        engine = create_engine(url, hide_parameters=True, pool_pre_ping=True, connect_args=waiting)
        event.listen(engine, "connect", _prepare_postgresql)
        return engine
    engine = create_engine(url, hide_parameters=True)
    event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_postgresql(connection: Any, record: object) -> None:  # noqa: ANN401 - a driver's own
    del record
    with connection.cursor() as cursor:
        # A server set to asynchronous commits would lose what we have called stored.
        cursor.execute("SET synchronous_commit TO on")
        # One set to a stricter isolation would show a writer what was there before its turn came.
        cursor.execute("SET default_transaction_isolation TO 'read committed'")
    connection.commit()


def _prepare_sqlite(connection: Any, record: object) -> None:  # noqa: ANN401 - a driver's own
    del record
    # The driver's own idea of when a transaction begins leaves reads and DDL outside of it.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def take_turn(connection: Connection, key: str) -> None:
    """Wait, in an open transaction, for other writers of this key; SQLite has one writer anyway.

    Only as the last of a transaction's keys: no two writers then wait for each other.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(_TAKE_LOCK, {"lock": _to_lock(key)})


def _to_lock(key: str) -> int:
    return int.from_bytes(
        hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:8], "big", signed=True
    )


def to_store_error(error: exc.SQLAlchemyError, name: str) -> SpanproofError:
    """The error for a failed operation of the named database."""
    # The driver's words stay in the cause: they may quote what a caller sent.
    if isinstance(error, exc.IntegrityError):
        msg = f"Expected only new rows, got a change of a row in {name}."
        return ConflictError(msg, hint="Nothing was changed; add a new version instead.")
    if _is_full(error):
        msg = f"Expected room for {name}, got a full disk."
        return StoreFullError(msg, hint="Make room on the disk, then send it again.")
    if isinstance(error, exc.OperationalError | exc.InterfaceError | exc.TimeoutError):
        msg = f"Expected {name} to answer, got {type(error).__name__}."
        return StoreUnavailableError(msg, hint="Try again; if it stays, see the log.")
    msg = f"Expected {name} in order, got {type(error).__name__}."
    return IntegrityError(
        msg, hint="See the log; restore the store from a backup if it is damaged."
    )


def _is_full(error: exc.SQLAlchemyError) -> bool:
    """Whether a write, not a synchronisation, found no room: either database has undone it then."""
    cause = error.orig if isinstance(error, exc.DBAPIError) else None
    if isinstance(cause, sqlite3.Error):
        # An error of the driver itself has no code.
        return getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return getattr(cause, "sqlstate", None) == _DISK_FULL
