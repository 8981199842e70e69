"""Backups that are restored: proper ones, and files copied while they were written.

The mark outside of the database is newer than each of them. So a log must refuse to open, or be
closed and followed by another; it never signs a second history.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from threading import Thread
from typing import TYPE_CHECKING

from spanproof.core.errors import LogError, LogRolledBackError, SpanproofError
from spanproof.store import open_store
from spanproof.store.log.reading import LogReader
from spanproof.store.log.records import NewLeaf, NewLog
from spanproof.store.log.shards import OldLog, open_shard
from tests.faults.ledger import (
    ORIGIN,
    check_heads,
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
from tests.store.log.samples import WatchedKey

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.store import Store
    from spanproof.store.log import TransparencyLog

_WRITERS = 4
#: Seconds for an answer to come.
_PATIENCE = 60.0


def run(folder: Path, *, backups: int, seed: int) -> Tally:
    """Take so many backups while receipts are issued, then restore each."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    tally = Tally(name="restored backup")
    home, mark, ledger = folder / "home", folder / "outside" / "mark", folder / "ledger"
    with open_store(home) as store:
        open_log(store, mark)
    ledger.touch()
    writer = fork(lambda: _write(home, mark, ledger))
    for number in range(backups):
        _wait_for_growth(ledger)
        time.sleep(rng.uniform(0, 0.03))
        _back_up(home, folder / f"backup-{number}", is_proper=number % 2 == 0, tally=tally)
    # Each writer had one answer on its way at most: now the mark is above every backup.
    for _ in range(_WRITERS + 1):
        _wait_for_growth(ledger)
    os.kill(writer, signal.SIGKILL)
    wait(writer)
    known = read_ledger(ledger)
    with open_store(home) as store:
        issued = {head.size: head.root for head, _ in open_log(store, mark).checkpoints()}
    newest = mark.read_bytes()
    tally.count("receipts acknowledged", len(known))
    for number in range(backups):
        mark.write_bytes(newest)
        signed: list[Checkpoint] = []
        try:
            _restore(folder / f"backup-{number}", mark, tally, signed)
        except SpanproofError as error:
            # A copy of half-written files may be no database at all: it is refused by name.
            tally.count("refused as damaged")
            is_proper = number % 2 == 0
            tally.demand(not is_proper, f"backup {number}: {describe(error)}")
        for head in signed:
            same = head.origin != ORIGIN or issued.get(head.size) in {None, head.root}
            tally.demand(same, f"backup {number}: two roots were signed at {head.size}")
            ours = head.origin != ORIGIN
            tally.demand(ours, f"backup {number}: the old log signed {head.size} once more")
        shutil.rmtree(folder / f"backup-{number}")
    return tally


def _restore(home: Path, mark: Path, tally: Tally, signed: list[Checkpoint]) -> None:
    """Open what was restored as a service would, then as an operator told to close it."""
    with open_store(home) as store:
        key = WatchedKey(make_log_key(1, ORIGIN), signed)
        try:
            log = open_log(store, mark, signer=key)
        except LogRolledBackError:
            tally.count("refused")
        else:
            tally.violations.append(f"a backup of {log.head().size} leaves opened as it was")
        after = _open_next(store, mark, signed)
        after.include(b"goes on")
        check_heads(after, {}, tally)
        old = LogReader.find(store.database, ORIGIN)
        check_heads(old, {}, tally)
        tally.count("closed, and followed by a new log")
        try:
            open_log(store, mark, signer=key)
            tally.violations.append("a log that was closed opened")
        except LogError:
            tally.count("refused again")


def _open_next(store: Store, mark: Path, signed: list[Checkpoint]) -> TransparencyLog:
    def write_leaf(old: OldLog) -> NewLeaf:
        lost = old.mark
        return NewLeaf(entry=f"after {old.head.size}, {lost and lost.size} signed".encode())

    return open_shard(
        store.database,
        WatchedKey(make_log_key(1, "log-2.example.com"), signed),
        mark,
        reason="a backup was restored",
        write_leaf=write_leaf,
        new=NewLog(opened_at=MOMENT),
    )


def _back_up(home: Path, onto: Path, *, is_proper: bool, tally: Tally) -> None:
    if not is_proper:
        # The files one by one, in whatever state they are: what cp and rsync do.
        onto.mkdir()
        for name in ("spanproof.db", "spanproof.db-wal"):
            shutil.copyfile(home / name, onto / name)
        tally.count("file copies")
        return
    onto.mkdir()
    with (
        closing(sqlite3.connect(home / "spanproof.db")) as source,
        closing(sqlite3.connect(onto / "spanproof.db")) as target,
    ):
        source.backup(target)
    tally.count("backups by SQLite")


def _write(home: Path, mark: Path, ledger: Path) -> None:
    with open_store(home) as store:
        log = open_log(store, mark)
        descriptor = os.open(ledger, os.O_WRONLY | os.O_APPEND)

        def issue_for_ever(writer: int) -> None:
            number = 0
            while True:
                write_line(descriptor, issue(log, f"{writer}.{number}"))
                number += 1

        threads = [Thread(target=issue_for_ever, args=(writer,)) for writer in range(_WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _wait_for_growth(ledger: Path) -> None:
    size, deadline = ledger.stat().st_size, time.monotonic() + _PATIENCE
    while ledger.stat().st_size == size and time.monotonic() < deadline:
        time.sleep(0.002)
