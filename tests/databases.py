"""On which database a test runs, and in which run.

``TESTS_ON=postgresql`` ('make test-postgresql') gives every home of the fixtures a database of its
own. A test of SQLite's file itself is marked ``on_sqlite``.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from tests.postgresql import PostgresqlServer

IS_POSTGRESQL = os.environ.get("TESTS_ON") == "postgresql"
on_sqlite = pytest.mark.skipif(IS_POSTGRESQL, reason="it looks into SQLite's file")

#: For a kill at each of many points: 'make test' meets them on SQLite, the longer run on both.
postgresql_later = pytest.mark.parametrize(
    "store_place",
    ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)],
    indirect=True,
)


def drop_trigger(connection: Connection, table: str, verb: str) -> None:
    """Let rows be changed behind the store."""
    where = f" ON {table}" if connection.dialect.name == "postgresql" else ""
    connection.execute(text(f"DROP TRIGGER {table}_refuses_{verb}{where}"))


class HomeDatabases:
    """A database for each home, copied from a migrated one when it is first asked for."""

    def __init__(self) -> None:
        self._server: PostgresqlServer | None = None
        self._template = ""
        self._names: dict[str, str] = {}

    def open(self, server: PostgresqlServer, template: str) -> None:
        """Make databases there from now on."""
        self._server, self._template = server, template

    def find(self, home: Path) -> str | None:
        """The address for a home; None: SQLite in the home."""
        if self._server is None:
            return None
        name = "home_" + hashlib.sha256(str(home.absolute()).encode()).hexdigest()[:24]
        if str(home) not in self._names:
            self._server.execute(f"CREATE DATABASE {name} TEMPLATE {self._template}")
            self._names[str(home)] = name
        return self._server.url(name)

    def known(self) -> frozenset[str]:
        """The homes that have one."""
        return frozenset(self._names)

    def drop_all_but(self, homes: frozenset[str]) -> None:
        """Remove those of a test that is over."""
        for home in self._names.keys() - homes:
            assert self._server is not None
            self._server.execute(f"DROP DATABASE {self._names.pop(home)} WITH (FORCE)")


HOMES = HomeDatabases()
