"""Large tables: cells a CPU second, beside what parsing them alone takes, and peak memory.

``python -m bench.documents.tables_of_rows [--repeat N] [--rows N]``. Each reading runs in a fresh
process. "Parsing" is csv.reader, or openpyxl read-only, over the same bytes in the same process.
"Reading" is from the bytes to the parts that the parser's child hands over; "taking" is what its
parent does with them, up to the record that is stored; "opening" reads that record again. "Ingest"
is the CPU time of all processes of ``spanproof ingest``, its start included, which is also given
alone, as that of a table of two rows.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bench.report import write_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_T = TypeVar("_T")
#: The rows of a 9 MB table, and of a workbook of as many cells.
ROWS = 1_500_000
_COLUMNS = 10
_PACKAGES = ("spanproof", "numpy", "lxml", "openpyxl")
_STEPS = ("parsing", "reading", "taking", "opening")


def make_csv(rows: int) -> bytes:
    """Two cells a row, six bytes."""
    return b"".join(b"%d,%03d\n" % (n % 10, n * 7919 % 1000) for n in range(rows))


def make_workbook(rows: int) -> bytes:
    """Ten cells a row: names, words, whole numbers and fractions, as openpyxl writes them."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Data")
    for n in range(rows // _COLUMNS):
        words = (f"SKU-{n:06d}", f"Item {n % 977}", "Berlin", f"note {n % 5000}")
        sheet.append([*words, n, n * 7919 % 10**6, n % 1000 / 8, n / 100, n % 7, -n])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


TABLES: dict[str, Callable[[int], bytes]] = {"csv": make_csv, "xlsx": make_workbook}


def read_once(path: Path) -> dict[str, Any]:
    """Read a table in this process, which must be fresh."""
    from spanproof.core.documents.extraction_record import from_record, to_record
    from spanproof.ingest import extract
    from spanproof.ingest.cage.extraction_parts import from_parts, to_parts

    data = path.read_bytes()
    small = io.BytesIO()
    small.write(make_csv(2) if path.suffix == ".csv" else make_workbook(20))
    to_parts(extract(small.getvalue(), filename=path.name))
    cells, parsing = _time(lambda: sum(map(len, _parse(path.suffix, data))))
    parts, reading = _time(lambda: to_parts(extract(data, filename=path.name)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    record, taking = _time(lambda: to_record(from_parts(parts)))
    _, opening = _time(lambda: from_record(record))
    seconds = dict(zip(_STEPS, (parsing, reading, taking, opening), strict=True))
    return {"cells": cells, "bytes": len(data), "peak_bytes": peak, "seconds": seconds}


def _parse(kind: str, data: bytes) -> Iterator[Any]:
    if kind == ".csv":
        return csv.reader(io.StringIO(data.decode(), newline=""))
    import openpyxl

    return iter(openpyxl.load_workbook(io.BytesIO(data), read_only=True).worksheets[0].values)


def _time(run: Callable[[], _T]) -> tuple[_T, float]:
    began = time.process_time()
    found = run()
    return found, time.process_time() - began


def ingest(path: Path) -> tuple[float, int]:
    """CPU seconds of the whole command in a new home, and the peak of its largest process."""
    command = "from spanproof.api.cli import main; main()"
    with tempfile.TemporaryDirectory() as home:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-c", command, "ingest", str(path)],
            check=True,
            capture_output=True,
            timeout=600,
            env={**os.environ, "SPANPROOF_HOME": home},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, after.ru_maxrss * 1024


def measure(kind: str, rows: int, repeat: int) -> dict[str, Any]:
    """The figures of one table: medians over the rounds."""
    with tempfile.TemporaryDirectory() as folder:
        path, small = (Path(folder) / f"{name}.{kind}" for name in ("large", "small"))
        path.write_bytes(TABLES[kind](rows))
        small.write_bytes(TABLES[kind](20))
        found, wholes, starts, peak = [], [], [], 0
        for turn in range(repeat):
            command = [sys.executable, "-m", "bench.documents.tables_of_rows", "--one", str(path)]
            done = subprocess.run(command, check=True, capture_output=True, timeout=600)
            found.append(json.loads(done.stdout))
            starts.append(ingest(small)[0])
            whole, peak = ingest(path)
            wholes.append(whole)
            print(f"{kind}, round {turn + 1}", file=sys.stderr)
    cells = found[0]["cells"]
    seconds = {
        step: statistics.median(one["seconds"][step] for one in found) for step in _STEPS
    } | {"ingest": statistics.median(wholes), "start": statistics.median(starts)}
    return {
        "cells": cells,
        "bytes": found[0]["bytes"],
        "cpu_seconds": seconds,
        "reading_to_parsing": seconds["reading"] / seconds["parsing"],
        "cells_a_cpu_second": {
            "ingest": cells / seconds["ingest"],
            "ingest_without_start": cells / (seconds["ingest"] - seconds["start"]),
            "reading": cells / seconds["reading"],
        },
        "peak_bytes": {"reading": max(one["peak_bytes"] for one in found), "ingest": peak},
    }


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.documents.tables_of_rows")
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default 3)")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--one", type=Path, help="read one table in this process, print JSON")
    options = parser.parse_args(arguments)
    if options.one is not None:
        print(json.dumps(read_once(options.one)))
        return 0
    found = {kind: measure(kind, options.rows, options.repeat) for kind in TABLES}
    print("| table | cells | cells a CPU second: ingest | without start | × parsing | peak, MiB |")
    print("|---|---|---|---|---|---|")
    for kind, one in found.items():
        speeds = one["cells_a_cpu_second"]
        shown = [kind, f"{one['cells']:,}"]
        shown += [f"{speeds[name]:,.0f}" for name in ("ingest", "ingest_without_start")]
        shown += [f"{one['reading_to_parsing']:.2f}", f"{one['peak_bytes']['reading'] / 2**20:.0f}"]
        print(f"| {' | '.join(shown)} |")
    print(write_report("tables_of_rows", found, packages=_PACKAGES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
