"""What the service counts, for a Prometheus server."""

from fastapi import APIRouter, Depends, Response

from spanproof.api.http.requests.access import ANY_SCOPE, ServicesIn
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.metrics.counters import MEDIA_TYPE
from spanproof.operations.sampling.scrape import refresh_metrics

ROUTER = APIRouter(tags=["service"])


@ROUTER.get(
    "/metrics",
    dependencies=[Depends(ANY_SCOPE)],
    summary="Counters of this process, in Prometheus's text format",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        **problem_responses(),
    },
)
def get_metrics(services: ServicesIn) -> Response:
    """They begin at 0 with every start, and hold no word of any document."""
    refresh_metrics(services)
    return Response(services.metrics.render(), media_type=MEDIA_TYPE)
