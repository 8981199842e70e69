"""Read bodies under a cap: refused by declared length, counted while read, with a time limit."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

from spanproof.operations.errors import UploadStalledError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from fastapi import Request

    from spanproof.core.errors import SpanproofError

#: Small network reads are collected up to this size.
CHUNK_BYTES = 256 * 1024


async def read_chunks(
    request: Request,
    *,
    cap: int,
    too_large: Callable[[int, int], SpanproofError],
    stall_seconds: float,
    total_seconds: float,
) -> AsyncIterator[bytes]:
    """The body in chunks; raise ``too_large(cap, got)`` once it passes the cap."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > cap:
        raise too_large(cap, int(declared))
    loop = asyncio.get_running_loop()
    deadline = loop.time() + total_seconds
    received, gathered, is_more = 0, bytearray(), True
    while is_more:
        left = deadline - loop.time()
        try:
            async with asyncio.timeout(min(stall_seconds, max(left, 0.0))):
                # Not the request's stream: it asks once more after the last part.
                message = await request.receive()
        except TimeoutError as error:
            msg = f"Expected the whole body in time, got {received} bytes of it."
            hint = "Send the request again, without pauses."
            if loop.time() >= deadline:
                # The upload was slow, not stalled: a retry would take as long.
                hint = "Send less at once, or raise SPANPROOF_UPLOAD_SECONDS."
            raise UploadStalledError(msg, hint=hint) from error
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        is_more = message.get("more_body", False)
        chunk = message.get("body", b"")
        received += len(chunk)
        if received > cap:
            raise too_large(cap, received)
        gathered += chunk
        if len(gathered) >= CHUNK_BYTES:
            yield bytes(gathered)
            gathered.clear()
    if gathered:
        yield bytes(gathered)
