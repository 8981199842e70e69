"""Error rates in production with their alarms, and the review queue."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ContextIn, Limit, PrincipalIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import describe_body, read_body
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.problem import problem_responses
from spanproof.api.http.wire.sampling import LABEL_EXAMPLE, RatesOut, ReviewListOut, ReviewOut
from spanproof.operations.errors import Work
from spanproof.operations.sampling.rates import By, compute_rates
from spanproof.operations.sampling.reviews import (
    describe_review,
    label_answer,
    list_reviews,
    read_label,
)
from spanproof.store.samples.counts import SampleFilter

ROUTER = APIRouter(tags=["monitoring"], dependencies=[Depends(require_known_parameters)])


def _read_filter(
    epoch: Annotated[str | None, Query(examples=["epoch-1"])] = None,
    model: str | None = None,
    index_version: str | None = None,
    stratum: str | None = None,
) -> SampleFilter:
    return SampleFilter(epoch=epoch, model=model, index_version=index_version, stratum=stratum)


@ROUTER.get(
    "/v1/rates",
    operation_id="getRates",
    summary="Show error rates and alarms",
    response_model=None,
    dependencies=[Depends(require("read", "audit")), admit(Work.STORE)],
    responses={
        200: {"model": RatesOut},
        **problem_responses("MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_rates(
    *,
    context: ContextIn,
    by: Annotated[By, Query(description="What to group by.")] = "all",
    wanted: Annotated[SampleFilter, Depends(_read_filter)],
) -> PlainJsonResponse:
    """``judge_flagged`` is what the verifier reports, ``true_rate`` what people's labels show."""
    return PlainJsonResponse(compute_rates(context, by=by, wanted=wanted).to_json())


@ROUTER.get(
    "/v1/reviews",
    operation_id="listReviews",
    summary="List the answers to review",
    response_model=None,
    dependencies=[
        Depends(require("audit")),
        admit(Work.STORE),
        Depends(recorded("answers")),
    ],
    responses={
        200: {"model": ReviewListOut},
        **problem_responses("NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_reviews(
    *,
    context: ContextIn,
    all: Annotated[  # noqa: A002 - the parameter's name
        bool, Query(description="Include answers that already have a label.")
    ] = False,
    after: Annotated[str | None, Query(description="next_after of the previous page.")] = None,
    limit: Limit = 50,
) -> PlainJsonResponse:
    """In the order of the draw, so that the first labels are a random sample too."""
    page = list_reviews(context, only_open=not all, after=after, limit=limit)
    return PlainJsonResponse(page.to_json())


@ROUTER.get(
    "/v1/reviews/{answer_id:path}",
    operation_id="getReview",
    summary="Show an answer of the queue with its labels",
    response_model=None,
    dependencies=[
        Depends(require("audit")),
        admit(Work.STORE),
        Depends(recorded("answer", "answer_id")),
    ],
    responses={
        200: {"model": ReviewOut},
        **problem_responses("NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_review(context: ContextIn, answer_id: str) -> PlainJsonResponse:
    """Its verification is at ``/v1/verifications/{verification_id}``."""
    return PlainJsonResponse(describe_review(context.store.samples.reviews.load(answer_id)))


@ROUTER.post(
    "/v1/reviews/{answer_id:path}",
    operation_id="labelReview",
    summary="Label an answer of the queue",
    response_model=None,
    dependencies=[Depends(require("audit")), admit(Work.STORE, reads_body=True)],
    responses={
        200: {"model": ReviewOut},
        **problem_responses(
            "NOT_FOUND",
            "UPLOAD_STALLED",
            "ANSWER_TOO_LARGE",
            "MALFORMED_PARAMETER",
            "MALFORMED_INPUT",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body("LabelIn", {"wrong": ("One claim is wrong", LABEL_EXAMPLE)}),
)
async def post_review(
    request: Request, context: ContextIn, principal: PrincipalIn, answer_id: str
) -> PlainJsonResponse:
    """Labels are added, never changed; those of several reviewers may differ, and all are shown."""
    raw = await read_body(request, context, hint="Give the reason in a few sentences.")
    given = read_label(raw, principal.actor)
    review = await run_in_threadpool(label_answer, context, answer_id, given)
    return PlainJsonResponse(describe_review(review))
