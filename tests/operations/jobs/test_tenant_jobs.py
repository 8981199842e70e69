"""Jobs: queued once for one id, run, told of, cancelled; nobody else's are seen."""

from __future__ import annotations

import base64
import json
import os
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import InputError, SettingsError
from spanproof.operations.errors import (
    JobConflictError,
    JobFinishedError,
    JobKindUnknownError,
    JobNotFoundError,
)
from spanproof.operations.jobs import JobState
from spanproof.operations.jobs.executor import ExecutorName
from spanproof.operations.tenants import Tenants
from tests.operations.jobs import kinds
from tests.operations.jobs.conftest import PATIENCE_SECONDS, make_settings, running, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.operations.jobs import Jobs
    from spanproof.operations.jobs.executor import Executor


@pytest.fixture(scope="module")
def executor(tenants: Tenants) -> Iterator[Executor]:
    """One for every test that does not need its own."""
    with running(tenants) as started:
        yield started


@pytest.fixture
def jobs(tenants: Tenants, executor: Executor) -> Jobs:
    """The default tenant's, which this process runs."""
    assert executor.is_started
    return tenants.default.jobs


def test_a_job_is_run_and_tells_its_result(jobs: Jobs) -> None:
    started = jobs.start("counted", {"name": "one", "units": 3})
    assert started.state in {JobState.QUEUED, JobState.RUNNING, JobState.DONE}
    done = wait_for(jobs, started.job_id)
    assert done.state is JobState.DONE
    assert done.result == {"name": "one", "tenant": "default"}
    assert (done.progress.done, done.progress.total) == (3, 3)
    assert done.problem is None
    assert done.attempts == 1


def test_the_same_id_again_is_the_same_job_and_another_wish_conflicts(
    jobs: Jobs, tenants: Tenants
) -> None:
    first = jobs.start("counted", {"name": "same"}, job_id="same")
    assert jobs.start("counted", {"name": "same"}, job_id="same").job_id == first.job_id
    for kind, arguments in (("counted", {"name": "other"}), ("gated", {"name": "same"})):
        with pytest.raises(JobConflictError, match="'same'"):
            jobs.start(kind, arguments, job_id="same")
    wait_for(jobs, "same")
    jobs.start("counted", {"name": "same"}, job_id="same")
    begun = (tenants.default.settings.home / "made" / "begun").read_text().split("\n")
    assert [line.split()[0] for line in begun if line].count("same") == 1


@pytest.mark.parametrize("job_id", ["", "-a", "a b", "ä", "a" * 129, "a/b", "a\n"])
def test_an_id_that_is_none_is_refused(jobs: Jobs, job_id: str) -> None:
    with pytest.raises(InputError, match="job_id"):
        jobs.start("counted", {"name": "x"}, job_id=job_id)
    with pytest.raises(JobNotFoundError):
        jobs.find(job_id)


def test_an_unknown_kind_is_refused(jobs: Jobs) -> None:
    with pytest.raises(JobKindUnknownError, match="'dance'"):
        jobs.start("dance", {})


def test_a_fault_of_ours_fails_the_job_and_quotes_nothing(jobs: Jobs) -> None:
    failed = wait_for(jobs, jobs.start("faulty", {}).job_id)
    assert failed.state is JobState.FAILED
    assert failed.problem is not None
    assert failed.problem.code == "INTERNAL"
    assert "words of a document" not in str(failed.to_json())
    with pytest.raises(JobFinishedError):
        jobs.cancel(failed.job_id)
    assert failed in jobs.list(state=JobState.FAILED).items


def test_a_typed_error_keeps_its_code(jobs: Jobs) -> None:
    failed = wait_for(jobs, jobs.start("verification", {"input": "none", "seed": "s"}).job_id)
    assert failed.problem is not None
    assert failed.problem.code == "STORE_INTEGRITY"
    assert failed.problem.hint


def test_a_running_job_tells_how_far_it_is_and_ends_where_it_is_cancelled(
    jobs: Jobs, executor: Executor
) -> None:
    started = jobs.start("gated", {})
    deadline = time.monotonic() + 30
    while not (seen := jobs.find(started.job_id)).progress.done:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert seen.state is JobState.RUNNING
    assert seen.progress.total == 10_000
    cancelled = jobs.cancel(started.job_id)
    assert cancelled.state is JobState.CANCELLED
    assert cancelled.problem is not None
    assert cancelled.problem.code == "JOB_CANCELLED"
    # Once more is no fault.
    assert jobs.cancel(started.job_id).state is JobState.CANCELLED
    while f"default/{started.job_id}" in executor.list_running():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert jobs.find(started.job_id).state is JobState.CANCELLED


@pytest.mark.long
def test_a_queued_job_that_is_cancelled_never_runs(jobs: Jobs, tenants: Tenants) -> None:
    later = jobs.start("counted", {"name": "never"}, delay_seconds=1.0)
    assert later.state is JobState.QUEUED
    assert jobs.cancel(later.job_id).state is JobState.CANCELLED
    time.sleep(2.0)
    assert jobs.find(later.job_id).state is JobState.CANCELLED
    assert not (tenants.default.settings.home / "made" / "never.done").exists()


