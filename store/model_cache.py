"""Raw readings of the entailment model, kept beside the store: a cache, not evidence.

An SQLite file of its own, so that nothing here can touch the records. Losing it costs only time: a
failure is a warning and a pair that is read again, never an error.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import warnings
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

_Found = TypeVar("_Found")

FILE_NAME = "readings.db"
#: Says that an SQLite file is ours ("spcr"), and by which layout.
_APPLICATION_ID = 0x73706372
_LAYOUT = 1
#: How long a process waits for another one that writes: reading again is never far dearer.
_BUSY_SECONDS = 5.0
#: Keys of one IN list: SQLite has a limit.
_MOST_KEYS = 500
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS reading ("
    " position INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, value BLOB NOT NULL)"
)
_INSERT = (
    "INSERT INTO reading (key, value) VALUES (?, ?)"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)
# Positions only grow, so this many of them hold no more entries than that: no count is needed.
_TRIM = "DELETE FROM reading WHERE position <= (SELECT max(position) FROM reading) - ?"


class ModelCacheWarning(UserWarning):
    """The cache of readings does not serve; pairs are read again."""


class Readings:
    """The newest ``entries`` values by key, for any number of threads and processes."""

    def __init__(self, home: Path, *, entries: int) -> None:
        """Nothing is opened before its first use."""
        self._path = home.absolute() / FILE_NAME
        self._entries = entries
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._has_warned = False

    def load(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values of those keys that are kept."""

        def select(connection: sqlite3.Connection) -> dict[bytes, bytes]:
            found: dict[bytes, bytes] = {}
            for start in range(0, len(keys), _MOST_KEYS):
                batch = keys[start : start + _MOST_KEYS]
                marks = ",".join("?" * len(batch))
                query = f"SELECT key, value FROM reading WHERE key IN ({marks})"  # noqa: S608
                rows = connection.execute(query, batch)
                # SQLite keeps any type in any column.
                found |= {key: value for key, value in rows if isinstance(value, bytes)}
            return found

        return self._try(select, otherwise={})

    def save(self, entries: Mapping[bytes, bytes]) -> None:
        """Keep these values, each in the place of what its key had; the oldest make room."""

        def insert(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(_INSERT, entries.items())
                connection.execute(_TRIM, (self._entries,))

        self._try(insert, otherwise=None)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            self._disconnect()

    def _try(self, work: Callable[[sqlite3.Connection], _Found], *, otherwise: _Found) -> _Found:
        with self._lock:
            for is_last in (False, True):
                try:
                    return work(self._connect())
                except (sqlite3.Error, OSError) as error:
                    self._disconnect()
                    if is_last or not _is_damage(error) or not self._set_aside():
                        self._warn(error)
                        return otherwise
        return otherwise

    def _connect(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Which pairs were read is private, though no text is kept.
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        # One at a time: a change to WAL cannot wait for another process's.
        with self._alone():
            connection = sqlite3.connect(
                self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                _prepare(connection)
            except BaseException:
                connection.close()
                raise
        self._connection = connection
        return connection

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _set_aside(self) -> bool:
        """Move a damaged file out of the way, unless another process has done so by now."""
        try:
            with self._alone():
                if _is_sound(self._path):
                    return True
                self._path.replace(self._path.with_name(f"{FILE_NAME}.damaged"))
                for suffix in ("-wal", "-shm"):
                    self._path.with_name(FILE_NAME + suffix).unlink(missing_ok=True)
        except OSError:
            return False
        return True

    @contextmanager
    def _alone(self) -> Iterator[None]:
        path = self._path.with_name(f"{FILE_NAME}.lock")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _warn(self, error: Exception) -> None:
        # Once: a disk that is full stays full for every pair.
        if not self._has_warned:
            self._has_warned = True
            msg = f"Expected to keep readings in {FILE_NAME}, got {error}; pairs are read again."
            warnings.warn(msg, ModelCacheWarning, stacklevel=4)


def _prepare(connection: sqlite3.Connection) -> None:
    pragma = connection.execute("PRAGMA application_id").fetchone()[0]
    layout = connection.execute("PRAGMA user_version").fetchone()[0]
    is_empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if not is_empty and (pragma, layout) != (_APPLICATION_ID, _LAYOUT):
        msg = "a file of another program or layout"
        raise _ForeignFileError(msg)
    connection.execute("PRAGMA journal_mode = WAL")
    # A power cut may cost the newest entries, which are read again then.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    if is_empty:
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {_LAYOUT}")
        connection.execute(_SCHEMA)


class _ForeignFileError(sqlite3.DatabaseError):
    """An SQLite file that is not ours."""


def _is_damage(error: Exception) -> bool:
    if isinstance(error, _ForeignFileError):
        return True
    # The low byte is the kind; what appears above it, where it was met.
    kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return kind in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}


def _is_sound(path: Path) -> bool:
    if not path.is_file():
        return True
    with suppress(sqlite3.Error):
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            _prepare(connection)
            return bool(connection.execute("PRAGMA quick_check").fetchone()[0] == "ok")
        finally:
            connection.close()
    return False
