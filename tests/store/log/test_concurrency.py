"""Threads and processes at one log: indices without a gap, one checkpoint for each size."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest

from spanproof.core.log.merkle import hash_leaf
from spanproof.store.log.reading import LogReader
from tests.store.log.samples import (
    ORIGIN,
    check_included,
    check_whole,
    make_receipt,
    make_statement,
    open_log,
)

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

    from spanproof.store import Store
    from spanproof.store.log import TransparencyLog
    from tests.conftest import StorePlace

THREADS = 8
PROCESSES = 3
EACH = 12


def write_some(log: TransparencyLog, name: str) -> list[tuple[int, str]]:
    """EACH leaves, every third of them included with a receipt: (index, entry)."""
    done = []
    for number in range(EACH):
        subject = f"{name}-{number}"
        entry = subject.encode()
        if number % 3:
            done.append((log.append(entry).index, subject))
            continue
        found = log.include(entry, make_statement(subject=subject), make_receipt(subject))
        check_included(found, entry)
        done.append((found.leaf.index, subject))
    return done


def check_all(store: Store, done: list[tuple[int, str]]) -> None:
    log = LogReader.find(store.database, ORIGIN)
    head = log.head()
    assert sorted(index for index, _ in done) == list(range(head.size))
    entries = list(log.entries(0, head.size))
    for index, subject in done:
        assert entries[index] == subject.encode()
        assert log.read_leaf(index) == (subject.encode(), hash_leaf(subject.encode()))
    for _, subject in done:
        if int(subject.rpartition("-")[2]) % 3 == 0:
            assert store.receipts.load(subject).bundle
    check_whole(log)  # type: ignore[arg-type]


def test_threads_at_one_log(store: Store) -> None:
    log = open_log(store)
    with ThreadPoolExecutor(THREADS) as pool:
        found = pool.map(lambda name: write_some(log, str(name)), range(THREADS))
        check_all(store, [each for some in found for each in some])


def work(place: StorePlace, barrier: Barrier, name: int, output: Path) -> None:
    with place.open() as store:
        log = open_log(store)
        barrier.wait()
        with ThreadPoolExecutor(2) as pool:
            names = (f"{name}.{thread}" for thread in range(2))
            found = pool.map(lambda each: write_some(log, each), names)
            output.write_text(json.dumps([each for some in found for each in some]))


@pytest.mark.long
def test_processes_at_one_log_that_none_has_opened_before(
    store_place: StorePlace, tmp_path: Path
) -> None:
    context = get_context("fork")
    # A process that fails must not leave the others waiting for it.
    barrier = context.Barrier(PROCESSES, timeout=120)
    outputs = [tmp_path / f"{name}.json" for name in range(PROCESSES)]
    starters = [
        context.Process(target=work, args=(store_place, barrier, name, output))
        for name, output in enumerate(outputs)
    ]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join()
    assert [starter.exitcode for starter in starters] == [0] * PROCESSES
    done = [tuple(each) for output in outputs for each in json.loads(output.read_text())]
    with store_place.open() as store:
        check_all(store, done)
