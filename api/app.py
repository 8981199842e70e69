"""The HTTP application: routes, console, problems and headers over one set of services."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from importlib import metadata
from typing import TYPE_CHECKING

from fastapi import Depends, FastAPI
from fastapi.concurrency import run_in_threadpool

from api.console.routes import build_router
from api.headers import HeadersMiddleware
from api.openapi import make_openapi
from api.operations.log_opening import mend_log
from api.problems import add_problem_handlers
from api.routes import (
    attributions,
    audit,
    chunks,
    documents,
    fields,
    grammars,
    health,
    log,
    metrics,
    spans,
    verifications,
)
from api.routes.access import current_services, require_own_host
from api.wiring import Services

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from api.settings import Settings


def create_app(settings: Settings) -> FastAPI:
    """The application; starting it opens the services, stopping it closes them."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        services = Services(settings)
        try:
            # A store that cannot be opened stops the start, not the first request.
            await run_in_threadpool(lambda: services.store)
            await run_in_threadpool(mend_log, services)
            app.state.services = services
            yield
        finally:
            await run_in_threadpool(services.close)

    app = FastAPI(
        title="Spanproof",
        version=metadata.version("spanproof"),
        lifespan=lifespan,
        dependencies=[Depends(require_own_host)],
        # Their pages load scripts from other hosts; the document itself is at /openapi.json.
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(HeadersMiddleware)
    add_problem_handlers(app)
    for router in (
        health.ROUTER,
        metrics.ROUTER,
        verifications.ROUTER,
        documents.ROUTER,
        spans.ROUTER,
        chunks.ROUTER,
        attributions.ROUTER,
        fields.ROUTER,
        grammars.ROUTER,
        log.ROUTER,
        audit.ROUTER,
        log.PROOF_ROUTER,
        documents.SHOW_ROUTER,
    ):
        app.include_router(router)
    app.include_router(build_router(current_services))
    app.openapi = partial(make_openapi, app)  # type: ignore[method-assign]
    return app
