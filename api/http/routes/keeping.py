"""Legal holds, and the plan of retention that the settings name."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ContextIn, PrincipalIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import describe_body, read_body, read_request
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.keeping import (
    HOLD_IN,
    RELEASE_IN,
    RETENTION_IN,
    HoldIn,
    HoldListOut,
    HoldOut,
    ReleaseIn,
    RetentionIn,
    RetentionOut,
)
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.errors import Work
from spanproof.operations.keeping.holds import list_holds, place_hold, release_hold
from spanproof.operations.keeping.plan import load_plan
from spanproof.operations.keeping.retention import apply_plan, list_due

ROUTER = APIRouter(tags=["erasing"], dependencies=[Depends(require_known_parameters)])
_BODY = ("UPLOAD_STALLED", "ANSWER_TOO_LARGE", "STORE_UNAVAILABLE", "LOG_STOPPED")


@ROUTER.post(
    "/v1/holds",
    operation_id="createHold",
    dependencies=[Depends(require("admin")), admit(Work.STORE, reads_body=True)],
    summary="Place a legal hold",
    response_model=None,
    responses={
        200: {"model": HoldOut},
        **problem_responses("NOT_FOUND", "MALFORMED_PARAMETER", *_BODY),
    },
    openapi_extra=describe_body("HoldIn", {"label": ("By label", HOLD_IN)}),
)
async def post_hold(
    request: Request, context: ContextIn, principal: PrincipalIn
) -> PlainJsonResponse:
    """What it keeps cannot be erased until it is released; the log records it."""
    raw = await read_body(request, context, hint="Send what to hold, and a reason.")
    wanted = read_request(raw, HoldIn)

    def work() -> PlainJsonResponse:
        hold = place_hold(
            context, wanted.kind, wanted.subject, reason=wanted.reason, actor=principal.actor
        )
        return PlainJsonResponse(hold.to_json())

    return await run_in_threadpool(work)


@ROUTER.get(
    "/v1/holds",
    operation_id="listHolds",
    dependencies=[Depends(require("admin", "audit")), admit(Work.STORE)],
    summary="List legal holds",
    response_model=None,
    responses={200: {"model": HoldListOut}, **problem_responses("MALFORMED_PARAMETER")},
)
def get_holds(
    context: ContextIn,
    *,
    everything: Annotated[bool, Query(alias="all", description="Released holds too.")] = False,
) -> PlainJsonResponse:
    """The oldest first."""
    found = list_holds(context, only_open=not everything)
    return PlainJsonResponse({"holds": [each.to_json() for each in found]})


@ROUTER.post(
    "/v1/holds/{hold_id}/release",
    operation_id="releaseHold",
    dependencies=[Depends(require("admin")), admit(Work.STORE, reads_body=True)],
    summary="Release a legal hold",
    response_model=None,
    responses={
        200: {"model": HoldOut},
        **problem_responses("NOT_FOUND", "MALFORMED_PARAMETER", *_BODY),
    },
    openapi_extra=describe_body("ReleaseIn", {"release": ("Release", RELEASE_IN)}),
)
async def post_release(
    request: Request, context: ContextIn, principal: PrincipalIn, hold_id: str
) -> PlainJsonResponse:
    """Releasing it twice changes nothing."""
    wanted = read_request(await read_body(request, context, hint="Send a reason."), ReleaseIn)

    def work() -> PlainJsonResponse:
        hold = release_hold(context, hold_id, reason=wanted.reason, actor=principal.actor)
        return PlainJsonResponse(hold.to_json())

    return await run_in_threadpool(work)


@ROUTER.get(
    "/v1/retention",
    operation_id="listDue",
    dependencies=[Depends(require("admin", "audit")), admit(Work.BULK)],
    summary="List what the plan of retention lets go",
    response_model=None,
    responses={
        200: {"model": RetentionOut},
        **problem_responses("MALFORMED_PARAMETER"),
    },
)
def get_retention(context: ContextIn) -> PlainJsonResponse:
    """The dry run: nothing goes."""
    return PlainJsonResponse(list_due(context, load_plan(context.settings)).to_json())


@ROUTER.post(
    "/v1/retention",
    operation_id="applyRetention",
    dependencies=[Depends(require("admin")), admit(Work.BULK, reads_body=True)],
    summary="Erase what the plan of retention lets go",
    response_model=None,
    responses={
        200: {"model": RetentionOut},
        **problem_responses("MALFORMED_PARAMETER", *_BODY),
    },
    openapi_extra=describe_body("RetentionIn", {"some": ("At most a thousand", RETENTION_IN)}),
)
async def post_retention(
    request: Request, context: ContextIn, principal: PrincipalIn
) -> PlainJsonResponse:
    """Each thing has its tombstone in the log; a legal hold wins."""
    wanted = read_request(await read_body(request, context, hint="Send a limit."), RetentionIn)

    def work() -> PlainJsonResponse:
        plan = load_plan(context.settings)
        report = apply_plan(context, plan, limit=wanted.limit, actor=principal.actor)
        return PlainJsonResponse(report.to_json())

    return await run_in_threadpool(work)
