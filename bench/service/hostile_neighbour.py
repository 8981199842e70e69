"""One tenant's requests beside another's flood: ``python -m bench.service.hostile_neighbour``.

``spanproof serve`` on a fresh home with two tenants. First the honest one alone: connections on
loopback that mix verifications, ingests and reads (bench.service.load_clients), with pauses, so
that it asks for less than its part: more than that no neighbour leaves it. Then the same
beside a hostile one that never stops: answers of long altered quotes, hung up at once; long quotes
that the model has to read; a mark repeated a thousand times; half heads, kept open. The two take
turns for some rounds, so that what else the machine does falls on both. The flood runs in a
process of its own: it takes the service's time, not that of the clock that measures. Prints the
honest tenant's latencies by route and together, alone and beside the flood, over all rounds, and
the ratios of their percentiles, over all rounds and of each. The clients run on the same machine,
which they share with the service. It takes about two and a half minutes, and half a minute to
start.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import multiprocessing
import os
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.report import write_report
from bench.service.load import PROGRAM, describe, read_memory, start_service
from bench.service.load_clients import Clients, Tally

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Event

#: A document of the hostile tenant: 240 kB of words.
SOURCE = " ".join(f"clause {number} binds the buyer of lot {number * 7}" for number in range(6000))
HALF_HEAD = b"POST /v1/verifications HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
_HALF_HEADS = 64
_HEALTH_EVERY = 0.2
#: The row of all routes together.
ALL = "all"
_WARM_SECONDS = 3.0
#: How long the flood may take to begin, and to end: an answer of its own is read for 20 s at most.
_FLOOD_SECONDS = 60.0


def make_key(home: Path, tenant: str) -> str:
    """A key of a tenant of its own."""
    command = [str(PROGRAM), "keys", "create", "--tenant", tenant, "--json"]
    command += [f"--scope={scope}" for scope in ("verify", "ingest", "read")]
    done = subprocess.run(
        command,
        check=True,
        capture_output=True,
        env=os.environ | {"SPANPROOF_HOME": str(home)},
    )
    key: str = json.loads(done.stdout)["key"]
    return key


def make_attacks() -> list[bytes]:
    """Answers that cost much: altered quotes, long premises, a repeated mark."""
    words = SOURCE.split(" ")
    altered = " ".join("other" if place % 7 == 0 else each for place, each in enumerate(words))
    quotes = [altered[start : start + 19_000] for start in range(0, 200_000, 16_000)]
    unspaced = SOURCE.replace(" ", "")[:190_000]
    return [
        _make_answer("It binds [{}]. ", quotes),
        _make_answer("The buyer of a lot is bound by every clause [{}]. ", [SOURCE[:235_000]]),
        _make_answer("No clause binds the buyer [{}]. ", [unspaced]),
        _make_answer("It binds " + "[{}]" * 1000 + ". ", [SOURCE[:100]]),
    ]


def _make_answer(sentence: str, quotes: list[str]) -> bytes:
    citations = [
        {"anchor": number, "doc_id": "lots", "span": {"text": quote}}
        for number, quote in enumerate(quotes)
    ]
    prose = "".join(sentence.replace("{}", str(number)) for number in range(len(quotes)))
    return json.dumps({"answer": prose, "citations": citations}).encode()


class Flood:
    """A tenant that sends as much as it can and reads little of what comes."""

    def __init__(self, port: int, key: str) -> None:
        self._port, self._key = port, key
        self._attacks = make_attacks()
        self._numbers = itertools.count()
        self.is_stopped = False
        self.sent = self.hung_up = 0

    def prepare(self) -> None:
        """Ingest what its answers cite."""
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self._port}/v1/documents?doc_id=lots",
            data=SOURCE.encode(),
            method="PUT",
            headers={"Authorization": f"Bearer {self._key}", "Content-Type": "text/plain"},
        )
        urllib.request.urlopen(asked).close()  # noqa: S310

    async def run(self, connections: int) -> None:
        """So many at once, until it is stopped."""
        halves = [self._hold_half_head() for _ in range(_HALF_HEADS)]
        await asyncio.gather(*(self._attack() for _ in range(connections)), *halves)

    async def _attack(self) -> None:
        while not self.is_stopped:
            number = next(self._numbers)
            # No reading that the cache knows: each has words of its own.
            raw = self._attacks[number % len(self._attacks)].replace(b"binds", b"b%d" % number, 1)
            head = (
                "POST /v1/verifications HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                f"Authorization: Bearer {self._key}\r\nContent-Length: {len(raw)}\r\n\r\n"
            )
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                writer.write(head.encode() + raw)
                await writer.drain()
                self.sent += 1
                if number % 2:
                    self.hung_up += 1
                    await asyncio.sleep(0.2)
                else:
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(20):
                            await reader.read(1)
                writer.close()
            await asyncio.sleep(0.01)

    async def _hold_half_head(self) -> None:
        while not self.is_stopped:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                writer.write(HALF_HEAD)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(2):
                        await reader.read(1)
                writer.close()


async def watch_health(port: int, seconds: float) -> float:
    """The slowest answer of ``/healthz``, in seconds."""
    slowest, until = 0.0, time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        await reader.read()
        writer.close()
        slowest = max(slowest, time.perf_counter() - began)
        await asyncio.sleep(_HEALTH_EVERY)
    return slowest


def load(clients: Clients, count: int, seconds: float) -> float:
    """The honest clients for so long; the slowest health check meanwhile, in seconds."""

    async def run() -> float:
        clients.is_stopped = False
        working = asyncio.create_task(clients.run(count))
        slowest = await watch_health(clients.port, seconds)
        clients.is_stopped = True
        await working
        return slowest

    return asyncio.run(run())


def flood_until(
    flood: Flood, connections: int, begun: Event, stop: Event, told: Queue[tuple[int, int]]
) -> None:
    """What the hostile tenant's process does."""

    async def run() -> None:
        attacking = asyncio.create_task(flood.run(connections))
        while not stop.is_set():
            if flood.sent >= connections:
                begun.set()
            await asyncio.sleep(0.05)
        flood.is_stopped = True
        await attacking

    asyncio.run(run())
    told.put((flood.sent, flood.hung_up))


