"""Renders templates: everything is escaped, and pages load nothing from other hosts."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from spanproof.core.moment import write_moment
from spanproof.operations.presentation.words import NOT_PROVED, SIGNS, show_text

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.api.console.links import Links

#: The console's files with their media types; no other file is served.
STATIC_FILES = {
    "answer.css": "text/css; charset=utf-8",
    "answer.js": "text/javascript; charset=utf-8",
    "console.css": "text/css; charset=utf-8",
    "playground.js": "text/javascript; charset=utf-8",
    "triage.css": "text/css; charset=utf-8",
    "console.js": "text/javascript; charset=utf-8",
    "review.css": "text/css; charset=utf-8",
    "review.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
#: No inline script or style, no other origin, no framing.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
#: A page shows confidential text: no shared cache may keep it.
PAGE_HEADERS = SECURITY_HEADERS | {"Cache-Control": "private, no-cache"}


def render_page(template: str, links: Links, *, status: int = 200, **values: Any) -> HTMLResponse:  # noqa: ANN401 - a template takes any value
    """One page of the console."""
    html = load_environment().get_template(template).render(links=links, **values)
    # A lone surrogate is legal in JSON but not in UTF-8: it must not break the page.
    content = html.encode("utf-8", "xmlcharrefreplace")
    return HTMLResponse(content, status_code=status, headers=PAGE_HEADERS)


def render_static(name: str) -> Response | None:
    """One of the console's own files, None for any other name."""
    if name not in STATIC_FILES:
        return None
    # The address contains the file's digest, so a cached copy is never stale.
    headers = SECURITY_HEADERS | {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(read_static(name), media_type=STATIC_FILES[name], headers=headers)


@cache
def read_static(name: str) -> bytes:
    """The bytes of a file of the package."""
    return resources.files("spanproof.api.console").joinpath("static", name).read_bytes()


@cache
def load_environment() -> Environment:
    """The templates of the package; a missing value is an error, never blank."""
    environment = Environment(
        loader=PackageLoader("spanproof.api.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = show_text
    environment.filters["moment"] = _show_moment
    environment.filters["machine_moment"] = write_moment
    environment.filters["short_digest"] = _shorten_digest
    environment.globals["signs"] = SIGNS
    environment.globals["not_proved"] = NOT_PROVED
    environment.globals["static_version"] = digest_static
    return environment


@cache
def digest_static(name: str) -> str:
    """The first digits of a file's digest: enough to distinguish releases."""
    return hashlib.sha256(read_static(name)).hexdigest()[:12]


def _show_moment(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def _shorten_digest(digest: str) -> str:
    # Shortened for display: the whole digest is in the title and on the span's page.
    return digest[: len("sha256:") + 12] + "…"
