"""Grammars of citation tokens: clean texts, and prompts that ask for citations."""

from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ContextIn, require
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.body import describe_body, read_body
from spanproof.api.http.requests.caller import waiting_caller
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.grammars import (
    CLEAN_EXAMPLE,
    FIELD_PROMPT_EXAMPLE,
    PROMPT_EXAMPLE,
    CleanTextOut,
    PromptOut,
)
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.citations.grammars import clean_payload, make_prompt, read_json
from spanproof.operations.citations.modes import find_mode
from spanproof.operations.errors import Work
from spanproof.operations.verification.budget import bounded_work
from spanproof.verifier.extent import require_short

_HINT = "Send one text, or fewer chunks."
ROUTER = APIRouter(
    prefix="/v1",
    tags=["grammars"],
    dependencies=[
        Depends(require("verify")),
        Depends(require_known_parameters),
        admit(Work.STORE, reads_body=True),
    ],
)


@ROUTER.post(
    "/clean-texts",
    operation_id="cleanText",
    summary="Remove the citation tokens from a text",
    response_model=None,
    responses={
        200: {"model": CleanTextOut},
        **problem_responses(
            "UPLOAD_STALLED",
            "ANSWER_TOO_LARGE",
            "ANSWER_TOO_DENSE",
            "UNKNOWN_GRAMMAR",
            "REQUEST_TOO_COSTLY",
        ),
    },
    openapi_extra=describe_body("CleanTextIn", {"example": ("One chunk citation", CLEAN_EXAMPLE)}),
)
async def post_clean_text(request: Request, context: ContextIn) -> PlainJsonResponse:
    """Every token with offsets in both texts (code points); nothing is stored."""
    raw = await read_body(request, context, hint=_HINT, takes_turn=False)

    def work() -> dict[str, Any]:
        with bounded_work(context.settings, caller.attend):
            return clean_payload(raw, most=context.settings.max_verdicts)

    async with waiting_caller(request, current_ticket(request)) as caller:
        return PlainJsonResponse(await run_in_threadpool(work))


@ROUTER.post(
    "/prompts",
    operation_id="createPrompt",
    summary="Write instructions to cite, and the reference list",
    response_model=None,
    responses={
        200: {"model": PromptOut},
        **problem_responses(
            "UPLOAD_STALLED",
            "ANSWER_TOO_LARGE",
            "ANSWER_TOO_DENSE",
            "MALFORMED_INPUT",
            "REQUEST_TOO_COSTLY",
        ),
    },
    openapi_extra=describe_body(
        "PromptIn",
        {
            "example": ("One retrieved chunk", PROMPT_EXAMPLE),
            "fields": ("Fields of a context", FIELD_PROMPT_EXAMPLE),
        },
    ),
)
async def post_prompt(request: Request, context: ContextIn) -> PlainJsonResponse:
    """Both in the grammar of the future answer; no model is called."""
    raw = await read_body(request, context, hint=_HINT, takes_turn=False)

    def find(grammar: str) -> str:
        return find_mode(context, grammar).mode

    def work() -> dict[str, Any]:
        with bounded_work(context.settings, caller.attend):
            made = make_prompt(read_json(raw), find)
            return require_short(made, "", "prompt", size=len(raw))

    async with waiting_caller(request, current_ticket(request)) as caller:
        return PlainJsonResponse(await run_in_threadpool(work))
