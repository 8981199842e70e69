"""kill -9 while writers issue receipts: what was acknowledged is there, and one history.

Each round forks two processes of writers on one store, kills both at a random moment, opens the
store anew and holds everything that was ever acknowledged against it.
"""

from __future__ import annotations

import os
import random
import signal
import time
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from spanproof.store import open_store
from tests.faults.ledger import Acknowledged, check_store, issue, open_log, read_ledger, write_line
from tests.faults.processes import fork, wait
from tests.faults.report import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.store.log import TransparencyLog

PROCESSES, THREADS = 2, 4
#: From the first acknowledgement of a round until the kill.
MOST_SECONDS = 0.25
_START_SECONDS = 60.0


def run(folder: Path, *, kills: int, seed: int) -> Tally:
    """Kill so many times; each round goes on with the store that the last one left."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    tally = Tally(name=f"kill -9 under {PROCESSES * THREADS} writers")
    home, mark, ledger = folder / "home", folder / "outside" / "mark", folder / "ledger"
    with open_store(home) as store:
        open_log(store, mark)
    ledger.touch()
    known: list[Acknowledged] = []
    for number in range(kills):
        names = [f"{number}.{writer}" for writer in range(PROCESSES)]
        writers = [fork(partial(_write, home, mark, ledger, name)) for name in names]
        # A kill may come before the first answer too, in one round of eight.
        waits = rng.random() > 0.125
        if waits and not _wait_for_growth(ledger):
            tally.violations.append(f"round {number}: nothing was acknowledged in a minute")
        time.sleep(rng.uniform(0, MOST_SECONDS))
        for writer in writers:
            os.kill(writer, signal.SIGKILL)
        for writer in writers:
            tally.demand(
                wait(writer) == -signal.SIGKILL, f"round {number}: a writer ended by itself"
            )
        since, known = len(known), read_ledger(ledger)
        with open_store(home) as store:
            check_store(store, open_log(store, mark), known, tally, since=since)
        tally.count("kills")
    with open_store(home) as store:
        log = open_log(store, mark)
        check_store(store, log, known, tally)
        tally.count("receipts acknowledged", len(known))
        tally.count("leaves", log.head().size)
        tally.count("heads signed", sum(1 for _ in log.checkpoints()))
    return tally


def _write(home: Path, mark: Path, ledger: Path, name: str) -> None:
    with open_store(home) as store:
        log = open_log(store, mark)
        descriptor = os.open(ledger, os.O_WRONLY | os.O_APPEND)
        threads = [
            Thread(target=_issue_for_ever, args=(log, descriptor, f"{name}.{thread}"))
            for thread in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _issue_for_ever(log: TransparencyLog, ledger: int, name: str) -> None:
    number = 0
    while True:
        write_line(ledger, issue(log, f"{name}.{number}"))
        number += 1


def _wait_for_growth(ledger: Path) -> bool:
    size = ledger.stat().st_size
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if ledger.stat().st_size > size:
            return True
        time.sleep(0.002)
    return False
