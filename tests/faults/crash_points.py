"""kill -9 at each named point of the log's life, at its first to fifth time."""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING

from spanproof.core.errors import SpanproofError
from spanproof.store import open_store
from spanproof.store.log.failpoints import Failpoint, hit
from spanproof.store.log.reading import LogReader
from spanproof.store.log.records import NewLeaf, NewLog
from spanproof.store.log.shards import OldLog, open_shard
from tests.faults.ledger import (
    ORIGIN,
    check_heads,
    check_store,
    describe,
    issue,
    open_log,
    read_ledger,
    write_line,
)
from tests.faults.processes import fork, wait
from tests.faults.report import Tally
from tests.receipt.samples import make_log_key
from tests.receipt.statements import MOMENT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spanproof.store import Store
    from spanproof.store.log import TransparencyLog
    from spanproof.store.log.failpoints import Reach

NEXT_ORIGIN = "log-2.example.com"
#: Reached once in the life of a log: killed there after one to five receipts.
_ONCE = frozenset(
    {
        Failpoint.LOG_WRITTEN,
        Failpoint.LOG_COMMITTED,
        Failpoint.MARK_CREATED,
        Failpoint.FREEZE_WRITTEN,
        Failpoint.SHARD_WRITTEN,
        Failpoint.SHARD_COMMITTED,
        Failpoint.MARK_REPLACED,
    }
)


def run(
    folder: Path, *, times: int, points: Sequence[Failpoint] = tuple(Failpoint), first: int = 1
) -> Tally:
    """Die at every point, so many times each."""
    tally = Tally(name="kill -9 at a named point")
    template = folder / "template"
    open_store(template).close()
    for point in points:
        for time in range(first, first + times):
            place = folder / f"{point}-{time}"
            shutil.copytree(template, place / "home")
            _die_at(place, point, time, tally)
            tally.count("kills")
            shutil.rmtree(place)
    tally.count("points", len(points))
    return tally


def _die_at(place: Path, point: Failpoint, time: int, tally: Tally) -> None:
    ledger = place / "ledger"
    ledger.touch()
    left = 1 if point in _ONCE else time

    def reach(reached: Failpoint) -> None:
        nonlocal left
        left -= reached is point
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    status = wait(fork(lambda: _live(place, reach, receipts=time)))
    where = f"{point} #{time}"
    tally.demand(status == -signal.SIGKILL, f"{where}: the point was not reached ({status})")
    known = read_ledger(ledger)
    tally.count("receipts acknowledged", len(known))
    with open_store(place / "home") as store:
        try:
            _go_on(place, store, point, tally)
        except SpanproofError as error:
            tally.violations.append(f"{where}: {describe(error)}")
            return
        check_store(store, LogReader.find(store.database, ORIGIN), known, tally)


def _live(place: Path, reach: Reach, *, receipts: int) -> None:
    """A log's whole life: opened, five receipts at least, closed, and its successor."""
    with open_store(place / "home") as store:
        log = open_log(store, place / "mark", reach=reach)
        ledger = os.open(place / "ledger", os.O_WRONLY | os.O_APPEND)
        for number in range(max(receipts, 5)):
            write_line(ledger, issue(log, f"receipt {number}"))
        _open_next(store, place / "mark", reach)


def _go_on(place: Path, store: Store, point: Failpoint, tally: Tally) -> None:
    """What a restart does: it opens the log, and finishes what a crash left half done."""
    mark = place / "mark"
    late = {Failpoint.FREEZE_WRITTEN, Failpoint.SHARD_WRITTEN, Failpoint.SHARD_COMMITTED}
    if point in late | {Failpoint.MARK_REPLACED}:
        after = _open_next(store, mark)
        after.include(b"goes on")
        check_heads(after, {}, tally)
        return
    log = open_log(store, mark)
    issue(log, "after the crash")
    check_heads(log, {}, tally)


def _open_next(store: Store, mark: Path, reach: Reach = hit) -> TransparencyLog:
    def write_leaf(old: OldLog) -> NewLeaf:
        return NewLeaf(entry=f"after {old.head.origin} {old.head.size}".encode())

    return open_shard(
        store.database,
        make_log_key(1, NEXT_ORIGIN),
        mark,
        reason="a new shard",
        write_leaf=write_leaf,
        new=NewLog(opened_at=MOMENT),
        reach=reach,
    )