@contextlib.contextmanager
def flooding(flood: Flood, connections: int) -> Iterator[None]:
    """The flood in a process of its own, under way when this begins; its counts are added."""
    fork = multiprocessing.get_context("fork")
    begun, stop, told = fork.Event(), fork.Event(), fork.Queue()
    before = flood.sent, flood.hung_up
    child = fork.Process(target=flood_until, args=(flood, connections, begun, stop, told))
    child.start()
    try:
        if not begun.wait(_FLOOD_SECONDS):
            msg = f"Expected a flood under way after {_FLOOD_SECONDS:.0f} s, got none."
            raise RuntimeError(msg)
        yield
        stop.set()
        flood.sent, flood.hung_up = told.get(timeout=_FLOOD_SECONDS)
    finally:
        child.kill()
        child.join()
    print(f"flood: {flood.sent - before[0]} answers in this round", flush=True)


def compare(alone: dict[str, Any], beside: dict[str, Any], share: str) -> dict[str, float]:
    """The ratio of a percentile by route."""
    return {
        route: round(row[share] / alone["routes"][route][share], 2)
        for route, row in beside["routes"].items()
        if route in alone["routes"]
    }


def main() -> None:
    """Measure alone and beside the flood, in turns; print, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between two requests")
    parser.add_argument("--flood", type=int, default=32, help="connections of the hostile tenant")
    parser.add_argument("--seconds", type=float, default=15.0, help="of each half of a round")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    alone: list[Clients] = []
    beside: list[Clients] = []
    health = [0.0, 0.0]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        honest, hostile = make_key(home, "honest"), make_key(home, "hostile")
        child, port = start_service(home)

        def measure(seed: int, seconds: float) -> tuple[Clients, float]:
            clients = Clients(port, seed=seed, key=honest, pause=arguments.pause)
            clients.prepare()
            return clients, load(clients, arguments.clients, seconds)

        try:
            flood = Flood(port, hostile)
            flood.prepare()
            measure(1, _WARM_SECONDS)
            for number in range(arguments.rounds):
                measured, slowest = measure(2 * number + 2, arguments.seconds)
                alone.append(measured)
                health[0] = max(health[0], slowest)
                with flooding(flood, arguments.flood):
                    measured, slowest = measure(2 * number + 3, arguments.seconds)
                beside.append(measured)
                health[1] = max(health[1], slowest)
            memory = read_memory(child.pid)
        finally:
            child.kill()
            child.wait()
    took = arguments.seconds * arguments.rounds
    figures: dict[str, Any] = {
        "alone": describe(add_tallies(alone), took),
        "beside": describe(add_tallies(beside), took),
    }
    for share in ("p50", "p95", "p99"):
        figures[f"{share}_ratio"] = compare(figures["alone"], figures["beside"], f"{share}_ms")
    of_rounds = [
        compare(
            describe(one.tally, arguments.seconds), describe(two.tally, arguments.seconds), "p99_ms"
        )["verification"]
        for one, two in zip(alone, beside, strict=True)
    ]
    figures |= {
        "p99_ratio_of_rounds": {
            "least": min(of_rounds),
            "median": round(median(of_rounds), 2),
            "most": max(of_rounds),
        },
        "health_slowest_ms": [round(1000 * each, 1) for each in health],
        "flood": {"connections": arguments.flood, "sent": flood.sent, "hung_up": flood.hung_up},
        "clients": arguments.clients,
        "pause": arguments.pause,
        "rounds": arguments.rounds,
        "memory_peak_mib": memory["peak"],
        "load_average_before": round(before, 1),
        "load_average_after": round(os.getloadavg()[0], 1),
    }
    print(json.dumps(figures, indent=1))
    write_report("service_hostile_neighbour", figures)


def add_tallies(measured: list[Clients]) -> Tally:
    """What the clients of all rounds saw."""
    whole = Tally()
    for each in measured:
        tally = each.tally
        for route, found in tally.latencies.items():
            whole.latencies.setdefault(route, []).extend(found)
        whole.statuses.update(tally.statuses)
        whole.mute_refusals += tally.mute_refusals
        whole.lost += tally.lost
        whole.cut += tally.cut
    whole.latencies[ALL] = list(itertools.chain.from_iterable(whole.latencies.values()))
    return whole


if __name__ == "__main__":
    main()
