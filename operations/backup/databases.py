"""Copies of databases while others write: SQLite by its online backup, PostgreSQL by pg_dump."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sqlalchemy import create_engine, func, select, text
from sqlalchemy.engine import URL, make_url

from spanproof.operations.backup.manifest import LogPosition
from spanproof.operations.errors import BackupRefusedError, DatabaseToolError
from spanproof.store.sealing.content_keys import TABLE_NAME
from spanproof.store.tables import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

_TOOLS = (
    "Install PostgreSQL's client tools (Debian: postgresql-client), of the server's major version "
    "or a later one."
)
_COUNT_TABLES = text(
    "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%'"
    " AND n.nspname <> 'information_schema'"
)


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a database as it is at this moment; writers neither wait nor are cut in two."""
    with (
        closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as opened,
        closing(sqlite3.connect(target)) as copy,
    ):
        opened.backup(copy)


@contextmanager
def open_copy(path: Path) -> Iterator[Connection]:
    """A connection to a copy of SQLite's that nobody writes; nothing is made beside it."""
    url = URL.create("sqlite", database=f"{path.absolute().as_uri()}")
    engine = create_engine(url.update_query_dict({"mode": "ro", "immutable": "1", "uri": "true"}))
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def dump_postgresql(database_url: str, target: Path, *, snapshot: str) -> None:
    """Dump a whole database as an exported snapshot shows it; raise DatabaseToolError."""
    chosen = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}"]
    # Content keys stay apart, of every tenant's schema.
    chosen.append(f"--exclude-table=*.{TABLE_NAME}")
    _run_tool(database_url, ["pg_dump", *chosen, f"--file={target}"])


def load_postgresql(database_url: str, dump: Path) -> None:
    """Load a dump in one transaction: a failure leaves the database empty."""
    chosen = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
    _run_tool(database_url, ["pg_restore", *chosen, str(dump)])


def require_empty(connection: Connection, name: str) -> None:
    """Raise BackupRefusedError where a PostgreSQL database has tables."""
    found = connection.execute(_COUNT_TABLES).scalar_one()
    if found:
        msg = f"Expected an empty database to restore into, got {found} tables in {name}."
        raise BackupRefusedError(msg, hint="Create a new database, and name it.")


def count_rows(connection: Connection) -> dict[str, int]:
    """How many rows each table of a store has."""
    return {
        table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in Row.metadata.sorted_tables
    }


def read_position(connection: Connection) -> LogPosition | None:
    """How the newest log of a store stands; None without one."""
    tables = Row.metadata.tables
    log, tree, cosigned = (tables[name] for name in ("log", "log_tree", "log_cosignature"))
    found = connection.execute(
        select(log.c.log_id, log.c.origin, tree.c.size, tree.c.root)
        .join(tree, tree.c.log_id == log.c.log_id)
        .order_by(log.c.log_id.desc(), tree.c.size.desc())
        .limit(1)
    ).first()
    if found is None:
        return None
    largest = select(func.max(cosigned.c.size)).where(cosigned.c.log_id == found.log_id)
    return LogPosition(
        origin=str(found.origin),
        size=found.size,
        root=bytes(found.root).hex(),
        cosigned_size=connection.execute(largest).scalar_one(),
    )


def _run_tool(database_url: str, command: Sequence[str]) -> None:
    url = make_url(database_url)
    with TemporaryDirectory() as folder:
        # Every user of the machine reads the arguments of a process: the password goes in a file.
        shown = URL.create(
            "postgresql", url.username, None, url.host, url.port, url.database, url.query
        )
        if url.password:
            shown = shown.update_query_dict({"passfile": str(_write_password(folder, url))})
        target = shown.render_as_string()
        _run([command[0], f"--dbname={target}", *command[1:]])


def _write_password(folder: str, url: URL) -> Path:
    """A password file of libpq for any host, readable by its owner alone."""
    escaped = str(url.password).replace("\\", "\\\\").replace(":", "\\:")
    file = Path(folder) / "pgpass"
    file.touch(mode=0o600)
    file.write_text(f"*:*:*:*:{escaped}\n", encoding="utf-8")
    return file


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments
            command, capture_output=True, check=False, text=True
        )
    except FileNotFoundError as error:
        msg = f"Expected {command[0]} in PATH, got none."
        raise DatabaseToolError(msg, hint=_TOOLS) from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        msg = f"Expected {command[0]} to finish, got exit code {done.returncode}: {last}."
        raise DatabaseToolError(msg, hint=_TOOLS)
