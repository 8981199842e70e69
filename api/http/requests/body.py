"""The body of a request: read whole or to a file, within limits, by its digest, as a model."""

import base64
import binascii
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from spanproof.api.http.limits import read_chunks
from spanproof.api.http.requests.admitting import current_ticket
from spanproof.core.digest import Digest
from spanproof.core.errors import (
    FieldProblem,
    MalformedDigestError,
    SpanproofError,
    UnsupportedMediaTypeError,
)
from spanproof.core.shown import shorten
from spanproof.operations.citations.grammars import read_json
from spanproof.operations.context import Context
from spanproof.operations.errors import (
    AnswerTooLargeError,
    DigestMismatchError,
    MalformedParameterError,
)
from spanproof.store.blobs.port import StagedBlob

#: One member of the field's dictionary: an algorithm and a byte sequence (RFC 8941).
_MEMBER = re.compile(r"\s*([a-z0-9*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):\s*", re.ASCII)
_ALGORITHM = "sha-256"
_DIGEST_BYTES = 32


def parse_digest_field(value: str) -> Digest:
    """The SHA-256 of a digest field; raise MalformedDigestError if it has none.

    Other algorithms may be listed too. Alone they are refused: skipping a requested check would
    look like passing it.
    """
    members = [_MEMBER.fullmatch(member) for member in value.split(",")]
    found = {match[1]: match[2] for match in members if match}
    try:
        content = base64.b64decode(found[_ALGORITHM], validate=True)
    except (KeyError, binascii.Error) as error:
        raise _to_malformed(value) from error
    if None in members or len(content) != _DIGEST_BYTES:
        raise _to_malformed(value)
    return Digest(content.hex())


def read_digest_fields(*fields: str | None) -> Digest | None:
    """The common digest of several fields, or None; raise DigestMismatchError if two differ."""
    given = {parse_digest_field(field) for field in fields if field is not None}
    if len(given) > 1:
        msg = "Expected one digest, got two that differ."
        raise DigestMismatchError(msg, hint="Send Content-Digest or Repr-Digest, not both.")
    return next(iter(given), None)


def _to_malformed(value: str) -> MalformedDigestError:
    msg = f"Expected 'sha-256=:' + base64 of 32 bytes + ':', got {shorten(value)!r}."
    return MalformedDigestError(msg, hint="Send the whole SHA-256 as RFC 9530 writes it.")


async def read_body(
    request: Request, context: Context, *, hint: str, takes_turn: bool = True
) -> bytes:
    """Read the body, then take the request's turn, unless the route does that itself.

    Raises AnswerTooLargeError, with the hint, over the cap, and ServiceBusyError if other bodies
    hold too many bytes; both before reading if the length is announced.
    """
    settings, ticket = context.settings, current_ticket(request)
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) <= settings.max_answer_bytes:
        ticket.reserve_memory(int(declared))

    def to_too_large(cap: int, got: int) -> AnswerTooLargeError:
        return AnswerTooLargeError(f"Expected at most {cap} bytes, got {got} or more.", hint=hint)

    body = bytearray()
    async for chunk in read_chunks(
        request,
        cap=settings.max_answer_bytes,
        too_large=to_too_large,
        stall_seconds=settings.stall_seconds,
        total_seconds=settings.upload_seconds,
    ):
        ticket.reserve_memory(len(body) + len(chunk))
        body += chunk
    if takes_turn:
        await ticket.take_turn()
    return bytes(body)


def describe_body(shape: str, examples: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    """OpenAPI's ``requestBody`` of a schema; ``examples``: summary and value by name."""
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


Shape = TypeVar("Shape", bound=BaseModel)


def read_request(raw: bytes, shape: type[Shape]) -> Shape:
    """Parse a body into its model.

    Raises MalformedAnswerError for bytes that are not JSON, RequestValidationError for wrong
    fields.
    """
    value = read_json(raw)
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        rows = error.errors(include_url=False, include_context=False)
        problems = [row | {"loc": ("body", *row["loc"])} for row in rows]
        raise RequestValidationError(problems) from error


def check_choice(is_right: bool, pointer: str, expected: str, got: str) -> None:  # noqa: FBT001
    """Raise MalformedParameterError for fields that are valid alone but not together."""
    if is_right:
        return
    problem = FieldProblem(pointer=pointer, expected=expected, got=got)
    msg = f"Expected {expected} at {pointer}, got {got}."
    hint = "Compare the request with /openapi.json."
    raise MalformedParameterError(msg, hint=hint, problems=(problem,))


def require_identity(content_encoding: str | None) -> None:
    """Raise UnsupportedMediaTypeError for a content coding: bodies are never unpacked."""
    if (content_encoding or "identity").strip().lower() != "identity":
        msg = f"Expected bytes without a content coding, got {content_encoding!r}."
        raise UnsupportedMediaTypeError(msg, hint="Send the file as it is.")


@asynccontextmanager
async def stage_body(
    request: Request,
    context: Context,
    *,
    cap: int,
    too_large: Callable[[int, int], SpanproofError],
) -> AsyncIterator[StagedBlob]:
    """The whole body in a file, deleted on the way out unless it was kept; ``cap`` in bytes.

    Raises ServiceBusyError if other uploads fill the disk; before reading if the length is
    announced.
    """
    settings, ticket = context.settings, current_ticket(request)
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) <= cap:
        ticket.reserve_disk(int(declared))
    with await run_in_threadpool(context.store.blobs.stage) as staged:
        async for chunk in read_chunks(
            request,
            cap=cap,
            too_large=too_large,
            stall_seconds=settings.stall_seconds,
            total_seconds=settings.upload_seconds,
        ):
            ticket.reserve_disk(staged.size + len(chunk))
            await run_in_threadpool(staged.write, chunk)
        yield staged
