"""The problem document of every failure (RFC 9457)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from spanproof.api.http.wire.problem_examples import PROBLEM_EXAMPLES
from spanproof.core.errors import SpanproofError

MEDIA_TYPE = "application/problem+json"
SCHEMA = "#/components/schemas/ProblemOut"


class FieldProblemOut(BaseModel):
    """What is wrong with one field."""

    pointer: str = Field(examples=["/citations/0/doc_hash"])
    detail: str
    expected: str
    got: str


class ProblemOut(BaseModel):
    """What was expected, what was got, and one next step; ``type`` and ``code`` never change."""

    type: str = Field(examples=["urn:spanproof:problem:document-not-found"])
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["Expected a document that is kept here, got 'nda-7'."])
    instance: str = Field(examples=["/v1/documents/nda-7"])
    request_id: str = Field(examples=["5f0c6d0a4c0e4f3b9d5a3f1f0f6f2b11"])
    code: str = Field(examples=["DOCUMENT_NOT_FOUND"])
    hint: str
    errors: list[FieldProblemOut]


_DESCRIPTIONS = {
    401: "No credential, or an unknown, expired or revoked one.",
    403: "The credential lacks the scope, or the write may come from another site's page.",
    404: "Not found.",
    408: "The body stopped arriving.",
    409: "A conflict with what is recorded.",
    429: "Too many requests with one key, or no room for more work.",
    410: "It was erased; the log records it.",
    413: "The body exceeds the size limit.",
    421: "The request names a host that is not this one.",
    422: "The request, the document or the answer is malformed.",
    500: "Internal error; details are in the server log.",
    502: "The host did not deliver the document.",
    503: "A part of the service is unavailable.",
}


def problem_responses(*codes: str) -> dict[int | str, dict[str, Any]]:
    """OpenAPI responses for the problems with these codes and those that any route may give."""
    responses: dict[int | str, dict[str, Any]] = {}
    for code in (*codes, "FOREIGN_HOST", SpanproofError.code):
        example = PROBLEM_EXAMPLES[code]
        status = example["status"]
        if status not in responses:
            content = {"schema": {"$ref": SCHEMA}, "examples": {}}
            responses[status] = {
                "description": _DESCRIPTIONS[status],
                "content": {MEDIA_TYPE: content},
            }
        responses[status]["content"][MEDIA_TYPE]["examples"][code] = {"value": example}
    return responses
