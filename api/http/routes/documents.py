"""Documents: ingest a raw stream, list, show and download."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import ContextIn, Cursor, Limit, Ref, require
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.body import (
    describe_body,
    read_body,
    stage_body,
)
from spanproof.api.http.requests.idempotency import answer_idempotently
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.requests.uploads import (
    APPLIED,
    ChosenUploadIn,
    require_room,
    start_idempotently,
)
from spanproof.api.http.responses import SOURCE_TYPES, PlainJsonResponse, source_response
from spanproof.api.http.wire.document import (
    FETCH_EXAMPLE_IN,
    DocumentListOut,
    DocumentOut,
    IngestOut,
)
from spanproof.api.http.wire.examples import documents as document_examples
from spanproof.api.http.wire.examples import files
from spanproof.api.http.wire.job import JobOut
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.citations.grammars import read_json
from spanproof.operations.documents.ingest import Announced, ingest_staged, to_too_large
from spanproof.operations.documents.ingest_report import IngestReport
from spanproof.operations.documents.references import load_record
from spanproof.operations.documents.stored import list_documents, show_document
from spanproof.operations.documents.url_fetch import fetch_document, make_fetcher
from spanproof.operations.errors import Work
from spanproof.operations.idempotency import IdempotentOperation
from spanproof.operations.jobs import Job
from spanproof.operations.jobs.queueing import start_ingest

ROUTER = APIRouter(
    prefix="/v1/documents", tags=["documents"], dependencies=[Depends(require_known_parameters)]
)
#: Examples of a file's beginning.
_TAKEN = {
    "application/pdf": "%PDF-1.7 …",
    "text/plain": "Defective goods are replaced within four business days.",
    "text/markdown": "# Warranty\n\nDefective goods are replaced within *four* business days.",
    "*/*": "%PDF-1.7 …",
}
_BINARY = {"schema": {"type": "string", "format": "binary"}}


@dataclass(frozen=True, kw_only=True)
class DocumentNames:
    """What a caller may call a document."""

    doc_id: Annotated[
        str | None,
        Query(
            description="A name; the doc_hash by default.",
            examples=[document_examples.PUT_QUERY["doc_id"]],
        ),
    ] = None
    title: Annotated[
        str | None, Query(max_length=2000, examples=[document_examples.PUT_QUERY["title"]])
    ] = None
    filename: Annotated[
        str | None, Query(max_length=1000, examples=[document_examples.PUT_QUERY["filename"]])
    ] = None
    content_type: Annotated[
        str | None,
        Header(description="A hint; the first bytes decide.", examples=["application/pdf"]),
    ] = None


@ROUTER.put(
    "",
    dependencies=[Depends(require("ingest")), admit(Work.INGEST, reads_body=True)],
    operation_id="ingestDocument",
    summary="Ingest a document",
    response_model=None,
    responses={
        200: {"model": IngestOut, "description": "These bytes were already stored."},
        201: {"model": IngestOut, "description": "The document is stored."},
        202: {"model": JobOut, "description": "Queued; poll the job for the result."},
        **problem_responses(
            "UPLOAD_STALLED",
            "REQUEST_IN_FLIGHT",
            "DOCUMENT_ERASED",
            "LIMIT_EXCEEDED",
            "MALFORMED_PARAMETER",
            "DOCUMENT_ENCRYPTED",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "The raw bytes of a PDF, plain text or Markdown; not a form.",
            "content": {kind: _BINARY | {"example": example} for kind, example in _TAKEN.items()},
        }
    },
)
async def put_document(
    *,
    request: Request,
    context: ContextIn,
    names: Annotated[DocumentNames, Depends()],
    upload: ChosenUploadIn,
) -> Response:
    """The bytes are hashed while they arrive; the first bytes decide the type, not the header."""
    announced = Announced(
        media_type=names.content_type,
        filename=names.filename,
        doc_id=names.doc_id,
        title=names.title,
        expected=upload.read_digest(),
    )
    if upload.is_async:
        await require_room(context, upload.idempotency_key)
    async with stage_body(
        request, context, cap=context.settings.max_document_bytes, too_large=to_too_large
    ) as staged:
        await current_ticket(request).take_turn()

        def start(job_id: str) -> Job:
            return start_ingest(context, staged, announced, job_id=job_id)

        def ingest(_name: str) -> Response:
            report = ingest_staged(context, staged, announced)
            return PlainJsonResponse(
                report.to_json(),
                status_code=201 if report.is_new else 200,
                headers={"Location": f"/v1/documents/{report.doc_hash}"},
            )

        # The same bytes again give the stored answer: no record of the request is needed.
        now = IdempotentOperation(perform=ingest, replay=ingest, is_done=lambda _name: False)
        work = start_idempotently(context, start) if upload.is_async else now
        given = f"{staged.digest} {upload.is_async} {names.content_type}".encode()
        response = await answer_idempotently(request, context, upload.idempotency_key, given, work)
    if upload.is_preferred:
        response.headers.update(APPLIED)
    return response


@ROUTER.get(
    "",
    dependencies=[Depends(require("read", "audit")), admit(Work.STORE)],
    operation_id="listDocuments",
    summary="List documents, newest first",
    response_model=None,
    responses={200: {"model": DocumentListOut}, **problem_responses("MALFORMED_PARAMETER")},
)
def get_documents(
    context: ContextIn, cursor: Cursor = None, limit: Limit = 50
) -> PlainJsonResponse:
    """One page; ``next_cursor`` leads to the next."""
    return PlainJsonResponse(list_documents(context, cursor=cursor, limit=limit).to_json())


@ROUTER.get(
    "/{ref:path}/source",
    dependencies=[
        Depends(require("read", "audit")),
        admit(Work.STORE),
        Depends(recorded("document", "ref")),
    ],
    operation_id="getSource",
    summary="Download the source bytes",
    response_class=Response,
    responses={
        200: {"content": {kind: files.SOURCES[kind] for kind in SOURCE_TYPES}},
        **problem_responses("DOCUMENT_NOT_FOUND", "DOCUMENT_ERASED", "MALFORMED_PARAMETER"),
    },
)
def get_source(context: ContextIn, ref: Ref) -> Response:
    """Always a download; ``Repr-Digest`` holds the digest of the bytes."""
    document = load_record(context, ref).document
    content = context.store.documents.read_source(document.doc_hash)
    return source_response(content, document.media_type, document.doc_hash)


#: Registered after every longer path: a doc_id may contain a slash.
SHOW_ROUTER = APIRouter(
    prefix="/v1/documents",
    tags=["documents"],
    dependencies=[
        Depends(require("read", "audit")),
        Depends(require_known_parameters),
        admit(Work.STORE),
    ],
)


@SHOW_ROUTER.get(
    "/{ref:path}",
    dependencies=[Depends(recorded("document", "ref"))],
    operation_id="getDocument",
    summary="One document",
    response_model=None,
    responses={
        200: {"model": DocumentOut},
        **problem_responses("DOCUMENT_NOT_FOUND", "DOCUMENT_ERASED", "MALFORMED_PARAMETER"),
    },
)
def get_document(context: ContextIn, ref: Ref) -> PlainJsonResponse:
    """Its names and its current extraction."""
    return PlainJsonResponse(show_document(context, ref).to_json())


FETCH_ROUTER = APIRouter(
    prefix="/v1/fetched-documents",
    tags=["documents"],
    dependencies=[Depends(require("ingest")), Depends(require_known_parameters)],
)


@FETCH_ROUTER.post(
    "",
    dependencies=[admit(Work.INGEST, reads_body=True)],
    operation_id="fetchDocument",
    summary="Fetch and ingest a document",
    response_model=None,
    responses={
        200: {"model": IngestOut, "description": "These bytes were already stored."},
        201: {"model": IngestOut, "description": "The document is stored."},
        **problem_responses(
            "FETCH_OFF",
            "UPLOAD_STALLED",
            "LIMIT_EXCEEDED",
            "FETCH_REFUSED",
            "FETCH_FAILED",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra=describe_body("FetchIn", {"example": ("From an allowed host", FETCH_EXAMPLE_IN)}),
)
async def post_fetch(request: Request, context: ContextIn) -> PlainJsonResponse:
    """Only from hosts that the settings allow, at public addresses; redirects are not followed."""
    payload = read_json(await read_body(request, context, hint="Send one address."))
    fetcher = getattr(request.app.state, "fetcher", None) or make_fetcher(context.settings)

    def fetch() -> IngestReport:
        return fetch_document(context, payload, fetcher)

    report = await run_in_threadpool(fetch)
    return PlainJsonResponse(
        report.to_json(),
        status_code=201 if report.is_new else 200,
        headers={"Location": f"/v1/documents/{report.doc_hash}"},
    )
