"""Turns are shared between tenants, and handed back where others need them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from spanproof.api.http.admission import Admission
from spanproof.api.http.rooms import Room
from spanproof.api.http.turns import Turns
from spanproof.operations.errors import ServiceBusyError, Work

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Queue:
    """Requests of tenants, and the order in which they get their turns."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.begun: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def ask(self, tenants: str) -> None:
        """A request of each letter's tenant, and time for those who may begin."""
        self._tasks += [asyncio.create_task(self._take(tenant)) for tenant in tenants]
        await self.settle()

    async def settle(self) -> None:
        for _ in range(3):
            await asyncio.sleep(0)

    async def wait_for_all(self) -> None:
        await asyncio.gather(*self._tasks)

    async def end(self, tenant: str) -> None:
        self.turns.end(tenant)
        await self.settle()

    async def leave(self, place: int) -> None:
        """The request that asked at this place waits no more."""
        self._tasks[place].cancel()
        await self.settle()

    def abandon(self, place: int) -> None:
        """The same, before anything hears of it."""
        self._tasks[place].cancel()

    async def _take(self, tenant: str) -> None:
        await self.turns.take(tenant)
        self.begun.append(tenant)


class Hand:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def play(
    steps: Callable[[Queue, Hand], Awaitable[None]],
    *,
    count: int = 4,
    shared: int = 2,
    weights: dict[str, float] | None = None,
) -> str:
    """Who began, in order; ``shared`` turns where several tenants ask."""

    async def run() -> str:
        clock = Hand()
        queue = Queue(Turns(count, shared=shared, weights=weights, time=clock))
        await steps(queue, clock)
        return "".join(queue.begun)

    return asyncio.run(run())


def test_who_is_alone_has_every_turn() -> None:
    assert play(lambda queue, _: queue.ask("aaaaaa")) == "aaaa"


def test_who_has_worked_less_goes_first() -> None:
    async def steps(queue: Queue, clock: Hand) -> None:
        await queue.ask("aaaaaaaa")
        clock.now += 5
        await queue.ask("bbb")
        clock.now += 1
        for _ in range(3):
            await queue.end("a")

    # The flood's four turns end one by one: of two shared ones the other tenant has both.
    assert play(steps) == "aaaabb"


def test_what_a_smaller_tenant_leaves_is_the_floods() -> None:
    async def steps(queue: Queue, clock: Hand) -> None:
        await queue.ask("aaaaaaaa")
        clock.now += 5
        for _ in range(3):
            await queue.end("a")
        await queue.ask("b")
        await queue.end("a")

    assert play(steps) == "aaaaaaab"


def test_long_work_hears_that_its_turn_is_over() -> None:
    heard: list[bool] = []

    async def steps(queue: Queue, clock: Hand) -> None:
        await queue.ask("aaaa")
        heard.append(queue.turns.is_over("a"))
        clock.now += 5
        await queue.ask("b")
        heard.append(queue.turns.is_over("a"))
        for _ in range(3):
            await queue.end("a")
        heard.extend((queue.turns.is_over("a"), queue.turns.is_over("b")))

    assert play(steps) == "aaaab"
    assert heard == [False, True, False, False]


def test_nobody_waits_for_a_turn_that_is_over() -> None:
    async def steps(queue: Queue, clock: Hand) -> None:
        await queue.ask("aaaa")
        clock.now += 5
        # The flood's turns are over now; they need not have ended.
        await queue.ask("b")
        assert queue.turns.is_over("a")

    assert play(steps) == "aaaab"


def test_a_turn_is_kept_free_for_who_may_ask_again() -> None:
    async def steps(queue: Queue, clock: Hand) -> None:
        await queue.ask("ab")
        await queue.end("b")
        clock.now += 0.5
        await queue.ask("aa")
        assert queue.begun == ["a", "b"]
        await queue.ask("b")

    assert play(steps) == "abb"


