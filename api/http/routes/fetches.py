"""Documents fetched from an address: off unless hosts are listed."""

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ServicesIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import describe_body, read_body
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.document import IngestOut
from spanproof.api.http.wire.fetch import EXAMPLE_IN
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.citations.grammars import read_json
from spanproof.operations.documents.fetch import fetch_document, make_fetcher
from spanproof.operations.documents.ingest_report import IngestReport
from spanproof.operations.errors import Work

ROUTER = APIRouter(
    prefix="/v1/fetched-documents",
    tags=["documents"],
    dependencies=[Depends(require("ingest")), Depends(require_known_parameters)],
)


@ROUTER.post(
    "",
    dependencies=[admit(Work.INGEST, reads_body=True)],
    summary="Fetch a document and take it",
    response_model=None,
    responses={
        200: {"model": IngestOut, "description": "These bytes were kept already."},
        201: {"model": IngestOut, "description": "The document is kept."},
        **problem_responses(
            "FETCH_OFF",
            "UPLOAD_STALLED",
            "LIMIT_EXCEEDED",
            "FETCH_REFUSED",
            "FETCH_FAILED",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body("FetchIn", {"example": ("A listed host", EXAMPLE_IN)}),
)
async def post_fetch(request: Request, services: ServicesIn) -> PlainJsonResponse:
    """Only from hosts that the settings list, at public addresses; no redirect is followed."""
    payload = read_json(await read_body(request, services, hint="Send one address."))
    fetcher = getattr(request.app.state, "fetcher", None) or make_fetcher(services.settings)

    def fetch() -> IngestReport:
        return fetch_document(services, payload, fetcher)

    report = await run_in_threadpool(fetch)
    return PlainJsonResponse(
        report.to_json(),
        status_code=201 if report.is_new else 200,
        headers={"Location": f"/v1/documents/{report.doc_hash}"},
    )
