"""Jobs started by a request: answered by 202, started once for each ``Idempotency-Key``."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Header, Request, Response
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.idempotency import answer_idempotently
from spanproof.api.http.routes.jobs import job_response
from spanproof.core.errors import NotFoundError
from spanproof.operations.context import Context
from spanproof.operations.idempotency import IdempotentOperation
from spanproof.operations.jobs import Job

Prefer = Annotated[
    str | None,
    Header(
        description="respond-async (RFC 7240) answers 202 with a job, as mode=async does.",
        examples=["respond-async"],
    ),
]
#: Header of an answer that followed the preference.
APPLIED = {"Preference-Applied": "respond-async"}


def prefers_async(prefer: str | None) -> bool:
    """Whether one of the preferences is ``respond-async``; unknown ones are ignored."""
    names = (each.partition(";")[0].strip().lower() for each in (prefer or "").split(","))
    return "respond-async" in names


async def answer_started(
    request: Request,
    context: Context,
    key: str | None,
    given: bytes,
    start: Callable[[str], Job],
) -> Response:
    """The job that ``start`` queues under a given id, or queued before under this key.

    ``given`` is the job's input besides path and query: a body, or its digest.
    """
    return await answer_idempotently(
        request, context, key, given, start_idempotently(context, start)
    )


async def require_room(context: Context, key: str | None) -> None:
    """Raise ServiceBusyError before reading a body whose job would be refused.

    With a key the job may exist already: then the body must be read.
    """
    if key is None:
        await run_in_threadpool(context.jobs.check_room)


def start_idempotently(
    context: Context, start: Callable[[str], Job]
) -> IdempotentOperation[Response]:
    """An idempotent start of a job."""
    return IdempotentOperation(
        perform=lambda name: job_response(start(name), status_code=202),
        replay=lambda name: job_response(context.jobs.find(name), status_code=202),
        is_done=lambda name: has_job(context, name),
    )


def has_job(context: Context, job_id: str) -> bool:
    """Whether the tenant has a job of that id."""
    try:
        context.jobs.find(job_id)
    except NotFoundError:
        return False
    return True
