"""Requests of one key, counted by all processes of one PostgreSQL together.

Each process counts its own and tells the others twice a second; what the others took is taken off
here too. So a key has its rate once, not once a process; within half a second each process may let
one burst through.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from spanproof.store.database.notices import Notices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from spanproof.api.http.limits import RateLimit

CHANNEL = "spanproof_rate"
SECONDS = 0.5
#: Names have up to 64 characters, and a message at most 8,000 bytes.
MOST_NAMES = 80


async def share_rate(
    limit: RateLimit, home: Path, database_url: str, *, seconds: float = SECONDS
) -> None:
    """Exchange counts until it is cancelled."""

    def receive(message: str) -> None:
        for name, count in read_message(message).items():
            limit.debit(name, count)

    notices = Notices(home, database_url, CHANNEL)
    await notices.run(lambda: write_messages(limit.collect()), receive, seconds=seconds)


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
