"""Jobs: show, list, follow as a stream of events, cancel."""

import json
import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from spanproof.api.http.drain import Drain
from spanproof.api.http.requests.access import (
    ContextIn,
    Cursor,
    Limit,
    PrincipalIn,
    check_scope,
    require,
)
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.job import EVENT_EXAMPLE, JobListOut, JobOut
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.context import Context
from spanproof.operations.errors import Work
from spanproof.operations.jobs import Job, JobState
from spanproof.operations.jobs.records import WATCHING

ROUTER = APIRouter(
    prefix="/v1/jobs", tags=["jobs"], dependencies=[Depends(require_known_parameters)]
)
#: Seconds until a client should poll an unfinished job again.
RETRY_AFTER = "1"
#: Seconds between two looks at a followed job, and between two keep-alive comments.
LOOK_SECONDS = 0.5
HEARTBEAT_SECONDS = 15.0
#: A stream ends after this long; clients reconnect with Last-Event-ID.
STREAM_SECONDS = 600.0
_SHOWN = [Depends(require("verify", "ingest", "read", "audit"))]

JobId = Annotated[
    str, Path(description="A job_id.", examples=["2c0a4c9e-7f0b-4a55-9d8e-0a7a5d1f6a77"])
]


def job_response(job: Job, *, status_code: int = 200) -> PlainJsonResponse:
    """A job as a resource, with its location and Retry-After."""
    headers = {"Location": f"/v1/jobs/{job.job_id}"} if status_code == 202 else {}
    if not job.state.is_final:
        headers["Retry-After"] = RETRY_AFTER
    return PlainJsonResponse(job.to_json(), status_code=status_code, headers=headers)


@ROUTER.get(
    "",
    operation_id="listJobs",
    summary="List jobs, newest first",
    response_model=None,
    responses={
        200: {"model": JobListOut},
        **problem_responses("MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
    dependencies=_SHOWN,
)
def get_jobs(
    *,
    context: ContextIn,
    state: Annotated[JobState | None, Query(description="In this state.")] = None,
    kind: Annotated[str | None, Query(description="Of this kind.", examples=["ingest"])] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> PlainJsonResponse:
    """One page; ``next_cursor`` leads to the next. A page of a rare state or kind may be short."""
    page = context.jobs.list(state=state, kind=kind, limit=limit, cursor=cursor)
    return PlainJsonResponse(page.to_json())


@ROUTER.get(
    "/{job_id}",
    operation_id="getJob",
    summary="One job",
    response_model=None,
    responses={
        200: {"model": JobOut},
        **problem_responses("JOB_NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
    dependencies=_SHOWN,
)
def get_job(context: ContextIn, job_id: JobId) -> PlainJsonResponse:
    """State, progress, result or problem; ``Retry-After`` until it is finished."""
    return job_response(context.jobs.find(job_id))


@ROUTER.post(
    "/{job_id}/cancel",
    operation_id="cancelJob",
    summary="Cancel a job",
    response_model=None,
    responses={
        200: {"model": JobOut},
        **problem_responses(
            "JOB_NOT_FOUND", "JOB_FINISHED", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"
        ),
    },
    dependencies=[Depends(require("verify", "ingest", "admin"))],
)
def post_cancel(
    request: Request, context: ContextIn, principal: PrincipalIn, job_id: JobId
) -> PlainJsonResponse:
    """A queued job never runs; a running one ends at its next step and keeps what it has done.

    Cancelling webhook deliveries and sampled verifications needs the scope ``admin``.
    """
    if context.jobs.find(job_id).kind in WATCHING:
        check_scope(request, principal, ("admin",))
    return job_response(context.jobs.cancel(job_id))


@ROUTER.get(
    "/{job_id}/events",
    operation_id="followJob",
    summary="Follow a job",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events with the job's state; the stream ends with the job.",
            "content": {"text/event-stream": {"example": EVENT_EXAMPLE}},
        },
        **problem_responses("JOB_NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
    dependencies=[*_SHOWN, admit(Work.STREAM)],
)
async def get_events(
    request: Request,
    context: ContextIn,
    job_id: JobId,
    last_event_id: Annotated[
        str | None, Header(description="The id of the last event received.")
    ] = None,
) -> StreamingResponse:
    """An event for every change of the job: ``progress``, then its final state.

    Comments keep the connection open. With ``Last-Event-ID`` no event is repeated.
    """
    drain: Drain = request.app.state.drain
    job = await run_in_threadpool(context.jobs.find, job_id)
    return StreamingResponse(
        _follow(context, job, last_event_id, drain),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _follow(
    context: Context, job: Job, seen: str | None, drain: Drain
) -> AsyncIterator[bytes]:
    ends_at = time.monotonic() + STREAM_SECONDS
    told_at = time.monotonic()
    while True:
        if job.version != seen:
            yield _write_event(job)
            seen, told_at = job.version, time.monotonic()
        elif time.monotonic() - told_at >= HEARTBEAT_SECONDS:
            yield b": the job goes on\n\n"
            told_at = time.monotonic()
        if job.state.is_final or time.monotonic() >= ends_at:
            return
        if await drain.wait(LOOK_SECONDS):
            # Clients reconnect to the service once it is restarted.
            return
        job = await run_in_threadpool(context.jobs.find, job.job_id)


def _write_event(job: Job) -> bytes:
    name = job.state.value if job.state.is_final else "progress"
    # ASCII, so that no character of it is a line break for the reader.
    body = json.dumps(job.to_json(), ensure_ascii=True, separators=(",", ":"))
    return f"id: {job.version}\nevent: {name}\ndata: {body}\n\n".encode("ascii")
