"""Answers of production taken in over HTTP: ``python -m bench.service.submissions [--seconds 20]``.

``spanproof serve`` on a fresh home with SQLite, keep-alive connections on loopback, each with one
answer at a time: a payload of three citations (about 2 kB). Everything that is acknowledged is
durable. Prints answers a second, latency, and the CPU time of the service for one answer. The
clients run on the same machine, in a process of their own that writes bytes and reads no more of
an answer than its status and length; what they take of the processor is printed too, and is about
a tenth of what the service takes. One answer in a hundred is chosen; its verification is a job and
part of what the service does meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.report import write_report

QUOTE = "The supplier replaces defective goods within four business days of a written notice. "


def make_answer(number: int) -> bytes:
    """An answer of its own: three sentences with a citation each, a question, a generator."""
    citations = [
        {
            "anchor": anchor,
            "doc_id": "supply-terms",
            "chunk_id": f"terms-{anchor}",
            "index_version": "2026-11-01",
            "retrieval_score": 0.84,
            "span": {"text": QUOTE * 2, "char_start": 0, "char_end": 2 * len(QUOTE)},
        }
        for anchor in (1, 2, 3)
    ]
    answer = {
        "answer_id": f"answer-{number}",
        "question": "How fast are defects made good?",
        "answer": " ".join(f"Defective goods are replaced in four days [{n}]." for n in (1, 2, 3)),
        "generator": {"model": "example-writer-2", "prompt_id": "p1"},
        "generated_at": "2026-11-20T14:00:00Z",
        "citations": citations,
    }
    return json.dumps(answer).encode()


async def send_all(
    port: int, clients: int, seconds: float, *, first: int = 0, batch: int = 1
) -> tuple[list[float], int]:
    """Latencies of every request that was taken (202), and how many were not."""
    latencies: list[float] = []
    refused = 0
    numbers = itertools.count(first)
    deadline = time.monotonic() + seconds

    async def run() -> None:
        nonlocal refused
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.monotonic() < deadline:
            made = [make_answer(next(numbers)) for _ in range(batch)]
            path, body = "answers", made[0]
            if batch > 1:
                path, body = "answer-batches", b"[" + b",".join(made) + b"]"
            head = f"POST /v1/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}"
            began = time.perf_counter()
            writer.write(head.encode() + b"\r\n\r\n" + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
            await reader.readexactly(int(length[1]) if length else 0)
            if answer.startswith(b"HTTP/1.1 202"):
                latencies.append(time.perf_counter() - began)
            else:
                refused += 1
        writer.close()

    await asyncio.gather(*(run() for _ in range(clients)))
    return latencies, refused


def read_cpu_seconds(pid: int) -> float:
    """User and system time of a process so far, all of its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_up(port: int) -> None:
    """Return once the port answers."""
    for _ in range(1200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    msg = "The service did not start."
    raise RuntimeError(msg)


def main() -> None:
    """Start the service, send, print, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--warm-seconds", type=float, default=15.0)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--batch", type=int, default=1, help="answers of one request")
    parser.add_argument("--rate", type=float, default=0.01)
    arguments = parser.parse_args()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "SPANPROOF_HOME": f"{folder}/home",
            "SPANPROOF_SAMPLING_RATE": str(arguments.rate),
        }
        program = Path(sys.executable).with_name("spanproof")
        child = subprocess.Popen([program, "serve", "--port", str(port)], env=environment)
        try:
            wait_until_up(port)
            # The first answers make keys, a log and an epoch, start the workers and load the model.
            asyncio.run(send_all(port, 8, arguments.warm_seconds, first=10**9))
            cpu, began = read_cpu_seconds(child.pid), time.perf_counter()
            own = time.process_time()
            load = os.getloadavg()[0]
            latencies, refused = asyncio.run(
                send_all(port, arguments.clients, arguments.seconds, batch=arguments.batch)
            )
            wall = time.perf_counter() - began
            own = time.process_time() - own
            cpu = read_cpu_seconds(child.pid) - cpu
        finally:
            child.send_signal(signal.SIGINT)
            child.wait(timeout=120)
    latencies.sort()
    answers = len(latencies) * arguments.batch
    figures = {
        "answers": answers,
        "answers_per_request": arguments.batch,
        "refused": refused,
        "clients": arguments.clients,
        "probability": arguments.rate,
        "seconds": round(wall, 2),
        "answers_per_second": round(answers / wall, 1),
        "service_cpu_ms_per_answer": round(1000 * cpu / answers, 3),
        "client_cpu_ms_per_answer": round(1000 * own / answers, 3),
        "p50_ms": round(1000 * latencies[len(latencies) // 2], 1),
        "p99_ms": round(1000 * latencies[int(len(latencies) * 0.99)], 1),
        "load_average_before": round(load, 1),
    }
    for name, value in figures.items():
        print(f"{name:28} {value}")
    name = "submissions" if arguments.batch == 1 else "submissions_batch"
    write_report(name, figures)


if __name__ == "__main__":
    main()
