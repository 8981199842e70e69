"""What the client raises: a problem document of the service as a typed error.

SpanproofError (spanproof.core.errors)
├── ServiceUnreachableError        no answer: no connection, or one that broke or timed out
└── ServiceProblemError            an answer that is a problem; ``problem`` holds all of it
    ├── RequestRefusedError        the request cannot be served as it is (4xx)
    │   ├── CredentialRefusedError   no key, a wrong key, or one without the scope (401, 403)
    │   ├── ResourceNotFoundError    what it names is not kept (404, 410)
    │   └── RequestConflictError     it contradicts a record (409)
    ├── ServiceBusyError           429 or 503, also after the last try
    └── ServiceFaultError          the service failed (5xx)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import FieldProblem, SpanproofError

if TYPE_CHECKING:
    import httpx

_PROBLEM = "application/problem+json"
#: Of an answer that is no problem of ours, so much is looked at and none of it is quoted.
_FOREIGN_CODE = "FOREIGN_ANSWER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem document (RFC 9457) as the service sent it."""

    status: int
    code: str
    detail: str
    hint: str
    request_id: str
    errors: tuple[FieldProblem, ...] = ()


class ServiceUnreachableError(SpanproofError):
    """The service did not answer."""

    code = "SERVICE_UNREACHABLE"


class ServiceProblemError(SpanproofError):
    """The service answered with a problem; ``problem.code`` is its own stable code."""

    code = "SERVICE_PROBLEM"

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.code}: {problem.detail}", hint=problem.hint)
        self.problem = problem


class RequestRefusedError(ServiceProblemError):
    """The request cannot be served as it is: sending it again changes nothing."""


class CredentialRefusedError(RequestRefusedError):
    """No key came with the request, or one that does not open this door."""


class ResourceNotFoundError(RequestRefusedError):
    """What the request names is not kept here."""


class RequestConflictError(RequestRefusedError):
    """The request contradicts the records."""


class ServiceBusyError(ServiceProblemError):
    """The service is busy or not ready; later the same request may be served."""


class ServiceFaultError(ServiceProblemError):
    """The service failed; its operator finds ``problem.request_id`` in its log."""


def read_problem(response: httpx.Response) -> ServiceProblemError:
    """The error of an unsuccessful answer; it may come from a proxy in between."""
    problem = _parse(response)
    return _find_kind(problem.status)(problem)


def _find_kind(status: int) -> type[ServiceProblemError]:
    if status in (401, 403):
        return CredentialRefusedError
    if status in (404, 410):
        return ResourceNotFoundError
    if status == 409:
        return RequestConflictError
    if status in (429, 503):
        return ServiceBusyError
    return RequestRefusedError if status < 500 else ServiceFaultError


def _parse(response: httpx.Response) -> Problem:
    media_type = response.headers.get("content-type", "").partition(";")[0].strip()
    try:
        fields = response.json() if media_type == _PROBLEM else None
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        return Problem(
            status=response.status_code,
            code=_FOREIGN_CODE,
            detail=f"Expected an answer of Spanproof, got status {response.status_code} and "
            f"{media_type or 'no media type'}.",
            hint="Check the address, and what stands between here and the service.",
            request_id=response.headers.get("x-request-id", ""),
        )
    return Problem(
        status=response.status_code,
        code=str(fields.get("code", _FOREIGN_CODE)),
        detail=str(fields.get("detail", "")),
        hint=str(fields.get("hint", "")),
        request_id=str(fields.get("request_id", "")),
        errors=tuple(_read_field(each) for each in fields.get("errors") or ()),
    )


def _read_field(each: Any) -> FieldProblem:  # noqa: ANN401 - what another process sent
    fields = each if isinstance(each, dict) else {}
    return FieldProblem(
        pointer=str(fields.get("pointer", "")),
        expected=str(fields.get("expected", "")),
        got=str(fields.get("got", "")),
    )
