"""What a worker looks after besides jobs: its own beats, and files that no job names."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from spanproof.operations.errors import JobConflictError
from spanproof.operations.jobs.executor import Executor
from spanproof.operations.jobs.hosting import host_jobs
from spanproof.operations.jobs.queueing import start_verification
from spanproof.operations.jobs.watchdog import DAY_SECONDS, Watchdog
from spanproof.operations.tenants import Tenants
from tests.operations.jobs.conftest import PATIENCE_SECONDS, make_settings, running, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ANSWER = b'{"answer": "So it is.", "citations": []}'


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def list_inputs(tenants: Tenants) -> set[str]:
    folder: Path = tenants.default.job_system.folder / "inputs" / "default"
    return {path.name for path in folder.iterdir()}


def test_a_fault_in_one_beat_does_not_end_the_watchdog(
    tenants: Tenants, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats: list[float] = []

    def fail(watchdog: Watchdog) -> None:
        del watchdog
        beats.append(time.monotonic())
        raise ValueError("not foreseen")

    monkeypatch.setattr(Watchdog, "_forget_old", fail)
    with running(tenants, threads=1):
        wait_until(lambda: len(beats) >= 2)


def test_a_job_is_queued_though_no_executor_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(executor: Executor) -> None:
        del executor
        raise RuntimeError("can't start new thread")

    tenants = Tenants(make_settings(tmp_path / "home"))
    monkeypatch.setattr(Executor, "start", fail)
    host_jobs(tenants, at_once=False)
    assert tenants.default.jobs.start("counted", {"name": "first"}).state == "queued"
    tenants.close()


@pytest.mark.parametrize("is_used", [True, False])
def test_a_job_that_is_queued_while_the_service_closes_starts_no_executor(
    tmp_path: Path, is_used: bool
) -> None:
    tenants = Tenants(make_settings(tmp_path / "home"))
    jobs = tenants.default.jobs
    executor = host_jobs(tenants, at_once=is_used)
    executor.stop(drain_seconds=0)
    assert jobs.start("counted", {"name": "late"}, job_id="late").state == "queued"
    assert not executor.is_started
    with running(tenants):
        assert wait_for(jobs, "late").state == "done"
    tenants.close()


def test_old_files_that_no_job_names_are_swept(tenants: Tenants) -> None:
    jobs = tenants.default.jobs
    named, young, lost = (jobs.inputs.add(b"words") for _ in range(3))
    jobs.start("counted", {"name": "later", "input": named}, delay_seconds=600)
    ago = time.time() - DAY_SECONDS - 60
    folder = tenants.default.job_system.folder / "inputs" / "default"
    for name in (named, lost):
        os.utime(folder / name, (ago, ago))
    with running(tenants, threads=1):
        wait_until(lambda: not (folder / lost).exists())
    assert {named, young} <= list_inputs(tenants)


def test_an_input_of_a_job_that_was_refused_is_removed(tenants: Tenants) -> None:
    context = tenants.default
    before = list_inputs(tenants) if (context.job_system.folder / "inputs").exists() else set()
    start_verification(context, ANSWER, seed="one")
    (kept,) = list_inputs(tenants) - before
    with pytest.raises(JobConflictError):
        start_verification(context, ANSWER.replace(b"So", b"No"), seed="one")
    assert list_inputs(tenants) - before == {kept}
    assert context.job_system.inputs("default").read(kept) == ANSWER


def test_what_a_job_made_in_files_goes_with_it(tenants: Tenants) -> None:
    jobs, system = tenants.default.jobs, tenants.default.job_system
    for name in ("old", "young"):
        jobs.start("counted", {"name": name, "input": jobs.inputs.add(b"words")}, job_id=name)
        (jobs.outputs.path(name) / "rows").mkdir(parents=True)
        # As a run leaves it that is killed.
        with jobs.outputs.scratch(name) as scratch:
            left = scratch.with_name(".given-left")
            left.mkdir()
            (left / "words").write_bytes(b"words")
        assert not scratch.exists()
    with running(tenants, threads=1):
        for name in ("old", "young"):
            wait_until(lambda name=name: jobs.find(name).state.is_final)  # type: ignore[misc]
            left = jobs.outputs.path(name) / ".given-left"
            wait_until(lambda left=left: not left.exists())  # type: ignore[misc]
        with system.connection() as connection:
            job = system.rows._job
            long_ago = {"created_at": 0}
            connection.execute(
                job.update().where(job.c.workflow_id == "default/old").values(**long_ago)
            )
        wait_until(lambda: not jobs.outputs.path("old").exists())
    assert (jobs.outputs.path("young") / "rows").is_dir()
    assert jobs.find("young").kind == "counted"
