"""Millions of rows sent over HTTP: ``python -m bench.service.manifest_upload [--rows N]``.

``spanproof serve`` without job threads and one ``spanproof worker`` on a fresh home with SQLite, on
loopback. JSON Lines are made while they are sent, without a length known before, to
``POST /v1/indexes/bench/versions``: two versions, of whose chunks 2 % are reassigned and 0.1 %
gone (as in ``bench.service.manifest_diff``), then the two are compared. ``--mode full`` registers
within the request, in the service's own process; else a job of the worker does (202).

Each second ``GET /healthz`` and ``GET /v1/indexes`` are asked, the memory of both processes is read
and the bytes below the home are counted, nameless files of either process included. The run fails
where an answer is not the expected one, or the comparison is not what was planted. Memory is the
most that was resident (VmHWM, mapped files included) and the most that was anonymous (RssAnon, as
seen each second). The sender runs in a process of its own, on the same machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bench.report import write_report
from bench.service.load import PROGRAM, start_service
from bench.service.manifest_diff import REASSIGNED_EVERY, REMOVE_EVERY, make_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROWS_AT_ONCE = 2_000
_ASKED = ("/healthz", "/v1/indexes")
_JOB_SECONDS = 4 * 3_600.0
_FIELDS = ("chunk_id", "doc_id", "doc_hash", "text_sha256", "extraction_pipeline")
_EXPECTED = {"full": 201, "async": 202}


def make_body(rows: int, *, changed: bool) -> Iterator[bytes]:
    """A manifest without a header, as JSON Lines, some lines at a time."""
    for first in range(0, rows, _ROWS_AT_ONCE):
        numbers = range(first, min(first + _ROWS_AT_ONCE, rows))
        yield "".join(
            f'{{"chunk_id":"{chunk}","doc_id":"{document}","doc_hash":"{doc_hash}",'
            f'"text_sha256":"{text}","extraction_pipeline":"{pipeline}",'
            f'"char_start":{start},"char_end":{end}}}\n'
            for chunk, document, doc_hash, text, pipeline, start, end in make_rows(
                numbers, changed=changed
            )
        ).encode()


def send(port: int, rows: int, version: str, mode: str) -> dict[str, Any]:
    """Send one version, in this process; the status, the answer and how long it took."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_JOB_SECONDS)
    sent = 0

    def count() -> Iterator[bytes]:
        nonlocal sent
        for part in make_body(rows, changed=version == "v2"):
            sent += len(part)
            yield part

    begun, made = time.perf_counter(), time.process_time()
    connection.request(
        "POST",
        f"/v1/indexes/bench/versions?version={version}&mode={mode}",
        body=count(),
        headers={"Content-Type": "application/x-ndjson"},
        encode_chunked=True,
    )
    sent_s = time.perf_counter() - begun
    answer = connection.getresponse()
    body = json.loads(answer.read())
    return {
        "status": answer.status,
        "answer": body,
        "bytes": sent,
        "sent_s": round(sent_s, 1),
        "answered_s": round(time.perf_counter() - begun, 1),
        "sender_cpu_s": round(time.process_time() - made, 1),
    }


class Watch:
    """Asks the service and looks at the processes and the disk each second, until it is stopped."""

    def __init__(self, port: int, home: Path, processes: dict[str, int]) -> None:
        self._port = port
        self._home = home
        self._processes = processes
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.slowest = dict.fromkeys(_ASKED, 0.0)
        self.asked = 0
        self.failed: list[str] = []
        self.disk = 0
        self.memory = {name: {"peak": 0, "anonymous": 0} for name in processes}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(1.0):
            for path in _ASKED:
                self._ask(path)
            self._look()

    def _ask(self, path: str) -> None:
        begun = time.perf_counter()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}{path}", timeout=60) as got:
                got.read()
        except OSError as error:
            self.failed.append(f"{path}: {error}")
        self.asked += 1
        self.slowest[path] = max(self.slowest[path], time.perf_counter() - begun)

    def _look(self) -> None:
        for name, pid in self._processes.items():
            seen = read_memory(pid)
            kept = self.memory[name]
            kept |= {key: max(kept[key], seen[key]) for key in kept}
        nameless = sum(count_nameless(pid) for pid in self._processes.values())
        self.disk = max(self.disk, count_bytes(self._home) + nameless)


def read_memory(pid: int) -> dict[str, int]:
    """Bytes of a process: the most that was resident, and what is anonymous now."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = dict(re.findall(r"^(VmHWM|RssAnon):\s+(\d+) kB$", text, re.MULTILINE))
    return {"peak": int(found["VmHWM"]) * 1024, "anonymous": int(found["RssAnon"]) * 1024}


def count_bytes(folder: Path) -> int:
    """What the files below a folder take of the disk."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += Path(where, name).stat().st_blocks * 512
            except FileNotFoundError:
                continue
    return total


def count_nameless(pid: int) -> int:
    """What a process's open files without a name take of the disk."""
    total = 0
    for opened in Path(f"/proc/{pid}/fd").iterdir():
        try:
            seen = opened.stat()
        except OSError:
            continue
        total += seen.st_blocks * 512 if seen.st_nlink == 0 else 0
    return total


