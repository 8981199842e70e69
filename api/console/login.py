"""Sign-in: exchanges a key for a session cookie, so that no page holds the key."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from spanproof.api.console.answering import asks_for_page, compress, make_error_page
from spanproof.api.console.links import Links
from spanproof.api.console.rendering import render_page, render_static
from spanproof.api.http.auth.sessions import COOKIE, LIFETIME, require_own_site, write_session
from spanproof.api.http.limits import read_chunks
from spanproof.api.http.problems import answer_error
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.core.errors import NotFoundError
from spanproof.core.host import is_loopback
from spanproof.operations.errors import (
    AnswerTooLargeError,
    ServiceBusyError,
    UnauthenticatedError,
    Work,
)

if TYPE_CHECKING:
    from fastapi import Request
    from fastapi.responses import Response

    from spanproof.api.http.auth.gate import Gate
    from spanproof.core.errors import SpanproofError
    from spanproof.operations.settings import Settings
    from spanproof.operations.tenants import Tenants


async def answer_busy(request: Request, error: Exception) -> Response:
    """429 with ``Retry-After``; counted by class of work."""
    if not isinstance(error, ServiceBusyError):
        raise TypeError from error
    tenants: Tenants = request.app.state.tenants
    tenants.default.metrics.count_refusal(error.work)
    if not asks_for_page(request):
        return await answer_error(request, error)
    response = make_error_page(request, error)
    response.headers.update(error.headers)
    return response


#: A key, a path and their names.
_MOST_FORM_BYTES = 4096
#: Its sender is not authenticated, and the request takes a place while it arrives.
_MOST_FORM_SECONDS = 10.0


def build_public_router() -> APIRouter:
    """Routes without sign-in: the form, and the console's static files."""
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    @router.get("/login")
    def show_form(request: Request) -> Response:
        return _show(request, request.query_params.get("next", "/"), problem=None)

    @router.post("/login", dependencies=[admit(Work.SIGN_IN, reads_body=True)])
    async def sign_in(request: Request) -> Response:
        require_own_site(request, None)
        form = await _read_form(request)
        await current_ticket(request).take_turn()
        goal = form.get("next", "/")
        try:
            cookie = await run_in_threadpool(_make_session, request, form.get("key", "").strip())
        except UnauthenticatedError as error:
            return _show(request, goal, problem=error)
        response = RedirectResponse(_to_own_path(request, goal), HTTPStatus.SEE_OTHER)
        response.set_cookie(
            COOKIE,
            cookie,
            max_age=int(LIFETIME.total_seconds()),
            httponly=True,
            samesite="strict",
            # Beyond this machine the cookie travels over TLS only.
            secure=request.url.scheme == "https" or not is_loopback(request.url.hostname or ""),
        )
        return response

    @router.post("/logout")
    def sign_out(request: Request) -> Response:
        require_own_site(request, None)
        response = RedirectResponse(f"{_find_root(request)}/login", HTTPStatus.SEE_OTHER)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return response

    @router.get("/static/console/{name}")
    def show_static(request: Request, name: str) -> Response:
        found = render_static(name)
        if found is not None:
            return compress(request, found)
        msg = f"Expected a file of the console, got {name!r}."
        return make_error_page(request, NotFoundError(msg, hint="Go back to the list."))

    return router


async def answer_unauthenticated(request: Request, error: Exception) -> Response:
    """The sign-in form if a browser asks for a page, else the problem."""
    if not (asks_for_page(request) and request.method == "GET"):
        return await answer_error(request, error)
    query = f"?{request.url.query}" if request.url.query else ""
    goal = urlencode({"next": f"{request.url.path}{query}"})
    return RedirectResponse(f"{_find_root(request)}/login?{goal}", HTTPStatus.SEE_OTHER)


def _make_session(request: Request, key: str) -> str:
    gate: Gate = request.app.state.gate
    principal = gate.identify_token(key)
    if principal.actor.key_id is None:
        # A session must not outlive a token, which its issuer can revoke.
        msg = "Expected a key, got a token."
        raise UnauthenticatedError(msg, hint="Sign in with a key of 'spanproof keys create'.")
    return write_session(gate.pepper, principal.actor.key_id, now=datetime.now(UTC))


async def _read_form(request: Request) -> dict[str, str]:
    settings: Settings = request.app.state.tenants.default.settings

    def to_too_large(cap: int, got: int) -> SpanproofError:
        return AnswerTooLargeError(f"Expected at most {cap} bytes, got {got}.", hint="Send a key.")

    chunks = [
        chunk
        async for chunk in read_chunks(
            request,
            cap=_MOST_FORM_BYTES,
            too_large=to_too_large,
            stall_seconds=min(settings.stall_seconds, _MOST_FORM_SECONDS),
            total_seconds=min(settings.upload_seconds, _MOST_FORM_SECONDS),
        )
    ]
    try:
        found = parse_qs(b"".join(chunks).decode("utf-8", "replace"), max_num_fields=8)
    except ValueError:
        # More fields than our form has.
        return {}
    return {name: values[-1] for name, values in found.items()}


def _show(request: Request, goal: str, *, problem: UnauthenticatedError | None) -> Response:
    status = HTTPStatus.OK if problem is None else HTTPStatus.UNAUTHORIZED
    links = Links(root=_find_root(request))
    return render_page(
        "login.html",
        links,
        status=status,
        goal=_to_own_path(request, goal),
        problem=None if problem is None else problem.message,
    )


def _to_own_path(request: Request, goal: str) -> str:
    """The path to go to; our first page if it would lead to another site."""
    home = f"{_find_root(request)}/"
    try:
        parts = urlsplit(goal)
    except ValueError:
        return home
    is_path = goal.startswith("/") and not goal.startswith(("//", "/\\")) and goal.isprintable()
    return goal if is_path and not parts.scheme and not parts.netloc else home


def _find_root(request: Request) -> str:
    return str(request.scope.get("root_path", "")).rstrip("/")
