"""kill -9 at every named point: what was answered is there, and what is there is whole."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from spanproof.core.log.merkle import check_consistency
from spanproof.store.log.failpoints import Failpoint
from spanproof.store.log.reading import LogReader, list_logs
from tests.databases import postgresql_later
from tests.spread import thin_out
from tests.store.examples import run_in_child
from tests.store.log.samples import (
    ORIGIN,
    check_included,
    check_whole,
    make_receipt,
    make_statement,
    open_log,
)
from tests.store.log.test_stopping import INCLUSION

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.store import Store
    from tests.conftest import StorePlace


def die_at(point: Failpoint) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    del point


@postgresql_later
@pytest.mark.parametrize("point", thin_out(INCLUSION, every=3))
def test_an_inclusion_that_is_killed_leaves_a_log_that_goes_on(
    store_place: StorePlace, tmp_path: Path, point: Failpoint
) -> None:
    def work() -> None:
        with store_place.open() as store:
            log = open_log(store)
            log._reach = log._mark._reach = lambda reached: (
                die_at(point) if reached is point and log.head().size > 1 - is_early else None
            )
            is_early = INCLUSION.index(point) < INCLUSION.index(Failpoint.TREE_COMMITTED)
            found = log.include(b"a", make_statement("intake"))
            (tmp_path / "answered").write_text(found.note)
            log.include(b"b", make_statement(intake=0), make_receipt())

    status = run_in_child(work)
    assert status == -signal.SIGKILL
    with store_place.open() as store:
        log = open_log(store)
        if (tmp_path / "answered").exists():
            assert log.note(1) == (tmp_path / "answered").read_text()
        size = log.head().size
        is_durable = INCLUSION.index(point) >= INCLUSION.index(Failpoint.TREE_COMMITTED)
        assert size == 2 if is_durable else size <= 1
        # A head that was left unsigned is signed by now, and a receipt can be made good.
        assert log.latest()[0].size == size
        receipt = store.receipts.find("v1")
        if is_durable and receipt is None:
            check_included(log.seal(1, make_receipt()), b"b")
            receipt = store.receipts.find("v1")
        assert (receipt is not None) == is_durable
        check_included(log.include(b"c"), b"c")
        check_whole(log)


@postgresql_later
@pytest.mark.parametrize(
    "point",
    [
        Failpoint.LOG_WRITTEN,
        Failpoint.LOG_COMMITTED,
        Failpoint.MARK_CREATED,
        *thin_out(INCLUSION, every=4),
    ],
)
def test_a_first_opening_that_is_killed_is_done_by_the_next(
    store_place: StorePlace, point: Failpoint
) -> None:
    def work() -> None:
        with store_place.open() as store:
            open_log(store, reach=lambda reached: die_at(point) if reached is point else None)
            os._exit(77)

    # A first head is signed without leaves and without a higher mark.
    assert run_in_child(work) in {-signal.SIGKILL, 77}
    with store_place.open() as store:
        log = open_log(store)
        assert log.latest()[0].size == 0
        check_included(log.include(b"a"), b"a")
        assert len(list_logs(store.database)) == 1


def keep(store: Store, saved: dict[int, Checkpoint]) -> None:
    log = LogReader.find(store.database, ORIGIN)
    newest = log.latest()[0]
    for size, checkpoint in saved.items():
        if size:
            proof = log.prove_consistency(size, newest.size)
            assert check_consistency(proof, checkpoint.root, newest.root)
    saved[newest.size] = newest


@pytest.mark.long
def test_one_log_survives_a_death_at_each_point_in_turn(store_place: StorePlace) -> None:
    saved: dict[int, Checkpoint] = {}
    for number, point in enumerate(INCLUSION):

        def work(point: Failpoint = point, number: int = number) -> None:
            with store_place.open() as store:
                log = open_log(store)
                log.include(b"%d" % number)
                log._reach = log._mark._reach = lambda reached: (
                    die_at(point) if reached is point else None
                )
                log.include(b"%d again" % number)

        assert run_in_child(work) == -signal.SIGKILL
        with store_place.open() as store:
            open_log(store)
            keep(store, saved)
    with store_place.open() as store:
        log = open_log(store)
        check_whole(log)
        assert log.head().size >= len(INCLUSION)
