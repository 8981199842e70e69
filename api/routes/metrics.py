"""What the service counts, for a Prometheus server."""

from fastapi import APIRouter, Response

from api.metrics import MEDIA_TYPE
from api.routes.access import ServicesIn
from api.wire.problem import problem_responses

ROUTER = APIRouter(tags=["service"])


@ROUTER.get(
    "/metrics",
    summary="Counters of this process, in Prometheus's text format",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        **problem_responses("/metrics"),
    },
)
def get_metrics(services: ServicesIn) -> Response:
    """They begin at 0 with every start, and hold no word of any document."""
    return Response(services.metrics.render(), media_type=MEDIA_TYPE)
