"""kill -9 in the middle of each kind of job over the store: as if it had never been."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.tenants import Tenants
from spanproof.operations.webhooks.endpoints import add_webhook
from tests.builders import ScriptedModel
from tests.conftest import StorePlace, copy_home
from tests.operations.jobs.conftest import make_settings, running
from tests.operations.jobs.holding import VARIABLE, Hold, list_held, to_variable
from tests.operations.jobs.receiver import receiving
from tests.operations.jobs.store_work import (
    JOBS,
    Scale,
    list_leftovers,
    prepare,
    start_all,
    take_snapshot,
    wish_editions,
)
from tests.operations.jobs.workers import kill, start_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanproof.operations.context import Context

#: As long as a machine that does much else may take.
PATIENCE_SECONDS = 300.0
#: A second part of the pairs is left where one is done; a manifest tells of each 10,000th row.
SMALL = Scale(rows=10_500, pairs=1_001, answers=3, citations=2)
#: Each of the larger jobs takes seconds: how far it is, is told twice a second.
LARGE = Scale(rows=100_000, pairs=20_000, answers=100, citations=12)
#: Whose progress is waited for, and to which share of it, before the worker is killed.
KILLS = (
    ("policies", 0.1),
    ("pairs", 0.2),
    ("contracts", 0.2),
    ("large", 0.3),
    ("contracts", 0.6),
    ("pairs", 0.7),
    ("large", 0.8),
)
_SETTINGS = {"SPANPROOF_JOB_THREADS": "12", "SPANPROOF_WEBHOOK_PRIVATE": "true"}


def wait_until(is_so: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until it is so; it must be in time."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.2)


@contextmanager
def opened(place: StorePlace) -> Iterator[Tenants]:
    """The tenants of a place whose webhooks may be on loopback, and whose model has a script."""
    settings = make_settings(place.home, place.database_url)
    private = settings.model_copy(update={"webhook_private": True})
    tenants = Tenants(private, {"model": ScriptedModel()})
    try:
        yield tenants
    finally:
        tenants.close()


def hold_all(context: Context, scale: Scale) -> list[Hold]:
    """Each job in its middle, or where all is done but its end: there most would be done twice."""
    extractions = {n: wish_editions(context, n, scale).old or "" for n in ("policies", "manuals")}
    held = {
        "large": ("index_registration", "version", "large", 10_000),
        "small": ("index_registration", "version", "small", 3),
        "pairs": ("bulk_verification", "seed", "pairs", 1_000),
        "shard": ("bulk", "output", "out", 1),
        "contracts": ("reverification", "index", "contracts", scale.answers // 2),
        "leases": ("reverification", "index", "leases", 1),
        "archive": ("drift", "index", "archive", 1),
        "policies": ("drift", "from_extraction", extractions["policies"], scale.citations),
        "manuals": ("reverification", "from_extraction", extractions["manuals"], scale.citations),
    }
    return [
        Hold(name=name, kind=kind, key=key, value=value, done=done)
        for name, (kind, key, value, done) in held.items()
    ]


def are_over(context: Context) -> bool:
    """Whether all the jobs are over."""
    return all(context.jobs.find(job_id).state.is_final for job_id in JOBS)


@contextmanager
def prepared(place: StorePlace, scale: Scale) -> Iterator[Tenants]:
    """A place with all that the jobs work on, and a webhook that is told of every event."""
    with opened(place) as tenants, receiving() as receiver:
        add_webhook(tenants.default, receiver.url)
        prepare(tenants.default, scale)
        yield tenants


def run_undisturbed(home: Path, migrated: Path, scale: Scale) -> dict[str, Any]:
    """What the jobs come to in this process, which nobody kills."""
    copy_home(migrated, home)
    with prepared(StorePlace(home=home, database_url=None), scale) as tenants:
        with running(tenants, threads=4):
            start_all(tenants.default, scale)
            wait_until(lambda: are_over(tenants.default))
        return take_snapshot(tenants.default)


def check_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """The same was made, one thing after the other, so that a difference can be read."""
    assert found.keys() == expected.keys()
    for name, value in found.items():
        assert value == expected[name], name


def run_to_the_end(place: StorePlace, context: Context, log: Path) -> None:
    """Let a worker do what is left."""
    worker = start_process(place, log=log, **_SETTINGS)
    try:
        wait_until(lambda: are_over(context))
        # Whoever looks after what is over does so at the next beat.
        wait_until(lambda: not list_leftovers(context))
    finally:
        kill(worker)


@pytest.mark.long
@pytest.mark.parametrize(
    "store_place", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)
def test_every_kind_that_is_killed_where_it_is_held_ends_as_if_it_had_not_been(
    store_place: StorePlace, tmp_path: Path, migrated_home: Path
) -> None:
    expected = run_undisturbed(tmp_path / "undisturbed", migrated_home, SMALL)
    with prepared(store_place, SMALL) as tenants:
        context, log = tenants.default, tmp_path / "log"
        holds = hold_all(context, SMALL)
        assert [hold.name for hold in holds] == list(JOBS)
        start_all(context, SMALL)
        variable = {VARIABLE: to_variable(holds)}
        worker = start_process(store_place, log=log, **_SETTINGS, **variable)
        try:
            wait_until(lambda: not set(JOBS) - list_held(store_place.home))
        finally:
            kill(worker)
        assert {context.jobs.find(job_id).state.value for job_id in JOBS} == {"running"}
        run_to_the_end(store_place, context, log)
        assert min(context.jobs.find(job_id).attempts for job_id in JOBS) == 2
        check_same(take_snapshot(context), expected)


@dataclass(slots=True)
class Killed:
    """Kills the workers of a place one after the other; counts the jobs that it met half done."""

    place: StorePlace
    context: Context
    log: Path
    met: Counter[str] = field(default_factory=Counter)

    def kill_at(self, job_id: str, share: float) -> None:
        """Start a worker and kill it once that job is so far, or over."""
        jobs = self.context.jobs
        # What the run before has told stands there until this one tells more.
        before = jobs.find(job_id).progress

        def is_there() -> bool:
            job = jobs.find(job_id)
            has_told = job.progress != before and job.progress.done >= share * job.progress.total
            return job.state.is_final or has_told

        worker = start_process(self.place, log=self.log, **_SETTINGS)
        try:
            wait_until(is_there)
        finally:
            kill(worker)
        for each in map(jobs.find, JOBS):
            is_begun = 0 < each.progress.done < each.progress.total
            self.met[each.job_id] += is_begun and not each.state.is_final


@pytest.mark.slow
def test_every_kind_that_is_killed_on_its_way_ends_as_if_it_had_not_been(
    store_place: StorePlace, tmp_path: Path, migrated_home: Path
) -> None:
    expected = run_undisturbed(tmp_path / "undisturbed", migrated_home, LARGE)
    with prepared(store_place, LARGE) as tenants:
        context, log = tenants.default, tmp_path / "log"
        start_all(context, LARGE)
        killed = Killed(store_place, context, log)
        for job_id, share in KILLS:
            killed.kill_at(job_id, share)
        met = {name for name, times in killed.met.items() if times}
        assert {"large", "pairs", "contracts", "policies"} <= met
        run_to_the_end(store_place, context, log)
        found = take_snapshot(context)
    check_same(found, expected)
    print(len(KILLS), "kills; half done then:", dict(killed.met))  # noqa: T201 - of docs/how-to/jobs.md
