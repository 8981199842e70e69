from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event, text
from sqlalchemy.pool import Pool

from spanproof.core.errors import ConflictError, IntegrityError, SettingsError
from spanproof.store.database.session import Database, to_url
from spanproof.store.errors import StoreUnavailableError
from spanproof.store.tables import DocumentRow
from tests.store.examples import NOON

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.store import Store
    from tests.conftest import StorePlace
    from tests.postgresql import PostgresqlServer

SECRET = "hunter2"  # noqa: S105 - seeded to be looked for


def test_importing_the_package_does_not_load_a_database_library() -> None:
    program = (
        "import spanproof.store, sys;"
        "loaded = {'sqlalchemy', 'sqlmodel', 'alembic', 'psycopg', 'pydantic'} & set(sys.modules);"
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_sqlite_overwrites_what_it_moves_on_every_connection(tmp_path: Path) -> None:
    # As a library does that was built without SQLITE_SECURE_DELETE.
    def turn_off(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA secure_delete = OFF")

    event.listen(Pool, "connect", turn_off)
    try:
        database = Database(to_url(tmp_path, None))
        with database.connection("a table") as connection:
            assert connection.exec_driver_sql("PRAGMA secure_delete").scalar() == 1
        database.close()
    finally:
        event.remove(Pool, "connect", turn_off)


def test_sqlite_is_durable_and_checks_its_keys_on_every_connection(tmp_path: Path) -> None:
    database = Database(to_url(tmp_path, None))
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 30_000,
        "recursive_triggers": 1,
        "trusted_schema": 0,
    }
    with database.reading() as first, database.reading() as second:
        for session in (first, second):
            found = {
                name: session.connection().exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in wanted
            }
            assert found == wanted
    database.close()


def test_postgresql_commits_are_synchronous(postgresql_url: str, tmp_path: Path) -> None:
    database = Database(to_url(tmp_path, f"{postgresql_url}&options=-csynchronous_commit%3Doff"))
    with database.reading() as session:
        assert session.connection().execute(text("SHOW synchronous_commit")).scalar() == "on"
    database.close()


def test_a_writer_sees_what_the_one_before_it_wrote(postgresql_url: str, tmp_path: Path) -> None:
    stricter = "options=-cdefault_transaction_isolation%3Drepeatable%5C%20read"
    database = Database(to_url(tmp_path, f"{postgresql_url}&{stricter}"))
    with database.connection("a table") as connection:
        connection.execute(text("CREATE TABLE written (number INTEGER)"))
    found: list[object] = []

    def write_second() -> None:
        with database.connection("turn") as connection:
            found.append(connection.execute(text("SELECT count(*) FROM written")).scalar())

    waiting = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    second = threading.Thread(target=write_second)
    with database.connection("turn") as connection:
        second.start()
        deadline = time.monotonic() + 30
        with database.read_connection() as other:
            while not other.execute(waiting).scalar() and time.monotonic() < deadline:
                other.rollback()
                time.sleep(0.01)
        connection.execute(text("INSERT INTO written VALUES (1)"))
    second.join()
    assert found == [1]
    database.close()


@pytest.mark.parametrize(
    "address", ["postgresql://u@h/db", "postgres://u@h/db", "postgresql+psycopg://u@h/db"]
)
def test_postgresql_addresses_name_the_driver_that_is_installed(
    address: str, tmp_path: Path
) -> None:
    assert to_url(tmp_path, address).drivername == "postgresql+psycopg"


@pytest.mark.parametrize("address", [None, ""])
def test_sqlite_stands_in_the_home(address: str | None, tmp_path: Path) -> None:
    assert to_url(tmp_path, address).database == str(tmp_path / "spanproof.db")


@pytest.mark.parametrize(
    "address",
    [
        f"mysql://u:{SECRET}@h/db",
        "sqlite:///elsewhere.db",
        f"postgresql://u:{SECRET}@h",
        f"postgresql://u:a@b:{SECRET}/db",
        f"postgresql://u:{SECRET}@h:port/db",
        "no address",
    ],
)
def test_an_unusable_address_is_named_without_its_password(address: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        to_url(tmp_path, address)
    assert "SPANPROOF_DATABASE_URL" in caught.value.message
    assert SECRET not in str(caught.value) + repr(caught.value.__cause__)


def test_an_unreachable_server_is_a_setting_to_mend(tmp_path: Path) -> None:
    database = Database(to_url(tmp_path, f"postgresql://u:{SECRET}@/db?host={tmp_path}"))
    with pytest.raises(SettingsError, match="Expected a database that can be opened") as caught:
        database.check_reachable()
    assert SECRET not in str(caught.value) + repr(caught.value.__cause__)


def test_a_database_that_cannot_hold_every_text_is_refused(
    postgresql_server: PostgresqlServer, tmp_path: Path
) -> None:
    options = "WITH ENCODING 'LATIN1' TEMPLATE template0"
    with postgresql_server.database(options=options) as address:
        database = Database(to_url(tmp_path, address))
        with pytest.raises(SettingsError, match="encoding UTF8, got LATIN1"):
            database.check_reachable()
        database.close()


def make_row(name: str) -> DocumentRow:
    return DocumentRow(doc_hash=name, media_type="text/plain", byte_length=1, added_at=NOON)


def test_what_is_written_before_an_error_is_rolled_back(store: Store) -> None:
    def write_half() -> None:
        with store.database.writing() as session:
            session.add(make_row("half"))
            session.flush()
            raise KeyError

    with pytest.raises(KeyError):
        write_half()
    with store.database.reading() as session:
        assert session.get(DocumentRow, "half") is None


def test_a_row_of_a_taken_key_is_a_conflict_told_without_the_drivers_words(store: Store) -> None:
    with store.database.writing() as session:
        session.add(make_row("taken"))
    with (
        pytest.raises(ConflictError, match="Expected only new rows") as caught,
        store.database.writing() as session,
    ):
        session.add(make_row("taken"))
    assert "INSERT" not in str(caught.value)
    assert "text/plain" not in repr(caught.value.__cause__)


def test_a_database_that_goes_away_is_unavailable(
    postgresql_server: PostgresqlServer, tmp_path: Path
) -> None:
    with postgresql_server.database() as address:
        database = Database(to_url(tmp_path, address))
        database.check_reachable()
    with pytest.raises(StoreUnavailableError), database.reading() as session:
        session.connection()
    database.close()


@pytest.mark.parametrize("fresh_place", ["sqlite"], indirect=True)
def test_a_file_that_is_no_database_is_told_apart(fresh_place: StorePlace) -> None:
    fresh_place.home.mkdir()
    (fresh_place.home / "spanproof.db").write_bytes(b"not a database" * 1000)
    with pytest.raises(SettingsError, match="Expected a database that can be opened"):
        fresh_place.open()


def test_a_damaged_file_is_an_integrity_error(tmp_path: Path) -> None:
    database = Database(to_url(tmp_path, None))
    database.check_reachable()
    (tmp_path / "spanproof.db").write_bytes(b"x" * 8192)
    with pytest.raises(IntegrityError), database.reading() as session:
        session.connection().execute(text("SELECT * FROM sqlite_master"))
    database.close()


def test_a_checkpoint_that_fails_is_an_error_of_the_store(tmp_path: Path) -> None:
    database = Database(to_url(tmp_path, None))

    def refuse(connection: sqlite3.Connection, *_: object) -> None:
        connection.set_authorizer(
            lambda _action, name, *_: sqlite3.SQLITE_DENY if name == "wal_checkpoint" else 0
        )

    event.listen(database._engine, "checkout", refuse)
    with pytest.raises(IntegrityError, match="in order"), database.erasing():
        pass
    database.close()
