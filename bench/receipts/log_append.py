"""Leaves into a log on SQLite: in batches, one by one, and with a signature; and what a sync costs.

``python -m bench.receipts.log_append [--leaves N] [--folder DIR]``. Entries are of the size of a
receipt's leaf. The price of synchronising is measured beside it, in the same folder: a record of a
page appended to a file with fdatasync, as SQLite's write-ahead log does at each commit. Every
figure is of one thread, except the last, where eight append or include at once.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.report import write_report
from spanproof.receipt.keys.signing_keys import LocalLogKey
from spanproof.store import open_store
from spanproof.store.log import TransparencyLog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Bytes of a hashedrekord leaf with a P-256 key.
ENTRY_BYTES = 489
BATCH = 256
THREADS = 8
_PAGE = 4096


def measure_sync(folder: Path, count: int = 200) -> float:
    """Milliseconds of one fdatasync after a page was appended: the median."""
    taken = []
    path = folder / "sync"
    with path.open("wb", buffering=0) as stream:
        for _ in range(count):
            stream.write(os.urandom(_PAGE))
            began = time.perf_counter()
            os.fdatasync(stream.fileno())
            taken.append(time.perf_counter() - began)
    path.unlink()
    return statistics.median(taken) * 1000


@contextmanager
def open_fresh(folder: Path) -> Iterator[TransparencyLog]:
    """An empty log in a folder of its own."""
    place = Path(tempfile.mkdtemp(dir=folder))
    try:
        with open_store(place / "home") as store:
            key = LocalLogKey.generate("log.example.com")
            yield TransparencyLog.open(store.database, key, place / "mark")
    finally:
        shutil.rmtree(place)


def time_calls(call: Callable[[], object], count: int) -> list[float]:
    """Seconds of each of so many calls."""
    taken = []
    for _ in range(count):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return taken


def measure_batches(folder: Path, leaves: int) -> dict[str, float]:
    """Leaves a second in batches of 256."""
    entries = [os.urandom(ENTRY_BYTES) for _ in range(BATCH)]
    with open_fresh(folder) as log:
        taken = time_calls(lambda: log.append_all(entries), -(-leaves // BATCH))
    return {
        "leaves": len(taken) * BATCH,
        "leaves_per_second": round(len(taken) * BATCH / sum(taken)),
        "batch_ms": round(statistics.median(taken) * 1000, 2),
    }


def measure_singles(folder: Path, count: int) -> dict[str, float]:
    """Milliseconds of one leaf: appended, as an intake; included, as a result; while it is idle."""
    entry = os.urandom(ENTRY_BYTES)
    with open_fresh(folder) as log:
        log.append_all([entry] * 1000)
        appended = time_calls(lambda: log.append(entry), count)
        included = time_calls(lambda: log.include(entry), count)
    return {
        "append_ms": round(statistics.median(appended) * 1000, 2),
        "include_ms": round(statistics.median(included) * 1000, 2),
    }


def measure_threads(folder: Path, count: int) -> dict[str, float]:
    """Inclusions a second by eight threads at once."""
    entry = os.urandom(ENTRY_BYTES)
    with open_fresh(folder) as log, ThreadPoolExecutor(THREADS) as pool:
        began = time.perf_counter()
        done = list(pool.map(lambda _: log.include(entry), range(count)))
        seconds = time.perf_counter() - began
        sizes = {each.checkpoint.size for each in done}
    return {
        "includes_per_second": round(count / seconds),
        "leaves_per_checkpoint": round(count / len(sizes), 1),
    }


def main() -> None:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leaves", type=int, default=100_000)
    parser.add_argument("--singles", type=int, default=300)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    chosen = parser.parse_args()
    sync_ms = measure_sync(chosen.folder)
    batches = measure_batches(chosen.folder, chosen.leaves)
    singles = measure_singles(chosen.folder, chosen.singles)
    threads = measure_threads(chosen.folder, chosen.singles)
    figures: dict[str, Any] = {
        "entry_bytes": ENTRY_BYTES,
        "fdatasync_ms": round(sync_ms, 2),
        "batches_of_256": batches,
        "one_by_one": singles,
        f"{THREADS}_threads": threads,
    }
    print(f"fdatasync of a page           {sync_ms:8.2f} ms")
    print(f"batches of {BATCH}, leaves/s     {batches['leaves_per_second']:8,}")
    print(f"append, one leaf              {singles['append_ms']:8.2f} ms")
    print(f"include, one leaf             {singles['include_ms']:8.2f} ms")
    print(f"include, {THREADS} threads, a second  {threads['includes_per_second']:8,}")
    print(write_report("log_append", figures, packages=("spanproof", "cryptography", "sqlalchemy")))


if __name__ == "__main__":
    main()
