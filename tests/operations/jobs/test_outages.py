# ruff: noqa: S608 - the tables' names are our own
"""A database that is gone, locked or of another version: a typed error, and well again after it."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from spanproof.core.errors import SettingsError
from spanproof.operations.errors import JobNotFoundError
from spanproof.operations.jobs import system as system_module
from spanproof.operations.tenants import Tenants
from spanproof.store.errors import StoreUnavailableError
from tests.operations.jobs.conftest import make_settings, running, wait_for
from tests.operations.jobs.workers import open_place

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import StorePlace
    from tests.postgresql import PostgresqlServer


def test_a_locked_sqlite_is_unavailable_and_nothing_is_half_queued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_module, "BUSY_MILLISECONDS", 200)
    tenants = Tenants(make_settings(tmp_path / "home"))
    jobs = tenants.default.jobs
    jobs.start("counted", {"name": "first"}, job_id="first")
    path = tmp_path / "home" / "jobs" / "jobs.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        with pytest.raises(StoreUnavailableError, match="OperationalError"):
            jobs.start("counted", {"name": "second"}, job_id="second")
        with pytest.raises(StoreUnavailableError):
            jobs.cancel("first")
        # Readers do not wait for a writer; and nobody waits for ever.
        assert jobs.find("first").state == "queued"
        assert time.monotonic() - began < 30
        other.execute("ROLLBACK")
    with pytest.raises(JobNotFoundError):
        jobs.find("second")
    assert jobs.start("counted", {"name": "second"}, job_id="second").state == "queued"
    tenants.close()


@pytest.mark.long
def test_a_postgresql_that_went_away_is_unavailable_and_jobs_go_on_after_it(
    postgresql_server: PostgresqlServer, tmp_path: Path
) -> None:
    from tests.conftest import StorePlace

    with postgresql_server.database() as url:
        name = url.rpartition("?")[0].rpartition("/")[2]
        place = StorePlace(home=tmp_path / "home", database_url=url)
        with open_place(place) as tenants:
            jobs = tenants.default.jobs
            with running(tenants):
                first = jobs.start("counted", {"name": "first", "units": 20, "seconds": 0.1})
                wait_for(jobs, first.job_id, "running")
                postgresql_server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
                postgresql_server.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    f" WHERE datname = '{name}'"
                )
                with pytest.raises(StoreUnavailableError):
                    jobs.start("counted", {"name": "second"}, job_id="second")
                with pytest.raises(StoreUnavailableError):
                    jobs.find(first.job_id)
                postgresql_server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
                with pytest.raises(JobNotFoundError):
                    jobs.find("second")
                second = jobs.start("counted", {"name": "second"}, job_id="second")
                assert wait_for(jobs, second.job_id).state == "done"
                assert wait_for(jobs, first.job_id).state == "done"


def test_jobs_of_a_newer_version_are_refused_and_left_alone(store_place: StorePlace) -> None:
    with open_place(store_place) as tenants:
        system = tenants.default.job_system
        tenants.default.jobs.start("counted", {"name": "first"}, job_id="first")
        prefix = "" if system.schema is None else f"{system.schema}."
        with system.connection() as connection:
            connection.execute(text(f"UPDATE {prefix}job_system SET version = 99"))
        system.close()
        with pytest.raises(SettingsError, match="got 99"):
            tenants.default.jobs.find("first")
        engine = system.make_engine()
        with engine.begin() as connection:
            connection.execute(text(f"UPDATE {prefix}job_system SET version = 1"))
        engine.dispose()
        assert tenants.default.jobs.find("first").state == "queued"


def test_a_full_disk_keeps_no_half_an_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    from spanproof.operations.jobs.inputs import JobInputs

    def fail(descriptor: int) -> None:
        del descriptor
        raise OSError(28, "No space left on device")

    inputs = JobInputs(tmp_path / "inputs", most_bytes=100)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(StoreUnavailableError, match="No space left"):
            inputs.add(b"words")
    assert list((tmp_path / "inputs").iterdir()) == []
    assert inputs.read(inputs.add(b"words")) == b"words"
