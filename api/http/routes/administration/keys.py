"""API keys of the caller's tenant: create, list, rotate, revoke."""

from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ContextIn, DefaultContextIn, PrincipalIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import describe_body, read_body
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.administration import (
    EXAMPLE_IN,
    AccessKeyListOut,
    AccessKeyOut,
    NewAccessKeyOut,
)
from spanproof.api.http.wire.problem import problem_responses
from spanproof.core.errors import FieldProblem, MalformedAnswerError
from spanproof.core.moment import parse_moment
from spanproof.core.shown import show_value
from spanproof.operations.access.keys import (
    LIFETIME,
    KeyRequest,
    create_key,
    list_keys,
    revoke_key,
    rotate_key,
)
from spanproof.operations.citations.grammars import read_json
from spanproof.operations.errors import ScopeMissingError, Work

_HINT = "Send the request for one key."
#: The answer holds a new key: no cache may store it.
_SECRET = {"Cache-Control": "no-store"}
ROUTER = APIRouter(
    prefix="/v1/keys",
    tags=["keys"],
    dependencies=[Depends(require("admin")), Depends(require_known_parameters)],
)


def require_credential(principal: PrincipalIn) -> None:
    """Refuse requests without a credential: the first key is created on the host."""
    if principal.proof == "open":
        msg = "Expected a key with the scope admin, got none."
        raise ScopeMissingError(msg, hint="Create the first key: 'spanproof keys create'.")


@ROUTER.post(
    "",
    status_code=201,
    dependencies=[Depends(require_credential), admit(Work.STORE, reads_body=True)],
    operation_id="createKey",
    summary="Create a key",
    response_model=None,
    responses={
        201: {"model": NewAccessKeyOut, "description": "The key, shown only once."},
        **problem_responses(
            "UPLOAD_STALLED",
            "ANSWER_TOO_LARGE",
            "MALFORMED_PARAMETER",
            "MALFORMED_ANSWER",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body("AccessKeyIn", {"example": ("A key for a program", EXAMPLE_IN)}),
)
async def post_key(
    request: Request, home: DefaultContextIn, context: ContextIn
) -> PlainJsonResponse:
    """The key belongs to the caller's tenant, whose log records it."""
    now = datetime.now(UTC)
    wanted = read_request(read_json(await read_body(request, context, hint=_HINT)), now)
    made = await run_in_threadpool(create_key, home, context, wanted, now=now)
    headers = _SECRET | {"Location": f"/v1/keys/{made.key.key_id}"}
    return PlainJsonResponse(made.to_json(), status_code=201, headers=headers)


@ROUTER.get(
    "",
    dependencies=[admit(Work.STORE)],
    operation_id="listKeys",
    summary="List the keys",
    response_model=None,
    responses={200: {"model": AccessKeyListOut}, **problem_responses("MALFORMED_PARAMETER")},
)
def get_keys(home: DefaultContextIn, principal: PrincipalIn) -> PlainJsonResponse:
    """Without their secrets, oldest first."""
    found = list_keys(home, principal.tenant, now=datetime.now(UTC))
    return PlainJsonResponse({"keys": [each.to_json() for each in found]})


@ROUTER.post(
    "/{key_id}/rotate",
    status_code=201,
    dependencies=[Depends(require_credential), admit(Work.STORE)],
    operation_id="rotateKey",
    summary="Replace a key",
    response_model=None,
    responses={
        201: {
            "model": NewAccessKeyOut,
            "description": "The new key; the old one stays valid for a day.",
        },
        **problem_responses(
            "KEY_NOT_FOUND", "CONFLICT", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"
        ),
    },
)
def post_rotation(home: DefaultContextIn, context: ContextIn, key_id: str) -> PlainJsonResponse:
    """The new key has the same scopes and lifetime; the old one stays valid for 24 hours."""
    made = rotate_key(home, context, key_id, now=datetime.now(UTC))
    return PlainJsonResponse(made.to_json(), status_code=201, headers=_SECRET)


@ROUTER.delete(
    "/{key_id}",
    dependencies=[Depends(require_credential), admit(Work.STORE)],
    operation_id="revokeKey",
    summary="Revoke a key",
    response_model=None,
    responses={
        200: {"model": AccessKeyOut, "description": "The key is revoked; it stays in the list."},
        **problem_responses("KEY_NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def delete_key(home: DefaultContextIn, context: ContextIn, key_id: str) -> PlainJsonResponse:
    """Takes effect at once; the tenant's log records it."""
    return PlainJsonResponse(revoke_key(home, context, key_id, now=datetime.now(UTC)).to_json())


def read_request(payload: Any, now: datetime) -> KeyRequest:  # noqa: ANN401 - any JSON value
    """Parse the body; raise MalformedAnswerError with a problem for each field."""
    if not isinstance(payload, dict):
        msg = "Expected an object at /, got another JSON value."
        raise MalformedAnswerError(msg, hint="Compare it with /openapi.json.")
    scopes, expires, label = (payload.get(name) for name in ("scopes", "expires_at", "label"))
    problems = [
        FieldProblem(pointer=f"/{name}", expected="no such field", got="one")
        for name in sorted(payload.keys() - {"scopes", "expires_at", "label"})
    ]
    if not isinstance(scopes, list) or not all(isinstance(each, str) for each in scopes):
        problems.append(_describe("/scopes", "a list of scopes", scopes))
        scopes = []
    if label is not None and not isinstance(label, str):
        problems.append(_describe("/label", "text", label))
    moment: datetime | None = now + LIFETIME
    if expires is not None:
        moment = _parse_moment(expires)
        if moment is None:
            problems.append(_describe("/expires_at", "a moment (ISO 8601)", expires))
    if problems:
        first = problems[0]
        msg = f"Expected {first.expected} at {first.pointer}, got {first.got}."
        hint = "Compare it with /openapi.json."
        raise MalformedAnswerError(msg, hint=hint, problems=tuple(problems))
    return KeyRequest(scopes=tuple(scopes), expires_at=moment, label=label)


def _parse_moment(value: Any) -> datetime | None:  # noqa: ANN401 - any JSON value
    try:
        return parse_moment(value)
    except (TypeError, ValueError):
        return None


def _describe(pointer: str, expected: str, got: object) -> FieldProblem:
    return FieldProblem(pointer=pointer, expected=expected, got=show_value(got))
