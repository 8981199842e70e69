"""A JSON body, read whole under the cap of an answer: every route that takes one reads it here."""

from typing import Any

from fastapi import Request

from api.errors import AnswerTooLargeError
from api.limits import read_chunks
from api.wiring import Services


async def read_body(request: Request, services: Services, *, hint: str) -> bytes:
    """The bytes of the body; raise AnswerTooLargeError, with the hint, over the cap."""
    settings = services.settings

    def to_too_large(cap: int, got: int) -> AnswerTooLargeError:
        return AnswerTooLargeError(f"Expected at most {cap} bytes, got {got} or more.", hint=hint)

    chunks = [
        chunk
        async for chunk in read_chunks(
            request,
            cap=settings.max_answer_bytes,
            too_large=to_too_large,
            stall_seconds=settings.stall_seconds,
            total_seconds=settings.upload_seconds,
        )
    ]
    return b"".join(chunks)


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
