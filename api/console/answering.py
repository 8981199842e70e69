"""What every page of the console does: its links, its errors as pages, its ETag and compression."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from fastapi.responses import Response

from spanproof.api.console.links import Links
from spanproof.api.console.rendering import render_page
from spanproof.api.http.problems import find_status
from spanproof.core.errors import SpanproofError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fastapi import FastAPI, Request

    from spanproof.operations.access.principal import Principal

    _Handler = Callable[[Request, Exception], Awaitable[Response]]

LOG = logging.getLogger("spanproof.console")
#: Below this a packet is not saved.
_LEAST_COMPRESSED = 1000
#: Level 5 takes 2 ms for a page of 60 kB, and level 9 hardly less room.
_LEVEL = 5


def answer(request: Request, make: Callable[[], Response]) -> Response:
    """The page, or an error page: a person reads it, not a program."""
    try:
        made = make()
    except SpanproofError as error:
        made = make_error_page(request, error)
    return compress(request, made)


def make_error_page(request: Request, error: SpanproofError) -> Response:
    """The page of an error of ours."""
    status = find_status(type(error))
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        LOG.error("%s", error.code, exc_info=error)
    return _show_error(request, status, error.message, error.hint, error.code)


def show_errors_as_pages(app: FastAPI) -> None:
    """Answer a browser that asks for a page with a page, where a program gets a problem."""
    for kind, handler in list(app.exception_handlers.items()):
        app.exception_handlers[kind] = partial(_answer_as_page, cast("_Handler", handler))


async def _answer_as_page(handler: _Handler, request: Request, error: Exception) -> Response:
    response = await handler(request, error)
    if not asks_for_page(request):
        return response
    problem = json.loads(bytes(response.body))
    page = _show_error(
        request,
        HTTPStatus(response.status_code),
        problem["detail"],
        _HINTS.get(problem["code"], problem["hint"]),
        problem["code"],
    )
    # What the problem said beside its body: when to come again, for one.
    kept = {"content-length", "content-type", *map(str.lower, page.headers)}
    page.headers.update({k: v for k, v in response.headers.items() if k.lower() not in kept})
    return page


def asks_for_page(request: Request) -> bool:
    """Whether a browser asks for a page of the console, for a person to read."""
    root = str(request.scope.get("root_path", "")).rstrip("/")
    is_page = "text/html" in request.headers.get("accept", "")
    return is_page and not request.url.path.startswith(f"{root}/v1/")


def _show_error(
    request: Request, status: HTTPStatus, message: str, hint: str, code: str
) -> Response:
    return render_page(
        "error.html",
        make_links(request),
        status=status,
        title=_TITLES.get(status, "This cannot be shown"),
        message=message,
        hint=hint,
        code=code,
        request_id=getattr(request.state, "request_id", ""),
    )


_TITLES = {
    HTTPStatus.FORBIDDEN: "Your key may not see this",
    HTTPStatus.NOT_FOUND: "Not found",
    HTTPStatus.METHOD_NOT_ALLOWED: "Not found",
    HTTPStatus.GONE: "Erased",
    HTTPStatus.TOO_MANY_REQUESTS: "The service is busy",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong here",
    HTTPStatus.SERVICE_UNAVAILABLE: "Not available now",
}
#: Next steps of a person, where a program has another.
_HINTS = {
    "NO_SUCH_ROUTE": "Check the address, or begin at the list.",
    "METHOD_NOT_ALLOWED": "Check the address, or begin at the list.",
}


def make_links(request: Request) -> Links:
    """Links under the application's root, for the reader of this request."""
    principal: Principal | None = getattr(request.state, "principal", None)
    return Links(
        root=str(request.scope.get("root_path", "")).rstrip("/"),
        has_session=principal is not None and principal.proof == "session",
        may_try=principal is not None and principal.has_any(("verify",)),
        may_manage=principal is not None and principal.has_any(("admin",)),
    )


def compress(request: Request, response: Response) -> Response:
    """Give a whole page its ETag, 304 where the reader has it, and gzip where that is read."""
    body = bytes(getattr(response, "body", b""))
    is_text = response.headers.get("content-type", "").startswith(("text/", "image/svg"))
    if not body or not is_text or request.method != "GET":
        return response
    if response.status_code == HTTPStatus.OK:
        # Weak: the same page compressed and not.
        etag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
        response.headers["ETag"] = etag
        known = request.headers.get("if-none-match", "")
        if etag in {each.strip() for each in known.split(",")}:
            headers = {name: response.headers[name] for name in _KEPT if name in response.headers}
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    response.headers.add_vary_header("Accept-Encoding")
    if len(body) < _LEAST_COMPRESSED or not _accepts_gzip(request):
        return response
    # The same page has the same bytes: without the time of compression.
    response.body = gzip.compress(body, _LEVEL, mtime=0)
    response.headers["Content-Encoding"] = "gzip"
    response.headers["Content-Length"] = str(len(response.body))
    return response


#: What a 304 repeats (RFC 9110 section 15.4.5).
_KEPT = ("etag", "cache-control", "vary", "content-security-policy")


def _accepts_gzip(request: Request) -> bool:
    """Whether gzip is named, and not with the weight 0."""
    for each in request.headers.get("accept-encoding", "").split(","):
        coding, _, weight = each.partition(";")
        if coding.strip().lower() == "gzip":
            return weight.replace(" ", "") not in {"q=0", "q=0.0"}
    return False
