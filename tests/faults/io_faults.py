"""Errors of the disk at its k-th operation, for every k, under SQLite and under the mark.

At the end of each life power is lost: the store is opened from what the disk says was durable. Then
everything that was acknowledged must be there, and every head that was ever signed must begin what
is there.
"""

from __future__ import annotations

import json
import os
import shutil
from functools import partial
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import SpanproofError
from spanproof.store import open_store
from spanproof.store.database import session
from tests.faults import sqlite_disk
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
from tests.faults.model_disk import FAULTS, NO_FAULT, Fault, ModelDisk
from tests.faults.processes import fork, wait
from tests.faults.report import Tally
from tests.receipt.samples import make_log_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.store.log import TransparencyLog


class _Signer:
    """The log's key; it remembers every head that it signed, and whether a sync had failed."""

    def __init__(self, disk: ModelDisk) -> None:
        self._key = make_log_key(1, ORIGIN)
        self._disk = disk
        self.signed: list[Checkpoint] = []
        self.after_failure = 0

    @property
    def origin(self) -> str:
        return self._key.origin

    def sign(self, checkpoint: Checkpoint) -> str:
        self.after_failure += self._disk.sync_failed
        self.signed.append(checkpoint)
        return self._key.sign(checkpoint)


def run(folder: Path, *, faults: Iterable[Fault] = FAULTS, step: int = 1) -> Tally:
    """Let every operation of a log's life fail in each way that it can (or every ``step``-th)."""
    tally = Tally(name="disk error at the k-th operation")
    template = folder / "template"
    with open_store(template / "home") as store:
        issue(open_log(store, template / "mark"), "there before")
    operations = _try(folder, template, NO_FAULT, 0, tally)["operations"]
    tally.count("operations", len(operations))
    for fault in faults:
        turns = [turn for turn, kind in enumerate(operations, start=1) if kind in fault.kinds]
        for turn in turns[::step]:
            told = _try(folder, template, fault, turn, tally)
            tally.demand(told["is_struck"], f"{fault.name}, operation {turn}: nothing failed")
            tally.count(f"× {fault.name}")
    return tally


def run_without_sync(folder: Path) -> Tally:
    """The same on a store that does not synchronise: this experiment must find fault with it."""
    found = Tally(name="")
    template = folder / "template"
    with open_store(template / "home") as store:
        issue(open_log(store, template / "mark"), "there before")
    _try(folder, template, NO_FAULT, 0, found, pragma="synchronous = OFF")
    tally = Tally(name="counter-test: a power cut with synchronous = OFF")
    tally.count("receipts acknowledged", found.counts["receipts acknowledged"])
    tally.count("losses found", len(found.violations))
    tally.demand(bool(found.violations), "what was lost was not found")
    return tally


def _try(
    folder: Path, template: Path, fault: Fault, turn: int, tally: Tally, *, pragma: str = ""
) -> dict[str, Any]:
    """One life in a process of its own, and what a power cut after it leaves."""
    place, survivors = folder / "place", folder / "survivors"
    for each in (place, survivors):
        shutil.rmtree(each, ignore_errors=True)
    shutil.copytree(template, place)
    where = f"{fault.name}, operation {turn}"
    ledger, told = folder / "ledger", folder / "told"
    ledger.write_bytes(b"")
    told.unlink(missing_ok=True)
    disk = ModelDisk(place, fault, turn)
    disk.start(path for path in place.rglob("*") if path.is_file())
    status = wait(fork(lambda: _live(disk, place, survivors, ledger, told, pragma)))
    if status:
        tally.violations.append(f"{where}: the process ended with {status}")
        return {"is_struck": True, "operations": []}
    said: dict[str, Any] = json.loads(told.read_bytes())
    for message in said["untyped"]:
        tally.violations.append(f"{where}: {message}")
    tally.demand(not said["after_failure"], f"{where}: signed after a failed fsync")
    known = read_ledger(ledger)
    tally.count("receipts acknowledged", len(known))
    with open_store(survivors / "home") as store:
        try:
            log = open_log(store, survivors / "mark")
        except SpanproofError as error:
            tally.violations.append(
                f"{where}: does not open after the power cut: {describe(error)}"
            )
            return said
        before = len(tally.violations)
        check_store(store, log, known, tally)
        check_heads(log, {size: bytes.fromhex(root) for size, root in said["signed"]}, tally)
        for at in range(before, len(tally.violations)):
            tally.violations[at] = f"{where}: {tally.violations[at]}"
    return said


def _live(
    disk: ModelDisk, place: Path, survivors: Path, ledger: Path, told: Path, pragma: str
) -> None:
    """Open, issue, and go on issuing whatever happens; then say what was seen, and lose power."""
    acknowledged = os.open(ledger, os.O_WRONLY | os.O_APPEND)
    signer = _Signer(disk)
    untyped: list[str] = []
    # A lock that never comes is not waited for half a minute.
    pragmas = ("busy_timeout = 20", *session._PRAGMAS[1:], *filter(None, [pragma]))
    session._PRAGMAS = pragmas  # type: ignore[assignment]
    sqlite_disk.install(disk)
    disk.replace_system_calls()

    def attempt(work: Callable[[], None]) -> None:
        try:
            work()
        except SpanproofError:
            pass
        except BaseException as error:  # noqa: BLE001 - whatever gets out is what is looked for
            untyped.append(describe(error))

    def keep(log: TransparencyLog, name: str) -> None:
        write_line(acknowledged, issue(log, name))

    def serve() -> None:
        with open_store(place / "home") as store:
            log = open_log(store, place / "mark", signer=signer)
            for number in range(3):
                attempt(partial(keep, log, f"r{number}"))

    attempt(serve)
    disk.write_survivors(survivors)
    signed = [(head.size, head.root.hex()) for head in signer.signed]
    said = {
        "operations": disk.operations,
        "is_struck": disk.is_struck,
        "untyped": untyped,
        "after_failure": signer.after_failure,
        "signed": signed,
    }
    told.write_text(json.dumps(said), "utf-8")
