"""The routes of the pages about documents, jobs, rates and access."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from spanproof.api.console.answering import answer, make_links
from spanproof.api.console.forms import read_form
from spanproof.api.console.operations.views import (
    REHEARSED,
    make_access_view,
    make_documents_view,
    make_jobs_view,
)
from spanproof.api.console.rendering import render_page
from spanproof.api.http.requests.access import PrincipalIn, check_scope, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import read_body
from spanproof.api.http.requests.recording import recorded
from spanproof.core.digest import Digest
from spanproof.core.errors import InputError
from spanproof.operations.access.principal import name_actor
from spanproof.operations.errors import Work
from spanproof.operations.jobs.records import WATCHING
from spanproof.operations.replay.rehearsal import rehearse
from spanproof.operations.sampling.acknowledging import acknowledge, list_raised
from spanproof.operations.sampling.rates import compute_rates
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.verifier.policies import NAMES as POLICIES

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

    @router.post(
        "/alarms/{digest}/acknowledgements",
        dependencies=[Depends(require("audit")), admit(Work.STORE, reads_body=True)],
    )
    async def acknowledge_one(request: Request, principal: PrincipalIn, digest: str) -> Response:
        context = context_of(request)
        raw = await read_body(request, context, hint="Give the reason in a sentence.")

        def save() -> Response:
            acknowledge(
                context,
                compute_rates(context),
                Digest.parse(digest),
                reason=read_form(raw).get("reason", ""),
                actor=principal.actor,
            )
            return RedirectResponse(make_links(request).alarms(), HTTPStatus.SEE_OTHER)

        return await run_in_threadpool(answer, request, save)

    @router.get("/access", dependencies=[Depends(require("admin")), *page])
    def show_access(request: Request) -> Response:
        return answer(request, lambda: _access_page(request, context_of(request)))

    @router.post(
        "/access/rehearsals",
        dependencies=[
            Depends(require("admin")),
            admit(Work.BULK, reads_body=True),
            Depends(recorded("answers", door="console")),
        ],
    )
    async def try_policy(request: Request) -> Response:
        context = context_of(request)
        raw = await read_body(request, context, hint="Use the form of the page.")
        return await run_in_threadpool(
            answer, request, lambda: _rehearsal_page(request, context, raw)
        )


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
    total, principal = compute_rates(context), request.state.principal
    return render_page(
        "alarms.html",
        make_links(request),
        total=total,
        report=report,
        raised=list_raised(context, total),
        name_actor=name_actor,
        may_acknowledge=principal.has_any(("audit",)) and principal.actor != NOBODY,
    )


def _access_page(request: Request, context: Context) -> Response:
    tenants: Tenants = request.app.state.tenants
    view = make_access_view(tenants.default, context, tenants.names(), now=datetime.now(UTC))
    return render_page("access.html", make_links(request), view=view)


def _rehearsal_page(request: Request, context: Context, raw: bytes) -> Response:
    form = read_form(raw)
    policy, limit = form.get("policy", ""), form.get("limit", "")
    if policy not in POLICIES or limit not in REHEARSED:
        msg = "Expected a policy and a number of the list, got another form."
        raise InputError(msg, hint="Use the form of the page.")
    links = make_links(request)
    found = rehearse(context, policy=policy, limit=int(limit))
    urls = {each.verification_id: links.answer(each.verification_id) for each in found.flips}
    return render_page("rehearsal.html", links, found=found, urls=urls)
