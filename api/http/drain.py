"""Draining: running work finishes within a time limit, nothing new starts."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING

from starlette.requests import Request

from spanproof.api.http.problems import answer_error
from spanproof.operations.errors import ServiceStoppingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Drain:
    """Whether the service is stopping, and how much time running work has left.

    Requests and jobs share the time: jobs get what requests leave.
    """

    def __init__(self, seconds: float, *, time: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._time = time
        self._begun_at: float | None = None
        self._begun = asyncio.Event()

    @property
    def is_begun(self) -> bool:
        """Whether the service is stopping."""
        return self._begun_at is not None

    def begin(self) -> None:
        """Start the clock; starting twice does nothing. Call it from the event loop."""
        if self._begun_at is None:
            self._begun_at = self._time()
            self._begun.set()

    def left(self) -> float:
        """Seconds that are left; all of them before the start."""
        if self._begun_at is None:
            return self._seconds
        return max(0.0, self._seconds - (self._time() - self._begun_at))

    async def wait(self, seconds: float) -> bool:
        """Wait so long, or until draining begins; return whether it has begun."""
        try:
            async with asyncio.timeout(seconds):
                await self._begun.wait()
        except TimeoutError:
            return False
        return True


class DrainMiddleware:
    """Answers 503 to a request that the end of the drain cancels, if nothing was sent yet."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        is_started = False

        async def send_on(message: Message) -> None:
            nonlocal is_started
            is_started = True
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        except asyncio.CancelledError:
            drain: Drain | None = None
            if scope["type"] == "http" and not is_started:
                drain = getattr(scope["app"].state, "drain", None)
            if drain is None or not drain.is_begun:
                raise
            msg = "Expected to answer before the service stops, but the time ran out."
            error = ServiceStoppingError(msg, hint="Send it again, with the same Idempotency-Key.")
            response = await answer_error(Request(scope), error)
            await response(scope, receive, send)
