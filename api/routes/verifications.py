"""Verifications: made of an answer's payload, shown again, listed."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from api.operations.receipts import show_receipt
from api.operations.verifications import (
    list_verifications,
    show_feedback,
    show_verification,
)
from api.operations.verify import RepairChoice, Verification, verify_payload
from api.responses import PlainJsonResponse, file_response
from api.routes.access import Cursor, Limit, ServicesIn, read_filter_digest, read_filter_moment
from api.routes.body import describe_body, read_body
from api.routes.parameters import require_known_parameters
from api.wire.answer import EXAMPLE
from api.wire.problem import problem_responses
from api.wire.receipt import EXAMPLE as RECEIPT
from api.wire.verification import FeedbackOut, VerificationListOut, VerificationOut
from core.verdict import Outcome
from receipt.bundle import MEDIA_TYPE
from store.records import VerificationFilter

_HINT = "Send one answer, without its documents' texts."
ROUTER = APIRouter(
    prefix="/v1/verifications",
    tags=["verifications"],
    dependencies=[Depends(require_known_parameters)],
)


@ROUTER.post(
    "",
    summary="Verify an answer",
    response_model=None,
    responses={
        200: {"model": VerificationOut},
        **problem_responses("POST /v1/verifications", 408, 413, 422, 503),
    },
    openapi_extra=describe_body(
        "AnswerIn", {"one citation": ("One citation by hash, offsets and box", EXAMPLE)}
    ),
)
async def post_verification(  # noqa: PLR0913 - what a caller may choose
    *,
    request: Request,
    services: ServicesIn,
    format: Annotated[  # noqa: A002 - the parameter's name in the contract
        str, Query(description="How the payload is written.", examples=["native"])
    ] = "native",
    policy: Annotated[
        str | None, Query(description="Wins over the answer's own.", examples=["balanced"])
    ] = None,
    repair: Annotated[
        bool, Query(description="Attach entailing spans where the answer cites nothing.")
    ] = False,
    repair_sentences: Annotated[
        bool, Query(description="Also to single sentences that cite nothing.")
    ] = False,
) -> PlainJsonResponse:
    """The same payload plus ``verification`` and its ``receipt``; all of it is kept and logged."""
    raw = await read_body(request, services, hint=_HINT)

    wanted = repair or repair_sentences
    choice = RepairChoice(sentences=repair_sentences) if wanted else None

    def verify() -> Verification:
        return verify_payload(services, raw, format=format, policy=policy, repair=choice)

    verification = await run_in_threadpool(verify)
    return PlainJsonResponse(
        verification.response,
        headers={"Content-Location": f"/v1/verifications/{verification.verification_id}"},
    )


@ROUTER.get(
    "",
    summary="The verifications that are kept, newest first",
    response_model=None,
    responses={200: {"model": VerificationListOut}, **problem_responses("/v1/verifications", 422)},
)
def get_verifications(  # noqa: PLR0913 - one parameter a filter
    *,
    services: ServicesIn,
    doc_hash: Annotated[str | None, Query(description="Cites this document.")] = None,
    page: Annotated[int | None, Query(ge=1, le=10**9, description="Cites this page.")] = None,
    outcome: Annotated[Outcome | None, Query(description="Has such a verdict.")] = None,
    result: Annotated[Outcome | None, Query(description="Came to this.")] = None,
    code: Annotated[str | None, Query(examples=["EXISTENCE_ALTERED"])] = None,
    since: Annotated[datetime | None, Query(description="Verified at or after.")] = None,
    until: Annotated[datetime | None, Query(description="Verified before.")] = None,
    generator_model: str | None = None,
    prompt_id: str | None = None,
    index_version: str | None = None,
    answer_id: str | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> PlainJsonResponse:
    """``doc_hash``, ``page``, ``outcome``, ``code`` and ``index_version`` hold of one verdict."""
    wanted = VerificationFilter(
        doc_hash=read_filter_digest(doc_hash),
        page=page,
        outcome=outcome,
        result=result,
        code=code,
        since=read_filter_moment(since),
        until=read_filter_moment(until),
        generator_model=generator_model,
        prompt_id=prompt_id,
        index_version=index_version,
        answer_id=answer_id,
    )
    return PlainJsonResponse(
        list_verifications(services, wanted, cursor=cursor, limit=limit).to_json()
    )


@ROUTER.get(
    "/{verification_id}",
    summary="One verification",
    response_model=None,
    responses={200: {"model": VerificationOut}, **problem_responses("/v1/verifications", 404, 422)},
)
def get_verification(services: ServicesIn, verification_id: str) -> PlainJsonResponse:
    """What its ``POST`` answered."""
    return PlainJsonResponse(show_verification(services, verification_id))


@ROUTER.get(
    "/{verification_id}/receipt",
    summary="The receipt of a verification",
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
        304: {"description": "It is the one that the caller has."},
        **problem_responses("receipt /v1/verifications", 404, 422),
    },
)
def get_receipt(
    services: ServicesIn,
    verification_id: str,
    if_none_match: Annotated[
        str | None, Header(description="An ETag that was answered before.")
    ] = None,
) -> Response:
    """A Sigstore bundle v0.3, byte for byte as it was first answered; see docs/receipts.md."""
    receipt = show_receipt(services, verification_id)
    return file_response(
        receipt.content,
        MEDIA_TYPE,
        filename=receipt.filename,
        digest=receipt.digest,
        known=if_none_match,
    )


@ROUTER.get(
    "/{verification_id}/feedback",
    summary="What a regeneration of the answer has to mend",
    response_model=None,
    responses={200: {"model": FeedbackOut}, **problem_responses("/v1/verifications", 404, 422)},
)
def get_feedback(services: ServicesIn, verification_id: str) -> PlainJsonResponse:
    """One item a fault, in the order of the prose; empty where nothing needs mending."""
    return PlainJsonResponse(show_feedback(services, verification_id))
