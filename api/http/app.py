"""The HTTP application: routes, console, problems and headers."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import partial
from importlib import metadata
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.to_thread import run_sync
from fastapi import Depends, FastAPI
from fastapi.concurrency import run_in_threadpool

from spanproof.api.console.answering import show_errors_as_pages
from spanproof.api.console.login import answer_busy, answer_unauthenticated, build_public_router
from spanproof.api.console.routes import build_router
from spanproof.api.http.admission import Admission, AdmissionMiddleware
from spanproof.api.http.auth.gate import Gate
from spanproof.api.http.drain import Drain, DrainMiddleware
from spanproof.api.http.headers import HeadersMiddleware
from spanproof.api.http.limits import RateLimit
from spanproof.api.http.openapi import make_openapi
from spanproof.api.http.problems import add_problem_handlers
from spanproof.api.http.requests.access import (
    context_in_use,
    current_context,
    require,
    require_own_host,
)
from spanproof.api.http.rooms import plan_rooms
from spanproof.api.http.routes import (
    accesses,
    audit,
    bulk,
    documents,
    drift,
    erasures,
    indexes,
    jobs,
    keeping,
    log,
    monitoring,
    reference,
    sources,
    spans,
    submissions,
)
from spanproof.api.http.routes.administration import (
    changes,
    configuration,
    health,
    keys,
    webhooks,
)
from spanproof.api.http.routes.verification import (
    answers_list,
    attributions,
    decisions,
    fields,
    grammars,
    verifications,
)
from spanproof.api.http.sharing import share_load
from spanproof.operations.errors import ServiceBusyError, UnauthenticatedError
from spanproof.operations.jobs.hosting import host_jobs
from spanproof.operations.start_up import PendingAnswersThread, recover_log, resume_sampling
from spanproof.operations.tenants import Tenants

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import ASGIApp, Receive, Scope, Send

    from spanproof.api.http.auth.oidc import OidcTokens
    from spanproof.operations.assembly import GivenParts
    from spanproof.operations.settings import Settings


class TenantMiddleware:
    """Gives each request ``request.state.take_leases()``: an ExitStack, closed at its end."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        leases = ExitStack()
        is_used = False

        def enter() -> ExitStack:
            nonlocal is_used
            is_used = True
            return leases

        scope.setdefault("state", {})["take_leases"] = enter
        try:
            await self._app(scope, receive, send)
        finally:
            if is_used:
                # Closing an unused tenant may wait for a disk; a cancelled request must still
                # release what it holds.
                with anyio.CancelScope(shield=True):
                    await run_sync(leases.close)


def open_tokens(settings: Settings, tenants: Tenants) -> OidcTokens | None:
    """The reader of OpenID tokens, if an issuer is set; raise SettingsError."""
    if not (settings.oidc_issuer or settings.oidc_audience or settings.oidc_jwks):
        return None
    from spanproof.api.http.auth.oidc import OidcTokens

    return OidcTokens(settings, has_tenant=lambda name: name in tenants.names())


def create_app(
    settings: Settings, *, is_worker: bool = False, parts: GivenParts | None = None
) -> FastAPI:
    """The application; its start opens the contexts, its end closes them.

    ``parts`` are used in place of ones made of the settings; the caller closes them.
    ``is_worker`` runs jobs from the start; otherwise the first job queued here starts that.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        tenants = Tenants(settings, parts)
        drain = app.state.drain = Drain(settings.drain_seconds)
        context, executor, pending = tenants.default, None, None
        sharing: asyncio.Task[None] | None = None
        try:
            # A store that does not open fails at the start, not at the first request.
            await run_in_threadpool(lambda: context.store)
            await run_in_threadpool(recover_log, context)
            await run_in_threadpool(resume_sampling, tenants)
            app.state.tenants, app.state.context = tenants, context
            app.state.gate = Gate(tenants, tokens=open_tokens(settings, tenants))
            app.state.rate_limit = RateLimit(settings.rate_limit)
            rooms = plan_rooms(settings)
            app.state.admission = Admission(
                rooms,
                body_bytes=settings.body_bytes,
                staged_bytes=settings.staged_bytes,
                weights=settings.tenant_weights,
            )
            if (url := settings.database_url) is not None:
                load = share_load(app.state.admission, app.state.rate_limit, settings.home, url)
                sharing = asyncio.create_task(load)
            # Every turn has a thread.
            threads = anyio.to_thread.current_default_thread_limiter()
            threads.total_tokens = app.state.admission.threads
            executor = await run_in_threadpool(host_jobs, tenants, at_once=is_worker)
            pending = PendingAnswersThread(tenants)
            yield
        finally:
            if sharing is not None:
                sharing.cancel()
                with suppress(asyncio.CancelledError):
                    await sharing
            if pending is not None:
                await run_in_threadpool(pending.stop)
            if executor is not None:
                await run_in_threadpool(executor.stop, drain_seconds=drain.left())
            await run_in_threadpool(tenants.close)

    app = FastAPI(
        title="Spanproof",
        version=metadata.version("spanproof"),
        lifespan=lifespan,
        dependencies=[Depends(require_own_host)],
        # The framework's own pages load scripts from other hosts; ours is routes.reference.
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(TenantMiddleware)
    app.add_middleware(AdmissionMiddleware)
    app.add_middleware(DrainMiddleware)
    app.add_middleware(HeadersMiddleware)
    add_problem_handlers(app)
    show_errors_as_pages(app)
    app.add_exception_handler(ServiceBusyError, answer_busy)
    app.add_exception_handler(UnauthenticatedError, answer_unauthenticated)
    for router in (
        # First, because it is the most frequent route.
        submissions.ROUTER,
        health.ROUTER,
        reference.ROUTER,
        verifications.ROUTER,
        decisions.ROUTER,
        answers_list.ROUTER,
        jobs.ROUTER,
        webhooks.ROUTER,
        monitoring.ROUTER,
        documents.ROUTER,
        sources.ROUTER,
        spans.ROUTER,
        spans.CHUNK_ROUTER,
        indexes.ROUTER,
        drift.ROUTER,
        bulk.ROUTER,
        erasures.ROUTER,
        keeping.ROUTER,
        attributions.ROUTER,
        fields.ROUTER,
        grammars.ROUTER,
        configuration.ROUTER,
        changes.ROUTER,
        log.ROUTER,
        audit.ROUTER,
        accesses.ROUTER,
        keys.ROUTER,
        documents.FETCH_ROUTER,
        log.PROOF_ROUTER,
        documents.SHOW_ROUTER,
    ):
        app.include_router(router)
    app.include_router(build_public_router())
    app.include_router(
        build_router(context_in_use),
        dependencies=[Depends(require("read", "audit")), Depends(current_context)],
    )
    app.openapi = partial(make_openapi, app)  # type: ignore[method-assign]
    return app
