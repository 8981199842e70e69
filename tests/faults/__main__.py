"""``python -m tests.faults``: every experiment in full, as the table of docs/explanation/faults.md.

Hours, most of them mutation testing; ``--without-mutation`` leaves that out, ``--only NAME …`` runs
some experiments. ``--minutes`` ends the kills of chosen answers early, on each database; the row
has how many were done. The exit status is 1 where anything that was promised did not hold.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import StorePlace
from tests.faults import (
    backups,
    clocks,
    crash_points,
    flips,
    full_disks,
    io_faults,
    kills,
    sampled_kills,
    wal_cuts,
)
from tests.faults.fuzz import campaign
from tests.faults.mutation.__main__ import main as run_mutation
from tests.faults.report import Tally
from tests.postgresql import find_memory, find_postgresql, run_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def main() -> int:
    """Run them one after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without-mutation", action="store_true")
    parser.add_argument("--only", nargs="+", choices=list(_list_experiments(0, math.inf)))
    parser.add_argument("--minutes", type=float, default=math.inf)
    given = parser.parse_args()
    seed: int = given.seed
    experiments = _list_experiments(seed, 60 * given.minutes)
    sys.stdout.write("| Experiment | Done | Broken promises |\n|---|---|---|\n")
    failed = False
    for name in given.only or experiments:
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="spanproof-faults-") as place:
            failed |= _show([experiments[name](Path(place))], begun)
    if given.only:
        return int(failed)
    begun = time.monotonic()
    failed |= _show(campaign.run(mutations=1_250_000, seed=seed), begun)
    if not given.without_mutation:
        failed |= bool(run_mutation([]))
    return int(failed)


def _list_experiments(seed: int, seconds: float) -> dict[str, Callable[[Path], Tally]]:
    return {
        "kills": lambda place: kills.run(place, kills=200, seed=seed),
        "sampled-kills": lambda _: _kill_sampled(kills=200, seed=seed, seconds=seconds),
        "sampled-kills-postgresql": lambda _: _kill_on_postgresql(
            kills=200, seed=seed, seconds=seconds
        ),
        "wal-cuts": lambda place: wal_cuts.run(place, receipts=6, seed=seed),
        "crash-points": lambda place: crash_points.run(place, times=5),
        "io-faults": io_faults.run,
        "without-sync": io_faults.run_without_sync,
        "full-disks": full_disks.run,
        "backups": lambda place: backups.run(place, backups=50, seed=seed),
        "clocks": lambda _: clocks.run(),
        "flips": lambda place: flips.run(place, leaves=64),
        "dropped": lambda place: flips.run_dropped(place, results=1000, drops=5),
    }


def _kill_sampled(*, kills: int, seed: int, seconds: float) -> Tally:
    with _in_memory() as folder:
        return sampled_kills.run(
            lambda number: _open_place(folder / str(number), None),
            kills=kills,
            seed=seed,
            seconds=seconds,
        )


def _kill_on_postgresql(*, kills: int, seed: int, seconds: float) -> Tally:
    binaries = find_postgresql()
    if binaries is None:
        return Tally(name="kill -9 on PostgreSQL", violations=["PostgreSQL is not installed"])
    with _in_memory() as own, _in_memory() as folder, ExitStack() as databases:
        server = databases.enter_context(run_server(binaries, own))

        def make(number: int) -> StorePlace:
            return _open_place(folder / str(number), databases.enter_context(server.database()))

        return sampled_kills.run(make, kills=kills, seed=seed, seconds=seconds)


@contextmanager
def _in_memory() -> Iterator[Path]:
    """A folder in memory where there is room: a kill leaves what the kernel holds, as on a disk."""
    folder = Path(tempfile.mkdtemp(prefix="spanproof-faults-", dir=find_memory()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _open_place(folder: Path, url: str | None) -> StorePlace:
    place = StorePlace(home=folder / "home", database_url=url)
    folder.mkdir()
    place.open().close()
    return place


def _show(tallies: list[Tally], begun: float) -> bool:
    """Print the rows; whether a promise was broken that should have held."""
    for tally in tallies:
        sys.stdout.write(f"{tally.row}\n")
        sys.stdout.flush()
        for message in tally.violations[:20]:
            sys.stderr.write(f"  {tally.name}: {message}\n")
    sys.stderr.write(f"  {time.monotonic() - begun:.0f} s\n")
    return any(tally.violations for tally in tallies)


if __name__ == "__main__":
    sys.exit(main())
