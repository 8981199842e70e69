from __future__ import annotations

import importlib.resources
import os
import shutil
import signal
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from spanproof.core.errors import ConflictError, IntegrityError, SettingsError
from spanproof.store import migration, migrations
from spanproof.store.facts import words
from spanproof.store.migrations import HEAD
from spanproof.store.tables import Row
from tests.store.examples import add_plain, run_in_child

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

    from sqlalchemy import Connection

    from tests.conftest import StorePlace

#: A revision to come: a table with its triggers.
NEXT = """
import sqlalchemy as sa
from alembic import op
from spanproof.store.triggers import make_triggers

revision, down_revision = "next", "HEAD"

def upgrade():
    added = op.create_table("added", sa.Column("name", sa.Text(), primary_key=True))
    make_triggers(op.get_bind(), [added])
"""


def test_the_tables_are_what_the_migrations_make(fresh_place: StorePlace) -> None:
    with fresh_place.open() as store, store.database.reading() as session:
        # The index of words is no table of rows: SQLite makes some of its own for it.
        options = {"include_name": lambda name, *_: not str(name).startswith(words.TABLE)}
        context = MigrationContext.configure(session.connection(), opts=options)
        assert compare_metadata(context, Row.metadata) == []


def test_the_head_that_opens_quickly_is_the_newest_script() -> None:
    config = Config()
    config.set_main_option("script_location", "spanproof:store/migrations")
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_the_scripts_stand_inside_the_package() -> None:
    folder = importlib.resources.files("spanproof.store.migrations")
    assert folder.joinpath("env.py").is_file()
    assert folder.joinpath("versions", "r0010_first_release.py").is_file()


def test_a_home_opens_again_as_it_was(fresh_place: StorePlace) -> None:
    with fresh_place.open() as store:
        record = add_plain(store, b"kept")
    with fresh_place.open() as store:
        assert store.documents.find(str(record.document.doc_hash)) == record


def test_opening_works_from_any_folder(
    fresh_place: StorePlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with fresh_place.open() as store:
        assert store.documents.list().items == ()


def open_at_once(place: StorePlace, barrier: Barrier) -> None:
    barrier.wait()
    with place.open() as store:
        add_plain(store, b"from everybody")


@pytest.mark.long
def test_first_starts_at_once_all_succeed(fresh_place: StorePlace) -> None:
    context = get_context("fork")
    barrier = context.Barrier(4)
    starters = [context.Process(target=open_at_once, args=(fresh_place, barrier)) for _ in range(4)]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join()
    assert [starter.exitcode for starter in starters] == [0, 0, 0, 0]
    with fresh_place.open() as store:
        assert len(store.documents.list().items) == 1


def test_a_migration_that_is_killed_leaves_nothing(
    fresh_place: StorePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade = migration._upgrade

    def upgrade_and_die(connection: Connection) -> None:
        upgrade(connection)
        os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr(migration, "_upgrade", upgrade_and_die)
        assert run_in_child(lambda: fresh_place.open().close()) == -signal.SIGKILL
    with fresh_place.open() as store:
        add_plain(store, b"works")


def test_a_kept_store_runs_the_scripts_that_are_newer(
    fresh_place: StorePlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fresh_place.open() as store:
        record = add_plain(store, b"kept")
    scripts = tmp_path / "scripts"
    shutil.copytree(next(iter(migrations.__path__)), scripts)
    (scripts / "versions" / "next.py").write_text(NEXT.replace("HEAD", HEAD))
    with monkeypatch.context() as patch:
        patch.setattr(migration, "_SCRIPTS", str(scripts))
        patch.setattr(migration, "HEAD", "next")
        with fresh_place.open() as store:
            assert store.documents.find(str(record.document.doc_hash)) == record
            with store.database.connection() as connection:
                connection.execute(text("INSERT INTO added VALUES ('a')"))
            with pytest.raises(ConflictError), store.database.connection() as connection:
                connection.execute(text("DELETE FROM added"))
    with pytest.raises(SettingsError, match="or older, got next"):
        fresh_place.open()


def test_a_store_of_a_newer_release_is_refused(fresh_place: StorePlace) -> None:
    with fresh_place.open() as store, store.database.connection() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SettingsError, match=f"revision {HEAD} or older, got 9999"):
        fresh_place.open()


def test_a_trigger_that_was_dropped_is_found_at_the_start(fresh_place: StorePlace) -> None:
    with fresh_place.open() as store, store.database.connection() as connection:
        table = " ON extraction" if store.database.is_postgresql else ""
        connection.execute(text(f"DROP TRIGGER extraction_refuses_delete{table}"))
    with pytest.raises(IntegrityError, match="extraction_refuses_delete"):
        fresh_place.open()


@pytest.mark.parametrize("fresh_place", ["postgresql"], indirect=True)
def test_a_trigger_that_was_disabled_is_found_at_the_start(
    fresh_place: StorePlace,
) -> None:
    with fresh_place.open() as store, store.database.connection() as connection:
        connection.execute(text("ALTER TABLE verdict DISABLE TRIGGER verdict_refuses_update"))
    with pytest.raises(IntegrityError, match="verdict_refuses_update"):
        fresh_place.open()


def test_a_home_that_cannot_be_a_folder_is_a_setting_to_mend(fresh_place: StorePlace) -> None:
    fresh_place.home.write_text("a file stands here")
    with pytest.raises(SettingsError, match="Expected a folder that can be written"):
        fresh_place.open()