@pytest.mark.long
def test_a_worker_that_hears_of_a_cancel_before_its_engine_ends_the_job_as_cancelled(
    jobs: Jobs,
) -> None:
    job_id = jobs.start("counted", {"name": "early"}, delay_seconds=1).job_id
    system = jobs._system
    with system.connection() as connection:
        system.rows.set_cancelled(connection, f"default/{job_id}")
    deadline = time.monotonic() + PATIENCE_SECONDS
    status = ""
    # The engine's own word: ours says that it is cancelled from the beginning.
    while status not in {"SUCCESS", "ERROR", "CANCELLED"} and time.monotonic() < deadline:
        time.sleep(0.05)
        (found,) = system.client.list_workflows(workflow_ids=[f"default/{job_id}"])
        status = found.status
    assert status == "CANCELLED"
    assert jobs.find(job_id).state is JobState.CANCELLED


def test_another_tenant_finds_nothing(jobs: Jobs, tenants: Tenants) -> None:
    mine = jobs.start("counted", {"name": "mine"}, job_id="mine")
    other = tenants.create("acme").jobs
    with pytest.raises(JobNotFoundError):
        other.find(mine.job_id)
    with pytest.raises(JobNotFoundError):
        other.cancel(mine.job_id)
    assert other.list().items == ()
    # The same id is another job there, and runs with that tenant's home.
    theirs = wait_for(other, other.start("counted", {"name": "theirs"}, job_id="mine").job_id)
    assert theirs.result == {"name": "theirs", "tenant": "acme"}
    assert (tenants.find("acme").settings.home / "made" / "theirs.done").exists()
    assert wait_for(jobs, "mine").result == {"name": "mine", "tenant": "default"}


def test_a_listing_goes_through_every_job_once_newest_first(tenants: Tenants) -> None:
    jobs = tenants.create("many").jobs
    ids = [jobs.start("counted", {"name": str(n)}, delay_seconds=600).job_id for n in range(7)]
    found, moments, cursor = [], [], None
    while True:
        page = jobs.list(limit=3, cursor=cursor)
        found += [job.job_id for job in page.items]
        moments += [job.created_at for job in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    # Jobs of one millisecond stand in any order.
    assert sorted(found) == sorted(ids)
    assert moments == sorted(moments, reverse=True)
    assert jobs.list(state=JobState.DONE).items == ()
    assert jobs.list(kind="gated").items == ()
    assert len(jobs.list(kind="counted", state=JobState.QUEUED).items) == 7
    for wrong in ("x", page.items[0].job_id):
        with pytest.raises(InputError):
            jobs.list(cursor=wrong)
    with pytest.raises(InputError, match="limit"):
        jobs.list(limit=0)


@pytest.mark.parametrize("text", ["\x00", "\ud800"])
def test_what_no_column_can_hold_finds_nothing(
    tmp_path: Path, postgresql_url: str, text: str
) -> None:
    settings = make_settings(tmp_path / "home", postgresql_url)
    with closing(Tenants(settings)) as tenants:
        jobs = tenants.default.jobs
        for name in "ab":
            jobs.start("counted", {"name": name}, delay_seconds=600)
        assert jobs.list(kind=text).items == ()
        page = jobs.list(limit=1)
        assert page.next_cursor is not None
        # As somebody makes one up: of the right listing, with another key.
        parts = json.loads(base64.urlsafe_b64decode(page.next_cursor + "=="))
        parts[0:2] = ["2020-01-01T00:00:00+00:00", text]
        cursor = base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")
        assert jobs.list(limit=1, cursor=cursor).items == ()


@pytest.mark.long
def test_an_input_goes_once_its_job_is_over(jobs: Jobs, tenants: Tenants) -> None:
    name = jobs.inputs.add(b"words")
    assert jobs.inputs.read(name) == b"words"
    job = jobs.start("gated", {"input": name})
    wait_for(jobs, job.job_id, "running")
    time.sleep(1.0)
    assert jobs.inputs.read(name) == b"words"
    kinds.GATE.set()
    wait_for(jobs, job.job_id)
    path = tenants.default.job_system.folder / "inputs" / "default" / name
    deadline = time.monotonic() + 30
    while path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_one_process_runs_one_homes_jobs(executor: Executor, tenants: Tenants) -> None:
    assert executor.is_started
    with pytest.raises(SettingsError, match="one home"), running(tenants):
        pass


def test_names_of_workers_are_held_and_stay(tmp_path: Path) -> None:
    first, second = ExecutorName(tmp_path), ExecutorName(tmp_path)
    assert first.name != second.name
    first.close()
    again = ExecutorName(tmp_path)
    assert again.name == first.name
    for each in (second, again):
        each.close()
        each.close()


def test_a_home_without_jobs_makes_nothing(tmp_path: Path) -> None:
    from spanproof.operations.tenants import Tenants

    tenants = Tenants(make_settings(tmp_path / "home"))
    assert not tenants.default.job_system.exists
    assert not os.path.lexists(tmp_path / "home" / "jobs")
    tenants.close()
