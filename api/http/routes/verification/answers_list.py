"""Stored answers by what they cite, such as "every answer that cites this page"."""

from fastapi import APIRouter, Depends, Request, Response

from spanproof.api.http.requests.access import Cursor, Limit, ServicesIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.listing import As, FilterIn, describe_forms, list_response
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.wire.problem import problem_responses
from spanproof.api.http.wire.verification import AnswerListOut
from spanproof.operations.errors import Work
from spanproof.operations.presentation.listed import (
    CITATION_COLUMNS,
    VERIFICATION_COLUMNS,
    answer_to_json,
    find_answers,
    flatten_answers,
)

ROUTER = APIRouter(
    prefix="/v1/answers",
    tags=["verifications"],
    dependencies=[
        Depends(require("read", "audit")),
        Depends(require_known_parameters),
        admit(Work.STORE),
    ],
)


@ROUTER.get(
    "",
    summary="List verified answers by what they cite, newest first",
    response_model=None,
    responses={
        200: {
            "model": AnswerListOut,
            "content": describe_forms("AnswerRowOut"),
        },
        **problem_responses("MALFORMED_PARAMETER"),
    },
)
def get_answers(  # noqa: PLR0913 - what a list can be asked
    *,
    request: Request,
    services: ServicesIn,
    wanted: FilterIn,
    format: As = "json",  # noqa: A002 - as the other routes call it
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """One row per answer, from its newest verification, with the citations that match the filter.

    CSV has one row per citation.
    """
    page = find_answers(services, wanted, cursor=cursor, limit=limit)
    return list_response(
        request,
        [answer_to_json(item) for item in page.items],
        page.next_cursor,
        name="answers",
        form=format,
        columns=(*VERIFICATION_COLUMNS, *CITATION_COLUMNS),
        flatten=flatten_answers,
    )
