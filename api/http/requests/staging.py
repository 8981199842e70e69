"""A raw body, hashed while it comes onto the disk: what is too large for memory is taken so."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.limits import read_chunks
from spanproof.api.http.requests.admitting import current_ticket
from spanproof.core.errors import SpanproofError, UnsupportedMediaTypeError
from spanproof.operations.context import Context
from spanproof.store.blobs.port import StagedBlob


def require_identity(content_encoding: str | None) -> None:
    """Raise UnsupportedMediaTypeError for a content coding: nothing is unpacked here."""
    if (content_encoding or "identity").strip().lower() != "identity":
        msg = f"Expected bytes without a content coding, got {content_encoding!r}."
        raise UnsupportedMediaTypeError(msg, hint="Send the file as it is.")


@asynccontextmanager
async def stage_body(
    request: Request,
    services: Context,
    *,
    cap: int,
    too_large: Callable[[int, int], SpanproofError],
) -> AsyncIterator[StagedBlob]:
    """The whole body, gone on the way out unless it was kept; ``cap`` in bytes.

    Raises ServiceBusyError where the uploads of others take the disk that there is for them: before
    anything is read where the length is announced.
    """
    settings, ticket = services.settings, current_ticket(request)
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) <= cap:
        ticket.stage(int(declared))
    with await run_in_threadpool(services.store.blobs.stage) as staged:
        async for chunk in read_chunks(
            request,
            cap=cap,
            too_large=too_large,
            stall_seconds=settings.stall_seconds,
            total_seconds=settings.upload_seconds,
        ):
            ticket.stage(staged.size + len(chunk))
            await run_in_threadpool(staged.write, chunk)
        yield staged
