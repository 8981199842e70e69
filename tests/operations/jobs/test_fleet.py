"""Several processes on one PostgreSQL: what a dead one leaves, another one takes."""

from __future__ import annotations

import json
import re
import time
import urllib.request
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from spanproof.operations.jobs.executor import MAX_TRIES
from spanproof.operations.jobs.running import JobInterrupted
from tests.operations.jobs.conftest import running, wait_for
from tests.operations.jobs.workers import (
    SENTENCE,
    count_outcome,
    kill,
    open_place,
    queue_answers,
    start_process,
    wait_until_done,
)

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from spanproof.operations.jobs.system import JobSystem
    from tests.conftest import StorePlace

START_SECONDS = 120.0


def _count_running(system: JobSystem) -> int:
    return len(system.client.list_workflows(status="PENDING", load_input=False))


def _strand(system: JobSystem, workflow_id: str) -> None:
    """Leave a job as a worker does that is gone for good: taken, and run by nobody."""
    table = "workflow_status" if system.schema is None else f"{system.schema}.workflow_status"
    statement = (
        f"UPDATE {table} SET status = 'PENDING', executor_id = 'gone.0123456789abcdef',"  # noqa: S608
        " owner_xid = 'gone' WHERE workflow_uuid = :id"
    )
    with system.connection() as connection:
        connection.execute(text(statement), {"id": workflow_id})


@pytest.mark.long
def test_the_jobs_of_a_worker_that_never_returns_are_taken_over(store_place: StorePlace) -> None:
    with open_place(store_place) as tenants:
        jobs, system = tenants.default.jobs, tenants.default.job_system
        stranded = jobs.start("counted", {"name": "stranded"})
        silent = jobs.start("counted", {"name": "silent"})
        for job in (stranded, silent):
            _strand(system, f"default/{job.job_id}")
        # One was seen once and never again, the other one never.
        with system.connection() as connection:
            system.rows.beat(connection, "gone.0123456789abcdef")
        time.sleep(1.0)
        with running(tenants):
            for job in (stranded, silent):
                assert wait_for(jobs, job.job_id).state == "done"
            assert _count_running(system) == 0


@pytest.mark.long
def test_a_job_that_ends_worker_after_worker_is_given_up_by_those_that_take_it_over(
    store_place: StorePlace,
) -> None:
    with open_place(store_place) as tenants:
        jobs, system = tenants.default.jobs, tenants.default.job_system
        last = jobs.start("counted", {"name": "last"})
        over = jobs.start("counted", {"name": "over"})
        for job, tries in ((last, MAX_TRIES - 1), (over, MAX_TRIES)):
            _strand(system, f"default/{job.job_id}")
            with system.connection() as connection:
                system.rows.add_attempts(connection, f"default/{job.job_id}", tries)
        with running(tenants):
            done, failed = (wait_for(jobs, job.job_id) for job in (last, over))
        assert (done.state, done.attempts) == ("done", MAX_TRIES)
        assert (failed.state, failed.attempts) == ("failed", MAX_TRIES)
        assert failed.problem is not None
        assert failed.problem.code == "JOB_FAILED"
        assert f"got {MAX_TRIES} tries" in failed.problem.detail
        assert [path.name for path in (store_place.home / "made").glob("*.done")] == ["last.done"]


def test_a_cancelled_job_that_is_taken_over_does_not_run(store_place: StorePlace) -> None:
    with open_place(store_place) as tenants:
        jobs, system = tenants.default.jobs, tenants.default.job_system
        job = jobs.start("counted", {"name": "cancelled"})
        jobs.cancel(job.job_id)
        _strand(system, f"default/{job.job_id}")
        assert jobs.find(job.job_id).state == "cancelled"
        with running(tenants):
            failed = wait_for(jobs, job.job_id)
            deadline = time.monotonic() + 30
            while _count_running(system):
                assert time.monotonic() < deadline
                time.sleep(0.05)
        assert failed.state == "cancelled"
        assert not (store_place.home / "made").exists()


@pytest.mark.long
def test_a_worker_that_stops_hands_back_what_it_does_not_finish(store_place: StorePlace) -> None:
    with open_place(store_place) as tenants:
        jobs = tenants.default.jobs
        with running(tenants) as executor:
            job = jobs.start("gated", {})
            wait_for(jobs, job.job_id, "running")
            executor.stop(drain_seconds=0.1)
        assert jobs.find(job.job_id).state == "queued"
        assert not issubclass(JobInterrupted, Exception)


def _serve(place: StorePlace, stack: ExitStack, log: Path) -> str:
    process = start_process(place, "serve", "--port", "0", log=log, SPANPROOF_JOB_THREADS="0")
    stack.callback(_end, process)
    deadline = time.monotonic() + START_SECONDS
    while not (found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found[0]


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        assert process.wait(timeout=START_SECONDS) == 0


def _send(url: str, body: bytes) -> Any:
    request = urllib.request.Request(url, data=body, method="POST")  # noqa: S310 - loopback
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310 - loopback
        return response.status, json.load(response)


@pytest.mark.slow
def test_two_services_and_two_workers_on_one_postgresql(
    postgresql_url: str, tmp_path: Path
) -> None:
    from tests.conftest import StorePlace

    place = StorePlace(home=tmp_path / "home", database_url=postgresql_url)
    with open_place(place) as tenants, ExitStack() as stack:
        ids = queue_answers(tenants, 1)
        urls = [_serve(place, stack, tmp_path / f"api{n}.log") for n in (1, 2)]
        workers = [start_process(place, log=tmp_path / f"worker{n}.log") for n in (1, 2)]
        for worker in workers:
            stack.callback(kill, worker)
        for number in range(60):
            citation = {"anchor": 1, "doc_id": "agreement", "span": {"text": SENTENCE[:40]}}
            answer = {
                "answer_id": f"fleet-{number}",
                "answer": f"Letter {number} says four days [1].",
                "citations": [citation],
            }
            url = f"{urls[number % 2]}/v1/verifications?mode=async"
            status, job = _send(url, json.dumps(answer).encode())
            assert status == 202
            ids.append(job["job_id"])
            if number == 30:
                # For good: nobody starts a worker of that name again.
                kill(workers[0])
        wait_until_done(tenants, 61, seconds=START_SECONDS)
        outcome = count_outcome(tenants, ids, 0.0)
        assert (outcome.lost, outcome.failed, outcome.doubled) == (0, 0, 0), outcome
        assert _count_running(tenants.default.job_system) == 0
        # Either service tells of a job that the other one took.
        with urllib.request.urlopen(f"{urls[1]}/v1/jobs/{ids[0]}", timeout=60) as response:  # noqa: S310
            assert json.load(response)["state"] == "done"
        print(outcome)  # noqa: T201 - the figure of docs/how-to/jobs.md
