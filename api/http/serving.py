"""The server's end: answers that are being made are sent, and each connection is told to close."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from fastapi import FastAPI

    from spanproof.api.http.drain import Drain

#: How long open connections may still send a request, which is answered and then closed: closed at
#: once, what a client was just sending would be lost without an answer.
LINGER_SECONDS = 1.0
_LOOK_SECONDS = 0.05


class DrainingServer(uvicorn.Server):
    """Stopped by a signal, it listens no more, answers what it has, and ends within the drain."""

    def __init__(
        self, app: FastAPI, config: uvicorn.Config, *, on_drain: Callable[[], None]
    ) -> None:
        """``on_drain`` is called once, when the drain begins."""
        super().__init__(config)
        self._app = app
        self._on_drain = on_drain

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the listener, answer with ``Connection: close``, then end what is left."""
        for server in self.servers:
            server.close()
        drain: Drain = self._app.state.drain
        drain.begin()
        self._on_drain()
        # In place: requests that are being answered hold the same list.
        self.server_state.default_headers.append((b"connection", b"close"))
        waited = 0.0
        while self.server_state.connections and waited < min(LINGER_SECONDS, drain.left()):
            await asyncio.sleep(_LOOK_SECONDS)
            waited += _LOOK_SECONDS
        self.config.timeout_graceful_shutdown = max(1, math.ceil(drain.left()))
        await super().shutdown(sockets)
