"""How much is worked on at once: of each class of work a few run, a few wait, the rest go away.

Whoever is sent away has not been read. What an overload takes of memory is bounded twice: by the
number of those who are let in, and by the bytes of the bodies that all of them hold together. What
uploads take of the disk until they are kept is bounded by their bytes too.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.operations.errors import DISK, ServiceBusyError, Work

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from spanproof.operations.settings import Settings

#: Threads that no admitted work can take: credentials, readiness, metrics, jobs that are polled.
SPARE_THREADS = 16
#: Answers of production wait for one write that takes them all, not each for a turn of its own.
_SUBMITTED_FOR_EACH = 16
#: The fewest rows that are read at once: they wait for the disk, not for a core.
_FEWEST_STORE = 8
_STATE = "ticket"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How many of a class work at once, and how many more may be inside."""

    running: int
    waiting: int


def plan_rooms(settings: Settings, *, cores: int | None = None) -> dict[Work, Room]:
    """The room of each class, by the cores of this machine where no setting says otherwise."""
    cores = cores or os.cpu_count() or 1
    waiting = settings.waiting
    parsing = settings.workers or cores
    running = {
        Work.VERIFY: settings.running or 2 * cores,
        Work.INGEST: parsing,
        Work.RENDER: parsing,
        Work.BULK: cores,
        Work.STORE: max(_FEWEST_STORE, 2 * cores),
        Work.SIGN_IN: cores,
    }
    return {work: Room(running=count, waiting=waiting) for work, count in running.items()} | {
        Work.SUBMIT: Room(running=2 * cores, waiting=_SUBMITTED_FOR_EACH * waiting),
        # A stream has no turn: it mostly sleeps.
        Work.STREAM: Room(running=settings.streams, waiting=0),
    }


class Admission:
    """Places, turns and bytes of one process; asked from one event loop only."""

    def __init__(self, rooms: Mapping[Work, Room], *, body_bytes: int, staged_bytes: int) -> None:
        """``body_bytes``: most bytes of bodies in memory at once, a single one aside.

        ``staged_bytes``: the same of uploads that go to the disk.
        """
        self._rooms = dict(rooms)
        self._turns = {work: asyncio.Semaphore(room.running) for work, room in rooms.items()}
        self._inside = dict.fromkeys(rooms, 0)
        self._most_bytes = body_bytes
        self._bytes = 0
        self._most_staged = staged_bytes
        self._staged = 0

    @property
    def threads(self) -> int:
        """How many threads all the work together may need, and those that it leaves free."""
        of_turns = (room.running for work, room in self._rooms.items() if work != Work.STREAM)
        return sum(of_turns) + SPARE_THREADS

    @property
    def held_bytes(self) -> int:
        """Bytes of bodies that are held now."""
        return self._bytes

    @property
    def staged_bytes(self) -> int:
        """Bytes of uploads that are on the disk now, or are announced."""
        return self._staged

    def count_inside(self, work: Work) -> int:
        """How many of a class are inside now, working or waiting."""
        return self._inside[work]

    def enter(self, work: Work) -> Ticket:
        """A place inside, before anything is read; raise ServiceBusyError where there is none."""
        room = self._rooms[work]
        most = room.running + room.waiting
        if self._inside[work] >= most:
            msg = f"Expected at most {most} requests at once of the class {work.value!r}, got more."
            raise ServiceBusyError(msg, work=work.value)
        self._inside[work] += 1
        return Ticket(self, work)

    async def take_turn(self, work: Work) -> None:
        """Wait for a turn to work; ``end_turn`` gives it back."""
        await self._turns[work].acquire()

    def end_turn(self, work: Work) -> None:
        """Let the next one work."""
        self._turns[work].release()

    def hold(self, work: Work, count: int, *, own: int = 0) -> None:
        """Count more bytes of a body; raise ServiceBusyError where others hold too many already.

        ``own`` are those of it that were counted before.
        """
        # A single body is bounded by its own cap: it is taken where nothing else is held.
        if self._bytes > own and self._bytes + count > self._most_bytes:
            msg = f"Expected bodies of at most {self._most_bytes} bytes at once, got more."
            raise ServiceBusyError(msg, work=work.value)
        self._bytes += count

    def stage(self, count: int, *, own: int = 0) -> None:
        """Count more bytes of an upload; raise ServiceBusyError where others take the disk."""
        # As with bodies: one alone is bounded by its own cap.
        if self._staged > own and self._staged + count > self._most_staged:
            msg = f"Expected uploads of at most {self._most_staged} bytes at once, got more."
            raise ServiceBusyError(msg, work=DISK)
        self._staged += count

    def leave(self, work: Work, count: int, *, staged: int) -> None:
        """Give back a place and the bytes that its request held, and had ``staged``."""
        self._inside[work] -= 1
        self._bytes -= count
        self._staged -= staged


class Ticket:
    """One request's place; closed when its answer is sent, whatever became of it."""

    def __init__(self, admission: Admission, work: Work) -> None:
        self._admission = admission
        self._work = work
        self._bytes = 0
        self._staged = 0
        self._has_turn = False
        self._is_closed = False

    async def take_turn(self) -> None:
        """A turn to work, once there is one; whoever has it keeps it."""
        if not self._has_turn:
            await self._admission.take_turn(self._work)
            self._has_turn = True

    def end_turn(self) -> None:
        """Give the turn back; without one nothing happens."""
        if self._has_turn:
            self._has_turn = False
            self._admission.end_turn(self._work)

    def hold(self, total: int) -> None:
        """The body takes ``total`` bytes, or will; raise ServiceBusyError where others hold them.

        It never shrinks: what was announced is counted until the answer is sent.
        """
        if total > self._bytes:
            self._admission.hold(self._work, total - self._bytes, own=self._bytes)
            self._bytes = total

    def stage(self, total: int) -> None:
        """The upload takes ``total`` bytes of the disk, or will; raises and counts as ``hold``."""
        if total > self._staged:
            self._admission.stage(total - self._staged, own=self._staged)
            self._staged = total

    def close(self) -> None:
        """Give everything back; closing twice does nothing."""
        if not self._is_closed:
            self._is_closed = True
            self.end_turn()
            self._admission.leave(self._work, self._bytes, staged=self._staged)


class AdmissionMiddleware:
    """Takes a request's ticket back: its turn when the answer begins, its place when it is sent.

    A reader that is slow to take its answer keeps nobody from working, and yet is counted.
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