def read_cpu(pid: int) -> float:
    """Seconds of CPU that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def get(port: int, path: str) -> Any:  # noqa: ANN401 - any JSON value
    """What the service answers."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=3_600) as answer:
        return json.load(answer)


def register(port: int, rows: int, version: str, mode: str, cpu: dict[str, int]) -> dict[str, Any]:
    """Send a version from a process of its own and wait until it is registered."""
    before = {name: read_cpu(pid) for name, pid in cpu.items()}
    begun = time.perf_counter()
    command = [sys.executable, "-m", "bench.service.manifest_upload", "--send", str(port)]
    command += ["--rows", str(rows), "--version", version, "--mode", mode]
    done = subprocess.run(command, check=True, capture_output=True)
    found: dict[str, Any] = json.loads(done.stdout)
    answer = found.pop("answer")
    if found["status"] != _EXPECTED[mode]:
        msg = f"Expected status {_EXPECTED[mode]}, got {found['status']}: {answer}"
        raise SystemExit(msg)
    if mode == "async":
        answer = _wait_for(port, answer["job_id"])
    found["registered_s"] = round(time.perf_counter() - begun, 1)
    found["rows"] = answer["rows"]
    for name, pid in cpu.items():
        found[f"{name}_cpu_s"] = round(read_cpu(pid) - before[name], 1)
    gone = len(range(0, rows, REMOVE_EVERY)) if version == "v2" else 0
    if (answer["rows"], answer["byte_length"], answer["is_new"]) != (
        rows - gone,
        found["bytes"],
        True,
    ):
        msg = f"Expected {rows - gone} rows of {found['bytes']} bytes, newly, got {answer}."
        raise SystemExit(msg)
    return found


def _wait_for(port: int, job_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + _JOB_SECONDS
    while (job := get(port, f"/v1/jobs/{job_id}"))["state"] in {"queued", "running"}:
        if time.monotonic() > deadline:
            raise SystemExit(f"Expected the job to be over, got {job}.")
        time.sleep(1.0)
    if job["state"] != "done":
        raise SystemExit(f"Expected the job to be done, got {job}.")
    result: dict[str, Any] = job["result"]
    return result


def compare(port: int, rows: int) -> float:
    """Compare both versions over HTTP; the seconds it took. All planted changes must be found."""
    begun = time.perf_counter()
    found = get(port, "/v1/indexes/bench/diff?from=v1&to=v2")["chunks"]
    seconds = time.perf_counter() - begun
    gone, reassigned = (
        len(range(0, rows, REMOVE_EVERY)),
        len(range(1, rows, REASSIGNED_EVERY)),
    )
    expected = {"moved": 0, "reassigned": reassigned, "gone": gone, "new": 0}
    expected["same"] = rows - reassigned - gone
    if found != expected:
        raise SystemExit(f"Expected {expected}, got {found}.")
    return round(seconds, 1)


def start_worker(home: Path) -> subprocess.Popen[bytes]:
    """``spanproof worker`` on that home."""
    with (home.parent / "worker.log").open("wb") as log:
        return subprocess.Popen(
            [PROGRAM, "worker"],
            env=os.environ | {"SPANPROOF_HOME": str(home), "SPANPROOF_JOB_THREADS": "1"},
            stdout=log,
            stderr=log,
        )


def measure(folder: Path, rows: int, mode: str) -> dict[str, Any]:
    """Both versions, and their comparison."""
    home, load = folder / "home", os.getloadavg()[0]
    service, port = start_service(home, job_threads="0")
    worker = start_worker(home)
    processes = {"service": service.pid, "worker": worker.pid}
    try:
        with Watch(port, home, processes) as watch:
            versions = {
                version: register(port, rows, version, mode, processes) for version in ("v1", "v2")
            }
            before = read_memory(service.pid)
            diff_s = compare(port, rows)
            if worker.poll() is not None or service.poll() is not None:
                msg = "Expected both processes to live, got one that ended."
                raise SystemExit(msg)
        kept = count_bytes(home)
    finally:
        for process in (worker, service):
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)
    return {
        "rows": rows,
        "mode": mode,
        "versions": versions,
        "diff_s": diff_s,
        "service_peak_before_diff_mib": before["peak"] >> 20,
        "memory_mib": {
            name: {key: count >> 20 for key, count in seen.items()}
            for name, seen in watch.memory.items()
        },
        "disk_most_mib": watch.disk >> 20,
        "disk_after_mib": kept >> 20,
        "asked_meanwhile": watch.asked,
        "failed_meanwhile": watch.failed[:20],
        "slowest_ms": {path: round(1000 * each, 1) for path, each in watch.slowest.items()},
        "load_average_before": round(load, 1),
    }


def main() -> None:
    """Measure, print, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--mode", choices=sorted(_EXPECTED), default="async")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--send", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--version", default="v1", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.send is not None:
        print(json.dumps(send(chosen.send, chosen.rows, chosen.version, chosen.mode)))
        return
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        figures = measure(Path(folder), chosen.rows, chosen.mode)
    print(json.dumps(figures, indent=1))
    name = "manifest_upload" if chosen.mode == "async" else f"manifest_upload_{chosen.mode}"
    print(write_report(name, figures, packages=("spanproof", "numpy")))


if __name__ == "__main__":
    main()
