"""Grammars of citation tokens: texts cleaned of them, and prompts that ask for them."""

from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from api.errors import AnswerTooLargeError
from api.limits import read_chunks
from api.operations.grammars import clean_payload, make_prompt, read_json
from api.responses import PlainJsonResponse
from api.routes.access import ServicesIn
from api.routes.parameters import require_known_parameters
from api.wire.grammars import (
    CLEAN_EXAMPLE,
    FIELD_PROMPT_EXAMPLE,
    PROMPT_EXAMPLE,
    CleanTextOut,
    PromptOut,
)
from api.wire.problem import problem_responses

ROUTER = APIRouter(
    prefix="/v1", tags=["grammars"], dependencies=[Depends(require_known_parameters)]
)


def _describe_body(shape: str, examples: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": f"#/components/schemas/{shape}"},
                    "examples": {
                        name: {"summary": summary, "value": value}
                        for name, (summary, value) in examples.items()
                    },
                }
            },
        }
    }


@ROUTER.post(
    "/clean-texts",
    summary="A text without its citation tokens",
    response_model=None,
    responses={
        200: {"model": CleanTextOut},
        **problem_responses("POST /v1/clean-texts", 408, 413, 422),
    },
    openapi_extra=_describe_body("CleanTextIn", {"example": ("One chunk citation", CLEAN_EXAMPLE)}),
)
async def post_clean_text(request: Request, services: ServicesIn) -> PlainJsonResponse:
    """Every token in both frames, code points; nothing is kept."""
    raw = await _read_body(request, services)
    return PlainJsonResponse(await run_in_threadpool(clean_payload, raw))


@ROUTER.post(
    "/prompts",
    summary="Instructions to cite, and the reference list",
    response_model=None,
    responses={
        200: {"model": PromptOut},
        **problem_responses("POST /v1/prompts", 408, 413, 422),
    },
    openapi_extra=_describe_body(
        "PromptIn",
        {
            "example": ("One retrieved chunk", PROMPT_EXAMPLE),
            "fields": ("Fields of a context", FIELD_PROMPT_EXAMPLE),
        },
    ),
)
async def post_prompt(request: Request, services: ServicesIn) -> PlainJsonResponse:
    """Both in the grammar in which the answer will be read; no model is called."""
    payload = read_json(await _read_body(request, services))
    return PlainJsonResponse(await run_in_threadpool(make_prompt, payload))


async def _read_body(request: Request, services: ServicesIn) -> bytes:
    settings = services.settings
    chunks = [
        chunk
        async for chunk in read_chunks(
            request,
            cap=settings.max_answer_bytes,
            too_large=_to_too_large,
            stall_seconds=settings.stall_seconds,
            total_seconds=settings.upload_seconds,
        )
    ]
    return b"".join(chunks)


def _to_too_large(cap: int, got: int) -> AnswerTooLargeError:
    msg = f"Expected at most {cap} bytes, got {got} or more."
    return AnswerTooLargeError(msg, hint="Send one text, or fewer chunks.")
