"""A process of a client alone: what it holds of large bodies, by its allocator's own count.

``python -m tests.client.measured URL PAIRS FOLDER`` prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanproof.client import AsyncClient, Client

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_SECONDS = 300


def measure(work: Callable[[], Any]) -> tuple[Any, int]:
    """What the work returned, and the most bytes that it held at once beyond those before."""
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    result = work()
    return result, tracemalloc.get_traced_memory()[1] - before


def wait(client: Client, job_id: str) -> None:
    """Until the job is done."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (state := client.job(job_id).state) != "done":
        assert state in {"queued", "running"}, state
        assert time.monotonic() < deadline
        time.sleep(0.2)


def use(url: str, pairs: Path, folder: Path) -> dict[str, int]:
    """Each call once by each client; the peak of each in bytes."""
    found: dict[str, int] = {}

    async def load() -> None:
        async with AsyncClient(url) as client:
            await client.jobs()

    # Modules that the first request of each client imports are not of any body.
    asyncio.run(load())
    with Client(url) as client:
        client.jobs()
        tracemalloc.start()
        job, found["upload"] = measure(lambda: client.verify_bulk(pairs, idempotency_key="one"))
        wait(client, job.job_id)
        rows, found["rows"] = measure(lambda: sum(1 for _ in client.iterate_bulk_rows(job.job_id)))
        _, found["save"] = measure(lambda: client.save_bulk_rows(job.job_id, folder / "a.parquet"))
        _, found["lines"] = measure(
            lambda: client.save_bulk_rows(job.job_id, folder / "a.jsonl", format="ndjson")
        )

    async def use_async() -> tuple[str, int]:
        async with AsyncClient(url) as client:
            again = await client.verify_bulk(pairs, idempotency_key="one")
            count = 0
            async for _ in client.iterate_bulk_rows(again.job_id):
                count += 1
            await client.save_bulk_rows(again.job_id, folder / "b.parquet")
            await client.save_bulk_rows(again.job_id, folder / "b.jsonl", format="ndjson")
            return again.job_id, count

    (again_id, count), found["async"] = measure(lambda: asyncio.run(use_async()))
    assert (again_id, count) == (job.job_id, rows)
    return found | {"count": rows}


if __name__ == "__main__":
    address, source, target = sys.argv[1:]
    sys.stdout.write(json.dumps(use(address, Path(source), Path(target))))
