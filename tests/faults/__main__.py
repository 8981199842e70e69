"""``python -m tests.faults``: every experiment in full, as the table of docs/explanation/faults.md.

Hours, most of them mutation testing; ``--without-mutation`` leaves that out. The exit status is 1
where anything that was promised did not hold.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
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
    from collections.abc import Callable


def main() -> int:
    """Run them one after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without-mutation", action="store_true")
    given = parser.parse_args()
    seed: int = given.seed
    experiments: list[Callable[[Path], Tally]] = [
        lambda place: kills.run(place, kills=200, seed=seed),
        lambda place: sampled_kills.run(_open_place(place, None), kills=200, seed=seed),
        lambda place: _kill_on_postgresql(place, kills=200, seed=seed),
        lambda place: wal_cuts.run(place, receipts=6, seed=seed),
        lambda place: crash_points.run(place, times=5),
        io_faults.run,
        io_faults.run_without_sync,
        full_disks.run,
        lambda place: backups.run(place, backups=50, seed=seed),
        lambda _: clocks.run(),
        lambda place: flips.run(place, leaves=64),
        lambda place: flips.run_dropped(place, results=1000, drops=5),
    ]
    sys.stdout.write("| Experiment | Done | Broken promises |\n|---|---|---|\n")
    failed = False
    for experiment in experiments:
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="spanproof-faults-") as place:
            failed |= _show([experiment(Path(place))], begun)
    begun = time.monotonic()
    failed |= _show(campaign.run(mutations=1_250_000, seed=seed), begun)
    if not given.without_mutation:
        failed |= bool(run_mutation([]))
    return int(failed)


def _open_place(folder: Path, url: str | None) -> StorePlace:
    place = StorePlace(home=folder / "home", database_url=url)
    place.open().close()
    return place


def _kill_on_postgresql(folder: Path, *, kills: int, seed: int) -> Tally:
    binaries = find_postgresql()
    if binaries is None:
        return Tally(name="kill -9 on PostgreSQL", violations=["PostgreSQL is not installed"])
    # The server's user must reach its folder.
    own = Path(tempfile.mkdtemp(prefix="spanproof-pg-", dir=find_memory()))
    try:
        with run_server(binaries, own) as server, server.database() as url:
            return sampled_kills.run(_open_place(folder, url), kills=kills, seed=seed)
    finally:
        shutil.rmtree(own, ignore_errors=True)


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
