"""What the processes of one PostgreSQL tell each other, so that a bound holds for them together.

Each tells twice a second how many requests of a key passed, what tenants worked, and which places
their requests hold. So a key has its rate once, not once a process; who floods one process comes
last in all; and waiting places are counted over all. Half a second late: meanwhile each process may
let one burst through.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from spanproof.store.database.notices import Notices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from spanproof.api.http.admission import Admission
    from spanproof.api.http.limits import RateLimit

SHARE_SECONDS = 0.5
_CHANNEL = "spanproof_load"
_PASSED, _WORKED, _HELD = "passed", "worked", "held"
#: Names have up to 64 characters, and a message at most 8,000 bytes.
MOST_NAMES = 80


async def share_load(
    admission: Admission,
    limit: RateLimit,
    home: Path,
    database_url: str,
    *,
    seconds: float = SHARE_SECONDS,
) -> None:
    """Exchange the counts with the other processes of one PostgreSQL until it is cancelled."""

    def collect() -> Iterator[str]:
        yield from write_messages(_PASSED, limit.collect())
        yield from write_messages(_WORKED, admission.collect_work())
        yield from write_messages(_HELD, admission.collect_places())

    def receive(sender: int, message: str) -> None:
        kind, counts = read_message(message)
        for name, count in counts.items():
            if kind == _PASSED:
                limit.debit(name, count)
            elif kind == _WORKED:
                admission.add_work(name, count)
            elif kind == _HELD:
                admission.note_places(sender, name, count)

    await Notices(home, database_url, _CHANNEL).run(collect, receive, seconds=seconds)


def write_messages(kind: str, counts: Mapping[str, int]) -> Iterator[str]:
    """The counts in messages of an allowed length."""
    items = list(counts.items())
    for start in range(0, len(items), MOST_NAMES):
        part = dict(items[start : start + MOST_NAMES])
        yield json.dumps({kind: part}, separators=(",", ":"))


def read_message(message: str) -> tuple[str, dict[str, int]]:
    """The kind and the counts of another process; none of a message of another form."""
    try:
        value = json.loads(message)
    except ValueError:
        return "", {}
    if not isinstance(value, dict) or len(value) != 1:
        return "", {}
    [(kind, found)] = value.items()
    items = found.items() if isinstance(found, dict) else ()
    return kind, {name: count for name, count in items if type(count) is int and count >= 0}
