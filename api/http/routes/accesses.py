"""The access log of evidence: its days, and the lines of one."""

from fastapi import APIRouter, Depends, Response

from spanproof.api.http.requests.access import ContextIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.listing import CSV, NDJSON, As, describe_forms
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.accesses import AccessDayListOut, AccessListOut
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.accesses import COLUMNS, list_accesses, list_days
from spanproof.operations.errors import Work
from spanproof.operations.presentation.listed import write_csv, write_ndjson

ROUTER = APIRouter(
    prefix="/v1/accesses",
    tags=["log"],
    dependencies=[
        Depends(require("audit")),
        Depends(require_known_parameters),
        admit(Work.BULK),
    ],
)


@ROUTER.get(
    "",
    operation_id="listAccessDays",
    summary="List the days of the access log",
    response_model=None,
    responses={200: {"model": AccessDayListOut}, **problem_responses("MALFORMED_PARAMETER")},
)
def get_days(context: ContextIn) -> PlainJsonResponse:
    """The oldest first, each with the digest over its lines."""
    return PlainJsonResponse({"days": list_days(context)})


@ROUTER.get(
    "/{day}",
    dependencies=[Depends(recorded("accesses", "day"))],
    operation_id="listAccesses",
    summary="List who asked for evidence on a day",
    response_model=None,
    responses={
        200: {"model": AccessListOut, "content": describe_forms("AccessOut")},
        **problem_responses("MALFORMED_PARAMETER", "MALFORMED_INPUT"),
    },
)
def get_accesses(context: ContextIn, day: str, format: As = "json") -> Response:  # noqa: A002 - the query's name
    """A UTC day, such as 2026-11-23; as JSON, NDJSON or CSV."""
    rows = list_accesses(context, day)
    if format == "json":
        return PlainJsonResponse({"accesses": rows})
    if format == "ndjson":
        return Response(write_ndjson(rows), media_type=NDJSON)
    headers = {"Content-Disposition": f'attachment; filename="accesses-{day}.csv"'}
    return Response(write_csv(rows, COLUMNS), media_type=CSV, headers=headers)
