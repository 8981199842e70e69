"""A disk that is really full: the kernel's own refusals, not modelled ones.

Twice over: a limit on the size of files (RLIMIT_FSIZE), which any process can set for itself, and
where this process may mount one, a file system of a few hundred kilobytes.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

from spanproof.core.errors import SpanproofError
from spanproof.store import open_store
from spanproof.store.errors import StoreFullError
from tests.faults.ledger import check_store, describe, issue, open_log, read_ledger, write_line
from tests.faults.processes import fork, wait
from tests.faults.report import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_MOST_RECEIPTS = 400
#: Bytes that a file may have, or a mount beyond what is there: from nothing to some receipts.
ROOMS = range(0, 500_000, 12_345)


def run(folder: Path, *, rooms: Sequence[int] = ROOMS) -> Tally:
    """Fill a disk with so much room, give it more, and look what is there; for each of these.

    Where a mount was full, the process that filled it takes work again.
    """
    tally = Tally(name="a disk that is really full")
    template = folder / "template"
    with open_store(template / "home") as store:
        issue(open_log(store, template / "mark"), "there before")
    for room in rooms:
        _fill_files(folder, template, room, tally)
        _fill_mount(folder, template, room, tally)
    return tally


def _fill_files(folder: Path, template: Path, room: int, tally: Tally) -> None:
    place = folder / "limited"
    shutil.copytree(template, place)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    _fill(folder, place, limit, lambda: None, tally)
    _check(folder, place, "file size limit", tally)
    shutil.rmtree(place)


def _fill_mount(folder: Path, template: Path, room: int, tally: Tally) -> None:
    place = folder / "mounted"
    place.mkdir()
    taken = sum(path.stat().st_size for path in template.rglob("*") if path.is_file())
    # Whole pages of memory, and some for folders and for SQLite's shared memory.
    size = taken + 24 * 4096 + room
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        tally.count("mounts that this machine refused")
        place.rmdir()
        return

    def grow() -> None:
        subprocess.run(["mount", "-o", f"remount,size={size + (8 << 20)}", str(place)], check=True)

    try:
        shutil.copytree(template, place, dirs_exist_ok=True)
        _fill(folder, place, lambda: None, grow, tally)
        _check(folder, place, "full mount", tally)
    finally:
        subprocess.run(["umount", str(place)], check=True)
        place.rmdir()


def _fill(
    folder: Path, place: Path, limit: Callable[[], None], grow: Callable[[], None], tally: Tally
) -> None:
    ledger = folder / "ledger"
    ledger.write_bytes(b"")
    status = wait(fork(lambda: _write_until_full(place, ledger, folder / "errors", limit, grow)))
    tally.demand(status == 0, f"the process ended with {status}")
    told = (folder / "errors").read_text("utf-8")
    tally.violations += [line for line in told.splitlines() if "UNTYPED" in line]
    tally.demand(bool(told), "the disk never was full")


def _write_until_full(
    place: Path,
    ledger: Path,
    errors: Path,
    limit: Callable[[], None],
    grow: Callable[[], None],
) -> None:
    acknowledged = os.open(ledger, os.O_WRONLY | os.O_APPEND)
    said = []
    # The ledger is no part of the disk: its lines go through a pipe to a process without the limit.
    reader, writer = os.pipe()
    keeper = fork(lambda: _keep(reader, writer, acknowledged))
    os.close(reader)
    limit()
    try:
        with open_store(place / "home") as store:
            log = open_log(store, place / "mark")
            try:
                for number in range(_MOST_RECEIPTS):
                    write_line(writer, issue(log, f"receipt {number}"))
            except StoreFullError as error:
                said.append(describe(error))
                grow()
                write_line(writer, issue(log, "there is room again, and nobody restarted"))
    except BaseException as error:  # noqa: BLE001 - whatever gets out is what is looked for
        said.append(describe(error))
    os.close(writer)
    wait(keeper)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    errors.write_text("\n".join(said), "utf-8")


def _keep(reader: int, writer: int, ledger: int) -> None:
    os.close(writer)
    while content := os.read(reader, 1 << 16):
        os.write(ledger, content)


def _check(folder: Path, place: Path, how: str, tally: Tally) -> None:
    known = read_ledger(folder / "ledger")
    tally.count(how)
    tally.count("receipts acknowledged", len(known))
    with open_store(place / "home") as store:
        try:
            log = open_log(store, place / "mark")
            check_store(store, log, known, tally)
            issue(log, "there is room again")
        except SpanproofError as error:
            tally.violations.append(f"{how}: {describe(error)}")
