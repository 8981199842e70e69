"""``/docs``: the OpenAPI document as a page, with no file of another host."""

from __future__ import annotations

from functools import cache
from importlib import resources

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from spanproof.api.http.headers import PAGE_POLICY
from spanproof.core.errors import NotFoundError

#: Swagger UI, as ``fastapi-offline`` ships it, and our own line that starts it.
_SCRIPT, _STYLE, _START = "swagger-ui-bundle.js", "swagger-ui.css", "start.js"
_MEDIA_TYPES = {_SCRIPT: "text/javascript", _STYLE: "text/css", _START: "text/javascript"}
# Relative addresses: a proxy may serve us under a path of its own.
_STARTED = (
    'SwaggerUIBundle({url: "openapi.json", dom_id: "#reference", deepLinking: true, '
    "validatorUrl: null, displayOperationId: true});"
)
_PAGE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Spanproof: HTTP reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/{_STYLE}">
<main id="reference"></main>
<noscript>Without JavaScript, read <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/{_SCRIPT}"></script>
<script src="docs/{_START}"></script>
</html>
"""
#: Swagger UI draws its icons from data addresses.
_POLICY = f"{PAGE_POLICY}; img-src 'self' data:"
ROUTER = APIRouter(include_in_schema=False)


@ROUTER.get("/docs")
async def get_reference() -> HTMLResponse:
    """The page; as open as ``/openapi.json`` itself."""
    return HTMLResponse(_PAGE, headers={"Content-Security-Policy": _POLICY})


@ROUTER.get("/docs/{name}")
def get_reference_file(name: str) -> Response:
    """A file of the page; raise NotFoundError for any other."""
    if name not in _MEDIA_TYPES:
        msg = f"Expected a file of {', '.join(_MEDIA_TYPES)}, got {name!r}."
        raise NotFoundError(msg, hint="Open /docs.")
    headers = {"Cache-Control": "public, max-age=86400"}
    return Response(_read_file(name), media_type=_MEDIA_TYPES[name], headers=headers)


@cache
def _read_file(name: str) -> bytes:
    if name == _START:
        return _STARTED.encode()
    return resources.files("fastapi_offline").joinpath("static", name).read_bytes()
