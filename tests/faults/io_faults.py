"""Errors of the disk at its k-th operation, for every k, under SQLite and under the mark.

The disk is modelled too: what is written is durable when a synchronisation after it has succeeded,
and what a failed one left behind never is, however often it is tried again (Linux marks such pages
clean). At the end power is lost: the store is opened from what was durable. Then everything that
was acknowledged must be there, and every head that was ever signed must begin what is there.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import SpanproofError
from store import open_store, session
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
from tests.faults.processes import fork, wait
from tests.faults.report import Tally
from tests.receipt.samples import make_log_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from core.checkpoint import Checkpoint
    from store.log import TransparencyLog

_BUSY, _IOERR, _FULL = 5, 10, 13
_IOERR_READ, _IOERR_WRITE = _IOERR | 1 << 8, _IOERR | 3 << 8
_IOERR_FSYNC, _IOERR_TRUNCATE = _IOERR | 4 << 8, _IOERR | 6 << 8
#: Real forks of these are made before anything is replaced.
_REAL = {name: getattr(os, name) for name in ("pwrite", "pread", "fsync", "fdatasync", "open")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What an operation answers when its turn has come: SQLite's code and the system's.

    ``kinds`` are the operations that it befalls; any other one passes even when it is its turn.
    ``stays``: every later operation of these kinds fails too.
    """

    name: str
    kinds: frozenset[str]
    sqlite: int
    system: int
    is_short: bool = False
    stays: bool = False


NO_FAULT = Fault(name="none", kinds=frozenset(), sqlite=0, system=0)
_WRITES = frozenset({"write", "truncate"})
FAULTS = (
    Fault(name="ENOSPC once", kinds=_WRITES, sqlite=_FULL, system=errno.ENOSPC),
    Fault(name="ENOSPC stays", kinds=_WRITES, sqlite=_FULL, system=errno.ENOSPC, stays=True),
    Fault(name="short write", kinds=_WRITES, sqlite=_FULL, system=errno.ENOSPC, is_short=True),
    Fault(name="EIO on write", kinds=_WRITES, sqlite=_IOERR_WRITE, system=errno.EIO),
    Fault(
        name="EIO on fsync once", kinds=frozenset({"sync"}), sqlite=_IOERR_FSYNC, system=errno.EIO
    ),
    Fault(
        name="EIO on fsync stays",
        kinds=frozenset({"sync"}),
        sqlite=_IOERR_FSYNC,
        system=errno.EIO,
        stays=True,
    ),
    Fault(name="EIO on read", kinds=frozenset({"read"}), sqlite=_IOERR_READ, system=errno.EIO),
    Fault(
        name="EROFS on open", kinds=frozenset({"open"}), sqlite=0, system=errno.EROFS, stays=True
    ),
    Fault(name="SQLITE_BUSY once", kinds=frozenset({"lock"}), sqlite=_BUSY, system=0),
    Fault(name="SQLITE_BUSY stays", kinds=frozenset({"lock"}), sqlite=_BUSY, system=0, stays=True),
)


class ModelDisk:
    """Counts operations, lets one fail, and knows at any time what would outlive a power cut."""

    def __init__(self, folder: Path, fault: Fault, turn: int) -> None:
        self._folder = str(folder)
        self._fault = fault
        self._left = turn
        self.operations: list[str] = []
        self.is_struck = False
        self.sync_failed = False
        self._durable: dict[str, bytearray] = {}
        self._pending: dict[str, list[tuple[int, bytes | None]]] = {}

    def start(self, files: Iterable[Path]) -> None:
        """What stands in these files is durable."""
        self._durable = {str(path): bytearray(path.read_bytes()) for path in files}

    def write_survivors(self, onto: Path) -> None:
        """What a power cut now would leave."""
        for path, content in self._durable.items():
            survivor = onto / Path(path).relative_to(self._folder)
            survivor.parent.mkdir(parents=True, exist_ok=True)
            survivor.write_bytes(content)

    # What SQLite asks.

    def read(self, path: str) -> int:
        return self._fault.sqlite if self._strikes(path, "read") else 0

    def write(self, path: str, content: bytes, offset: int) -> tuple[int, int]:
        if self._strikes(path, "write"):
            kept = len(content) // 2 if self._fault.is_short else 0
            self._note(path, offset, content[:kept])
            return self._fault.sqlite, kept
        self._note(path, offset, content)
        return 0, len(content)

    def truncate(self, path: str, size: int) -> int:
        if self._strikes(path, "truncate"):
            return _IOERR_TRUNCATE
        self._note(path, size, None)
        return 0

    def sync(self, path: str) -> int:
        if self._strikes(path, "sync"):
            self._fail_sync(path)
            return self._fault.sqlite
        self._sync(path)
        return 0

    def lock(self, path: str) -> int:
        return self._fault.sqlite if self._strikes(path, "lock") else 0

    # What the mark asks, through ``os``.

    def replace_system_calls(self) -> None:
        """Stand before the calls of this process; only in a fork."""
        for name in _REAL:
            setattr(os, name, getattr(self, f"_os_{name}"))

    def _os_pwrite(self, descriptor: int, content: bytes, offset: int) -> int:
        path = _name(descriptor)
        if self._strikes(path, "write"):
            kept = len(content) // 2
            if self._fault.is_short and kept:
                # As the kernel does: so many bytes, and the error at the next call.
                self._note(path, offset, content[:kept])
                self._left = 1
                return int(_REAL["pwrite"](descriptor, content[:kept], offset))
            self._raise()
        self._note(path, offset, bytes(content))
        return int(_REAL["pwrite"](descriptor, content, offset))

    def _os_pread(self, descriptor: int, size: int, offset: int) -> bytes:
        if self._strikes(_name(descriptor), "read"):
            self._raise()
        return bytes(_REAL["pread"](descriptor, size, offset))

    def _os_fdatasync(self, descriptor: int) -> None:
        path = _name(descriptor)
        if self._strikes(path, "sync"):
            self._fail_sync(path)
            self._raise()
        self._sync(path)

    _os_fsync = _os_fdatasync

    def _os_open(self, path: Any, flags: int, *given: Any, **named: Any) -> int:
        if self._strikes(os.fspath(path), "open"):
            self._raise()
        return int(_REAL["open"](path, flags, *given, **named))

    def _raise(self) -> None:
        raise OSError(self._fault.system, os.strerror(self._fault.system))

    # The model.

    def _strikes(self, path: str, kind: str) -> bool:
        if not path.startswith(self._folder) or path.endswith("-shm"):
            return False
        self.operations.append(kind)
        self._left -= 1
        if self.is_struck and self._fault.stays:
            return kind in self._fault.kinds
        if self._left == 0 and kind in self._fault.kinds:
            self.is_struck = True
            return True
        return False

    def _note(self, path: str, offset: int, content: bytes | None) -> None:
        self._pending.setdefault(path, []).append((offset, content))

    def _sync(self, path: str) -> None:
        if Path(path).is_dir():
            return  # A name in it: the model keeps every name.
        durable = self._durable.setdefault(path, bytearray())
        for offset, content in self._pending.pop(path, []):
            if content is None:
                del durable[offset:]
                continue
            durable.extend(bytes(max(0, offset - len(durable))))
            durable[offset : offset + len(content)] = content

    def _fail_sync(self, path: str) -> None:
        self.sync_failed = True
        # Clean in memory, never on the disk.
        self._pending.pop(path, None)


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


def _name(descriptor: int) -> str:
    return str(Path(f"/proc/self/fd/{descriptor}").readlink())
