"""Bodies under a cap: refused by their declared length, counted as they come, not waited on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from api.errors import UploadStalledError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from fastapi import Request

    from core.errors import SpanproofError

#: Small network reads are gathered up to this size before they are handed on.
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
    stream = aiter(request.stream())
    deadline = asyncio.get_running_loop().time() + total_seconds
    received, gathered = 0, bytearray()
    while True:
        left = deadline - asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(min(stall_seconds, max(left, 0.0))):
                chunk = await anext(stream)
        except StopAsyncIteration:
            break
        except TimeoutError as error:
            msg = f"Expected the whole body in time, got {received} bytes of it."
            raise UploadStalledError(msg, hint="Send the request again, without pauses.") from error
        received += len(chunk)
        if received > cap:
            raise too_large(cap, received)
        gathered += chunk
        if len(gathered) >= CHUNK_BYTES:
            yield bytes(gathered)
            gathered.clear()
    if gathered:
        yield bytes(gathered)
