"""``Idempotency-Key`` on a route: a repeated request gets the first answer again."""

import uuid
from typing import Annotated

from fastapi import Header, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from spanproof.operations.context import Context
from spanproof.operations.idempotency import (
    IdempotentOperation,
    IdempotentRequest,
    make_fingerprint,
    read_key,
    run_idempotently,
)

IdempotencyKey = Annotated[
    str | None,
    Header(
        description="A repeated request with the same key gets the first answer again.",
        examples=['"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
    ),
]


async def answer_idempotently(
    request: Request,
    context: Context,
    key: str | None,
    raw: bytes,
    work: IdempotentOperation[Response],
) -> Response:
    """The answer, new or replayed; ``Idempotency-Replayed`` says which."""
    asked = None
    if key is not None:
        route = f"{request.method} {request.url.path}"
        query = "&".join(sorted(request.url.query.split("&")))
        mark = make_fingerprint(route, query, raw)
        asked = IdempotentRequest(route=route, key=read_key(key), fingerprint=mark)

    def answer() -> Response:
        name = str(uuid.uuid4())
        if asked is None:
            return work.perform(name)
        response, is_earlier = run_idempotently(context, asked, work, name=name)
        response.headers["Idempotency-Replayed"] = "true" if is_earlier else "false"
        return response

    return await run_in_threadpool(answer)
