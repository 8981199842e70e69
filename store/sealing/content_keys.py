"""The wrapped key of each sealed content: made before the content, and destroyed to erase it.

They stand apart from the append-only rows: on SQLite in a file of their own, which no copy of the
store's database has; on PostgreSQL in a table that no backup of ours dumps. A home that seals
nothing has neither.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Literal, NamedTuple

from sqlalchemy import Column, LargeBinary, MetaData, Table, Text, and_, delete, inspect, select
from sqlalchemy.engine import URL

from spanproof.core.errors import ContentKeyMissingError, IntegrityError, KeyUnavailableError
from spanproof.store.database.columns import AnyText
from spanproof.store.database.session import Database
from spanproof.store.sealing.sealed import KEY_BYTES, is_sealed, open_sealed, seal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from spanproof.store.sealing.sealed import KeyWrapper

#: What has a key of its own; of a document each blob has one.
SealedKind = Literal["blob", "document", "verification", "answer"]
FILE_NAME = "content-keys.db"
TABLE_NAME = "content_key"
_OWN = MetaData()
_KEYS = Table(
    TABLE_NAME,
    _OWN,
    Column("kind", Text, primary_key=True),
    Column("subject", AnyText, primary_key=True),
    Column("key_id", Text, nullable=False),
    Column("wrapped", LargeBinary, nullable=False),
)
_LOCK = "content keys"
_MOST_NAMES = 500


class WrappedKey(NamedTuple):
    """The key of one content, as it is kept; ``key_id`` names the key that wrapped it."""

    kind: str
    subject: str
    key_id: str
    wrapped: bytes


class ContentKeys:
    """The keys of one store; safe for several threads and processes."""

    def __init__(self, database: Database, home: Path, wrapper: KeyWrapper | None = None) -> None:
        """``wrapper`` None: nothing can be sealed or opened here, and keys can be destroyed."""
        self._path = home / FILE_NAME
        self._database = database if database.is_postgresql else None
        self._main = database
        self._wrapper = wrapper
        self._is_made = False
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Make the key that wraps, before anything is sealed; KeyUnavailableError."""
        self._require_wrapper().prepare()

    def make_all(self, kind: SealedKind, subjects: Sequence[str]) -> dict[str, bytes]:
        """The key of each, made and durable where it was missing; KeyUnavailableError."""
        wrapper = self._require_wrapper()
        database = self._make_place()
        found = {each.subject: each for each in self._select(database, kind, subjects)}
        missing = [each for each in dict.fromkeys(subjects) if each not in found]
        if missing:
            with database.connection(_LOCK) as connection:
                # Another worker may have made some meanwhile: its keys hold.
                known = {each.subject for each in self._select(database, kind, missing)}
                rows = [
                    WrappedKey(
                        kind=kind,
                        subject=each,
                        key_id=wrapper.key_id,
                        wrapped=wrapper.wrap(os.urandom(KEY_BYTES), _name(kind, each)),
                    )._asdict()
                    for each in missing
                    if each not in known
                ]
                if rows:
                    connection.execute(_KEYS.insert(), rows)
            found |= {each.subject: each for each in self._select(database, kind, missing)}
        return {
            subject: wrapper.unwrap(each.wrapped, _name(kind, subject))
            for subject, each in found.items()
        }

    def seal(self, kind: SealedKind, subject: str, key: bytes, content: bytes) -> bytes:
        """Content under the key of its subject."""
        return seal(key, content, _name(kind, subject))

    def open(self, kind: SealedKind, subject: str, content: bytes) -> bytes:
        """The content, sealed or not; ContentKeyMissingError where its key is not here."""
        if not is_sealed(content):
            return content
        database = self._find_place()
        found = [] if database is None else self._select(database, kind, [subject])
        if not found:
            msg = f"Expected the key of {kind} {subject!r}, got none."
            hint = "Restore the content keys: 'spanproof restore DIR --keys FILE'."
            raise ContentKeyMissingError(msg, hint=hint)
        name = _name(kind, subject)
        return open_sealed(self._require_wrapper().unwrap(found[0].wrapped, name), content, name)

    def has(self, kind: SealedKind, subject: str) -> bool:
        """Whether there is a key."""
        database = self._find_place()
        return database is not None and bool(self._select(database, kind, [subject]))

    def destroy(self, kind: SealedKind, subjects: Iterable[str]) -> None:
        """Remove the keys for ever: what they sealed is unreadable, in every copy."""
        database, names = self._find_place(), list(subjects)
        if database is None or not names:
            return
        with database.erasing(_LOCK) as session:
            for first in range(0, len(names), _MOST_NAMES):
                some = names[first : first + _MOST_NAMES]
                session.connection().execute(
                    delete(_KEYS).where(_KEYS.c.kind == kind, _KEYS.c.subject.in_(some))
                )

    def list_all(self) -> list[WrappedKey]:
        """Every key, wrapped: to keep them apart from a backup."""
        database = self._find_place()
        if database is None:
            return []
        with database.read_connection() as connection:
            rows = connection.execute(select(_KEYS).order_by(_KEYS.c.kind, _KEYS.c.subject))
            return [WrappedKey(*row) for row in rows]

    def add_all(self, keys: Iterable[WrappedKey]) -> int:
        """Put wrapped keys back; how many were missing."""
        database, added = self._make_place(), 0
        with database.connection(_LOCK) as connection:
            for each in keys:
                is_same = and_(_KEYS.c.kind == each.kind, _KEYS.c.subject == each.subject)
                if connection.execute(select(_KEYS.c.kind).where(is_same)).first() is None:
                    connection.execute(_KEYS.insert(), each._asdict())
                    added += 1
        return added

    def close(self) -> None:
        """Close what was opened here."""
        if self._database is not None and self._database is not self._main:
            self._database.close()

    @staticmethod
    def _select(database: Database, kind: str, subjects: Sequence[str]) -> list[WrappedKey]:
        found: list[WrappedKey] = []
        with database.read_connection() as connection:
            for first in range(0, len(subjects), _MOST_NAMES):
                some = subjects[first : first + _MOST_NAMES]
                query = select(_KEYS).where(_KEYS.c.kind == kind, _KEYS.c.subject.in_(some))
                found += [WrappedKey(*row) for row in connection.execute(query)]
        return found

    def _find_place(self) -> Database | None:
        """The database of the keys; None where nothing was ever sealed."""
        with self._lock:
            return self._open(makes=False)

    def _make_place(self) -> Database:
        with self._lock:
            found = self._open(makes=True)
        if found is None:
            msg = "Expected a place for content keys, got none."
            raise IntegrityError(msg, hint="Check the disk that holds SPANPROOF_HOME.")
        return found

    def _open(self, *, makes: bool) -> Database | None:
        if self._is_made:
            return self._database
        if self._database is None:
            if makes:
                os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            elif not self._path.exists():
                return None
            self._database = Database(URL.create("sqlite", database=str(self._path)))
        if makes:
            with self._database.connection(_LOCK) as connection:
                _OWN.create_all(connection)
        with self._database.read_connection() as connection:
            self._is_made = inspect(connection).has_table(TABLE_NAME)
        return self._database if self._is_made else None

    def _require_wrapper(self) -> KeyWrapper:
        if self._wrapper is None:
            msg = "Expected the key that wraps content keys, got none."
            raise KeyUnavailableError(msg, hint="Open the home with its settings.")
        return self._wrapper


def _name(kind: str, subject: str) -> bytes:
    return f"{kind}\0{subject}".encode("utf-8", "surrogatepass")
