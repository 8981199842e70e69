"""The caller of a request that takes long: whether it still waits for the answer.

A document that came in whole is read and kept whether or not its caller waits, as what it asked for
can be asked for again. So is the image of a page: the next one who asks has it. Both are read by a
process with a time limit of its own.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

from spanproof.operations.errors import CallerGoneError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import Request

    from spanproof.api.http.admission import Ticket


class Caller:
    """Seen from the event loop, asked from the thread that works for it."""

    def __init__(self, request: Request, ticket: Ticket) -> None:
        self._request = request
        self._ticket = ticket
        self._gone = threading.Event()

    def require(self) -> None:
        """Raise CallerGoneError once the connection is closed; for any thread."""
        if self._gone.is_set():
            msg = "Expected a caller that waits for the answer, got the end of the connection."
            raise CallerGoneError(msg, hint="Send the request again.")

    def attend(self) -> None:
        """Between two steps of work: stop for a caller that has gone, give way to other tenants."""
        self.require()
        self._ticket.give_way()

    async def watch(self) -> None:
        """Return when the caller has gone; the body must have been read."""
        while (await self._request.receive())["type"] != "http.disconnect":
            pass
        self._gone.set()


@asynccontextmanager
async def waiting_caller(request: Request, ticket: Ticket) -> AsyncIterator[Caller]:
    """The caller of a request whose body was read, once it has a turn.

    Raises ClientDisconnect where it leaves before that.
    """
    caller = Caller(request, ticket)
    watching = asyncio.create_task(caller.watch())
    turn = asyncio.create_task(ticket.take_turn())
    try:
        await asyncio.wait({watching, turn}, return_when=asyncio.FIRST_COMPLETED)
        if not turn.done():
            raise ClientDisconnect
        await turn
        yield caller
    finally:
        for task in (turn, watching):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
