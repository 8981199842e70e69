"""The whole service under load, then stopped: ``python -m bench.service.load [--clients 64]``.

``spanproof serve`` on a fresh home with SQLite and the embedded model; keep-alive connections on
loopback, each with one request at a time, mix verifications, ingests of small documents, reads and
receipts. Whoever is sent away (429) waits as ``Retry-After`` says. Then SIGTERM, while all of them
go on. Prints requests a second, latency by route, every status, the service's memory, and what
became of the requests of the drain. The clients run on the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.report import write_report
from bench.service.load_clients import Clients, Tally

PROGRAM = Path(sys.executable).with_name("spanproof")
_START_SECONDS = 180
_END_SECONDS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """What became of the load after SIGTERM."""

    answered: int
    statuses: dict[int, int]
    lost: int
    cut: int
    exit_code: int
    seconds: float


def start_service(home: Path, **settings: str) -> tuple[subprocess.Popen[str], int]:
    """``spanproof serve`` on a free port, once it answers; raise RuntimeError if it does not."""
    names = {f"SPANPROOF_{name.upper()}": value for name, value in settings.items()}
    with (home.parent / "service.log").open("wb") as log:
        child = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0"],
            env=os.environ | {"SPANPROOF_HOME": str(home)} | names,
            stdout=subprocess.DEVNULL,
            stderr=log,
            text=True,
        )
    deadline = time.monotonic() + _START_SECONDS
    while child.poll() is None and time.monotonic() < deadline:
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", read_log(home))
        if found:
            try:
                urllib.request.urlopen(f"{found[0]}healthz").close()  # noqa: S310 - ours
            except OSError:
                pass
            else:
                return child, int(found[1])
        time.sleep(0.1)
    child.kill()
    msg = f"Expected a running service, got: {read_log(home)}"
    raise RuntimeError(msg)


def read_log(home: Path) -> str:
    """What the service wrote to stderr."""
    return (home.parent / "service.log").read_text(encoding="utf-8", errors="replace")


def stop_under_load(
    child: subprocess.Popen[str], clients: Clients, count: int, after: float
) -> Drained:
    """Load for ``after`` seconds, then SIGTERM while it goes on, until the service has ended."""

    async def run() -> Drained:
        loop = asyncio.get_running_loop()
        load = asyncio.create_task(clients.run(count))
        await asyncio.sleep(after)
        tally = clients.tally
        before, lost, cut = tally.statuses.copy(), tally.lost, tally.cut
        began = time.perf_counter()
        child.send_signal(signal.SIGTERM)
        code = await loop.run_in_executor(None, lambda: child.wait(timeout=_END_SECONDS))
        seconds = time.perf_counter() - began
        clients.is_stopped = True
        await load
        during = tally.statuses - before
        statuses: Counter[int] = Counter()
        for (_, status), times in during.items():
            statuses[status] += times
        return Drained(
            answered=sum(during.values()),
            statuses=dict(sorted(statuses.items())),
            lost=tally.lost - lost,
            cut=tally.cut - cut,
            exit_code=code,
            seconds=seconds,
        )

    return asyncio.run(run())


def find_missing(home: Path, verified: list[str]) -> list[str]:
    """The acknowledged verifications that the store has no receipt for, now that it is closed."""
    from spanproof.operations.assembly import open_context
    from spanproof.operations.settings import Settings

    with open_context(Settings(home=home, database_url=None)) as context:
        return [each for each in verified if context.store.receipts.find(each) is None]


def read_memory(pid: int) -> dict[str, float]:
    """MiB of a process: resident now, and the most that was."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = dict(re.findall(r"^(VmRSS|VmHWM):\s+(\d+) kB$", text, re.MULTILINE))
    return {
        name: round(int(found[key]) / 1024, 1)
        for name, key in (("now", "VmRSS"), ("peak", "VmHWM"))
    }


def describe(tally: Tally, seconds: float) -> dict[str, Any]:
    """Requests a second, and each route's latency in milliseconds."""
    routes = {}
    for kind, found in sorted(tally.latencies.items()):
        ordered = sorted(found)
        routes[kind] = {"requests": len(ordered)} | {
            f"p{share}_ms": round(
                1000 * ordered[min(len(ordered) - 1, len(ordered) * share // 100)], 1
            )
            for share in (50, 95, 99)
        }
    statuses: Counter[int] = Counter()
    for (_, status), times in tally.statuses.items():
        statuses[status] += times
    answered = sum(statuses.values())
    return {
        "answers": answered,
        "answers_per_second": round(answered / seconds, 1),
        "routes": routes,
        "statuses": {str(status): times for status, times in sorted(statuses.items())},
        "answers_5xx": sum(times for status, times in statuses.items() if status >= 500),
        "refusals_without_retry_after": tally.mute_refusals,
        "lost": tally.lost,
        "cut": tally.cut,
    }


def main() -> None:
    """Start the service, load it, stop it, print, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--drain-load-seconds", type=float, default=5.0)
    parser.add_argument("--waiting", type=int, help="SPANPROOF_WAITING: 0 makes an overload")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        room = {} if arguments.waiting is None else {"waiting": str(arguments.waiting)}
        child, port = start_service(home, **room)
        try:
            clients = Clients(port)
            clients.prepare()
            memory = {"start_mib": read_memory(child.pid)["now"]}

            async def run() -> None:
                task = asyncio.create_task(clients.run(arguments.clients))
                await asyncio.sleep(arguments.seconds)
                clients.is_stopped = True
                await task

            began = time.perf_counter()
            asyncio.run(run())
            figures = describe(clients.tally, time.perf_counter() - began)
            found = read_memory(child.pid)
            memory |= {"peak_mib": found["peak"], "end_mib": found["now"]}
            other = Clients(port, seed=2)
            other.prepare()
            drained = stop_under_load(
                child, other, arguments.clients, after=arguments.drain_load_seconds
            )
        finally:
            child.kill()
            child.wait()
        verified = clients.tally.verified + other.tally.verified
        figures |= {
            "clients": arguments.clients,
            "waiting": arguments.waiting,
            "memory": memory,
            "drain": {
                "answered": drained.answered,
                "statuses": {str(status): n for status, n in drained.statuses.items()},
                "lost": drained.lost,
                "cut": drained.cut,
                "exit_code": drained.exit_code,
                "seconds": round(drained.seconds, 2),
            },
            "acknowledged_verifications": len(verified),
            "acknowledged_and_missing": len(find_missing(home, verified)),
            "load_average_before": round(load, 1),
        }
        faults = clients.tally.faults + other.tally.faults
    print(json.dumps(figures, indent=1))
    for fault in faults:
        print(fault)
    name = "service_load" if arguments.waiting is None else "service_overload"
    write_report(name, figures)


if __name__ == "__main__":
    main()
