"""Fixtures of jobs: a service's jobs with an executor in this process, and kinds of our own."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from spanproof.operations.jobs import KINDS
from spanproof.operations.jobs.executor import Executor
from spanproof.operations.settings import Settings
from spanproof.operations.tenants import Tenants
from tests.operations.jobs import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.operations.jobs import Job, Jobs

#: The longest that a test waits for what a worker does.
PATIENCE_SECONDS = 60.0


@pytest.fixture(autouse=True)
def _kinds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The kinds of tests, for one test."""
    known = dict(KINDS)
    kinds.register()
    kinds.GATE.clear()
    yield
    kinds.GATE.set()
    KINDS.clear()
    KINDS.update(known)
    del monkeypatch


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    """A home for the tests of one module."""
    opened = Tenants(make_settings(tmp_path_factory.mktemp("jobs") / "home"))
    yield opened
    opened.close()


def make_settings(home: Path, database_url: str | None = None) -> Settings:
    """Settings of a home whose workers are soon missed."""
    return Settings(
        home=home, database_url=database_url, model=None, job_beat_seconds=0.3, drain_seconds=5
    )


@contextmanager
def running(tenants: Tenants, *, threads: int = 4) -> Iterator[Executor]:
    """An executor of this process."""
    executor = Executor(
        tenants.default.job_system,
        tenants.using,
        threads=threads,
        beat_seconds=tenants.default.settings.job_beat_seconds,
    )
    executor.start()
    try:
        yield executor
    finally:
        executor.stop(drain_seconds=5)


def wait_for(jobs: Jobs, job_id: str, *states: str) -> Job:
    """The job once it stands in one of these states (any final one)."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        job = jobs.find(job_id)
        if job.state in states or (not states and job.state.is_final):
            return job
        assert time.monotonic() < deadline, job
        time.sleep(0.02)
