"""What a caller may send: bodies under a cap and a time limit, and so many requests a minute."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter, OrderedDict
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

from spanproof.operations.errors import RateLimitedError, UploadStalledError
from spanproof.store.database.notices import Notices

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping
    from pathlib import Path

    from fastapi import Request

    from spanproof.api.http.admission import Admission
    from spanproof.core.errors import SpanproofError

#: Small network reads are collected up to this size.
CHUNK_BYTES = 256 * 1024


async def read_chunks(
    request: Request,
    *,
    cap: int,
    too_large: Callable[[int, int], SpanproofError],
    stall_seconds: float,
    total_seconds: float,
) -> AsyncIterator[bytes]:
    """The body in chunks; raise ``too_large(cap, got)`` once it passes the cap."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > cap:
        raise too_large(cap, int(declared))
    loop = asyncio.get_running_loop()
    deadline = loop.time() + total_seconds
    received, gathered, is_more = 0, bytearray(), True
    while is_more:
        left = deadline - loop.time()
        try:
            async with asyncio.timeout(min(stall_seconds, max(left, 0.0))):
                # Not the request's stream: it asks once more after the last part.
                message = await request.receive()
        except TimeoutError as error:
            msg = f"Expected the whole body in time, got {received} bytes of it."
            hint = "Send the request again, without pauses."
            if loop.time() >= deadline:
                # The upload was slow, not stalled: a retry would take as long.
                hint = "Send less at once, or raise SPANPROOF_UPLOAD_SECONDS."
            raise UploadStalledError(msg, hint=hint) from error
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        is_more = message.get("more_body", False)
        chunk = message.get("body", b"")
        received += len(chunk)
        if received > cap:
            raise too_large(cap, received)
        gathered += chunk
        if len(gathered) >= CHUNK_BYTES:
            yield bytes(gathered)
            gathered.clear()
    if gathered:
        yield bytes(gathered)


#: Seconds' worth of requests that may come at once.
BURST_SECONDS = 2.0
#: Most keys counted at once; beyond it, the least recent one starts again.
_MOST_KEYS = 10_000
#: Where processes of one PostgreSQL tell each other what they let pass and work, and how often.
_RATE, _WORK = "spanproof_rate", "spanproof_work"
SHARE_SECONDS = 0.5
#: Names have up to 64 characters, and a message at most 8,000 bytes.
MOST_NAMES = 80


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class RateLimit:
    """At most ``rate`` requests a second per name, with bursts of twice as many. 0: no limit.

    Not thread-safe: used from the event loop only.
    """

    def __init__(self, rate: float, *, time: Callable[[], float] = monotonic) -> None:
        self._rate = rate
        self._most = max(1.0, rate * BURST_SECONDS)
        self._time = time
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        #: What passed since ``collect``, by name.
        self._passed: Counter[str] = Counter()

    def take(self, name: str) -> dict[str, str]:
        """Count one request; the headers of its answer. Raises RateLimitedError."""
        if not self._rate:
            return {}
        bucket = self._fill(name)
        window = math.ceil(self._most / self._rate)
        policy = {"RateLimit-Policy": f'"key";q={int(self._most)};w={window}'}
        if bucket.tokens < 1:
            wait = math.ceil((1 - bucket.tokens) / self._rate)
            msg = f"Expected at most {self._rate:g} requests a second of one key, got more."
            headers = policy | {"Retry-After": str(wait), "RateLimit": f'"key";r=0;t={wait}'}
            raise RateLimitedError(msg, hint="Wait as Retry-After says.", headers=headers)
        bucket.tokens -= 1
        if len(self._passed) < _MOST_KEYS:
            self._passed[name] += 1
        full = math.ceil((self._most - bucket.tokens) / self._rate)
        return policy | {"RateLimit": f'"key";r={int(bucket.tokens)};t={full}'}

    def collect(self) -> dict[str, int]:
        """How many requests of each name passed since the last call."""
        passed, self._passed = self._passed, Counter()
        return dict(passed)

    def debit(self, name: str, count: int) -> None:
        """Take off what another process let pass; a debt is at most one burst."""
        if self._rate:
            bucket = self._fill(name)
            bucket.tokens = max(-self._most, bucket.tokens - count)

    def _fill(self, name: str) -> _Bucket:
        now = self._time()
        bucket = self._buckets.pop(name, None) or _Bucket(self._most, now)
        self._buckets[name] = bucket
        if len(self._buckets) > _MOST_KEYS:
            self._buckets.popitem(last=False)
        bucket.tokens = min(self._most, bucket.tokens + (now - bucket.at) * self._rate)
        bucket.at = now
        return bucket


async def share_rate(
    limit: RateLimit, home: Path, database_url: str, *, seconds: float = SHARE_SECONDS
) -> None:
    """Exchange the counts with the other processes of one PostgreSQL until it is cancelled.

    Each process counts its own requests and tells the others twice a second; what the others let
    pass is taken off here too. So a key has its rate once, not once a process; within half a second
    each process may let one burst through.
    """
    notices = Notices(home, database_url, _RATE)
    await _share(notices, limit.collect, limit.debit, seconds)


async def share_work(
    admission: Admission, home: Path, database_url: str, *, seconds: float = SHARE_SECONDS
) -> None:
    """The same for what tenants worked: who floods one process comes last in the others too."""
    notices = Notices(home, database_url, _WORK)
    await _share(notices, admission.collect_work, admission.add_work, seconds)


async def _share(
    notices: Notices,
    collect: Callable[[], Mapping[str, int]],
    add: Callable[[str, int], None],
    seconds: float,
) -> None:
    def receive(message: str) -> None:
        for name, count in read_message(message).items():
            add(name, count)

    await notices.run(lambda: write_messages(collect()), receive, seconds=seconds)


def write_messages(used: Mapping[str, int]) -> Iterator[str]:
    """The counts in messages of an allowed length."""
    items = list(used.items())
    for start in range(0, len(items), MOST_NAMES):
        yield json.dumps(dict(items[start : start + MOST_NAMES]), separators=(",", ":"))


def read_message(message: str) -> dict[str, int]:
    """The counts of another process; none of a message of another kind."""
    try:
        value = json.loads(message)
    except ValueError:
        return {}
    found = value.items() if isinstance(value, dict) else ()
    return {name: count for name, count in found if type(count) is int and count > 0}
