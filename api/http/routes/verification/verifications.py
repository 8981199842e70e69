"""Verifications: verify an answer, show and list verifications."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request, Response

from spanproof.api.http.requests.access import ContextIn, PrincipalIn, require
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.body import describe_body, read_body
from spanproof.api.http.requests.caller import waiting_caller
from spanproof.api.http.requests.idempotency import IdempotencyKey, answer_idempotently
from spanproof.api.http.requests.listing import (
    FilterIn,
    FormIn,
    ListShape,
    describe_forms,
    list_response,
)
from spanproof.api.http.requests.parameters import (
    FormatIn,
    PolicyIn,
    require_known_parameters,
)
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.requests.uploads import APPLIED, Prefer, answer_started, prefers_async
from spanproof.api.http.responses import PlainJsonResponse, file_response
from spanproof.api.http.wire.answer import EXAMPLE
from spanproof.api.http.wire.job import JobOut
from spanproof.api.http.wire.problem import problem_responses
from spanproof.api.http.wire.receipt import EXAMPLE as RECEIPT
from spanproof.api.http.wire.verification import FeedbackOut, VerificationListOut, VerificationOut
from spanproof.operations.errors import Work
from spanproof.operations.idempotency import IdempotentOperation
from spanproof.operations.jobs import Job
from spanproof.operations.jobs.queueing import start_verification
from spanproof.operations.presentation.listed import VERIFICATION_COLUMNS
from spanproof.operations.receipts.stored import show_receipt
from spanproof.operations.verification.answer_array import is_array
from spanproof.operations.verification.once import is_finished
from spanproof.operations.verification.request import (
    MOST_DEADLINE_MS,
    Deadline,
    Mode,
    VerificationRequest,
    choose_repair,
)
from spanproof.operations.verification.stored import (
    list_verifications,
    show_feedback,
    show_verification,
)
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.forms.bundle import MEDIA_TYPE

_HINT = "Send one answer, without its documents' texts."
ROUTER = APIRouter(
    prefix="/v1/verifications",
    tags=["verifications"],
    dependencies=[Depends(require_known_parameters)],
)


@ROUTER.post(
    "",
    dependencies=[Depends(require("verify")), admit(Work.VERIFY, reads_body=True)],
    operation_id="createVerification",
    summary="Verify an answer",
    response_model=None,
    responses={
        200: {"model": VerificationOut},
        202: {"model": JobOut, "description": "Queued; poll the job for the result."},
        **problem_responses(
            "UPLOAD_STALLED",
            "REQUEST_IN_FLIGHT",
            "VERIFICATION_ERASED",
            "ANSWER_TOO_LARGE",
            "MALFORMED_PARAMETER",
            "MALFORMED_ANSWER",
            "ANSWER_TOO_DENSE",
            "STORE_UNAVAILABLE",
            "LOG_STOPPED",
        ),
    },
    openapi_extra=describe_body(
        "AnswerIn", {"one citation": ("One citation by hash, offsets and box", EXAMPLE)}
    ),
)
async def post_verification(  # noqa: PLR0913 - what a caller may choose
    *,
    request: Request,
    context: ContextIn,
    principal: PrincipalIn,
    format: FormatIn = "native",  # noqa: A002 - its name in the contract
    policy: PolicyIn = None,
    repair: Annotated[
        bool, Query(description="If the answer cites nothing, attach spans that support it.")
    ] = False,
    repair_sentences: Annotated[
        bool, Query(description="Also attach spans to single sentences without citations.")
    ] = False,
    attribute: Annotated[
        bool,
        Query(
            description="If the answer cites nothing, judge each sentence by all texts. The result "
            "is at best review."
        ),
    ] = False,
    mode: Annotated[
        Mode,
        Query(
            description="mechanical uses no model: support is NOT_RUN(mechanical). async answers "
            "202 with a job."
        ),
    ] = "full",
    deadline_ms: Annotated[
        int | None,
        Query(
            ge=1,
            le=MOST_DEADLINE_MS,
            description="Claims that the model has not judged by then are NOT_RUN(deadline).",
            examples=[2000],
        ),
    ] = None,
    prefer: Prefer = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Returns the payload plus ``verification`` and ``receipt``; all of it is stored and logged.

    An array of answers, or ``mode=async``, is queued as a job that verifies in full;
    ``mode=mechanical`` and ``deadline_ms`` are for synchronous requests.
    """
    asked = VerificationRequest(
        format=format,
        policy=policy,
        repair=choose_repair(repair=repair, sentences=repair_sentences, attribute=attribute),
        actor=principal.actor,
        # The clock starts here: it includes reading the body and waiting for a place.
        deadline=Deadline.of(mode, deadline_ms),
    )
    raw = await read_body(request, context, hint=_HINT, takes_turn=False)

    def start(name: str) -> Job:
        return start_verification(context, raw, asked, seed=name)

    def verify(name: str) -> Response:
        wanted = replace(asked, verification_id=name, on_checkpoint=caller.attend)
        made = verify_payload(context, raw, wanted)
        return _to_response(made.verification_id, made.response)

    if mode == "async" or is_array(raw):
        return await answer_started(request, context, idempotency_key, raw, start)
    if prefers_async(prefer):
        # With a key, an asynchronous request differs from the same synchronous one.
        given = raw + b"\0respond-async"
        response = await answer_started(request, context, idempotency_key, given, start)
        response.headers.update(APPLIED)
        return response
    judged = IdempotentOperation(
        perform=verify,
        replay=lambda name: _to_response(name, show_verification(context, name)),
        is_done=lambda name: is_finished(context, name),
    )
    async with waiting_caller(request, current_ticket(request)) as caller:
        return await answer_idempotently(request, context, idempotency_key, raw, judged)


