"""Decisions of people on the citations of a verification."""

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import (
    ContextIn,
    PrincipalIn,
    read_filter_moment,
    require,
)
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import describe_body, read_body, read_request
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.decision import (
    ACCEPT_IN,
    CONFIRM_IN,
    DecisionIn,
    DecisionListOut,
    DecisionOut,
)
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.decisions import DecisionOrder, record_decision, report_decisions
from spanproof.operations.errors import Work

ROUTER = APIRouter(
    prefix="/v1/verifications",
    tags=["verifications"],
    dependencies=[Depends(require_known_parameters)],
)
_MISSING = ("VERIFICATION_NOT_FOUND", "VERIFICATION_ERASED", "MALFORMED_PARAMETER")


@ROUTER.post(
    "/{verification_id}/decisions",
    operation_id="createDecision",
    dependencies=[Depends(require("audit")), admit(Work.STORE, reads_body=True)],
    summary="Decide on a citation",
    response_model=None,
    responses={
        200: {"model": DecisionOut},
        **problem_responses(
            *_MISSING,
            "CONFLICT",
            "UPLOAD_STALLED",
            "ANSWER_TOO_LARGE",
            "STORE_UNAVAILABLE",
            "LOG_STOPPED",
        ),
    },
    openapi_extra=describe_body(
        "DecisionIn", {"accept": ("Accept", ACCEPT_IN), "confirm": ("Confirm", CONFIRM_IN)}
    ),
)
async def post_decision(
    request: Request, context: ContextIn, principal: PrincipalIn, verification_id: str
) -> PlainJsonResponse:
    """Signed and logged with the caller's identity; the same again changes nothing."""
    raw = await read_body(request, context, hint="Send one decision, and its reason.")
    wanted = read_request(raw, DecisionIn)
    order = DecisionOrder(
        action=wanted.action,
        reason=wanted.reason,
        citation=wanted.citation,
        about=wanted.about,
        expires=read_filter_moment(wanted.expires),
    )

    def work() -> PlainJsonResponse:
        made = record_decision(context, verification_id, order, actor=principal.actor)
        return PlainJsonResponse(made.to_json())

    return await run_in_threadpool(work)


@ROUTER.get(
    "/{verification_id}/decisions",
    operation_id="listDecisions",
    dependencies=[
        Depends(require("read", "audit")),
        admit(Work.STORE),
        Depends(recorded("answer", "verification_id")),
    ],
    summary="List the decisions on a verification",
    response_model=None,
    responses={200: {"model": DecisionListOut}, **problem_responses(*_MISSING)},
)
def get_decisions(context: ContextIn, verification_id: str) -> PlainJsonResponse:
    """The oldest first, and what holds of each citation now."""
    return PlainJsonResponse(report_decisions(context, verification_id))
