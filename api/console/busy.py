"""What an overload answers: a problem for programs, a page for people, and a count for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.api.console.links import Links
from spanproof.api.console.login import asks_for_page
from spanproof.api.console.rendering import render_page
from spanproof.api.http.problems import answer_error, find_status
from spanproof.operations.errors import ServiceBusyError

if TYPE_CHECKING:
    from fastapi import Request
    from fastapi.responses import Response

    from spanproof.operations.tenants import Tenants


async def answer_busy(request: Request, error: Exception) -> Response:
    """429 with ``Retry-After``; counted by class of work."""
    if not isinstance(error, ServiceBusyError):
        raise TypeError from error
    tenants: Tenants = request.app.state.tenants
    tenants.default.metrics.count_refusal(error.work)
    if not asks_for_page(request):
        return await answer_error(request, error)
    response = render_page(
        "error.html",
        Links(root=str(request.scope.get("root_path", "")).rstrip("/")),
        status=find_status(type(error)),
        title="Too much is asked for at once",
        message=error.message,
        hint="Load this page again in a few seconds.",
        code=error.code,
    )
    response.headers.update(error.headers)
    return response
