"""ASGI middleware: every answer of an application goes to the service, after it went to the caller.

Works for FastAPI, Starlette and any ASGI 3 application; it needs no framework itself.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from spanproof.client.adoption.submission import Submission, current_trace_id

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, MutableMapping

    from spanproof.client.adoption.queue import AnswerQueue

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    Application = Callable[[Message, Receive, Send], Awaitable[None]]

#: A larger body is passed on and not looked at, in bytes.
MAX_BODY_BYTES = 1024**2
#: W3C Trace Context: version, trace id, parent id, flags.
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?", re.ASCII)
_NO_TRACE = "0" * 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One whole response of the application; a reader makes an answer of it."""

    method: str
    path: str
    media_type: str
    body: bytes
    trace_id: str | None


def read_native(exchange: Exchange) -> Submission | None:
    """A JSON body with ``answer`` and ``citations`` is an answer in the native format.

    A body in which ``response`` stands in their place is no answer here: write a reader that names
    its format.
    """
    if exchange.media_type != "application/json":
        return None
    fields = json.loads(exchange.body)
    if not isinstance(fields, dict) or not {"answer", "citations"} <= set(fields):
        return None
    # What the service answered once is not handed in again.
    known = {name: value for name, value in fields.items() if name != "verification"}
    return Submission.of({"trace_id": exchange.trace_id} | known)


class AnswerMiddleware:
    """Hands every successful response that ``read`` makes an answer of to the queue.

    ``paths`` are those to look at; without them all are. Nothing is held back: each part goes to
    the caller first, and is remembered after. The queue is closed with the application.
    """

    def __init__(
        self,
        app: Application,
        *,
        queue: AnswerQueue,
        paths: Collection[str] | None = None,
        read: Callable[[Exchange], Submission | None] = read_native,
        max_body_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        self._app = app
        self._queue = queue
        self._paths = None if paths is None else frozenset(paths)
        self._read = read
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One connection, as ASGI calls it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, partial(self._send_lifespan, send))
        elif scope["type"] == "http" and (self._paths is None or scope["path"] in self._paths):
            await self._app(scope, receive, _Listener(self, scope, send))
        else:
            await self._app(scope, receive, send)

    async def _send_lifespan(self, send: Send, message: Message) -> None:
        if message["type"].startswith("lifespan.shutdown."):
            # The application has ended; what it handed in has this long to go.
            await asyncio.to_thread(self._queue.close)
        await send(message)

    def take(self, scope: Message, media_type: str, parts: list[bytes]) -> None:
        """Queue a whole response."""
        body = b"".join(parts)
        exchange = Exchange(
            method=scope["method"],
            path=scope["path"],
            media_type=media_type,
            body=body,
            trace_id=_find_trace_id(scope) or current_trace_id(),
        )
        self._queue.put_deferred(partial(self._read, exchange), size=len(body))

    @property
    def max_body_bytes(self) -> int:
        """The longest body that is looked at."""
        return self._max_body_bytes

    def note_unreadable(self, error: Exception) -> None:
        """Count a response that could not be remembered."""
        self._queue.note_unreadable(error)

    def note_skipped(self) -> None:
        """Count a response that was not looked at."""
        self._queue.note_skipped()


class _Listener:
    """The ``send`` of one connection: passes every message on, then looks at it."""

    def __init__(self, owner: AnswerMiddleware, scope: Message, send: Send) -> None:
        self._owner, self._scope, self._send = owner, scope, send
        self._parts: list[bytes] | None = None
        self._size = 0
        self._media_type = ""

    async def __call__(self, message: Message) -> None:
        # A middleware around this one may change the message in its place (compression does).
        seen = dict(message)
        if "headers" in seen:
            seen["headers"] = [(bytes(name), bytes(value)) for name, value in seen["headers"]]
        await self._send(message)
        try:
            self._note(seen)
        except Exception as error:  # noqa: BLE001 - the answer has gone out; counted and logged
            self._parts = None
            self._owner.note_unreadable(error)

    def _note(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begin(message)
        elif message["type"] == "http.response.body" and self._parts is not None:
            body = message.get("body", b"")
            self._size += len(body)
            if self._size > self._owner.max_body_bytes:
                self._parts = None
                self._owner.note_skipped()
                return
            self._parts.append(bytes(body))
            if not message.get("more_body", False):
                parts, self._parts = self._parts, None
                self._owner.take(self._scope, self._media_type, parts)

    def _begin(self, message: Message) -> None:
        headers = {
            name.lower().decode("latin-1"): value.decode("latin-1")
            for name, value in message.get("headers", ())
        }
        self._media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        is_success = 200 <= message["status"] < 300
        is_plain = headers.get("content-encoding", "identity") == "identity"
        self._parts = [] if is_success and is_plain else None


def _find_trace_id(scope: Message) -> str | None:
    for name, value in scope.get("headers", ()):
        if bytes(name).lower() == b"traceparent":
            match = _TRACEPARENT.fullmatch(bytes(value).decode("latin-1").strip())
            if match is not None and match.group(1) != _NO_TRACE:
                return match.group(1)
    return None
