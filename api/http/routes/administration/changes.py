"""Changes of the policy: rehearsed on kept answers, approved by two keys, taken back by one."""

from datetime import UTC, datetime

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ANY_SCOPE, ContextIn, PrincipalIn, require
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.body import describe_body, read_body, read_request
from spanproof.api.http.requests.caller import waiting_caller
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.changes import (
    PIN_IN,
    REHEARSAL_IN,
    PolicyPinIn,
    PolicyPinListOut,
    PolicyPinOut,
    RehearsalIn,
    RehearsalOut,
)
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.citations.policies import approve_policy, read_pin, roll_back
from spanproof.operations.errors import Work
from spanproof.operations.replay.rehearsal import rehearse
from spanproof.operations.verification.budget import awaited_work
from spanproof.verifier.formats.grammars.table import GRAMMARS

ROUTER = APIRouter(tags=["configuration"], dependencies=[Depends(require_known_parameters)])
_BODY = ("UPLOAD_STALLED", "ANSWER_TOO_LARGE", "STORE_UNAVAILABLE")


@ROUTER.post(
    "/v1/rehearsals",
    operation_id="rehearse",
    dependencies=[
        Depends(require("admin")),
        admit(Work.BULK, reads_body=True),
        Depends(recorded("answers")),
    ],
    summary="Try a policy on kept answers",
    response_model=None,
    responses={
        200: {"model": RehearsalOut},
        **problem_responses("MALFORMED_PARAMETER", "MODEL_UNAVAILABLE", *_BODY),
    },
    openapi_extra=describe_body("RehearsalIn", {"strict": ("Try strict", REHEARSAL_IN)}),
)
async def post_rehearsal(request: Request, context: ContextIn) -> PlainJsonResponse:
    """Judge kept answers by a policy, with the service's model; nothing is kept or logged."""
    raw = await read_body(request, context, hint="Send a policy.", takes_turn=False)
    wanted = read_request(raw, RehearsalIn)

    def work() -> PlainJsonResponse:
        with awaited_work(caller.attend):
            found = rehearse(context, policy=wanted.policy, limit=wanted.limit)
        return PlainJsonResponse(found.to_json())

    async with waiting_caller(request, current_ticket(request)) as caller:
        return await run_in_threadpool(work)


@ROUTER.get(
    "/v1/configuration/policies",
    operation_id="listPolicyPins",
    dependencies=[Depends(ANY_SCOPE), admit(Work.STORE)],
    summary="List the policies pinned to grammars",
    response_model=None,
    responses={200: {"model": PolicyPinListOut}, **problem_responses("MALFORMED_PARAMETER")},
)
def get_policy_pins(context: ContextIn) -> PlainJsonResponse:
    """What holds, and what waits for a second key."""
    return PlainJsonResponse({"policies": [read_pin(context, g).to_json() for g in GRAMMARS]})


@ROUTER.post(
    "/v1/configuration/policies/{grammar}",
    operation_id="approvePolicy",
    dependencies=[Depends(require("admin")), admit(Work.STORE, reads_body=True)],
    summary="Propose a policy, or approve it as the second key",
    response_model=None,
    responses={
        200: {"model": PolicyPinOut},
        **problem_responses("MALFORMED_PARAMETER", "CONFLICT", *_BODY),
    },
    openapi_extra=describe_body("PolicyPinIn", {"strict": ("Pin strict", PIN_IN)}),
)
async def post_policy_pin(
    request: Request, context: ContextIn, principal: PrincipalIn, grammar: str
) -> PlainJsonResponse:
    """It holds once a second key has sent the same; the log names each step and its key."""
    wanted = read_request(await read_body(request, context, hint="Send a policy."), PolicyPinIn)
    key_id = principal.actor.key_id

    def work() -> PlainJsonResponse:
        now = datetime.now(UTC)
        pin = approve_policy(context, grammar, wanted.policy, key_id=key_id, now=now)
        return PlainJsonResponse(pin.to_json())

    return await run_in_threadpool(work)


@ROUTER.post(
    "/v1/configuration/policies/{grammar}/roll-back",
    operation_id="rollBackPolicy",
    dependencies=[Depends(require("admin")), admit(Work.STORE)],
    summary="Let the policy before the pinned one hold again",
    response_model=None,
    responses={
        200: {"model": PolicyPinOut},
        **problem_responses("MALFORMED_PARAMETER", "CONFLICT", "STORE_UNAVAILABLE"),
    },
)
def post_roll_back(context: ContextIn, principal: PrincipalIn, grammar: str) -> PlainJsonResponse:
    """One key is enough: that policy was in force before."""
    key_id, now = principal.actor.key_id, datetime.now(UTC)
    return PlainJsonResponse(roll_back(context, grammar, key_id=key_id, now=now).to_json())
