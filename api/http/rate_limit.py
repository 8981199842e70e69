"""Rate limits of keys: a token bucket for each, and headers with the remaining requests.

Source: RFC 6585 (429), draft-ietf-httpapi-ratelimit-headers-10. Each process counts for itself.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from spanproof.operations.errors import RateLimitedError

if TYPE_CHECKING:
    from collections.abc import Callable

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

    def take(self, name: str) -> dict[str, str]:
        """Count one request; the headers of its answer. Raises RateLimitedError."""
        if not self._rate:
            return {}
        now = self._time()
        bucket = self._buckets.pop(name, None) or _Bucket(self._most, now)
        self._buckets[name] = bucket
        if len(self._buckets) > _MOST_KEYS:
            self._buckets.popitem(last=False)
        bucket.tokens = min(self._most, bucket.tokens + (now - bucket.at) * self._rate)
        bucket.at = now
        window = math.ceil(self._most / self._rate)
        policy = {"RateLimit-Policy": f'"key";q={int(self._most)};w={window}'}
        if bucket.tokens < 1:
            wait = math.ceil((1 - bucket.tokens) / self._rate)
            msg = f"Expected at most {self._rate:g} requests a second of one key, got more."
            headers = policy | {"Retry-After": str(wait), "RateLimit": f'"key";r=0;t={wait}'}
            raise RateLimitedError(msg, hint="Wait as Retry-After says.", headers=headers)
        bucket.tokens -= 1
        full = math.ceil((self._most - bucket.tokens) / self._rate)
        return policy | {"RateLimit": f'"key";r={int(bucket.tokens)};t={full}'}
