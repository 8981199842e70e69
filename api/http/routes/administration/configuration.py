"""Configuration of the caller's tenant that can change while the service runs."""

from datetime import UTC, datetime

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ANY_SCOPE, ContextIn, PrincipalIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import describe_body, read_body
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.administration import (
    MODE_EXAMPLE_IN,
    WORDS_EXAMPLE_IN,
    CitationModeListOut,
    CitationModeOut,
    WordsModeOut,
)
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.citations.grammars import read_json
from spanproof.operations.citations.modes import list_modes, read_mode, set_mode
from spanproof.operations.errors import Work
from spanproof.operations.keeping.words import find_words, read_words, set_words

ROUTER = APIRouter(
    prefix="/v1/configuration",
    tags=["configuration"],
    dependencies=[Depends(require_known_parameters)],
)


@ROUTER.get(
    "/citations",
    dependencies=[Depends(ANY_SCOPE), admit(Work.STORE)],
    operation_id="listCitationModes",
    summary="List the modes of the citation grammars",
    response_model=None,
    responses={
        200: {"model": CitationModeListOut},
        **problem_responses("MALFORMED_PARAMETER"),
    },
)
def get_citation_modes(context: ContextIn) -> PlainJsonResponse:
    """The tenant's modes in the environment of this deployment."""
    return PlainJsonResponse({"citations": [each.to_json() for each in list_modes(context)]})


@ROUTER.put(
    "/citations/{grammar}",
    dependencies=[Depends(require("admin")), admit(Work.STORE, reads_body=True)],
    operation_id="setCitationMode",
    summary="Set the mode of a grammar",
    response_model=None,
    responses={
        200: {
            "model": CitationModeOut,
            "description": "The mode applies from now on, in every process.",
        },
        **problem_responses(
            "UPLOAD_STALLED",
            "ANSWER_TOO_LARGE",
            "MALFORMED_PARAMETER",
            "MALFORMED_ANSWER",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body("CitationModeIn", {"example": ("Verify only", MODE_EXAMPLE_IN)}),
)
async def put_citation_mode(
    request: Request, context: ContextIn, principal: PrincipalIn, grammar: str
) -> PlainJsonResponse:
    """The tenant's log records the change and its author, unless nothing changes."""
    mode = read_mode(read_json(await read_body(request, context, hint="Send one mode.")))

    def change() -> PlainJsonResponse:
        found = set_mode(context, grammar, mode, now=datetime.now(UTC), actor=principal.actor)
        return PlainJsonResponse(found.to_json())

    return await run_in_threadpool(change)


@ROUTER.get(
    "/words",
    dependencies=[Depends(ANY_SCOPE), admit(Work.STORE)],
    operation_id="getWordsMode",
    summary="Show how the words of answers are kept",
    response_model=None,
    responses={200: {"model": WordsModeOut}, **problem_responses("MALFORMED_PARAMETER")},
)
def get_words_mode(context: ContextIn) -> PlainJsonResponse:
    """The tenant's mode: kept, encrypted or hash-only."""
    return PlainJsonResponse(find_words(context).to_json())


@ROUTER.put(
    "/words",
    dependencies=[Depends(require("admin")), admit(Work.STORE, reads_body=True)],
    operation_id="setWordsMode",
    summary="Set how the words of answers are kept",
    response_model=None,
    responses={
        200: {
            "model": WordsModeOut,
            "description": "The mode applies to answers that come from now on.",
        },
        **problem_responses(
            "UPLOAD_STALLED",
            "ANSWER_TOO_LARGE",
            "MALFORMED_PARAMETER",
            "MALFORMED_ANSWER",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body("WordsModeIn", {"example": ("Keep no words", WORDS_EXAMPLE_IN)}),
)
async def put_words_mode(
    request: Request, context: ContextIn, principal: PrincipalIn
) -> PlainJsonResponse:
    """The tenant's log records the change and its author, unless nothing changes."""
    mode = read_words(read_json(await read_body(request, context, hint="Send one mode.")))

    def change() -> PlainJsonResponse:
        found = set_words(context, mode, now=datetime.now(UTC), actor=principal.actor)
        return PlainJsonResponse(found.to_json())

    return await run_in_threadpool(change)