_SHAPE = ListShape(name="verifications", columns=VERIFICATION_COLUMNS)


@ROUTER.get(
    "",
    dependencies=[
        Depends(require("read", "audit")),
        admit(Work.STORE),
        Depends(recorded("answers")),
    ],
    operation_id="listVerifications",
    summary="List verifications, newest first",
    response_model=None,
    responses={
        200: {
            "model": VerificationListOut,
            "content": describe_forms("VerificationRowOut"),
        },
        **problem_responses("MALFORMED_PARAMETER"),
    },
)
def get_verifications(
    *, request: Request, context: ContextIn, wanted: FilterIn, page: FormIn
) -> Response:
    """``doc_hash``, page, span, outcome, code and ``index_version`` apply to the same verdict."""
    found = list_verifications(context, wanted, cursor=page.cursor, limit=page.limit).to_json()
    return list_response(
        request,
        found["verifications"],
        found["next_cursor"],
        form=page.format,
        shape=_SHAPE,
    )


@ROUTER.get(
    "/{verification_id}",
    dependencies=[
        Depends(require("read", "audit")),
        admit(Work.STORE),
        Depends(recorded("answer", "verification_id")),
    ],
    operation_id="getVerification",
    summary="One verification",
    response_model=None,
    responses={
        200: {"model": VerificationOut},
        **problem_responses("VERIFICATION_NOT_FOUND", "VERIFICATION_ERASED", "MALFORMED_PARAMETER"),
    },
)
def get_verification(context: ContextIn, verification_id: str) -> PlainJsonResponse:
    """The response of its ``POST``."""
    return PlainJsonResponse(show_verification(context, verification_id))


@ROUTER.get(
    "/{verification_id}/receipt",
    dependencies=[
        Depends(require("read", "audit")),
        admit(Work.STORE),
        Depends(recorded("answer", "verification_id")),
    ],
    operation_id="getReceipt",
    summary="Show the receipt of a verification",
    response_class=Response,
    responses={
        200: {
            "content": {
                MEDIA_TYPE: {
                    "schema": {"$ref": "#/components/schemas/ReceiptOut"},
                    "example": RECEIPT,
                }
            }
        },
        304: {"description": "The caller has it already."},
        **problem_responses("VERIFICATION_NOT_FOUND", "RECEIPT_NOT_FOUND", "MALFORMED_PARAMETER"),
    },
)
def get_receipt(
    context: ContextIn,
    verification_id: str,
    if_none_match: Annotated[
        str | None, Header(description="The ETag of an earlier answer.")
    ] = None,
) -> Response:
    """A Sigstore bundle v0.3, always the same bytes; see docs/reference/receipts.md."""
    receipt = show_receipt(context, verification_id)
    return file_response(
        receipt.content,
        MEDIA_TYPE,
        filename=receipt.filename,
        digest=receipt.digest,
        known=if_none_match,
    )


@ROUTER.get(
    "/{verification_id}/feedback",
    dependencies=[
        Depends(require("read", "audit")),
        admit(Work.STORE),
        Depends(recorded("answer", "verification_id")),
    ],
    operation_id="getFeedback",
    summary="List what a regenerated answer must fix",
    response_model=None,
    responses={
        200: {"model": FeedbackOut},
        **problem_responses(
            "VERIFICATION_NOT_FOUND",
            "VERIFICATION_ERASED",
            "WORDS_NOT_KEPT",
            "MALFORMED_PARAMETER",
        ),
    },
)
def get_feedback(context: ContextIn, verification_id: str) -> PlainJsonResponse:
    """One item per problem, in the order of the prose; empty without problems."""
    return PlainJsonResponse(show_feedback(context, verification_id))


def _to_response(verification_id: str, content: dict[str, Any]) -> Response:
    headers = {"Content-Location": f"/v1/verifications/{verification_id}"}
    return PlainJsonResponse(content, headers=headers)
