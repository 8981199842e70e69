"""Stored answers by their citations, such as "every answer that cites this page"."""

from fastapi import APIRouter, Depends, Request, Response

from spanproof.api.http.requests.access import ContextIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.listing import (
    FilterIn,
    FormIn,
    ListShape,
    describe_forms,
    list_response,
)
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.recording import recorded
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
_SHAPE = ListShape(
    name="answers",
    columns=(*VERIFICATION_COLUMNS, *CITATION_COLUMNS),
    flatten=flatten_answers,
)


@ROUTER.get(
    "",
    dependencies=[Depends(recorded("answers"))],
    operation_id="listAnswers",
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
def get_answers(
    *, request: Request, context: ContextIn, wanted: FilterIn, page: FormIn
) -> Response:
    """One row per answer, from its newest verification, with the citations that match the filter.

    CSV has one row per citation.
    """
    found = find_answers(context, wanted, cursor=page.cursor, limit=page.limit)
    return list_response(
        request,
        [answer_to_json(item) for item in found.items],
        found.next_cursor,
        form=page.format,
        shape=_SHAPE,
    )
