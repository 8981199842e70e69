"""A witness over HTTP (C2SP tlog-witness): three resources in plain ASGI.

``POST /add-checkpoint`` is answered by ``spanproof.receipt.witness.cosigning``;
``GET /<SHA-256 of the origin>/checkpoint`` shows the last cosigned head, and
``…/cosigned`` the list of all that was cosigned of the log.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

import structlog

from spanproof.core.errors import SpanproofError
from spanproof.receipt.witness.cosigning import MAX_REQUEST_BYTES, TEXT_TYPE, WitnessAnswer

if TYPE_CHECKING:
    from spanproof.operations.log.witness import WitnessFolder
    from spanproof.receipt.witness.cosigning import Witness

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
#: Seconds within which a request must arrive completely.
BODY_SECONDS = 15.0
#: Most bytes of a request: more than a signed head and its proof need.
_SHOWN_BYTES = 8192
_HEAD = re.compile(r"/(?P<name>[0-9a-f]{64})/(?P<what>checkpoint|cosigned)")
_log = structlog.get_logger()


class WitnessApp:
    """The ASGI application of one witness."""

    def __init__(self, witness: Witness, folder: WitnessFolder) -> None:
        self._witness = witness
        self._folder = folder

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        answer = await self._answer(scope, receive)
        headers = [
            (b"content-type", answer.media_type.encode("ascii")),
            (b"content-length", str(len(answer.body)).encode("ascii")),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
        ]
        if answer.status in {408, 413}:
            headers.append((b"connection", b"close"))
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})

    async def _answer(self, scope: MutableMapping[str, Any], receive: Receive) -> WitnessAnswer:
        method, path = scope["method"], scope["path"]
        if path == "/add-checkpoint":
            if method != "POST":
                return _refuse(405, "Expected POST.")
            return await self._add_checkpoint(receive)
        found = _HEAD.fullmatch(path)
        if found is None:
            return _refuse(
                404, "Expected /add-checkpoint, or /<hash of an origin>/checkpoint or /cosigned."
            )
        if method != "GET":
            return _refuse(405, "Expected GET.")
        if found["what"] == "cosigned":
            listed = await asyncio.to_thread(self._folder.find_list, found["name"])
            if listed is None:
                return _refuse(404, "Expected a log with a head cosigned by this witness.")
            return WitnessAnswer(status=200, media_type=TEXT_TYPE, body=listed)
        note = self._folder.find_note(found["name"])
        if note is None:
            return _refuse(404, "Expected a log with a head cosigned by this witness.")
        return WitnessAnswer(status=200, media_type=TEXT_TYPE, body=note.encode("utf-8"))

    async def _add_checkpoint(self, receive: Receive) -> WitnessAnswer:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _read_body(receive)
        except TimeoutError:
            return _refuse(408, f"Expected the request within {BODY_SECONDS:.0f} seconds.")
        if body is None:
            return _refuse(413, f"Expected a request of at most {MAX_REQUEST_BYTES} bytes.")
        try:
            # Storing a head waits for the disk; other logs are answered meanwhile.
            answer = await asyncio.to_thread(self._witness.add_checkpoint, body)
        except SpanproofError as error:
            _log.error("witness.failed", code=error.code, detail=str(error))
            return _refuse(503, "Expected to store the head, got a failure. Nothing was cosigned.")
        if answer.status == 422:
            # It may show a forked log: the witness's operator should know.
            _log.warning(
                "witness.refused", status=422, detail=answer.body.decode(), body=body[:_SHOWN_BYTES]
            )
        return answer


async def _read_body(receive: Receive) -> bytes | None:
    """The whole body; None if it is too long or was cut off."""
    parts = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts += message.get("body", b"")
        if len(parts) > MAX_REQUEST_BYTES:
            return None
        if not message.get("more_body", False):
            return bytes(parts)


def _refuse(status: int, message: str) -> WitnessAnswer:
    return WitnessAnswer(status=status, media_type=TEXT_TYPE, body=f"{message}\n".encode())
