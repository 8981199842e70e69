"""Whether a request is sent again, and after how long: decided here, waited for elsewhere."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

#: The service says with these that it did nothing yet.
_LATER = frozenset({429, 503})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """``tries`` in all; waits in seconds, doubled each time up to ``longest_wait``.

    A Retry-After (RFC 9110 10.2.3) wins over the doubling; where it is longer than
    ``longest_wait`` the error is raised at once, for the caller to come back later.
    """

    tries: int = 4
    first_wait: float = 0.5
    longest_wait: float = 30.0

    def __post_init__(self) -> None:
        if self.tries < 1 or not 0 <= self.first_wait <= self.longest_wait:
            msg = f"Expected one try or more and waits in order, got {self}."
            raise ValueError(msg)

    def after_answer(
        self, status: int, headers: Mapping[str, str], *, tried: int, now: datetime
    ) -> float | None:
        """Seconds to wait before the next try; None: do not try again."""
        if status not in _LATER or tried >= self.tries:
            return None
        wanted = read_retry_after(headers.get("retry-after"), now)
        if wanted is None:
            return self._draw(tried)
        return wanted if wanted <= self.longest_wait else None

    def after_error(
        self, error: httpx.TransportError, *, tried: int, repeatable: bool
    ) -> float | None:
        """Seconds to wait before the next try; None: do not try again.

        ``repeatable`` says that serving the request twice does what serving it once does.
        """
        import httpx

        # No connection: nothing of the request was sent.
        not_sent = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
        # The service may have served it: only a request that may be served twice is sent again.
        broken = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)
        again = isinstance(error, not_sent) or (repeatable and isinstance(error, broken))
        return self._draw(tried) if again and tried < self.tries else None

    def _draw(self, tried: int) -> float:
        # Full jitter: clients that failed together do not come back together.
        longest = min(self.longest_wait, self.first_wait * 2 ** (tried - 1))
        return random.uniform(0, longest)  # noqa: S311 - a pause, no secret


def read_retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds from ``now``, at least 0; None for no header, or one that cannot be read."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
