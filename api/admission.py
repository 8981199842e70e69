"""How much is verified at once: a few run, a few wait, and the rest is sent away at the door.

Whoever is sent away has not been read: what an overload takes of memory is bounded by the number of
those who are let in times the cap of one body.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from api.errors import ServiceBusyError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

#: When whoever was sent away may find a place.
_RETRY_SECONDS = 2


class Admission:
    """``running`` at once and ``waiting`` beside them; asked from one event loop only."""

    def __init__(self, *, running: int, waiting: int) -> None:
        self._slots = asyncio.Semaphore(running)
        self._most = running + waiting
        self._inside = 0

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[None]:
        """A place inside, before the body is read; raise ServiceBusyError where there is none."""
        if self._inside >= self._most:
            msg = f"Expected at most {self._most} answers at once, got one more."
            headers = {"Retry-After": str(_RETRY_SECONDS)}
            raise ServiceBusyError(msg, hint="Wait as Retry-After says.", headers=headers)
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    @asynccontextmanager
    async def work(self) -> AsyncIterator[None]:
        """A turn to work, once there is one: whoever only sends slowly takes none."""
        async with self._slots:
            yield