def test_a_turn_is_kept_free_for_who_reads() -> None:
    async def run() -> list[str]:
        clock = Hand()
        reads = Turns(2, time=clock)
        queue = Queue(Turns(4, shared=2, time=clock, beside=[reads]))
        await queue.ask("a")
        clock.now += 3
        await reads.take("b")
        reads.end("b")
        await queue.ask("a")
        return queue.begun

    assert asyncio.run(run()) == ["a"]


def test_the_only_turn_is_kept_for_nobody() -> None:
    async def steps(queue: Queue, clock: Hand) -> None:
        await queue.ask("b")
        await queue.end("b")
        await queue.ask("a")
        clock.now += 0.5
        await queue.end("a")
        await queue.ask("a")

    assert play(steps, count=2, shared=1) == "baa"


def test_nothing_runs_on_two_cores_beside_one_who_works_less() -> None:
    heard: list[bool] = []

    async def steps(queue: Queue, clock: Hand) -> None:
        await queue.ask("ab")
        await queue.end("b")
        clock.now += 0.5
        # It was here a moment ago, and has worked less since.
        await queue.ask("b")
        heard.append(queue.turns.is_over("a"))
        await queue.end("a")
        await queue.ask("a")
        assert queue.begun == ["a", "b", "b"]
        await queue.end("b")

    assert play(steps) == "abba"
    assert heard == [True]


def test_a_newcomer_does_not_outrank_those_who_worked() -> None:
    async def steps(queue: Queue, clock: Hand) -> None:
        await queue.ask("aa")
        clock.now += 5
        await queue.end("a")
        await queue.end("a")
        await queue.ask("bbbbaaaa")

    assert play(steps).endswith("a")


def test_the_only_turn_is_over_as_soon_as_another_tenant_waits() -> None:
    heard: list[bool] = []

    async def steps(queue: Queue, clock: Hand) -> None:
        await queue.ask("aa")
        clock.now += 1
        heard.append(queue.turns.is_over("a"))
        await queue.ask("b")
        clock.now += 1
        heard.append(queue.turns.is_over("a"))
        await queue.end("a")

    assert play(steps, count=1, shared=1) == "ab"
    assert heard == [False, True]


@pytest.mark.parametrize(
    ("count", "shared", "tenants"), [(2, 1, "ab"), (4, 2, "abc"), (4, 2, "abcdef"), (8, 4, "abcde")]
)
def test_among_tenants_that_work_alike_somebody_always_begins(
    count: int, shared: int, tenants: str
) -> None:
    async def steps(queue: Queue, clock: Hand) -> None:
        await queue.ask(tenants * 3)
        while len(queue.begun) < len(tenants) * 3:
            running = [each for each, number in queue.turns.list_running() for _ in range(number)]
            assert running, queue.begun
            clock.now += 0.01
            await queue.end(running[0])

    begun = play(steps, count=count, shared=shared)
    assert sorted(begun) == sorted(tenants * 3)


def test_tenants_that_ask_alike_have_turns_by_weight() -> None:
    async def steps(queue: Queue, _: Hand) -> None:
        await queue.ask("aaaa")
        await queue.ask("aaaabbbb")
        for _each in range(4):
            await queue.end("a")

    assert sorted(play(steps, shared=4)[4:]) == ["a", "a", "b", "b"]
    assert sorted(play(steps, shared=4, weights={"b": 3.0})[4:]) == ["a", "b", "b", "b"]


def test_turns_that_were_kept_in_vain_are_free_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spanproof.api.http.turns._LATELY_SECONDS", 0.05)
    monkeypatch.setattr("spanproof.api.http.turns._HERE_SECONDS", 0.05)

    async def steps() -> list[str]:
        queue = Queue(Turns(4, shared=2))
        await queue.ask("b")
        await queue.end("b")
        await queue.ask("aaaa")
        early = list(queue.begun)
        async with asyncio.timeout(10):
            await queue.wait_for_all()
        assert queue.begun == ["b", "a", "a", "a", "a"]
        return early

    assert asyncio.run(steps()) == ["b", "a", "a"]


def test_who_stops_waiting_takes_no_turn_with_it() -> None:
    async def steps(queue: Queue, _: Hand) -> None:
        await queue.ask("a")
        await queue.ask("abc")
        await queue.leave(1)
        await queue.leave(2)
        await queue.end("a")
        await queue.end("c")
        await queue.ask("d")

    assert play(steps, count=1, shared=1) == "acd"


