"""How this package's services are served: uvicorn, on parsers and an event loop written in C.

The parser (llhttp) has no bound of its own on a request's head, unlike the one it takes the place
of: an endless header would take memory without end. The bound is kept here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    from starlette.types import ASGIApp

#: Most bytes between two parts of a message that the application sees: of a request's line and
#: headers together, of a chunk's own line, of the trailers. One network read may add to it.
MAX_HEAD_BYTES = 64 * 1024


class BoundedHttpProtocol(HttpToolsProtocol):
    """HTTP/1.1 whose heads have an end: a longer one is answered by 400 and the connection ends."""

    _got_part = False
    _head_bytes = 0

    def data_received(self, data: bytes) -> None:
        """Read on, and count what has come since the last part that was whole."""
        self._got_part = False
        super().data_received(data)
        self._head_bytes = 0 if self._got_part else self._head_bytes + len(data)
        if self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("Request head too large.")

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._got_part = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Some of the body is there."""
        self._got_part = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._got_part = True
        super().on_message_complete()


def make_server_config(app: ASGIApp, **options: Any) -> uvicorn.Config:  # noqa: ANN401 - its own
    """The configuration of a server of the application; options are uvicorn's."""
    # A line for each request would cost as much as much of its answer; nothing reads it.
    return uvicorn.Config(app, http=BoundedHttpProtocol, access_log=False, **options)
