"""Liveness, readiness, version and metrics of the service."""

import platform
from importlib import metadata

from fastapi import APIRouter, Depends, Response

from spanproof.api.http.requests.access import ANY_SCOPE, ContextIn, DefaultContextIn
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.administration import HealthOut, ReadyOut, VersionOut
from spanproof.api.http.wire.examples import files
from spanproof.api.http.wire.problem import problem_responses
from spanproof.core.errors import FieldProblem
from spanproof.operations.doctor import check_readiness
from spanproof.operations.errors import NotReadyError
from spanproof.operations.metrics.counters import MEDIA_TYPE
from spanproof.operations.sampling.rates import refresh_metrics
from spanproof.operations.versions import find_versions

ROUTER = APIRouter(tags=["service"])


@ROUTER.get(
    "/healthz",
    operation_id="getHealth",
    summary="Liveness",
    response_model=None,
    responses={200: {"model": HealthOut}, **problem_responses()},
)
async def get_health() -> PlainJsonResponse:
    """The process answers; for its parts see /readyz."""
    return PlainJsonResponse({"status": "ok"})


@ROUTER.get(
    "/readyz",
    operation_id="getReadiness",
    summary="Readiness",
    response_model=None,
    responses={200: {"model": ReadyOut}, **problem_responses("NOT_READY")},
)
def get_readiness(context: DefaultContextIn) -> PlainJsonResponse:
    """Database, blobs, policy, model and the log's key are each tried."""
    report = check_readiness(context)
    if report.is_ready:
        return PlainJsonResponse(report.to_json())
    problems = tuple(
        FieldProblem(pointer=f"/{check.name}", expected=f"a working {check.name}", got=check.detail)
        for check in report.failed
    )
    names = ", ".join(check.name for check in report.failed)
    msg = f"Expected every part to work, got failures of: {names}."
    raise NotReadyError(msg, hint="Run 'spanproof doctor' on the host.", problems=problems)


@ROUTER.get(
    "/version",
    operation_id="getVersion",
    summary="Version",
    response_model=None,
    responses={200: {"model": VersionOut}, **problem_responses()},
)
def get_version() -> PlainJsonResponse:
    """Versions of the package, its verification procedure and the API."""
    from spanproof.verifier.version import PROCEDURE

    return PlainJsonResponse(
        {
            "version": metadata.version("spanproof"),
            "api": "v1",
            "procedure": PROCEDURE,
            "details": {
                "python": platform.python_version(),
                **find_versions(("pymupdf", "pypdfium2", "torch", "transformers")),
            },
        }
    )


@ROUTER.get(
    "/metrics",
    dependencies=[Depends(ANY_SCOPE)],
    operation_id="getMetrics",
    summary="Metrics in Prometheus's text format",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": files.describe_text(files.METRICS)}},
        **problem_responses(),
    },
)
def get_metrics(context: ContextIn) -> Response:
    """Counters of this process; they start at 0 and contain no text of documents."""
    refresh_metrics(context)
    return Response(context.metrics.render(), media_type=MEDIA_TYPE)
