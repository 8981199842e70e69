"""What both clients do around a request: the address, the key, the answer and its errors."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from spanproof.client.errors import (
    Problem,
    ServiceFaultError,
    ServiceUnreachableError,
    read_problem,
)
from spanproof.core.arguments import check_type
from spanproof.core.errors import SettingsError
from spanproof.core.host import is_loopback

if TYPE_CHECKING:
    import httpx

    from spanproof.client.calls import Call, Result
    from spanproof.client.retry import RetryPolicy

#: Seconds for one answer; a verification with a model may take tens of them.
TIMEOUT_SECONDS = 120.0
CONNECT_SECONDS = 10.0


def check_address(url: str, *, has_key: bool) -> str:
    """The address without its last slash; raise SettingsError for one that cannot be used.

    A key never travels in the clear: over plain http it is sent to this machine only.
    """
    check_type("url", url, str, "the service's address, a str")
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urlsplit(""), ""
    if parts.scheme not in {"http", "https"} or not host or parts.query or parts.username:
        msg = "Expected the service's http or https address, got another text."
        raise SettingsError(msg, hint="Give it like https://spanproof.example.")
    if has_key and parts.scheme == "http" and not is_loopback(host):
        msg = f"Expected https for a key that goes to {host!r}, got http."
        raise SettingsError(msg, hint="Use https, or an address of this machine.")
    return url.rstrip("/")


def make_headers(key: str | None) -> dict[str, str]:
    """What goes with every request."""
    headers = {"Accept": "application/json, */*;q=0.5", "User-Agent": "spanproof-client"}
    return headers if key is None else headers | {"Authorization": f"Bearer {key}"}


def find_pause(
    policy: RetryPolicy,
    call: Call[Result],
    outcome: httpx.Response | httpx.TransportError,
    tried: int,
) -> float | None:
    """Seconds to wait before the call is sent again; None where it is not."""
    import httpx

    if isinstance(outcome, httpx.Response):
        return policy.after_answer(
            outcome.status_code, outcome.headers, tried=tried, now=datetime.now(UTC)
        )
    return policy.after_error(outcome, tried=tried, repeatable=call.repeatable)


def finish(call: Call[Result], outcome: httpx.Response | httpx.TransportError) -> Result:
    """The result; raise the error of the last outcome without one."""
    response = require_success(outcome)
    try:
        return call.read(response)
    except (KeyError, TypeError, ValueError) as error:
        raise _to_foreign(call, response) from error


def require_success(outcome: httpx.Response | httpx.TransportError) -> httpx.Response:
    """The successful response; raise the error of any other outcome."""
    import httpx

    if not isinstance(outcome, httpx.Response):
        raise to_unreachable(outcome)
    if not outcome.is_success:
        raise read_problem(outcome)
    return outcome


def to_unreachable(error: httpx.TransportError) -> ServiceUnreachableError:
    """The error of an answer that did not come, or broke off."""
    # Without the address's path or a body: the message is for logs.
    msg = f"Expected an answer of the service, got {type(error).__name__}."
    return ServiceUnreachableError(msg, hint="Check the address, and that the service runs.")


def read_row(call: Call[Any], response: httpx.Response, line: bytes) -> dict[str, Any]:
    """The object of one line of an answer; raise ServiceFaultError for any other."""
    try:
        row = json.loads(line)
    except ValueError as error:
        raise _to_foreign(call, response) from error
    if not isinstance(row, dict):
        raise _to_foreign(call, response)
    return row


def _to_foreign(call: Call[Any], response: httpx.Response) -> ServiceFaultError:
    problem = Problem(
        status=response.status_code,
        code="FOREIGN_ANSWER",
        detail=f"Expected the answer of {call.method} {call.path.split('/')[2]}, got another.",
        hint="Use a client and a service of the same version.",
        request_id=response.headers.get("x-request-id", ""),
    )
    return ServiceFaultError(problem)
