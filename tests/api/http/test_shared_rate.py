"""Processes of one PostgreSQL count one key's requests, and one tenant's work, together."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from spanproof.api.http.admission import Admission, Room
from spanproof.api.http.limits import (
    MOST_NAMES,
    RateLimit,
    read_message,
    share_rate,
    share_work,
    write_messages,
)
from spanproof.operations.errors import RateLimitedError, Work
from spanproof.store.database.notices import MAX_MESSAGE_BYTES

HOME = Path("unused")


def take_all(limit: RateLimit, name: str = "key") -> int:
    """How many requests pass before one is refused."""
    for count in range(1000):
        try:
            limit.take(name)
        except RateLimitedError:
            return count
    pytest.fail("nothing was refused")


def test_what_others_used_is_taken_off_and_comes_back_with_time() -> None:
    now = [0.0]
    limit = RateLimit(10, time=lambda: now[0])
    limit.debit("key", 15)
    assert take_all(limit) == 5
    # Two processes that used a burst each owe one together; no debt is greater than that.
    limit.debit("key", 1000)
    now[0] = 2.0
    assert take_all(limit) == 0
    now[0] = 2.5
    assert take_all(limit) == 5
    assert limit.collect() == {"key": 10}
    assert limit.collect() == {}


def test_many_keys_fit_into_messages_of_the_allowed_length() -> None:
    used = {f"{number:064x}": 1_000_000 for number in range(3 * MOST_NAMES + 1)}
    messages = list(write_messages(used))
    assert len(messages) == 4
    assert max(len(each) for each in messages) <= MAX_MESSAGE_BYTES
    read: dict[str, int] = {}
    for each in messages:
        read |= read_message(each)
    assert read == used


@pytest.mark.parametrize("text", ["", "[]", "{}x", '{"key": -1}', '{"key": "1"}', '{"key": true}'])
def test_a_message_of_another_kind_counts_nothing(text: str) -> None:
    assert read_message(text) == {}


@pytest.mark.long
def test_two_processes_of_one_database_share_a_rate(postgresql_url: str) -> None:
    async def run() -> tuple[int, int]:
        limits = RateLimit(5), RateLimit(5)
        tasks = [
            asyncio.create_task(share_rate(each, HOME, postgresql_url, seconds=0.05))
            for each in limits
        ]
        await asyncio.sleep(1)
        first = take_all(limits[0])
        await asyncio.sleep(0.5)
        second = take_all(limits[1])
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks)
        return first, second

    first, second = asyncio.run(run())
    assert first == 10
    # What the other used was told; without that the second would have had its whole burst too.
    assert second < 10


def test_who_floods_one_process_comes_last_in_the_other(postgresql_url: str) -> None:
    async def run() -> list[str]:
        rooms = {Work.VERIFY: Room(running=1, waiting=9)}
        one, two = (Admission(rooms, body_bytes=1, staged_bytes=1) for _ in range(2))
        sharing = [
            asyncio.create_task(share_work(each, HOME, postgresql_url, seconds=0.05))
            for each in (one, two)
        ]
        await asyncio.sleep(0.5)
        await one.take_turn(Work.VERIFY, "flood")
        await asyncio.sleep(0.5)
        begun: list[str] = []

        async def ask(tenant: str) -> None:
            await two.take_turn(Work.VERIFY, tenant)
            begun.append(tenant)
            two.end_turn(Work.VERIFY, tenant)

        await two.take_turn(Work.VERIFY, "other")
        asked = [asyncio.create_task(ask(tenant)) for tenant in ("flood", "honest")]
        await asyncio.sleep(0)
        two.end_turn(Work.VERIFY, "other")
        await asyncio.gather(*asked)
        for task in sharing:
            task.cancel()
        await asyncio.gather(*sharing, return_exceptions=True)
        return begun

    assert asyncio.run(run()) == ["honest", "flood"]
