"""Field attribution: a turn in, the fields that it draws on out; and what that is worth."""

from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from api.errors import AnswerTooLargeError
from api.limits import read_chunks
from api.operations.fields import attribute_turn
from api.operations.fields_calibrate import calibrate_rows
from api.responses import PlainJsonResponse
from api.routes.access import ServicesIn
from api.routes.parameters import require_known_parameters
from api.wire.fields import LABELLED_EXAMPLE, TURN_EXAMPLE, FieldCalibrationOut, FieldsOut
from api.wire.problem import problem_responses
from verifier.fields.report import report_to_json

ROUTER = APIRouter(
    prefix="/v1/fields", tags=["fields"], dependencies=[Depends(require_known_parameters)]
)


def _describe_body(shape: str, summary: str, example: dict[str, Any]) -> dict[str, Any]:
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": f"#/components/schemas/{shape}"},
                    "examples": {"example": {"summary": summary, "value": example}},
                }
            },
        }
    }


@ROUTER.post(
    "",
    summary="The fields that an answer draws on",
    response_model=None,
    responses={
        200: {"model": FieldsOut},
        **problem_responses("POST /v1/fields", 408, 413, 422),
    },
    openapi_extra=_describe_body("TurnIn", "Two markers, three fields", TURN_EXAMPLE),
)
async def post_fields(request: Request, services: ServicesIn) -> PlainJsonResponse:
    """Markers, and values found by their types; nothing is kept but counters."""
    raw = await _read_body(request, services)

    def attribute() -> dict[str, Any]:
        return report_to_json(attribute_turn(raw, services.metrics))

    return PlainJsonResponse(await run_in_threadpool(attribute))


@ROUTER.post(
    "/calibrations",
    summary="What the matchers are worth on labelled turns",
    response_model=None,
    responses={
        200: {"model": FieldCalibrationOut},
        **problem_responses("POST /v1/fields/calibrations", 408, 413, 422),
    },
    openapi_extra=_describe_body("LabelledTurnsIn", "Two labelled turns", LABELLED_EXAMPLE),
)
async def post_field_calibrations(request: Request, services: ServicesIn) -> PlainJsonResponse:
    """Agreement, precision, recall, kappa and a threshold by type; nothing is kept."""
    raw = await _read_body(request, services)
    return PlainJsonResponse(await run_in_threadpool(calibrate_rows, raw))


async def _read_body(request: Request, services: ServicesIn) -> bytes:
    settings = services.settings
    chunks = [
        chunk
        async for chunk in read_chunks(
            request,
            cap=settings.max_answer_bytes,
            too_large=_to_too_large,
            stall_seconds=settings.stall_seconds,
            total_seconds=settings.upload_seconds,
        )
    ]
    return b"".join(chunks)


def _to_too_large(cap: int, got: int) -> AnswerTooLargeError:
    msg = f"Expected at most {cap} bytes, got {got} or more."
    return AnswerTooLargeError(msg, hint="Send one turn, or fewer labelled ones.")
