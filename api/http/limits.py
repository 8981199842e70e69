"""What a caller may send: bodies under a cap and a time limit, and so many requests a minute."""

from __future__ import annotations

import asyncio
import math
from collections import Counter, OrderedDict
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

from spanproof.operations.errors import RateLimitedError, UploadStalledError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from fastapi import Request

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
