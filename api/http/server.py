"""The server: uvicorn with parser and event loop in C."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from spanproof.api.http.connections import ALWAYS_ANSWERED, Connections, answer_crowded

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from fastapi import FastAPI
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from spanproof.api.http.drain import Drain


#: How long open connections may still send a request; it is answered, then the connection ends.
#: Closed at once, a request on its way would be lost.
LINGER_SECONDS = 1.0
_POLL_SECONDS = 0.05


class DrainingServer(uvicorn.Server):
    """On a signal it stops listening, answers open requests, and ends within the drain."""

    def __init__(
        self, app: FastAPI, config: uvicorn.Config, *, on_drain: Callable[[], None]
    ) -> None:
        """``on_drain`` is called once, when the drain begins."""
        super().__init__(config)
        self._app = app
        self._on_drain = on_drain

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the listener, answer with ``Connection: close``, then end the rest."""
        for server in self.servers:
            server.close()
        drain: Drain = self._app.state.drain
        drain.begin()
        self._on_drain()
        # In place: running requests hold the same list.
        self.server_state.default_headers.append((b"connection", b"close"))
        waited = 0.0
        while self.server_state.connections and waited < min(LINGER_SECONDS, drain.left()):
            await asyncio.sleep(_POLL_SECONDS)
            waited += _POLL_SECONDS
        self.config.timeout_graceful_shutdown = max(1, math.ceil(drain.left()))
        await super().shutdown(sockets)


#: Most bytes of a request's line and headers together, of a chunk's line, or of the trailers; one
#: network read may exceed it.
MAX_HEAD_BYTES = 64 * 1024
#: Most bytes of an answer passed on at once.
PIECE_BYTES = 64 * 1024
#: A head that is not complete after so long ends its connection, and so does one that never begins.
HEAD_SECONDS = 10.0
#: Connections of one address at once.
MOST_CONNECTIONS = 256
#: A client that reads nothing for so long, while an answer waits, is gone.
READER_SECONDS = 600.0


_HEAD_TIMED_OUT = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedHttpProtocol(HttpToolsProtocol):
    """HTTP/1.1 with limited heads, in time: a longer one is answered by 400, a slower one by 408.

    Both end the connection. ``open_connections`` counts those of each address.
    """

    head_seconds = HEAD_SECONDS
    open_connections = Connections(0)
    _address = ""
    _is_welcome = True
    _head_timer: asyncio.TimerHandle | None = None
    _got_part = False
    _head_bytes = 0
    _running: Any = None
    _giving_up: asyncio.TimerHandle | None = None

    @property
    def is_waited_for(self) -> bool:
        """Whether a head is still to come, and has to come in time."""
        return self._head_timer is not None

    def drop(self) -> None:
        """Close the connection at once."""
        self._expect_head(seconds=None)
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A connection, whose first head has to come in time."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._expect_head(seconds=self.head_seconds)
        self._is_welcome = self.open_connections.enter(self, self._address)

    def on_message_begin(self) -> None:
        """A head begins; the first one had to begin in the same time."""
        super().on_message_begin()
        if self._head_timer is None:
            self._expect_head(seconds=self.head_seconds)

    def data_received(self, data: bytes) -> None:
        """Read on, and count the bytes since the last complete part."""
        self._got_part = False
        super().data_received(data)
        self._head_bytes = 0 if self._got_part else self._head_bytes + len(data)
        if self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("Request head too large.")

    def on_headers_complete(self) -> None:
        """The head is complete."""
        self._got_part = True
        self._expect_head(seconds=None)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of the body arrived."""
        self._got_part = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is complete."""
        self._got_part = True
        super().on_message_complete()

    def pause_writing(self) -> None:
        """The client stopped reading; give it some time to continue."""
        super().pause_writing()
        if self._giving_up is None:
            self._giving_up = self.loop.call_later(READER_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read what waited."""
        self._expect_reader()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Notify the running request, which need not be the last received."""
        self._expect_head(seconds=None)
        self.open_connections.leave(self, self._address)
        self._expect_reader()
        running = self._running
        if running is not None and not running.response_complete:
            running.disconnected = True
            running.message_event.set()
        super().connection_lost(exc)

    def _expect_reader(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None

    def _expect_head(self, *, seconds: float | None) -> None:
        """Give the next head so long; None: it is here, or need not come."""
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        if seconds is not None:
            self._head_timer = self.loop.call_later(seconds, self._refuse_head)

    def _refuse_head(self) -> None:
        self._head_timer = None
        running = self._running
        if running is not None and not running.response_complete:
            # The head of a request behind the one that is being answered: nothing may cut in.
            self._expect_head(seconds=self.head_seconds)
        elif not self.transport.is_closing():
            self.transport.write(_HEAD_TIMED_OUT)
            self.transport.close()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:  # noqa: ANN401 - the server's own
        self._running = cycle
        if not self._is_welcome and cycle.scope["path"] not in ALWAYS_ANSWERED:
            app = answer_crowded
        super()._start_asgi_task(cycle, app)


class ThrottledResponses:
    """Sends a long body in pieces, each when the client has read most of the earlier ones.

    Bytes on their way wait in uncounted memory. So a client that does not read holds only a piece
    or two there, and its request keeps its place until the rest is sent.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def send_on(message: Message) -> None:
            body = message.get("body", b"")
            if len(body) <= PIECE_BYTES:
                await send(message)
                return
            for start in range(0, len(body), PIECE_BYTES):
                end = start + PIECE_BYTES
                is_more = end < len(body) or message.get("more_body", False)
                await send({**message, "body": body[start:end], "more_body": is_more})

        await self._app(scope, receive, send_on if scope["type"] == "http" else send)


def make_server_config(
    app: ASGIApp,
    *,
    head_seconds: float = HEAD_SECONDS,
    most_connections: int = MOST_CONNECTIONS,
    **options: Any,  # noqa: ANN401 - its own
) -> uvicorn.Config:
    """The server's configuration; ``most_connections`` of one address, options are uvicorn's."""

    class Protocol(BoundedHttpProtocol):
        """The connections of this server."""

        open_connections = Connections(most_connections)

    Protocol.head_seconds = head_seconds
    # No access log: a line per request costs much and nothing reads it.
    return uvicorn.Config(ThrottledResponses(app), http=Protocol, access_log=False, **options)
