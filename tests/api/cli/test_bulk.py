"""``bulk verify`` as a user types it, and killed twice in 8,000 rows on each engine."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.api.cli.conftest import SENTENCE, TEXT
from tests.api.cli.program import SCRIPT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.api.cli.program import Program

START = TEXT.index(SENTENCE)


def write_pairs(path: Path, doc_hash: str, number: int) -> Path:
    """Rows that quote the one sentence under a few claims, over and over."""
    row: dict[str, Any] = {
        "doc_hash": doc_hash,
        "char_start": START,
        "char_end": START + len(SENTENCE),
        "span_text": SENTENCE,
    }
    rows = [
        row | {"pair_id": n, "claim": f"Invoices are paid within {n % 5 + 2} business days."}
        for n in range(number)
    ]
    parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=3_000)
    return path


def test_rows_come_out_and_errors_are_one_line(
    program: Program, doc_hash: str, tmp_path: Path
) -> None:
    source = write_pairs(tmp_path / "in.parquet", doc_hash, 12)
    done = program.run("bulk", "verify", source, tmp_path / "out", "--json")
    assert done.code == 0, done.stderr
    assert (done.body["rows"], done.body["parts"]) == (12, 1)
    table = parquet.read_table(tmp_path / "out")
    assert sorted(table["pair_id"].to_pylist()) == list(range(12))
    assert set(table["existence_status"].to_pylist()) == {"EXACT"}
    entailed = set(table.filter(pa.compute.equal(table["outcome"], "pass"))["pair_id"].to_pylist())
    assert entailed == {2, 7}
    wrong = program.run("bulk", "verify", source, tmp_path / "out", "--shard", "1/1")
    assert wrong.code == 2
    assert "0 <= i < n" in wrong.require_one_line("MALFORMED_INPUT")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "ray"])
def test_killed_twice_in_8_000_rows_nothing_is_lost_or_doubled(
    program: Program, doc_hash: str, tmp_path: Path, engine: str
) -> None:
    if engine == "ray":
        pytest.importorskip("ray")
    source, output = write_pairs(tmp_path / "in.parquet", doc_hash, 8_000), tmp_path / "out"
    command = ["bulk", "verify", str(source), str(output), "--engine", engine, "--json"]
    kept: dict[str, int] = {}
    for wanted in (2, 5):
        with subprocess.Popen(
            [SCRIPT, *command],
            env=program.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            while len(list_parts(output)) < wanted and process.poll() is None:
                time.sleep(0.02)
            kill_all(process.pid)
        assert process.returncode == -signal.SIGKILL
        parts = list_parts(output)
        assert {name: parts[name] for name in kept} == kept
        kept = parts
    assert 5 <= len(kept) < 8
    done = program.run(*command)
    assert done.code == 0, done.stderr
    assert (done.body["rows"], done.body["resumed"]) == (8_000, 1_000 * len(kept))
    found = parquet.read_table(output, columns=["pair_id"])["pair_id"].to_pylist()
    assert (len(found), set(found)) == (8_000, set(range(8_000)))
    # Nothing was judged again, and what was half-written is gone.
    assert {name: list_parts(output)[name] for name in kept} == kept
    assert len(list(output.iterdir())) == 8


def list_parts(output: Path) -> dict[str, int]:
    """The parts that are there, and when each was written."""
    return {path.name: path.stat().st_mtime_ns for path in output.glob("*.parquet")}


def kill_all(pid: int) -> None:
    """SIGKILL to a process and every process under it, Ray's own among them."""
    for each in [pid, *find_children(pid)]:
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            continue


def find_children(pid: int) -> Iterator[int]:
    """The processes that a process has started, and those that these have."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        if parent == pid:
            child = int(path.parent.name)
            yield from find_children(child)
            yield child
