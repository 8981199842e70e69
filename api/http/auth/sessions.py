"""Sessions of the console, and writes that another site's page may have sent."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from spanproof.operations.access.key_format import is_same
from spanproof.operations.errors import CrossSiteError

if TYPE_CHECKING:
    from fastapi import Request

    from spanproof.operations.access.key_format import Pepper
    from spanproof.operations.access.principal import Principal


COOKIE = "spanproof_session"
LIFETIME = timedelta(hours=8)
_SESSION = re.compile(
    r"(v1\.(sp_[a-z2-7]{12})\.([0-9]{1,12})\.[0-9a-f]{32})\.([0-9a-f]{64})", re.ASCII
)


def write_session(pepper: Pepper, key_id: str, *, now: datetime) -> str:
    """The cookie's value for a key."""
    ends = int((now + LIFETIME).timestamp())
    head = f"v1.{key_id}.{ends}.{secrets.token_hex(16)}"
    return f"{head}.{pepper.sign(head)}"


def read_session(pepper: Pepper, value: str, *, now: datetime) -> str | None:
    """The key that a cookie names; None if we did not write it or it has expired."""
    found = _SESSION.fullmatch(value)
    if found is None:
        return None
    head, key_id, ends, signature = found.groups()
    if not is_same(pepper.sign(head), signature):
        return None
    return key_id if now < datetime.fromtimestamp(int(ends), UTC) else None


_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def require_own_site(request: Request, principal: Principal | None) -> None:
    """Raise CrossSiteError for a write that may come from a page of another site.

    A browser sends no bearer token by itself, so such a request is intended. It does send a
    session's cookie, for any page; so one of two headers must name our own page.
    """
    if request.method in _SAFE or (principal is not None and principal.proof in {"key", "oidc"}):
        return
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        is_ours = site in {"same-origin", "none"}
    elif origin is not None:
        is_ours = _find_host(origin) == request.headers.get("host", "")
    else:
        # An old browser or a program: allowed only without a cookie.
        is_ours = principal is not None and principal.proof == "open"
    if not is_ours:
        msg = f"Expected a request from our own page, got one from {origin or site or 'no page'!r}."
        raise CrossSiteError(msg, hint="Send it with a key, or from the console itself.")


def _find_host(origin: str) -> str | None:
    """Host and port of an origin; None for text that is not an address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
