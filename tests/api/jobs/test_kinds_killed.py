"""kill -9 in the middle of each kind of job over the store: as if it had never been."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from api.operations.webhooks import add_webhook
from api.tenants import Tenants
from tests.api.jobs.conftest import make_settings, running
from tests.api.jobs.holding import VARIABLE, Hold, list_held, to_variable
from tests.api.jobs.receiver import receiving
from tests.api.jobs.store_work import (
    Scale,
    list_leftovers,
    prepare,
    start_all,
    take_snapshot,
    wish_editions,
)
from tests.api.jobs.workers import kill, start_process
from tests.builders import ScriptedModel
from tests.conftest import StorePlace, copy_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from api.wiring import Services

#: As long as a machine that does much else may take.
PATIENCE_SECONDS = 300.0
#: A third part of the pairs is left where two of them are done; a manifest tells of each 10,000th.
SMALL = Scale(rows=10_500, pairs=2_001, answers=4, citations=2)


def wait_until(is_so: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until it is so; it must be in time."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.03)


@contextmanager
def opened(place: StorePlace) -> Iterator[Tenants]:
    """The tenants of a place whose webhooks may be on loopback, and whose model has a script."""
    settings = make_settings(place.home, place.database_url)
    tenants = Tenants(settings.model_copy(update={"webhook_private": True}))
    tenants.default._model = ScriptedModel()
    try:
        yield tenants
    finally:
        tenants.close()


def hold_all(services: Services, scale: Scale) -> list[Hold]:
    """Each job in its middle, or where all is done but its end: there most would be done twice."""
    extractions = {n: wish_editions(services, n, scale).old or "" for n in ("policies", "manuals")}
    last = scale.answers * scale.citations
    held = {
        "large": ("index_registration", "version", "large", 10_000),
        "small": ("index_registration", "version", "small", 3),
        "pairs": ("bulk_verification", "seed", "pairs", 2_000),
        "shard": ("bulk", "output", "out", scale.pairs),
        "contracts": ("reverification", "index", "contracts", scale.answers // 2),
        "leases": ("reverification", "index", "leases", scale.answers),
        "archive": ("drift", "index", "archive", 1),
        "policies": ("drift", "from_extraction", extractions["policies"], last // 2),
        "manuals": ("reverification", "from_extraction", extractions["manuals"], last),
    }
    return [
        Hold(name=name, kind=kind, key=key, value=value, done=done)
        for name, (kind, key, value, done) in held.items()
    ]


def are_over(services: Services, ids: list[str]) -> bool:
    """Whether all of these jobs are over."""
    return all(services.jobs.find(job_id).state.is_final for job_id in ids)


def run_undisturbed(home: Path, migrated: Path, scale: Scale) -> dict[str, Any]:
    """What the same jobs come to in this process, which nobody kills."""
    copy_home(migrated, home)
    with opened(StorePlace(home=home, database_url=None)) as tenants, receiving() as receiver:
        services = tenants.default
        add_webhook(services, receiver.url)
        prepare(services, scale)
        with running(tenants, threads=4):
            ids = start_all(services, scale)
            wait_until(lambda: are_over(services, ids))
        return take_snapshot(services, ids)


@pytest.mark.parametrize(
    "store_place", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)
def test_every_kind_that_is_killed_where_it_is_held_ends_as_if_it_had_not_been(
    store_place: StorePlace, tmp_path: Path, migrated_home: Path
) -> None:
    expected = run_undisturbed(tmp_path / "undisturbed", migrated_home, SMALL)
    log = tmp_path / "log"
    given = {"SPANPROOF_JOB_THREADS": "12", "SPANPROOF_WEBHOOK_PRIVATE": "true"}
    with opened(store_place) as tenants, receiving() as receiver:
        services = tenants.default
        add_webhook(services, receiver.url)
        prepare(services, SMALL)
        holds = hold_all(services, SMALL)
        ids = start_all(services, SMALL)
        assert sorted(ids) == sorted(hold.name for hold in holds)
        worker = start_process(store_place, log=log, **given, **{VARIABLE: to_variable(holds)})
        try:
            wait_until(lambda: list_held(store_place.home) == frozenset(ids))
        finally:
            kill(worker)
        assert {services.jobs.find(job_id).state.value for job_id in ids} == {"running"}
        worker = start_process(store_place, log=log, **given)
        try:
            wait_until(lambda: are_over(services, ids))
            # Whoever looks after what is over does so at the next beat.
            wait_until(lambda: not list_leftovers(services))
        finally:
            kill(worker)
        assert {services.jobs.find(job_id).attempts for job_id in ids} == {2}
        assert take_snapshot(services, ids) == expected
