"""A JSON body, read whole under the cap of an answer: every route that takes one reads it here."""

from typing import Any

from fastapi import Request

from spanproof.api.http.limits import read_chunks
from spanproof.api.http.requests.admitting import current_ticket
from spanproof.operations.context import Context
from spanproof.operations.errors import AnswerTooLargeError


async def read_body(
    request: Request, services: Context, *, hint: str, takes_turn: bool = True
) -> bytes:
    """The bytes of the body; then its turn, unless the route takes that itself.

    Raises AnswerTooLargeError, with the hint, over the cap, and ServiceBusyError where the bodies
    of others hold too many bytes: before anything is read where the length is announced.
    """
    settings, ticket = services.settings, current_ticket(request)
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) <= settings.max_answer_bytes:
        ticket.hold(int(declared))

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
        ticket.hold(len(body) + len(chunk))
        body += chunk
    if takes_turn:
        await ticket.take_turn()
    return bytes(body)


def describe_body(shape: str, examples: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    """OpenAPI's ``requestBody`` of that schema; ``examples`` are summary and value by name."""
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
