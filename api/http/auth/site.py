"""Whether a browser sends a request for a page of ours: what writes without a key must be.

By Fetch Metadata and Origin, as Go's net/http.CrossOriginProtection does it: no page of another
site can set either header, and a program that is no browser sends neither.
Source: https://web.dev/articles/fetch-metadata, RFC 6454 section 7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from spanproof.operations.errors import CrossSiteError

if TYPE_CHECKING:
    from fastapi import Request

    from spanproof.operations.access.principal import Principal

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def require_own_site(request: Request, principal: Principal | None) -> None:
    """Raise CrossSiteError for a write that a page of another site may have sent.

    A bearer token is no browser's own: whoever sends one means it. A session's cookie is sent by
    the browser whoever asks, so there one of the two headers must say that we did.
    """
    if request.method in _SAFE or (principal is not None and principal.proof in {"key", "oidc"}):
        return
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        is_ours = site in {"same-origin", "none"}
    elif origin is not None:
        is_ours = _find_host(origin) == request.headers.get("host", "")
    else:
        # No browser of the last years: of a program, only one that has no cookie.
        is_ours = principal is not None and principal.proof == "open"
    if not is_ours:
        msg = f"Expected a request of our own page, got one of {origin or site or 'no page'!r}."
        raise CrossSiteError(msg, hint="Send it with a key, or from the console itself.")


def _find_host(origin: str) -> str | None:
    """Host and port of an origin; None for text that is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
