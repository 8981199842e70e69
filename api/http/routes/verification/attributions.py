"""Post-hoc attribution: an answer without citations in, references to spans of its sources out."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ContextIn, require
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.body import describe_body, read_body
from spanproof.api.http.requests.caller import waiting_caller
from spanproof.api.http.requests.parameters import (
    FormatIn,
    PolicyIn,
    require_known_parameters,
)
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.attribution import EXAMPLE_IN, AttributedOut
from spanproof.api.http.wire.problem import problem_responses
from spanproof.core.span import OffsetUnit
from spanproof.operations.errors import Work
from spanproof.operations.verification.attribute import attribute_payload
from spanproof.verifier.attribute.extent import shorten_report
from spanproof.verifier.attribute.references import AttributionReport
from spanproof.verifier.extent import require_short

_HINT = "Send one answer, with fewer or shorter tool results."
ROUTER = APIRouter(
    prefix="/v1/attributions",
    tags=["attributions"],
    dependencies=[
        Depends(require("verify")),
        Depends(require_known_parameters),
        admit(Work.VERIFY, reads_body=True),
    ],
)


@ROUTER.post(
    "",
    operation_id="createAttribution",
    summary="Attribute an answer to its sources",
    response_model=None,
    responses={
        200: {"model": AttributedOut},
        **problem_responses(
            "UPLOAD_STALLED",
            "ANSWER_TOO_LARGE",
            "MALFORMED_ANSWER",
            "ANSWER_TOO_DENSE",
            "REQUEST_TOO_COSTLY",
            "STORE_UNAVAILABLE",
            "MODEL_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body(
        "AttributionIn", {"one search": ("One sentence and one search result", EXAMPLE_IN)}
    ),
)
async def post_attribution(  # noqa: PLR0913 - what a caller may choose
    *,
    request: Request,
    context: ContextIn,
    format: FormatIn = "native",  # noqa: A002 - its name in the contract
    policy: PolicyIn = None,
    posthoc: Annotated[
        Literal["off", "auto", "always"],
        Query(description="auto: only if the answer cites nothing."),
    ] = "always",
    compact: Annotated[
        bool, Query(description="Return only the compact form for storage.")
    ] = False,
    unit: Annotated[
        OffsetUnit, Query(description="Unit of the offsets in the answer.")
    ] = "codepoint",
) -> PlainJsonResponse:
    """Tool results are stored as documents; the answer is not stored."""
    raw = await read_body(request, context, hint=_HINT, takes_turn=False)

    def attribute() -> AttributionReport:
        return attribute_payload(
            context,
            raw,
            format=format,
            policy=policy,
            posthoc=posthoc,
            on_checkpoint=caller.attend,
        )

    async with waiting_caller(request, current_ticket(request)) as caller:
        report = await run_in_threadpool(attribute)
    if compact:
        made = report.to_compact_json(unit)
    else:
        made = shorten_report(report.to_json(unit), size=len(raw))
    return PlainJsonResponse(require_short(made, "/answer", "references", size=len(raw)))
