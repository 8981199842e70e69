"""Production answers: each is stored, and a sample is verified."""

import asyncio
from concurrent.futures import Future
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request, Response
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ContextIn, require, require_own_host
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.body import describe_body, read_body
from spanproof.api.http.requests.idempotency import IdempotencyKey, answer_idempotently
from spanproof.api.http.requests.parameters import (
    FormatIn,
    PolicyIn,
    require_known_parameters,
)
from spanproof.api.http.requests.planned import PlannedRoute
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.answer import EXAMPLE
from spanproof.api.http.wire.problem import problem_responses
from spanproof.api.http.wire.sampling import SubmissionListOut, SubmissionOut
from spanproof.core.errors import SpanproofError
from spanproof.operations.context import Context
from spanproof.operations.errors import ServiceBusyError, Work
from spanproof.operations.idempotency import IdempotentOperation
from spanproof.operations.sampling.intake import SubmissionReport, describe_row, read_submissions
from spanproof.operations.sampling.sampler import Sampler
from spanproof.operations.sampling.submission import Submission, read_submission
from spanproof.operations.tenants import Tenants
from spanproof.store.errors import StoreUnavailableError
from spanproof.store.samples.records import SubmittedAnswer

_HINT = "Send one answer, without its documents' texts."
#: A larger body would block other requests while it is parsed.
_READ_AT_ONCE_BYTES = 32 * 1024
ROUTER = APIRouter(
    prefix="/v1",
    tags=["monitoring"],
    route_class=PlannedRoute,
    # The application's dependencies do not apply to a planned route.
    dependencies=[
        Depends(require_own_host),
        Depends(require("verify")),
        Depends(require_known_parameters),
    ],
)


@ROUTER.post(
    "/answers",
    status_code=202,
    operation_id="submitAnswer",
    summary="Submit a production answer",
    response_model=None,
    dependencies=[Depends(require("verify")), admit(Work.SUBMIT, reads_body=True)],
    responses={
        202: {"model": SubmissionOut},
        **problem_responses(
            "UPLOAD_STALLED",
            "CONFLICT",
            "ANSWER_TOO_LARGE",
            "MALFORMED_ANSWER",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body(
        "AnswerIn", {"one citation": ("One citation by hash, offsets and box", EXAMPLE)}
    ),
)
async def post_answer(  # noqa: PLR0913 - what a caller may choose
    *,
    request: Request,
    context: ContextIn,
    format: FormatIn = "native",  # noqa: A002 - its name in the contract
    policy: PolicyIn = None,
    traceparent: Annotated[
        str | None, Header(description="W3C trace context, used if the answer names no trace.")
    ] = None,
    tracestate: Annotated[
        str | None, Header(description="Explicit randomness of the trace, if it has any.")
    ] = None,
) -> PlainJsonResponse:
    """The answer is stored, and sampled or not; sampled ones are verified in the background."""
    raw = await read_body(request, context, hint=_HINT, takes_turn=False)

    def read() -> Submission:
        return read_submission(
            raw,
            format=format,
            policy=policy,
            default_policy=context.settings.policy,
            trace_parent=traceparent,
            trace_state=tracestate,
        )

    if len(raw) <= _READ_AT_ONCE_BYTES:
        submission = read()
    else:
        await current_ticket(request).take_turn()
        submission = await run_in_threadpool(read)
    sampler = await _find_sampler(request.app.state.tenants, context)
    kept = await asyncio.wrap_future(sampler.submit(submission))
    return PlainJsonResponse(SubmissionReport(answer=kept).to_json(), status_code=202)


@ROUTER.post(
    "/answer-batches",
    status_code=202,
    operation_id="submitAnswers",
    summary="Submit an array of production answers",
    response_model=None,
    dependencies=[Depends(require("verify")), admit(Work.SUBMIT, reads_body=True)],
    responses={
        202: {"model": SubmissionListOut},
        **problem_responses(
            "UPLOAD_STALLED",
            "REQUEST_IN_FLIGHT",
            "ANSWER_TOO_LARGE",
            "MALFORMED_ANSWER",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body("AnswersIn", {"two answers": ("Two answers", [EXAMPLE, EXAMPLE])}),
)
async def post_answers(
    *,
    request: Request,
    context: ContextIn,
    format: FormatIn = "native",  # noqa: A002 - its name in the contract
    policy: PolicyIn = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """At most 256; each is accepted or refused by itself, and all accepted ones are stored."""
    raw = await read_body(request, context, hint="Send fewer answers at once.")
    tenants: Tenants = request.app.state.tenants

    def submit_all(name: str) -> Response:
        found = read_submissions(context, raw, format=format, policy=policy, name=name)
        sampler = tenants.sampler_of(context)
        kept = iter([_submit(sampler, each) for each in found if isinstance(each, Submission)])
        # An answer's error goes to its row; a general error goes to every row.
        rows = [_describe(next(kept) if isinstance(each, Submission) else each) for each in found]
        return PlainJsonResponse({"answers": rows}, status_code=202)

    # An answer sent again under its id gives the stored one.
    work = IdempotentOperation(perform=submit_all, replay=submit_all, is_done=lambda _name: True)
    return await answer_idempotently(request, context, idempotency_key, raw, work)


def _describe(found: Future[SubmittedAnswer] | SpanproofError) -> dict[str, Any]:
    """A row, once it is decided."""
    if isinstance(found, SpanproofError):
        return describe_row(found)
    return describe_row(found.exception() or found.result())


def _submit(sampler: Sampler, submission: Submission) -> Future[SubmittedAnswer]:
    """The decision about one of several answers; a lack of room does not undo earlier ones."""
    try:
        return sampler.submit(submission)
    except (ServiceBusyError, StoreUnavailableError) as error:
        refused: Future[SubmittedAnswer] = Future()
        refused.set_exception(error)
        return refused


async def _find_sampler(tenants: Tenants, context: Context) -> Sampler:
    """The sampler; its first use starts its thread without blocking the event loop."""
    running = tenants.find_sampler(context.tenant)
    if running is not None:
        return running
    return await run_in_threadpool(tenants.sampler_of, context)
