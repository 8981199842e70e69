"""The database's password reaches PostgreSQL's tools, and no other user of the machine."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from spanproof.operations.backup.databases import dump_postgresql, load_postgresql
from spanproof.operations.errors import DatabaseToolError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

    from tests.postgresql import PostgresqlServer

ROLE, PASSWORD = "asked_for_a_password", "a:b\\c d%"


@pytest.fixture
def asking(postgresql_server: PostgresqlServer) -> Iterator[PostgresqlServer]:
    """The server, which asks one role for its password."""
    rules = postgresql_server.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all {ROLE} scram-sha-256\n{before}")
    postgresql_server.execute(f"CREATE ROLE {ROLE} LOGIN SUPERUSER PASSWORD '{PASSWORD}'")
    postgresql_server.execute("SELECT pg_reload_conf()")
    yield postgresql_server
    rules.write_text(before)
    postgresql_server.execute("SELECT pg_reload_conf()")
    postgresql_server.execute(f"DROP ROLE {ROLE}")


@contextmanager
def _open(address: str) -> Iterator[Connection]:
    engine = create_engine(make_url(address).set(drivername="postgresql+psycopg"))
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _to_url(address: str, password: str) -> str:
    url = make_url(address).set(username=ROLE, password=password)
    return url.render_as_string(hide_password=False)


def test_a_dump_and_its_load_sign_in_with_the_password(
    asking: PostgresqlServer, tmp_path: Path
) -> None:
    dump = tmp_path / "database.dump"
    with asking.database() as source, asking.database() as target:
        with _open(source) as held:
            held.execute(text("CREATE TABLE kept AS SELECT 7 AS n"))
            held.commit()
            held.execute(text("BEGIN ISOLATION LEVEL REPEATABLE READ"))
            snapshot = held.execute(text("SELECT pg_export_snapshot()")).scalar_one()
            dump_postgresql(_to_url(source, PASSWORD), dump, snapshot=snapshot)
        load_postgresql(_to_url(target, PASSWORD), dump)
        with _open(target) as found:
            assert found.execute(text("SELECT n FROM kept")).scalar_one() == 7
        with pytest.raises(DatabaseToolError) as caught:
            load_postgresql(_to_url(target, "wrong"), dump)
        assert "wrong" not in str(caught.value)
