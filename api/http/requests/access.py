"""Dependencies of routes: context, principal, and parameters of path and query."""

import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import URL

from spanproof.api.http.auth.sessions import COOKIE, require_own_site
from spanproof.core.digest import Digest
from spanproof.core.errors import FieldProblem
from spanproof.core.moment import assume_utc
from spanproof.core.span import OffsetUnit
from spanproof.core.verdicts.status import Outcome
from spanproof.operations.access.principal import SCOPES, Principal, Scope
from spanproof.operations.context import Context
from spanproof.operations.documents.locate import MarkedSpan
from spanproof.operations.errors import ForeignHostError, MalformedParameterError, ScopeMissingError
from spanproof.operations.settings import is_own_host

if TYPE_CHECKING:
    from spanproof.api.http.auth.gate import Gate
    from spanproof.api.http.limits import RateLimit
    from spanproof.operations.tenants import Tenants

#: A span to draw: its offsets and, to colour it, its outcome.
_MARKED = re.compile(rf"(\d{{1,12}})-(\d{{1,12}})(?::({'|'.join(Outcome)}))?", re.ASCII)


async def require_own_host(request: Request) -> None:
    """Refuse a request for a foreign host name (DNS rebinding)."""
    server, names = request.scope.get("server"), request.headers.getlist("host")
    # With several names, a proxy before us may have read another one (RFC 9112 section 3.2).
    host = ", ".join(names)
    if len(names) < 2:
        host = _read_hostname(host or None, None if server is None else tuple(server))
    tenants: Tenants = request.app.state.tenants
    settings = tenants.default.settings
    if not is_own_host(host, settings.host, settings.allowed_hosts):
        msg = f"Expected a request to this machine (127.0.0.1, ::1 or localhost), got {host!r}."
        hint = "Open the service under http://127.0.0.1, or name it in SPANPROOF_ALLOWED_HOSTS."
        raise ForeignHostError(msg, hint=hint)


@lru_cache(maxsize=256)
def _read_hostname(header: str | None, server: tuple[str, int | None] | None) -> str:
    """The host name of a request, as the framework reads it."""
    if header is None:
        return URL(scope={"path": "/", "headers": [], "server": server}).hostname or ""
    scope = {"path": "/", "headers": [(b"host", header.encode("latin-1"))], "server": None}
    try:
        # No fallback to the server's address: an unreadable name is foreign.
        return URL(scope=scope).hostname or header
    except ValueError:
        return header


async def identify(request: Request) -> Principal:
    """The principal of the request; raise UnauthenticatedError or CrossSiteError."""
    gate: Gate = request.app.state.gate
    shown = request.headers.get("authorization"), request.cookies.get(COOKIE)
    principal = gate.recall(*shown)
    if principal is None:
        principal = await run_in_threadpool(gate.identify, *shown)
    require_own_site(request, principal)
    request.state.principal = principal
    if principal.proof != "open":
        limit: RateLimit = request.app.state.rate_limit
        request.state.answer_headers = limit.take(principal.name)
    return principal


PrincipalIn = Annotated[Principal, Depends(identify)]


class Required:
    """A route's dependency: the principal has one of these scopes; raise ScopeMissingError."""

    def __init__(self, *scopes: Scope) -> None:
        self.scopes = scopes

    async def __call__(self, request: Request, principal: PrincipalIn) -> None:
        """Check the request."""
        check_scope(request, principal, self.scopes)


def check_scope(request: Request, principal: Principal, scopes: tuple[Scope, ...]) -> None:
    """Raise ScopeMissingError unless the principal has one of these scopes."""
    if principal.has_any(scopes):
        return
    tenants: Tenants = request.app.state.tenants
    tenants.default.metrics.count_auth_failure("scope")
    wanted = " or ".join(scopes)
    challenge = f'Bearer error="insufficient_scope", scope="{scopes[0]}"'
    raise ScopeMissingError(
        f"Expected a key with the scope {wanted}, got one without it.",
        hint="Use another key, or make one: 'spanproof keys create --scope …'.",
        headers={"WWW-Authenticate": challenge},
    )


def require(*scopes: Scope) -> Required:
    """The dependency of a route that needs one of these scopes."""
    return Required(*scopes)


async def current_context(request: Request, principal: PrincipalIn) -> Context:
    """The context of the tenant that the credential names, open until the answer is sent."""
    tenants: Tenants = request.app.state.tenants
    context = tenants.default
    if principal.tenant != context.tenant:
        leases = request.state.take_leases()
        # In a thread: it waits while another tenant is being closed, and would block all other
        # requests.
        context = await run_in_threadpool(leases.enter_context, tenants.using(principal.tenant))
    request.state.context = context
    return context


def context_in_use(request: Request) -> Context:
    """The context that ``current_context`` found for this request."""
    context: Context = request.state.context
    return context


async def default_context(request: Request) -> Context:
    """The context of the home itself: for routes about the process, not about data."""
    tenants: Tenants = request.app.state.tenants
    return tenants.default


ContextIn = Annotated[Context, Depends(current_context)]
DefaultContextIn = Annotated[Context, Depends(default_context)]
#: Any credential: for routes about the caller's own tenant, without documents.
ANY_SCOPE = require(*SCOPES)
Ref = Annotated[
    str,
    Path(description="A doc_hash, doc_id or extraction_id.", examples=["sha256:" + "3f" * 32]),
]
Start = Annotated[int, Query(ge=0, description="Start offset, 0-based.", examples=[120])]
End = Annotated[int, Query(ge=0, description="End offset, exclusive.", examples=[180])]
Cursor = Annotated[str | None, Query(description="next_cursor of the previous page.")]
Limit = Annotated[int, Query(ge=1, le=200, description="Most rows per page.")]
Unit = Annotated[OffsetUnit, Query(description="Unit of the offsets.")]


def parse_marked_spans(spans: Iterable[str]) -> list[MarkedSpan]:
    """Parse ``start-end`` or ``start-end:outcome``; raise MalformedParameterError otherwise."""
    found, problems = [], []
    for text in spans:
        match = _MARKED.fullmatch(text)
        if match:
            start, end, outcome = match.groups()
            found.append(MarkedSpan(start=int(start), end=int(end), outcome=outcome or "pass"))
        else:
            expected = "start-end, or start-end:outcome"
            problems.append(FieldProblem(pointer="/query/span", expected=expected, got=repr(text)))
    if problems:
        msg = f"Expected {problems[0].expected} as span, got {problems[0].got}."
        hint = "Give code point offsets, such as span=120-180:fail."
        raise MalformedParameterError(msg, hint=hint, problems=tuple(problems))
    return found


def read_filter_digest(text: str | None) -> Digest | None:
    """Parse a whole digest to filter by; raise MalformedDigestError otherwise."""
    return None if text is None else Digest.parse(text)


def read_filter_moment(moment: datetime | None) -> datetime | None:
    """The moment in UTC, also the default zone; raise MalformedParameterError if out of range."""
    if moment is None:
        return None
    try:
        return assume_utc(moment)
    except ValueError as error:
        raise MalformedParameterError(str(error), hint="Give it in UTC.") from error
