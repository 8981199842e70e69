"""Brings a database to the newest revision at its first use; concurrent first starts take turns."""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from spanproof.core.errors import IntegrityError, SettingsError
from spanproof.store.facts.words import make_words_index
from spanproof.store.migrations import HEAD
from spanproof.store.tables import Row
from spanproof.store.triggers import list_names, make_triggers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

    from spanproof.store.database.session import Database

_SCRIPTS = "spanproof:store/migrations"
_LOCK = "spanproof migration"
#: Alembic keeps what it works on in its modules: one database of a process at a time.
_LOCK_ID = threading.Lock()
_SQLITE_TRIGGERS = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
# Disabled triggers ('D') and those for replicas only ('R') refuse nothing.
_POSTGRESQL_TRIGGERS = (
    "SELECT t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
    " WHERE c.relnamespace = current_schema()::regnamespace"
    " AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')"
)


def migrate(database: Database, home: Path) -> None:
    """Bring a store up to date; raise IntegrityError where a guard against changes is gone."""
    # SQLite's change to WAL cannot wait for another process's: one at a time from the first touch.
    with locked_file(home / "migration.lock"):
        database.check_reachable()
        database.make_schema()
        with database.reading() as session:
            is_newest = _find_revision(session.connection()) == HEAD
        if not is_newest:
            with _LOCK_ID, database.connection(_LOCK) as connection:
                _upgrade(connection)
        with database.reading() as session:
            _check_triggers(session.connection(), database)


def _find_revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if revision is None else str(revision)


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", _SCRIPTS)
    config.attributes["connection"] = connection
    found = _find_revision(connection)
    if found is None:
        Row.metadata.create_all(connection)
        make_triggers(connection, Row.metadata.sorted_tables)
        make_words_index(connection)
        command.stamp(config, "head")
        return
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        msg = f"Expected a store of revision {HEAD} or older, got {found}."
        raise SettingsError(msg, hint="Use the newer Spanproof that wrote it.") from error


def _check_triggers(connection: Connection, database: Database) -> None:
    dialect = connection.dialect.name
    tables = Row.metadata.sorted_tables
    wanted = {name for table in tables for name in list_names(table, dialect)}
    query = _POSTGRESQL_TRIGGERS if database.is_postgresql else _SQLITE_TRIGGERS
    missing = sorted(wanted - set(connection.execute(text(query)).scalars()))
    if missing:
        msg = f"Expected triggers that refuse every change, got none named {missing[0]!r}."
        hint = "Somebody removed it: compare the store with a backup before it is used again."
        raise IntegrityError(msg, hint=hint)


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """Hold the lock of a file, made where it is missing: one process at a time."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
