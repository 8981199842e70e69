"""Drift as a job: check it, and verify affected answers again."""

from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from spanproof.api.http.requests.access import ContextIn, PrincipalIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import check_choice, describe_body, read_body, read_request
from spanproof.api.http.requests.idempotency import IdempotencyKey
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.uploads import answer_started
from spanproof.api.http.wire.index import (
    DRIFT_CHECK_IN,
    EXTRACTION_CHECK_IN,
    REVERIFICATION_IN,
    DriftCheckIn,
    ReverificationIn,
)
from spanproof.api.http.wire.job import JobOut
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.errors import Work
from spanproof.operations.jobs.queueing import DriftRequest, start_drift, start_reverification

ROUTER = APIRouter(
    prefix="/v1",
    tags=["indexes"],
    dependencies=[
        Depends(require("verify")),
        Depends(require_known_parameters),
        admit(Work.STORE, reads_body=True),
    ],
)
_QUEUED: dict[int | str, Any] = {
    202: {"model": JobOut, "description": "Queued; poll the job for the result."}
}


@ROUTER.post(
    "/drift-checks",
    status_code=202,
    operation_id="createDriftCheck",
    summary="Check what a new index or extraction does to citations",
    response_model=None,
    responses={
        **_QUEUED,
        **problem_responses(
            "INDEX_NOT_FOUND",
            "EXTRACTION_NOT_FOUND",
            "UPLOAD_STALLED",
            "REQUEST_IN_FLIGHT",
            "DOCUMENT_ERASED",
            "ANSWER_TOO_LARGE",
            "MALFORMED_PARAMETER",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body(
        "DriftCheckIn",
        {
            "versions": ("Two versions of an index", DRIFT_CHECK_IN),
            "extractions": ("Two extractions of a document", EXTRACTION_CHECK_IN),
        },
    ),
)
async def post_drift_check(
    request: Request, context: ContextIn, idempotency_key: IdempotencyKey = None
) -> Response:
    """Compared with the budget; for extractions, one row per stored citation with its new place."""
    raw = await read_body(request, context, hint="Send one pair of versions.")
    given = read_request(raw, DriftCheckIn)
    _check_versions(given.old, given.new)
    pair = given.from_extraction, given.to_extraction
    is_whole = pair == (None, None) if given.index is not None else None not in pair
    is_right = is_whole and (given.index is not None or given.old is None)
    expected = "index, or from_extraction and to_extraction"
    check_choice(is_right, "/body/index", expected, "an incomplete or mixed set")
    old, new = pair if given.index is None else (given.old, given.new)
    wanted = DriftRequest(index=given.index, old=old, new=new)
    return await answer_started(
        request,
        context,
        idempotency_key,
        raw,
        lambda name: start_drift(context, wanted, budget=given.budget, job_id=name),
    )


@ROUTER.post(
    "/reverifications",
    status_code=202,
    operation_id="createReverification",
    summary="Verify answers affected by a new index version again",
    response_model=None,
    responses={
        **_QUEUED,
        **problem_responses(
            "INDEX_NOT_FOUND",
            "UPLOAD_STALLED",
            "REQUEST_IN_FLIGHT",
            "ANSWER_TOO_LARGE",
            "MALFORMED_PARAMETER",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body(
        "ReverificationIn", {"example": ("Two versions of an index", REVERIFICATION_IN)}
    ),
)
async def post_reverification(
    request: Request,
    context: ContextIn,
    principal: PrincipalIn,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Each answer with a citation that the newer version moves or loses.

    Each gets a new verification with its own receipt; earlier ones stay.
    """
    raw = await read_body(request, context, hint="Send one pair of versions.")
    given = read_request(raw, ReverificationIn)
    _check_versions(given.old, given.new)
    wanted = DriftRequest(index=given.index, old=given.old, new=given.new)
    return await answer_started(
        request,
        context,
        idempotency_key,
        raw,
        lambda name: start_reverification(context, wanted, job_id=name, actor=principal.actor),
    )


def _check_versions(old: str | None, new: str | None) -> None:
    is_right = (old is None) == (new is None)
    check_choice(is_right, "/body/from", "both from and to, or neither", "one of them")
