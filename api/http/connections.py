"""The connections of each address: so many, and the one that waits longest makes room.

A client that opens connections and sends half a head loses the oldest of them to the next that
comes. Where all are at work, a further one is answered: its health check as ever, all else by 429.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

from spanproof.operations.errors import ServiceBusyError

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

#: What is answered on every connection.
ALWAYS_ANSWERED = frozenset({"/healthz"})
_BODY = {
    "type": "urn:spanproof:problem:service-busy",
    "title": HTTPStatus.TOO_MANY_REQUESTS.phrase,
    "status": int(HTTPStatus.TOO_MANY_REQUESTS),
    "detail": "Expected fewer connections of one address at once, got more.",
    "code": ServiceBusyError.code,
    "hint": "Close some, or use one for several requests.",
    "errors": [],
}
_CONTENT = json.dumps(_BODY, separators=(",", ":")).encode("ascii")


class Connection(Protocol):
    """What is known of an open connection."""

    @property
    def is_waited_for(self) -> bool:
        """Whether a head is still to come."""

    def drop(self) -> None:
        """Close it at once."""


class Connections:
    """Those of one server, by the address that they come from; used from its event loop only."""

    def __init__(self, most: int) -> None:
        """``most`` of one address at once; 0: no limit."""
        self._most = most
        self._open: dict[str, dict[Connection, None]] = {}

    def enter(self, connection: Connection, address: str) -> bool:
        """Count it; whether all its requests are answered."""
        others = self._open.setdefault(address, {})
        others[connection] = None
        if not self._most or len(others) <= self._most:
            return True
        oldest = next((o for o in others if o.is_waited_for and o is not connection), None)
        if oldest is None:
            return False
        # Its end is heard of later, and it counts no more.
        self.leave(oldest, address)
        oldest.drop()
        return True

    def leave(self, connection: Connection, address: str) -> None:
        """Count it no more; a second time does nothing."""
        others = self._open.get(address)
        if others is not None:
            others.pop(connection, None)
            if not others:
                del self._open[address]


async def answer_crowded(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    """An application that sends away, and ends the connection."""
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(_CONTENT)).encode("ascii")),
        (b"retry-after", b"1"),
        (b"connection", b"close"),
    ]
    status = int(HTTPStatus.TOO_MANY_REQUESTS)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": _CONTENT})
