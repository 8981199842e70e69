"""The routes of the pages about documents, jobs, rates and access."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response

from spanproof.api.console.answering import answer, make_links
from spanproof.api.console.operations.views import (
    make_access_view,
    make_documents_view,
    make_jobs_view,
)
from spanproof.api.console.rendering import render_page
from spanproof.api.http.requests.access import check_scope, require
from spanproof.api.http.requests.admitting import admit
from spanproof.core.errors import InputError
from spanproof.operations.errors import Work
from spanproof.operations.jobs.records import WATCHING
from spanproof.operations.sampling.rates import compute_rates

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import APIRouter

    from spanproof.operations.context import Context
    from spanproof.operations.tenants import Tenants


def add_operations_routes(router: APIRouter, context_of: Callable[[Request], Context]) -> None:
    """Add them to the console's router, which asks for ``read`` or ``audit``."""
    page = [admit(Work.STORE)]

    @router.get("/documents", dependencies=page)
    def list_documents(request: Request) -> Response:
        return answer(request, lambda: _documents_page(request, context_of(request)))

    @router.get("/jobs", dependencies=page)
    def list_jobs(request: Request) -> Response:
        return answer(request, lambda: _jobs_page(request, context_of(request)))

    @router.post(
        "/jobs/{job_id}/cancel",
        dependencies=[Depends(require("verify", "ingest", "admin")), *page],
    )
    def cancel_job(request: Request, job_id: str) -> Response:
        return answer(request, lambda: _cancel(request, context_of(request), job_id))

    @router.get("/alarms", dependencies=page)
    def show_alarms(request: Request) -> Response:
        return answer(request, lambda: _alarms_page(request, context_of(request)))

    @router.get("/access", dependencies=[Depends(require("admin")), *page])
    def show_access(request: Request) -> Response:
        return answer(request, lambda: _access_page(request, context_of(request)))


def _documents_page(request: Request, context: Context) -> Response:
    links, query = make_links(request), request.query_params
    view = make_documents_view(
        context,
        links,
        only_problems=query.get("problems") == "1",
        cursor=query.get("cursor") or None,
    )
    return render_page("documents.html", links, view=view)


def _jobs_page(request: Request, context: Context) -> Response:
    links, query = make_links(request), request.query_params
    try:
        view = make_jobs_view(
            context,
            links,
            state=query.get("state") or None,
            cursor=query.get("cursor") or None,
            principal=request.state.principal,
        )
    except ValueError as error:
        msg = f"Expected a state of a job, got {query.get('state')!r}."
        raise InputError(msg, hint="Choose one of the list.") from error
    return render_page("jobs.html", links, view=view, watching=WATCHING)


def _cancel(request: Request, context: Context, job_id: str) -> Response:
    if context.jobs.find(job_id).kind in WATCHING:
        check_scope(request, request.state.principal, ("admin",))
    context.jobs.cancel(job_id)
    return RedirectResponse(make_links(request).jobs(), HTTPStatus.SEE_OTHER)


def _alarms_page(request: Request, context: Context) -> Response:
    report = compute_rates(context, by="index_version")
    links = make_links(request)
    return render_page("alarms.html", links, total=compute_rates(context), report=report)


def _access_page(request: Request, context: Context) -> Response:
    tenants: Tenants = request.app.state.tenants
    view = make_access_view(tenants.default, context, tenants.names(), now=datetime.now(UTC))
    return render_page("access.html", make_links(request), view=view)
