"""One tenant's requests beside another's flood: ``python -m bench.service.hostile_neighbour``.

``spanproof serve`` on a fresh home with two tenants. First the honest one alone: connections on
loopback that mix verifications, ingests and reads (bench.service.load_clients), with pauses, so
that it asks for less than its part: more than that no neighbour leaves it. Then the same
beside a hostile one that never stops: answers of long altered quotes, hung up at once; long quotes
that the model has to read; a mark repeated a thousand times; half heads, kept open. Prints the
honest tenant's latencies by route, alone and beside the flood, and their ratios. The clients run on
the same machine, which they share with the service.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from bench.report import write_report
from bench.service.load import PROGRAM, describe, read_memory, start_service
from bench.service.load_clients import Clients

#: A document of the hostile tenant: 240 kB of words.
SOURCE = " ".join(f"clause {number} binds the buyer of lot {number * 7}" for number in range(6000))
HALF_HEAD = b"POST /v1/verifications HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
_HALF_HEADS = 64
_HEALTH_EVERY = 0.2
_WARM_SECONDS = 3.0


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


def load(clients: Clients, count: int, seconds: float, flood: tuple[Flood, int] | None) -> float:
    """The honest clients for so long, beside the flood where there is one; slowest health check."""

    async def run() -> float:
        tasks = [asyncio.create_task(clients.run(count))]
        if flood is not None:
            tasks.append(asyncio.create_task(flood[0].run(flood[1])))
        slowest = await watch_health(clients.port, seconds)
        clients.is_stopped = True
        if flood is not None:
            flood[0].is_stopped = True
        await asyncio.gather(*tasks)
        return slowest

    return asyncio.run(run())


def main() -> None:
    """Measure alone, then beside the flood; print, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between two requests")
    parser.add_argument("--flood", type=int, default=32, help="connections of the hostile tenant")
    parser.add_argument("--seconds", type=float, default=30.0)
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        honest, hostile = make_key(home, "honest"), make_key(home, "hostile")
        child, port = start_service(home)
        try:
            warm, alone, beside = (
                Clients(port, seed=seed, key=honest, pause=arguments.pause) for seed in (1, 2, 3)
            )
            for clients in (warm, alone, beside):
                clients.prepare()
            flood = Flood(port, hostile)
            flood.prepare()
            load(warm, arguments.clients, _WARM_SECONDS, None)
            health = [load(alone, arguments.clients, arguments.seconds, None)]
            began = time.perf_counter()
            wanted = flood, arguments.flood
            health.append(load(beside, arguments.clients, arguments.seconds, wanted))
            took = time.perf_counter() - began
            memory = read_memory(child.pid)
        finally:
            child.kill()
            child.wait()
    figures: dict[str, Any] = {
        name: describe(clients.tally, seconds)
        for name, clients, seconds in (
            ("alone", alone, arguments.seconds),
            ("beside", beside, took),
        )
    }
    figures["p99_ratio"] = {
        route: round(row["p99_ms"] / figures["alone"]["routes"][route]["p99_ms"], 2)
        for route, row in figures["beside"]["routes"].items()
        if route in figures["alone"]["routes"]
    }
    figures |= {
        "health_slowest_ms": [round(1000 * each, 1) for each in health],
        "flood": {"connections": arguments.flood, "sent": flood.sent, "hung_up": flood.hung_up},
        "clients": arguments.clients,
        "pause": arguments.pause,
        "memory_peak_mib": memory["peak"],
        "load_average_before": round(before, 1),
    }
    print(json.dumps(figures, indent=1))
    write_report("service_hostile_neighbour", figures)


if __name__ == "__main__":
    main()
