"""Rates of production with their alarms, and the queue of answers for people."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import Limit, ServicesIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import describe_body, read_body
from spanproof.api.http.requests.parameters import require_known_parameters
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


@ROUTER.get(
    "/v1/rates",
    summary="What the judge flags, what is true by people's labels, and the alarms",
    response_model=None,
    dependencies=[Depends(require("read", "audit")), admit(Work.STORE)],
    responses={
        200: {"model": RatesOut},
        **problem_responses("MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_rates(  # noqa: PLR0913 - one parameter a filter
    *,
    services: ServicesIn,
    by: Annotated[By, Query(description="What groups differ in.")] = "all",
    epoch: Annotated[str | None, Query(examples=["epoch-1"])] = None,
    model: str | None = None,
    index_version: str | None = None,
    stratum: str | None = None,
) -> PlainJsonResponse:
    """Intervals hold 95 times in 100; ``judge_flagged`` is the judge's opinion, not the truth."""
    wanted = SampleFilter(epoch=epoch, model=model, index_version=index_version, stratum=stratum)
    return PlainJsonResponse(compute_rates(services, by=by, wanted=wanted).to_json())


@ROUTER.get(
    "/v1/reviews",
    summary="Answers that people are asked about",
    response_model=None,
    dependencies=[Depends(require("audit")), admit(Work.STORE)],
    responses={
        200: {"model": ReviewListOut},
        **problem_responses("NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_reviews(
    *,
    services: ServicesIn,
    all: Annotated[  # noqa: A002 - the parameter's name
        bool, Query(description="Also those that somebody has labelled.")
    ] = False,
    after: Annotated[str | None, Query(description="next_after of the page before.")] = None,
    limit: Limit = 50,
) -> PlainJsonResponse:
    """In the order of the draw, so that whatever part is labelled first is a sample too."""
    page = list_reviews(services, only_open=not all, after=after, limit=limit)
    return PlainJsonResponse(page.to_json())


@ROUTER.get(
    "/v1/reviews/{answer_id:path}",
    summary="One answer of the queue, with what people said of it",
    response_model=None,
    dependencies=[Depends(require("audit")), admit(Work.STORE)],
    responses={
        200: {"model": ReviewOut},
        **problem_responses("NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_review(services: ServicesIn, answer_id: str) -> PlainJsonResponse:
    """Its verification is at ``/v1/verifications/{verification_id}``."""
    return PlainJsonResponse(describe_review(services.store.samples.reviews.load(answer_id)))


@ROUTER.post(
    "/v1/reviews/{answer_id:path}",
    summary="Say what an answer of the queue is",
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
async def post_review(request: Request, services: ServicesIn, answer_id: str) -> PlainJsonResponse:
    """A label is added, never changed; another person's may differ, and that is shown."""
    raw = await read_body(request, services, hint="Say why in a few sentences.")
    given = read_label(raw)
    review = await run_in_threadpool(label_answer, services, answer_id, given)
    return PlainJsonResponse(describe_review(review))
