"""The whole service under load, then stopped: ``python -m bench.service_load [--clients 64]``.

``spanproof serve`` on a fresh home with SQLite and the embedded model; keep-alive connections on
loopback, each with one request at a time, mix verifications, ingests of small documents, reads and
receipts. Whoever is sent away (429) waits as ``Retry-After`` says. Then SIGTERM, while all of them
go on. Prints requests a second, latency by route, every status, the service's memory, and what
became of the requests of the drain. The clients run on the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.report import write_report

PROGRAM = Path(sys.executable).with_name("spanproof")
TERMS = [
    f"The supplier replaces defective goods of class {number} within {number + 2} business days "
    f"of a written notice by the buyer."
    for number in range(40)
]
DOCUMENT = "\n\n".join(TERMS).encode()
#: How often each is asked for.
MIX = {"verification": 5, "ingest": 1, "document": 2, "text": 1, "shown": 1, "receipt": 2}
_START_SECONDS = 180
_END_SECONDS = 120


@dataclass(slots=True)
class Tally:
    """What the clients saw."""

    latencies: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    #: 429 without a Retry-After that is a number of seconds.
    mute_refusals: int = 0
    #: Bodies of 5xx answers, the first of them.
    faults: list[str] = field(default_factory=list)
    verified: list[str] = field(default_factory=list)
    #: Requests that were sent whole and got no answer, or a part of one; and those that found
    #: nobody who listens.
    lost: int = 0
    cut: int = 0
    refused: int = 0


class Clients:
    """Connections that ask until they are stopped, or nobody listens any more."""

    def __init__(self, port: int, *, seed: int = 1, most_wait: float = 60.0) -> None:
        self.port = port
        self.tally = Tally()
        self.is_stopped = False
        self._most_wait = most_wait
        self._numbers = itertools.count(seed * 1_000_000)
        self._drawn = random.Random(seed)  # noqa: S311 - a mix of requests, not a secret
        self._doc_hash = ""
        self._text = ""

    def prepare(self) -> None:
        """Ingest the document that everything cites, and verify one answer."""
        address = f"http://127.0.0.1:{self.port}"
        put = urllib.request.Request(  # noqa: S310 - ours
            f"{address}/v1/documents?doc_id=terms", data=DOCUMENT, method="PUT"
        )
        with urllib.request.urlopen(put) as answer:  # noqa: S310
            self._doc_hash = json.load(answer)["doc_hash"]
        with urllib.request.urlopen(f"{address}/v1/documents/terms/text") as answer:  # noqa: S310
            self._text = answer.read().decode()
        body = self._make_answer(0)
        with urllib.request.urlopen(f"{address}/v1/verifications", data=body) as answer:  # noqa: S310
            self.tally.verified.append(json.load(answer)["verification_id"])

    async def run(self, count: int) -> None:
        """So many connections, until ``is_stopped`` or until nobody listens."""
        await asyncio.gather(*(self._ask_on() for _ in range(count)))

    async def _ask_on(self) -> None:
        names, weights = list(MIX), list(MIX.values())
        while not self.is_stopped:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                self.tally.refused += 1
                return
            try:
                is_open = True
                # As any client of HTTP: nothing is sent where the other end has closed.
                while is_open and not reader.at_eof():
                    kind = self._drawn.choices(names, weights)[0]
                    is_answered = await self._ask(kind, reader, writer)
                    is_open = is_answered and not self.is_stopped
            finally:
                writer.close()

    async def _ask(
        self, kind: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """One request; whether the connection stays open."""
        method, path, body = self._make(kind)
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
        began = time.perf_counter()
        answer = b""
        try:
            writer.write(head.encode() + body)
            await writer.drain()
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
            content = await reader.readexactly(int(length[1]) if length else 0)
        except asyncio.IncompleteReadError as error:
            self._count_broken(is_begun=bool(answer or error.partial))
            return False
        except OSError:
            self._count_broken(is_begun=bool(answer))
            return False
        await self._count(kind, answer, content, time.perf_counter() - began)
        return re.search(rb"connection: close", answer, re.IGNORECASE) is None

    def _count_broken(self, *, is_begun: bool) -> None:
        if is_begun:
            self.tally.cut += 1
        else:
            self.tally.lost += 1

    async def _count(self, kind: str, head: bytes, content: bytes, seconds: float) -> None:
        tally, status = self.tally, int(head[9:12])
        tally.statuses[kind, status] += 1
        if status < 300:
            tally.latencies.setdefault(kind, []).append(seconds)
            if kind == "verification":
                tally.verified.append(json.loads(content)["verification_id"])
        elif status == 429:
            wait = re.search(rb"retry-after: (\d+)\r\n", head, re.IGNORECASE)
            tally.mute_refusals += wait is None
            await asyncio.sleep(min(self._most_wait, float(wait[1]) if wait else 1.0))
        elif status >= 500 and len(tally.faults) < 20:
            tally.faults.append(f"{kind}: {content[:300].decode(errors='replace')}")

    def _make(self, kind: str) -> tuple[str, str, bytes]:
        number = next(self._numbers)
        known = self._drawn.choice(self.tally.verified)
        if kind == "verification":
            return "POST", "/v1/verifications", self._make_answer(number)
        if kind == "ingest":
            return "PUT", f"/v1/documents?doc_id=note-{number}", f"Note {number}. ".encode() * 20
        paths = {
            "document": "/v1/documents/terms",
            "text": "/v1/documents/terms/text?start=0&end=200",
            "shown": f"/v1/verifications/{known}",
            "receipt": f"/v1/verifications/{known}/receipt",
        }
        return "GET", paths[kind], b""

    def _make_answer(self, number: int) -> bytes:
        """An answer of its own: one claim that no other answer makes, and its citation."""
        quote = TERMS[number % len(TERMS)]
        start = self._text.index(quote)
        citation = {
            "anchor": 1,
            "doc_hash": self._doc_hash,
            "span": {"text": quote, "char_start": start, "char_end": start + len(quote)},
        }
        prose = f"Goods of order {number} are replaced when the buyer gives a written notice [1]."
        return json.dumps({"answer": prose, "citations": [citation]}).encode()


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
    from api.settings import Settings
    from api.wiring import open_services

    with open_services(Settings(home=home, database_url=None)) as services:
        return [each for each in verified if services.store.receipts.find(each) is None]


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
