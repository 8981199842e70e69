"""Headers of every answer: the request's id, and restrictions for browsers."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUEST_ID = "X-Request-Id"
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_SECURITY = tuple(
    (name.lower().encode("latin-1"), value.encode("latin-1"))
    for name, value in SECURITY_HEADERS.items()
)
_REQUEST_ID = REQUEST_ID.lower().encode("latin-1")
#: Only our own scripts, styles and images; no frames, plug-ins or foreign form targets.
PAGE_POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
#: A caller's id is used if it is safe in a log line.
_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


class HeadersMiddleware:
    """Gives the request an id and adds the headers; bodies pass through."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Raw pairs with lower-case names, for speed: this runs for every request.
        first = next((value for name, value in scope["headers"] if name == _REQUEST_ID), b"")
        given = first.decode("latin-1")
        request_id = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(message, request_id, scope["state"].get("answer_headers", {}))
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _add_headers(message: Message, request_id: str, more: Mapping[str, str]) -> None:
    """Set the request's id, and add each other header that is missing."""
    headers = [pair for pair in message.get("headers", ()) if pair[0].lower() != _REQUEST_ID]
    known = {name.lower(): value for name, value in headers}
    headers.append((_REQUEST_ID, request_id.encode("latin-1")))
    wanted = [
        *(
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in more.items()
        ),
        *_SECURITY,
    ]
    if known.get(b"content-type", b"").startswith(b"text/html"):
        wanted.append((b"content-security-policy", PAGE_POLICY.encode("latin-1")))
    headers += [(name, value) for name, value in wanted if name not in known]
    message["headers"] = headers
