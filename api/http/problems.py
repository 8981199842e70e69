"""Errors → RFC 9457 problem documents; the only place where an error gets a status code."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from spanproof.api.http.headers import REQUEST_ID, SECURITY_HEADERS
from spanproof.core import errors
from spanproof.core.errors import SpanproofError
from spanproof.core.shown import show_value
from spanproof.operations import errors as door
from spanproof.operations.errors import AccessError
from spanproof.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import FastAPI, Request

LOG = logging.getLogger("spanproof.api")
MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:spanproof:problem:"

#: A class covers its subclasses unless they are listed too: the nearest in the tree decides.
STATUS: dict[type[SpanproofError], HTTPStatus] = {
    errors.InputError: HTTPStatus.UNPROCESSABLE_ENTITY,
    door.AnswerTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    door.UploadStalledError: HTTPStatus.REQUEST_TIMEOUT,
    door.ForeignHostError: HTTPStatus.MISDIRECTED_REQUEST,
    door.AccessError: HTTPStatus.FORBIDDEN,
    door.UnauthenticatedError: HTTPStatus.UNAUTHORIZED,
    door.RateLimitedError: HTTPStatus.TOO_MANY_REQUESTS,
    door.ServiceBusyError: HTTPStatus.TOO_MANY_REQUESTS,
    errors.ExtractionError: HTTPStatus.UNPROCESSABLE_ENTITY,
    door.ManifestTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    door.BulkTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    door.DocumentTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.NotFoundError: HTTPStatus.NOT_FOUND,
    errors.DocumentErasedError: HTTPStatus.GONE,
    errors.VerificationErasedError: HTTPStatus.GONE,
    errors.WordsNotKeptError: HTTPStatus.GONE,
    errors.ConflictError: HTTPStatus.CONFLICT,
    errors.SettingsError: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.ModelError: HTTPStatus.SERVICE_UNAVAILABLE,
    # A result that cannot be logged is not returned; a later try may succeed.
    errors.LogError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.KeyUnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.EvidenceError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.IntegrityError: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.VerificationFailed: HTTPStatus.INTERNAL_SERVER_ERROR,
    door.NotReadyError: HTTPStatus.SERVICE_UNAVAILABLE,
    # Nobody reads the answer; the status is for the log.
    door.CallerGoneError: HTTPStatus.BAD_REQUEST,
    door.ServiceStoppingError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.OutputError: HTTPStatus.INTERNAL_SERVER_ERROR,
    door.NotReplayableError: HTTPStatus.CONFLICT,
    door.FencedAddressError: HTTPStatus.UNPROCESSABLE_ENTITY,
    door.JobCancelledError: HTTPStatus.CONFLICT,
    door.JobFailedError: HTTPStatus.INTERNAL_SERVER_ERROR,
    door.JobKindUnknownError: HTTPStatus.INTERNAL_SERVER_ERROR,
    door.StoreUnreachableError: HTTPStatus.BAD_GATEWAY,
    door.LogUnreachableError: HTTPStatus.BAD_GATEWAY,
    door.FetchFailedError: HTTPStatus.BAD_GATEWAY,
    door.AuthorityUnreachableError: HTTPStatus.BAD_GATEWAY,
    StoreUnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
    door.DatabaseToolError: HTTPStatus.SERVICE_UNAVAILABLE,
}
#: The validator's wording of a rule: a subject, and what it should be or have.
_SHOULD = re.compile(r"(\w+) should (be|have) (.+)", re.DOTALL)
#: Refusals of the framework itself, by status.
_FRAMEWORK = {
    HTTPStatus.BAD_REQUEST: ("BAD_REQUEST", "Send a well-formed HTTP request."),
    HTTPStatus.NOT_FOUND: ("NO_SUCH_ROUTE", "See /openapi.json for the routes."),
    HTTPStatus.METHOD_NOT_ALLOWED: ("METHOD_NOT_ALLOWED", "See /openapi.json for the methods."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("BODY_TOO_LARGE", "Send a smaller body."),
}


def find_status(kind: type[SpanproofError]) -> HTTPStatus:
    """The status of an error class: its own or that of its nearest mapped parent."""
    for parent in kind.__mro__:
        if parent in STATUS:
            return STATUS[parent]
    msg = f"Expected a status for {kind.__name__}, got none."
    raise LookupError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """The members of a problem document, and headers of its own."""

    status: HTTPStatus
    code: str
    detail: str
    hint: str
    fields: Sequence[dict[str, Any]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


def write_problem(request: Request, problem: Problem) -> JSONResponse:
    """A problem document with the headers of every answer."""
    request_id = getattr(request.state, "request_id", "")
    body = {
        "type": TYPE_PREFIX + problem.code.lower().replace("_", "-"),
        "title": problem.status.phrase,
        "status": int(problem.status),
        "detail": problem.detail,
        "instance": request.url.path,
        "request_id": request_id,
        "code": problem.code,
        "hint": problem.hint,
        "errors": list(problem.fields),
    }
    return JSONResponse(
        body,
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=SECURITY_HEADERS | {REQUEST_ID: request_id} | dict(problem.headers),
    )


def add_problem_handlers(app: FastAPI) -> None:
    """Turn every failure of the app into a problem document."""
    app.add_exception_handler(SpanproofError, answer_error)
    app.add_exception_handler(RequestValidationError, _answer_validation)
    app.add_exception_handler(HTTPException, _answer_framework)
    app.add_exception_handler(ClientDisconnect, _answer_disconnect)
    app.add_exception_handler(Exception, _answer_unexpected)


async def answer_error(request: Request, error: Exception) -> JSONResponse:
    """The problem document of an error of ours."""
    if not isinstance(error, SpanproofError):
        raise TypeError from error
    status = find_status(type(error))
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        LOG.error("%s %s", request.state.request_id, error.code, exc_info=error)
    elif status > HTTPStatus.INTERNAL_SERVER_ERROR:
        LOG.warning("%s %s: %s", request.state.request_id, error.code, error.message)
    problems = [
        {
            "pointer": problem.pointer,
            "detail": f"Expected {problem.expected}, got {problem.got}.",
            "expected": problem.expected,
            "got": problem.got,
        }
        for problem in error.problems
    ]
    retry = {"Retry-After": "5"} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    problem = Problem(
        status=status,
        code=error.code,
        detail=error.message,
        hint=error.hint,
        fields=problems,
        headers=retry | (error.headers if isinstance(error, AccessError) else {}),
    )
    return write_problem(request, problem)


async def _answer_validation(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise TypeError from error
    problems = [_to_field_problem(each) for each in error.errors()]
    first = problems[0]
    problem = Problem(
        status=HTTPStatus.UNPROCESSABLE_ENTITY,
        code=door.MalformedParameterError.code,
        detail=f"Expected {first['expected']} at {first['pointer']}, got {first['got']}.",
        hint="Compare the request with /openapi.json.",
        fields=problems,
    )
    return write_problem(request, problem)


async def _answer_framework(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise TypeError from error
    status = HTTPStatus(error.status_code)
    code, hint = _FRAMEWORK.get(status, (status.name, "See /openapi.json."))
    detail = f"Expected a route and a method of this service, got {request.method} on this path."
    if status not in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        detail = f"Expected a valid request, got: {status.phrase}."
    headers = dict(error.headers or {})
    problem = Problem(status=status, code=code, detail=detail, hint=hint, headers=headers)
    return write_problem(request, problem)


async def _answer_disconnect(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001
    # The client is gone; the status is for the log.
    problem = Problem(
        status=HTTPStatus.BAD_REQUEST,
        code="CLIENT_DISCONNECTED",
        detail="Expected the whole body, got the end of the connection.",
        hint="Send the request again.",
    )
    return write_problem(request, problem)


async def _answer_unexpected(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001
    # The cause goes to the server's log only: it may quote a document.
    problem = Problem(
        status=HTTPStatus.INTERNAL_SERVER_ERROR,
        code=SpanproofError.code,
        detail="Expected to serve the request, got an internal error.",
        hint="Report the request_id to the operator of the service.",
    )
    return write_problem(request, problem)


def _to_field_problem(each: dict[str, Any]) -> dict[str, str]:
    expected = _name_expected(each["type"], each["msg"])
    got = "nothing" if each["type"] == "missing" else show_value(each.get("input"))
    return {
        "pointer": "/" + "/".join(str(part) for part in each["loc"]),
        "detail": f"Expected {expected}, got {got}.",
        "expected": expected,
        "got": got,
    }


def _name_expected(kind: str, message: str) -> str:
    if kind == "missing":
        return "a value"
    match = _SHOULD.fullmatch(message)
    if match is None:
        return f"a value that can be read ({message})"
    subject, verb, wanted = match.groups()
    if verb == "have":
        return f"a {subject.lower()} with {wanted}"
    if kind.endswith(("_parsing", "_type")):
        # The rest says how parsing failed, not what is expected.
        wanted = wanted.partition(", ")[0]
    return wanted if wanted.startswith(("a ", "an ", "'")) else f"a value {wanted}"
