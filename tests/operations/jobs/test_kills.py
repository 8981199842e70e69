"""kill -9 in the middle of jobs: none is lost, and nothing is there twice, on both databases."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.databases import postgresql_later
from tests.operations.jobs.workers import (
    count_outcome,
    count_over,
    kill,
    open_place,
    queue_answers,
    start_process,
    wait_until_done,
)

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.tenants import Tenants
    from tests.conftest import StorePlace
    from tests.operations.jobs.workers import Outcome

#: As long as a machine that does much else may take: how fast it is, is not asked here.
START_SECONDS = 300.0


def _wait_for_work(tenants: Tenants, count: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while count_over(tenants) < count:
        assert time.monotonic() < deadline
        time.sleep(0.03)


def run_killed(place: StorePlace, folder: Path, *, jobs: int, kills: int) -> Outcome:
    """Queue jobs, kill their worker so often on the way, and count what came of them."""
    with open_place(place) as tenants:
        ids = queue_answers(tenants, jobs)
        began = time.monotonic()
        for number in range(kills):
            worker = start_process(place, log=folder / "log")
            try:
                _wait_for_work(tenants, jobs * (number + 1) // (kills + 2))
            finally:
                kill(worker)
        worker = start_process(place, log=folder / "log")
        try:
            wait_until_done(tenants, jobs, seconds=START_SECONDS + jobs)
            outcome = count_outcome(tenants, ids, time.monotonic() - began)
        finally:
            # Its own end is tested too: it drains and says so.
            worker.terminate()
            assert worker.wait(timeout=START_SECONDS) == 0
        assert (folder / "log").read_text().rstrip().endswith("Stopped.")
    return outcome


def run_light(place: StorePlace, folder: Path, *, jobs: int, kills: int) -> str:
    """The same of jobs that do next to nothing, so that most kills meet the queue itself."""
    made = place.home / "made"
    with open_place(place) as tenants:
        own = tenants.default.jobs
        for number in range(jobs):
            own.start("counted", {"name": f"n{number}"}, job_id=f"n{number}")
        began = time.monotonic()
        for number in range(kills):
            worker = start_process(place, log=folder / "log")
            try:
                _wait_for_work(tenants, jobs * (number + 1) // (kills + 2))
            finally:
                kill(worker)
        worker = start_process(place, log=folder / "log")
        try:
            wait_until_done(tenants, jobs, seconds=START_SECONDS + jobs)
            seconds = time.monotonic() - began
        finally:
            worker.terminate()
            assert worker.wait(timeout=START_SECONDS) == 0
        states = {own.find(f"n{number}").state.value for number in range(jobs)}
    names = {f"n{number}" for number in range(jobs)}
    begun = Counter(line.split()[0] for line in (made / "begun").read_text().splitlines())
    ended = Counter((made / "made").read_text().splitlines())
    assert states == {"done"}
    # A job that made its file and was killed before it wrote so has no line: never two.
    assert {path.stem for path in made.glob("*.done")} == names
    assert max(ended.values()) == 1
    again = sum(count > 1 for count in begun.values())
    return f"{jobs} jobs, {kills} kills: 0 lost, 0 made twice, {again} begun again, {seconds:.0f} s"


@pytest.mark.slow
def test_a_worker_killed_twice_in_a_thousand_light_jobs_loses_nothing(
    store_place: StorePlace, tmp_path: Path
) -> None:
    print(run_light(store_place, tmp_path, jobs=1000, kills=2))  # noqa: T201 - of docs/how-to/jobs.md


def check(outcome: Outcome) -> None:
    """Nothing lost, nothing twice."""
    assert outcome.lost == 0, outcome
    assert outcome.failed == 0, outcome
    assert outcome.doubled == 0, outcome
    assert outcome.receipts == outcome.jobs, outcome


@pytest.mark.long
@postgresql_later
def test_a_worker_killed_once_loses_nothing(store_place: StorePlace, tmp_path: Path) -> None:
    check(run_killed(store_place, tmp_path, jobs=15, kills=1))


@pytest.mark.slow
def test_a_worker_killed_twice_in_a_thousand_jobs_loses_nothing(
    store_place: StorePlace, tmp_path: Path
) -> None:
    outcome = run_killed(store_place, tmp_path, jobs=1000, kills=2)
    print(outcome)  # noqa: T201 - the figure of docs/how-to/jobs.md
    check(outcome)
