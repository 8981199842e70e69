"""``spanproof entail`` on 1, 10 and 100 times as many pairs: time in proportion, memory flat.

The command itself, in a process of its own with a home of its own, so that no verdict is known
before. Pairs are distinct: dev's claims against dev's premises in new company. Memory is the
resident size of the command's process and of all that it started, summed, sampled while it runs.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.entailment import ONE_THREAD
from bench.entailment.samples import read_labelled

if TYPE_CHECKING:
    from collections.abc import Sequence

_EVERY_SECONDS = 0.1
_PAGE = os.sysconf("SC_PAGE_SIZE")
#: Longer premises would make the rows of one size unlike those of another.
_LONGEST_PREMISE = 1_200
_COMMAND = "import sys; from spanproof.api.cli import main; sys.argv[0] = 'spanproof'; main()"


def measure_growth(base: int, seed: int, model: Path | None) -> list[dict[str, Any]]:
    """One row for each of ``base``, 10 and 100 times ``base`` pairs."""
    rows = [row.pair for row in read_labelled(10_000, seed) if len(row.pair[0]) < _LONGEST_PREMISE]
    if not rows:
        return []
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        # A pair first: what is derived from the weights is made at the first use.
        for number, count in enumerate((1, base, 10 * base, 100 * base)):
            pairs = _draw_pairs(rows, count, seed + number)
            home = Path(folder) / "home"
            figures.append(_run(pairs, home, Path(folder) / f"{count}.jsonl", model))
            print(f"{count} pairs: {figures[-1]['wall_seconds']:.1f} s", file=sys.stderr)
    return figures[1:]


def _draw_pairs(rows: Sequence[tuple[str, str]], count: int, seed: int) -> list[tuple[str, str]]:
    rng = random.Random(seed)  # noqa: S311 - the same pairs every time
    return [(rng.choice(rows)[0], f"{rng.choice(rows)[1]} ({n})") for n in range(count)]


def _run(
    pairs: Sequence[tuple[str, str]], home: Path, path: Path, model: Path | None
) -> dict[str, Any]:
    lines = (json.dumps({"premise": p, "hypothesis": h}) + "\n" for p, h in pairs)
    path.write_text("".join(lines), encoding="utf-8")
    output = path.with_suffix(".out")
    # The command chooses its own threads, as it does for a user.
    own = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    environment = own | {"SPANPROOF_HOME": str(home)}
    if model is not None:
        environment["SPANPROOF_MODEL"] = str(model)
    command = [sys.executable, "-c", _COMMAND, "entail", str(path), "--output", str(output)]
    errors = path.with_suffix(".err")
    with errors.open("wb") as stream:
        began = time.perf_counter()
        process = subprocess.Popen(command, env=environment, stderr=stream, start_new_session=True)
        peak = _Peak(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        told = errors.read_text(encoding="utf-8", errors="replace")[-400:]
        msg = f"Expected exit 0 for {len(pairs)} pairs, got {process.returncode}: {told}"
        raise SystemExit(msg)
    judged = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    if len(judged) != len(pairs):
        msg = f"Expected {len(pairs)} lines, got {len(judged)}."
        raise SystemExit(msg)
    return {
        "pairs": len(pairs),
        "not_run": sum(row["label"] == "NOT_RUN" for row in judged),
        "wall_seconds": wall,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "cpu_ms_per_pair": 1000 * (usage.ru_utime + usage.ru_stime) / len(pairs),
        "peak_bytes": peak.stop(),
    }


class _Peak:
    """The greatest summed resident size of a session's processes, until stopped."""

    def __init__(self, session: int) -> None:
        self._session = session
        self._most = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> int:
        """Bytes."""
        self._ended.set()
        self._thread.join()
        return self._most

    def _watch(self) -> None:
        while not self._ended.wait(_EVERY_SECONDS):
            self._most = max(self._most, _resident(self._session))


def _resident(session: int) -> int:
    total = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            if int(fields[3]) == session:
                total += int((entry / "statm").read_text(encoding="utf-8").split()[1]) * _PAGE
        except (OSError, IndexError):
            continue
    return total
