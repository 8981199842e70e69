"""Admission control: of each class of work a few requests run, a few wait, the rest are refused.

A refused request is not read. Two limits bound the memory in an overload: the number of admitted
requests, and the bytes that their bodies hold together. A third bounds the bytes of uploads that
wait on the disk.
"""

from __future__ import annotations

from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING

from anyio import from_thread

from spanproof.api.http.rooms import PlacesElsewhere
from spanproof.api.http.turns import Turns
from spanproof.operations.context import DEFAULT_TENANT
from spanproof.operations.errors import DISK, ServiceBusyError, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from spanproof.api.http.rooms import Room

#: Threads that stay free of admitted work: for credentials, readiness, metrics, polling of jobs.
SPARE_THREADS = 16
#: Work for which long verifications of other tenants make way. What reads documents runs in
#: processes of its own, on the same cores.
_FIRST = (Work.STORE, Work.SUBMIT, Work.INGEST, Work.RENDER)
#: Between two looks whether a turn is over: a look is short, but it asks about every tenant.
_LOOK_SECONDS = 0.002
_STATE = "ticket"


class Admission:
    """Places, turns and bytes of one process; used from one event loop only."""

    def __init__(
        self,
        rooms: Mapping[Work, Room],
        *,
        body_bytes: int,
        staged_bytes: int,
        weights: Mapping[str, float] | None = None,
        time: Callable[[], float] = monotonic,
    ) -> None:
        """``body_bytes``: most bytes of bodies in memory at once; a single body may exceed it.

        ``staged_bytes``: the same of uploads that go to the disk. ``weights`` of tenants.
        """
        self._rooms = dict(rooms)
        self._turns: dict[Work, Turns] = {
            work: Turns(room.running, shared=room.shared, weights=weights, time=time)
            for work, room in rooms.items()
            if work is not Work.VERIFY
        }
        if room := rooms.get(Work.VERIFY):
            beside = [self._turns[work] for work in _FIRST if work in rooms]
            self._turns[Work.VERIFY] = Turns(
                room.running, shared=room.shared, weights=weights, beside=beside, time=time
            )
        self._inside: dict[Work, Counter[str]] = {work: Counter() for work in rooms}
        self._tenants: set[str] = set()
        self._elsewhere = PlacesElsewhere(time)
        #: Names that were told with a place, so that its end is told too.
        self._told: set[str] = set()
        self._most_bytes = body_bytes
        self._bytes = 0
        self._most_staged = staged_bytes
        self._staged = 0

    @property
    def threads(self) -> int:
        """Threads for all admitted work together, plus the spare ones.

        A verification that has given its turn back keeps its thread while it waits for the next.
        """
        of_turns = (room.running for work, room in self._rooms.items() if work != Work.STREAM)
        pausing = self._rooms[Work.VERIFY].waiting if Work.VERIFY in self._rooms else 0
        return sum(of_turns) + pausing + SPARE_THREADS

    def enter(self, work: Work, tenant: str = DEFAULT_TENANT) -> Ticket:
        """Admit a request before its body is read; raise ServiceBusyError if there is no place.

        Where several tenants ask, none has more than three places of four. Those who wait in other
        processes count; each process lets as many run as it has turns.
        """
        room, inside = self._rooms[work], self._inside[work]
        others = self._elsewhere.read(work)
        waiting = sum(max(0, each.total() - room.running) for each in (inside, *others))
        is_full = inside.total() >= room.running and waiting >= room.waiting
        most = room.running * (1 + len(others)) + room.waiting
        self._tenants.add(tenant)
        own = most if len(self._tenants) == 1 else max(1, most * 3 // 4)
        if is_full or sum(each[tenant] for each in (inside, *others)) >= own:
            msg = f"Expected at most {own} requests at once of the class {work.value!r}, got more."
            raise ServiceBusyError(msg, work=work.value)
        inside[tenant] += 1
        return Ticket(self, work, tenant)

    async def take_turn(self, work: Work, tenant: str) -> None:
        """Wait for a turn to work; ``end_turn`` gives it back."""
        await self._turns[work].take(tenant)

    def end_turn(self, work: Work, tenant: str) -> None:
        """Let the next request run."""
        self._turns[work].end(tenant)

    def is_turn_over(self, work: Work, tenant: str) -> bool:
        """Whether others need a turn that this tenant has; for any thread."""
        return self._turns[work].is_over(tenant)

    def collect_work(self) -> dict[str, int]:
        """What tenants worked since the last call, in milliseconds, as ``add_work`` takes it."""
        return {
            f"{work.value} {tenant}": count
            for work, turns in self._turns.items()
            for tenant, count in turns.collect().items()
        }

    def add_work(self, name: str, milliseconds: int) -> None:
        """Count what another process let a tenant work, by class and tenant."""
        kind, _, tenant = name.partition(" ")
        for work, turns in self._turns.items():
            if work.value == kind:
                turns.add(tenant, milliseconds)

    def collect_places(self) -> dict[str, int]:
        """How many requests of each tenant are inside, by class, as ``note_places`` takes it."""
        held = {
            f"{work.value} {tenant}": count
            for work, inside in self._inside.items()
            for tenant, count in inside.items()
            if count
        }
        ended = dict.fromkeys(self._told - held.keys(), 0)
        self._told = set(held)
        return held | ended

    def note_places(self, sender: int, name: str, count: int) -> None:
        """Note how many requests of a class and tenant are inside of another process."""
        kind, _, tenant = name.partition(" ")
        if kind in {work.value for work in self._rooms}:
            self._tenants.add(tenant)
            self._elsewhere.note(sender, Work(kind), tenant, count)

    def reserve_memory(self, work: Work, count: int, *, own: int = 0) -> None:
        """Count more bytes of a body; raise ServiceBusyError if others hold too many.

        ``own`` are the bytes of this body counted before.
        """
        # A single body has a cap of its own, so it is always accepted alone.
        if self._bytes > own and self._bytes + count > self._most_bytes:
            msg = f"Expected bodies of at most {self._most_bytes} bytes at once, got more."
            raise ServiceBusyError(msg, work=work.value)
        self._bytes += count

    def reserve_disk(self, count: int, *, own: int = 0) -> None:
        """Count more bytes of an upload; raise ServiceBusyError if others fill the disk."""
        # As for bodies: a single upload has a cap of its own.
        if self._staged > own and self._staged + count > self._most_staged:
            msg = f"Expected uploads of at most {self._most_staged} bytes at once, got more."
            raise ServiceBusyError(msg, work=DISK)
        self._staged += count

    def leave(self, work: Work, tenant: str, count: int, *, staged: int) -> None:
        """Give back a place, and the bytes that its request reserved and ``staged``."""
        self._inside[work][tenant] -= 1
        self._bytes -= count
        self._staged -= staged


class Ticket:
    """One request's place; closed when its answer is sent, also after a failure."""

    def __init__(self, admission: Admission, work: Work, tenant: str) -> None:
        self._admission = admission
        self._work = work
        self._tenant = tenant
        self._bytes = 0
        self._staged = 0
        self._has_turn = False
        #: When the thread that works last asked whether its turn is over.
        self._looked = 0.0
        self._is_closed = False

    async def take_turn(self) -> None:
        """Wait for a turn to run; without effect if the request has one."""
        if not self._has_turn:
            await self._admission.take_turn(self._work, self._tenant)
            self._has_turn = True

    def end_turn(self) -> None:
        """Give the turn back, if the request has one."""
        if self._has_turn:
            self._has_turn = False
            self._admission.end_turn(self._work, self._tenant)

    def give_way(self) -> None:
        """From the thread that works: hand the turn on if others need it, and wait for the next.

        It may be called at every step: it looks once in a few milliseconds.
        """
        now = monotonic()
        if now >= self._looked + _LOOK_SECONDS:
            self._looked = now
            if self._admission.is_turn_over(self._work, self._tenant):
                from_thread.run(self._queue_again)

    async def _queue_again(self) -> None:
        if self._has_turn:
            self.end_turn()
            await self.take_turn()

    def reserve_memory(self, total: int) -> None:
        """Count ``total`` bytes for the body; raise ServiceBusyError if they are not free.

        They may be announced only; the count never shrinks until the answer is sent.
        """
        if total > self._bytes:
            self._admission.reserve_memory(self._work, total - self._bytes, own=self._bytes)
            self._bytes = total

    def reserve_disk(self, total: int) -> None:
        """Count ``total`` bytes of disk for the upload; like ``reserve_memory``."""
        if total > self._staged:
            self._admission.reserve_disk(total - self._staged, own=self._staged)
            self._staged = total

    def close(self) -> None:
        """Give everything back; closing twice does nothing."""
        if not self._is_closed:
            self._is_closed = True
            self.end_turn()
            self._admission.leave(self._work, self._tenant, self._bytes, staged=self._staged)


class AdmissionMiddleware:
    """Ends a request's turn when the answer begins, and its place when the answer is sent.

    A slow reader does not block others from running, but still counts.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start" and _STATE in state:
                state[_STATE].end_turn()
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        finally:
            if _STATE in state:
                state[_STATE].close()
