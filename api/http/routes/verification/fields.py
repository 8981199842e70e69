"""Field attribution: the context fields that a response uses, and how well they are found."""

from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ContextIn, require
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.body import describe_body, read_body
from spanproof.api.http.requests.caller import waiting_caller
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.fields import (
    LABELLED_EXAMPLE,
    TURN_EXAMPLE,
    FieldCalibrationOut,
    FieldsOut,
)
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.errors import Work
from spanproof.operations.verification.budget import bounded_work
from spanproof.operations.verification.fields import calibrate_rows, describe_turn

_HINT = "Send one turn, or fewer labelled ones."
ROUTER = APIRouter(
    prefix="/v1/fields",
    tags=["fields"],
    dependencies=[
        Depends(require("verify")),
        Depends(require_known_parameters),
        admit(Work.STORE, reads_body=True),
    ],
)


@ROUTER.post(
    "",
    operation_id="findFields",
    summary="Find the fields that an answer uses",
    response_model=None,
    responses={
        200: {"model": FieldsOut},
        **problem_responses(
            "UPLOAD_STALLED",
            "ANSWER_TOO_LARGE",
            "ANSWER_TOO_DENSE",
            "MALFORMED_ANSWER",
            "REQUEST_TOO_COSTLY",
        ),
    },
    openapi_extra=describe_body("TurnIn", {"example": ("Two markers, three fields", TURN_EXAMPLE)}),
)
async def post_fields(request: Request, context: ContextIn) -> PlainJsonResponse:
    """By markers, and by values of each type; only counters are stored."""
    raw = await read_body(request, context, hint=_HINT, takes_turn=False)

    def attribute() -> dict[str, Any]:
        with bounded_work(context.settings, caller.attend):
            return describe_turn(raw, context.metrics)

    async with waiting_caller(request, current_ticket(request)) as caller:
        return PlainJsonResponse(await run_in_threadpool(attribute))


@ROUTER.post(
    "/calibrations",
    operation_id="calibrateFields",
    summary="Measure the matchers on labelled turns",
    response_model=None,
    responses={
        200: {"model": FieldCalibrationOut},
        **problem_responses(
            "UPLOAD_STALLED", "ANSWER_TOO_LARGE", "MALFORMED_LABELS", "REQUEST_TOO_COSTLY"
        ),
    },
    openapi_extra=describe_body(
        "LabelledTurnsIn", {"example": ("Two labelled turns", LABELLED_EXAMPLE)}
    ),
)
async def post_field_calibrations(request: Request, context: ContextIn) -> PlainJsonResponse:
    """Agreement, precision, recall, kappa and a threshold by type; nothing is stored."""
    raw = await read_body(request, context, hint=_HINT, takes_turn=False)

    def calibrate() -> dict[str, Any]:
        with bounded_work(context.settings, caller.attend):
            return calibrate_rows(raw)

    async with waiting_caller(request, current_ticket(request)) as caller:
        return PlainJsonResponse(await run_in_threadpool(calibrate))
