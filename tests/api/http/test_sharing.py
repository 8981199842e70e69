"""Processes of one PostgreSQL count requests, work and waiting places together."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spanproof.api.http.admission import Admission
from spanproof.api.http.limits import RateLimit
from spanproof.api.http.rooms import Room
from spanproof.api.http.sharing import MOST_NAMES, read_message, share_load, write_messages
from spanproof.operations.errors import RateLimitedError, ServiceBusyError, Work
from spanproof.store.database.notices import MAX_MESSAGE_BYTES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from spanproof.api.http.admission import Ticket

HOME = Path("unused")


def make_two() -> tuple[Admission, Admission]:
    """Two processes' rooms: one request runs in each, three wait in all."""
    rooms = {Work.VERIFY: Room(running=1, waiting=3)}
    one, two = (Admission(rooms, body_bytes=1, staged_bytes=1) for _ in range(2))
    return one, two


@contextlib.asynccontextmanager
async def sharing(url: str, *processes: tuple[Admission, RateLimit]) -> AsyncIterator[None]:
    """Processes that tell each other of their load, twenty times a second."""
    tasks = [
        asyncio.create_task(share_load(admission, limit, HOME, url, seconds=0.05))
        for admission, limit in processes
    ]
    await asyncio.sleep(0.5)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def fill(admission: Admission, tenant: str = "acme") -> list[Ticket]:
    """Enter until it is refused."""
    tickets = []
    with contextlib.suppress(ServiceBusyError):
        while True:
            tickets.append(admission.enter(Work.VERIFY, tenant))
    return tickets


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
    messages = list(write_messages("passed", used))
    assert len(messages) == 4
    assert max(len(each) for each in messages) <= MAX_MESSAGE_BYTES
    read: dict[str, int] = {}
    for each in messages:
        kind, counts = read_message(each)
        assert kind == "passed"
        read |= counts
    assert read == used


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "{}x", '{"passed": 1}', '{"passed": {"key": -1}}', '{"passed": {"key": "1"}}'],
)
def test_a_message_of_another_form_counts_nothing(text: str) -> None:
    assert read_message(text)[1] == {}


@pytest.mark.long
def test_two_processes_of_one_database_share_a_rate(postgresql_url: str) -> None:
    async def run() -> tuple[int, int]:
        limits = RateLimit(5), RateLimit(5)
        async with sharing(postgresql_url, *zip(make_two(), limits, strict=True)):
            first = take_all(limits[0])
            await asyncio.sleep(0.5)
            second = take_all(limits[1])
        return first, second

    first, second = asyncio.run(run())
    assert first == 10
    # What the other used was told; without that the second would have had its whole burst too.
    assert second < 10


def test_who_floods_one_process_comes_last_in_the_other(postgresql_url: str) -> None:
    async def run() -> list[str]:
        one, two = make_two()
        begun: list[str] = []

        async def ask(tenant: str) -> None:
            await two.take_turn(Work.VERIFY, tenant)
            begun.append(tenant)
            two.end_turn(Work.VERIFY, tenant)

        async with sharing(postgresql_url, (one, RateLimit(0)), (two, RateLimit(0))):
            await one.take_turn(Work.VERIFY, "flood")
            await asyncio.sleep(0.5)
            await two.take_turn(Work.VERIFY, "other")
            asked = [asyncio.create_task(ask(tenant)) for tenant in ("flood", "honest")]
            await asyncio.sleep(0)
            two.end_turn(Work.VERIFY, "other")
            await asyncio.gather(*asked)
        return begun

    assert asyncio.run(run()) == ["honest", "flood"]


def test_waiting_places_are_counted_over_all_processes(postgresql_url: str) -> None:
    async def run() -> list[int]:
        one, two = make_two()
        async with sharing(postgresql_url, (one, RateLimit(0)), (two, RateLimit(0))):
            held = fill(one)
            await asyncio.sleep(0.5)
            # Its own turn is free; the places to wait are taken elsewhere.
            counts = [len(held), len(fill(two))]
            for ticket in held:
                ticket.close()
            await asyncio.sleep(0.5)
            return [*counts, len(fill(two))]

    assert asyncio.run(run()) == [4, 1, 3]


def test_one_tenant_has_three_places_of_four_over_all_processes() -> None:
    one = Admission({Work.VERIFY: Room(running=2, waiting=8)}, body_bytes=1, staged_bytes=1)
    one.note_places(7, "verify acme", 5)
    one.note_places(7, "verify other", 1)
    # 2 + 2 turns and 8 places: 9 for one tenant, and 5 of them are taken.
    assert len(fill(one)) == 4
    assert len(fill(one, "other")) > 0


def test_places_of_a_process_that_has_gone_are_free_again() -> None:
    now = [0.0]
    rooms = {Work.VERIFY: Room(running=1, waiting=3)}
    one = Admission(rooms, body_bytes=1, staged_bytes=1, time=lambda: now[0])
    one.note_places(7, "verify acme", 4)
    one.note_places(7, "unknown acme", 4)
    tickets = fill(one)
    assert len(tickets) == 1
    now[0] = 3.0
    assert len(fill(one)) == 3