def test_a_turn_goes_to_the_next_where_the_first_has_just_left() -> None:
    async def steps(queue: Queue, _: Hand) -> None:
        await queue.ask("aab")
        queue.abandon(1)
        # In the same moment, before the one that left has heard of it.
        queue.turns.end("a")
        await queue.settle()
        assert not queue.turns.is_over("b")

    assert play(steps, count=1, shared=1) == "ab"


@pytest.mark.parametrize("work", [Work.STORE, Work.SUBMIT, Work.INGEST, Work.RENDER])
def test_verifications_make_way_for_what_another_tenant_asks_for(work: Work) -> None:
    async def run() -> tuple[bool, bool, bool]:
        clock = Hand()
        rooms = {each: Room(running=2, waiting=6) for each in Work}
        admission = Admission(rooms, body_bytes=1, staged_bytes=1, time=clock)
        await admission.take_turn(Work.VERIFY, "a")
        before = admission.is_turn_over(Work.VERIFY, "a")
        clock.now += 3
        await admission.take_turn(work, "b")
        during = admission.is_turn_over(Work.VERIFY, "a")
        admission.end_turn(work, "b")
        return before, during, admission.is_turn_over(Work.VERIFY, "a")

    assert asyncio.run(run()) == (False, True, False)


def test_a_tenant_leaves_places_to_others() -> None:
    rooms = {work: Room(running=2, waiting=6) for work in Work}
    admission = Admission(rooms, body_bytes=1, staged_bytes=1)
    alone = [admission.enter(Work.VERIFY, "a") for _ in range(8)]
    for ticket in alone:
        ticket.close()
    admission.enter(Work.STORE, "b").close()
    for _ in range(6):
        admission.enter(Work.VERIFY, "a")
    with pytest.raises(ServiceBusyError, match="at most 6"):
        admission.enter(Work.VERIFY, "a")
    admission.enter(Work.VERIFY, "b")


def test_who_works_in_another_process_comes_last_here() -> None:
    async def steps(queue: Queue, _: Hand) -> None:
        await queue.ask("c")
        queue.turns.add("a", 5000)
        await queue.ask("ab")
        await queue.end("c")
        await queue.end("b")

    assert play(steps, count=1, shared=1) == "cba"


def test_no_turn_is_kept_for_who_works_elsewhere_alone() -> None:
    async def steps(queue: Queue, _: Hand) -> None:
        queue.turns.add("a", 5)
        await queue.ask("bbbb")

    assert play(steps) == "bbbb"


def test_work_is_told_once_also_of_those_who_go_on() -> None:
    told: list[dict[str, int]] = []

    async def steps(queue: Queue, clock: Hand) -> None:
        await queue.ask("ab")
        clock.now += 2
        told.append(queue.turns.collect())
        clock.now += 1
        await queue.end("a")
        told.append(queue.turns.collect())
        await queue.end("b")
        told.append(queue.turns.collect())

    play(steps, weights={"b": 2.0})
    assert told == [{"a": 2000, "b": 1000}, {"a": 1000, "b": 500}, {}]


def test_long_work_makes_way_for_the_reads_of_one_who_worked_less() -> None:
    async def run() -> list[str]:
        clock = Hand()
        reads = Turns(2, time=clock)
        queue = Queue(Turns(2, time=clock, beside=[reads]))
        await queue.ask("aa")
        clock.now += 3
        await reads.take("b")
        assert queue.turns.is_over("a")
        for _ in range(2):
            queue.turns.end("a")
        await queue.ask("a")
        assert len(queue.begun) == 2
        # Its end wakes those who made way; a tenant that worked as much makes nobody wait.
        reads.end("b")
        await queue.settle()
        assert len(queue.begun) == 3
        clock.now += 3
        queue.turns.add("b", 20_000)
        await reads.take("b")
        assert not queue.turns.is_over("a")
        return queue.begun

    assert asyncio.run(run()) == ["a", "a", "a"]
