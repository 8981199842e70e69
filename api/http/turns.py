"""Turns to work, shared between tenants: who has worked least of late goes first.

Who is alone has all turns. Where another tenant was here of late, ``shared`` turns are handed out,
one for each core: those who have worked less take theirs, and another turn is kept free beside
each; others have what is left. One turn is kept free for who may ask again in a moment, so that
its request finds a core. Long work looks now and then whether its turn is over; then it gives it
back and queues again, and nobody waits for that. So a tenant that asks for less than its part
hardly notices what others ask for, and one that asks for more has its part. Work in other processes
counts as work here, so a tenant that floods one process comes last in all of them.

Work of another class, such as reads of the store, has turns kept free in the same way.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter, deque
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

#: So long after its last request a turn is kept free for a tenant.
_HERE_SECONDS = 1.0
#: So long after it nobody else is alone.
_LATELY_SECONDS = 10.0
#: Work is forgotten to a third in this time.
_MEMORY_SECONDS = 10.0
#: Seconds of work between tenants that make no difference.
_ALIKE_SECONDS = 0.1
#: Turns that who has worked more leaves for each that another one asks for: beside a thread that
#: computes, another one has half of the interpreter and waits for it at each step.
_QUIET = 2


class Turns:
    """Those of one class of work; used from one event loop, but for ``is_over``."""

    def __init__(
        self,
        count: int,
        *,
        shared: int | None = None,
        weights: Mapping[str, float] | None = None,
        beside: Sequence[Turns] = (),
        time: Callable[[], float] = monotonic,
    ) -> None:
        """``shared``: all of them unless given. ``weights`` of tenants; 1 for any other.

        ``beside``: other classes; turns are kept free for one who works there, and less in all.
        """
        self._count = count
        self._shared = shared or count
        self._weights = dict(weights or {})
        self._time = time
        self._beside = tuple(beside)
        #: Classes that wait for the work of this one.
        self._behind: list[Turns] = []
        for turns in beside:
            turns._behind.append(self)  # noqa: SLF001 - of this class
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        #: Of each tenant its work of late by its weight, in seconds, and when that was counted.
        self._worked: dict[str, tuple[float, float]] = {}
        #: The same since ``collect``.
        self._untold: Counter[str] = Counter()
        #: Wakes those who wait for turns that are kept in vain.
        self._timer: asyncio.TimerHandle | None = None

    async def take(self, tenant: str) -> None:
        """Wait for a turn."""
        self._welcome(tenant)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tenant, deque()).append(turn)
        self._hand_out()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.end(tenant)
            else:
                self._forget(tenant, turn)
            raise

    def end(self, tenant: str) -> None:
        """Give a turn back."""
        self._count_work(tenant)
        self._running[tenant] -= 1
        self._hand_out()
        for turns in self._behind:
            turns._hand_out()  # noqa: SLF001 - of this class

    def is_over(self, tenant: str) -> bool:
        """Whether others need a turn that this tenant has; for any thread."""
        return self._running[tenant] > self._find_part(tenant)

    def collect(self) -> dict[str, int]:
        """What each tenant has worked since the last call, by its weight, in milliseconds."""
        for tenant, _ in self.list_running():
            self._count_work(tenant)
        untold, self._untold = self._untold, Counter()
        return dict(untold)

    def add(self, tenant: str, milliseconds: int) -> None:
        """Count what another process let a tenant work; no turn is kept free here for that."""
        if self._running[tenant]:
            self._count_work(tenant)
        worked, at = self._worked.get(tenant, (0.0, -math.inf))
        now = self._time()
        then = max(at, now - _LATELY_SECONDS)
        worked *= math.exp((at - then) / _MEMORY_SECONDS)
        worked += milliseconds / 1000 * math.exp((now - then) / _MEMORY_SECONDS)
        self._worked[tenant] = worked, then

    def list_running(self) -> list[tuple[str, int]]:
        """The tenants that have turns now, and how many; for any thread."""
        return [(tenant, count) for tenant, count in list(self._running.items()) if count]

    def list_others(self, tenant: str, seconds: float) -> Iterator[str]:
        """The other tenants that run, wait, or did so in the last seconds; for any thread."""
        since = self._time() - seconds
        for other, (_, at) in list(self._worked.items()):
            if other != tenant and (at > since or self._find_demand(other)):
                yield other

    def _hand_out(self) -> None:
        is_any = True
        while is_any and self._waiting and self._count_kept() < self._count:
            is_any = False
            for tenant in sorted(self._waiting, key=self.read_work):
                if self._running[tenant] < self._find_part(tenant):
                    self._begin(tenant)
                    is_any = True
                    break
        if self._waiting and self._timer is None and self._count_kept() < self._count:
            # What is kept for a tenant that has gone is free soon.
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(_HERE_SECONDS, self._wake)

    def _count_kept(self) -> int:
        """The turns that go on: one that is over ends at its next step, and is waited for no more.

        Meanwhile more than ``count`` may run.
        """
        return sum(min(count, self._find_part(tenant)) for tenant, count in self.list_running())

    def _begin(self, tenant: str) -> None:
        self._count_work(tenant)
        queue = self._waiting[tenant]
        turn = queue.popleft()
        if not queue:
            del self._waiting[tenant]
        # Who has just left may not have heard of it.
        if not turn.cancelled():
            self._running[tenant] += 1
            turn.set_result(None)

    def _welcome(self, tenant: str) -> None:
        """Count its work; who was away is not let before those who worked meanwhile."""
        worked, at = self._worked.get(tenant, (0.0, -math.inf))
        others = list(self.list_others(tenant, _LATELY_SECONDS))
        if others and not self._find_demand(tenant) and at <= self._time() - _LATELY_SECONDS:
            least = min(map(self.read_work, others))
            self._worked[tenant] = max(worked, least), self._time()
        self._count_work(tenant)

    def _find_part(self, tenant: str) -> int:
        """How many turns a tenant may have now."""
        lately = self.list_others(tenant, _LATELY_SECONDS)
        if not any(True for _ in lately) and not any(True for _ in self._list_here(tenant)):
            return self._count
        taken = self._count_asked(tenant) + self._count_beside(tenant)
        if not taken and self._shared > 1:
            # Who is here may ask again in a moment.
            taken = int(
                any(self._has_worked_less(each, tenant) for each in self._list_here(tenant))
            )
        return max(0, self._shared - taken)

    def _count_asked(self, tenant: str) -> int:
        """The turns of this class that others come first for."""
        own = self.read_work(tenant)
        asking = [each for each in list(self._worked) if each != tenant and self._find_demand(each)]
        weights = self._weight(tenant) + sum(map(self._weight, asking))
        asked = 0
        for other in asking:
            difference = self.read_work(other) - own
            if difference < -_ALIKE_SECONDS:
                asked += _QUIET * self._find_demand(other)
            elif difference <= _ALIKE_SECONDS:
                # Rounded down: where all have worked alike, one of them at least can begin.
                part = math.floor(self._shared * self._weight(other) / weights)
                asked += min(self._find_demand(other), part)
        return asked

    def _count_beside(self, tenant: str) -> int:
        """The turns that are kept free for those who work in other classes, and less in all."""
        running = [pair for turns in self._beside for pair in turns.list_running()]
        return _QUIET * sum(
            count
            for other, count in running
            if other != tenant and self._has_worked_less(other, tenant)
        )

    def _has_worked_less(self, other: str, tenant: str) -> bool:
        """In all classes together."""
        return self._read_all_work(other) < self._read_all_work(tenant) - _ALIKE_SECONDS

    def _list_here(self, tenant: str) -> Iterator[str]:
        """The other tenants that were here a moment ago, for work of any of the classes."""
        for turns in (self, *self._beside):
            yield from turns.list_others(tenant, _HERE_SECONDS)

    def _read_all_work(self, tenant: str) -> float:
        return sum(turns.read_work(tenant) for turns in (self, *self._beside))

    def _find_demand(self, tenant: str) -> int:
        return self._running[tenant] + len(self._waiting.get(tenant, ()))

    def read_work(self, tenant: str) -> float:
        """The tenant's work of late, by its weight."""
        worked, at = self._worked.get(tenant, (0.0, self._time()))
        passed = self._time() - at
        return worked * math.exp(-passed / _MEMORY_SECONDS) + (
            self._running[tenant] * passed / self._weight(tenant)
        )

    def _count_work(self, tenant: str) -> None:
        now = self._time()
        _, at = self._worked.get(tenant, (0.0, now))
        if milliseconds := round(1000 * self._running[tenant] * (now - at) / self._weight(tenant)):
            self._untold[tenant] += milliseconds
        self._worked[tenant] = self.read_work(tenant), now

    def _weight(self, tenant: str) -> float:
        return self._weights.get(tenant, 1.0)

    def _forget(self, tenant: str, turn: asyncio.Future[None]) -> None:
        queue = self._waiting.get(tenant)
        if queue is not None and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._waiting[tenant]

    def _wake(self) -> None:
        self._timer = None
        since = self._time() - _MEMORY_SECONDS
        for tenant, (_, at) in list(self._worked.items()):
            if at <= since and not self._find_demand(tenant):
                del self._worked[tenant]
                del self._running[tenant]
        self._hand_out()
