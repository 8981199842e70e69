"""Places in a document: text, position of a span or quote, page images, chunks."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.access import (
    ContextIn,
    End,
    Ref,
    Start,
    Unit,
    parse_marked_spans,
    require,
)
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.caller import waiting_caller
from spanproof.api.http.requests.listing import PageIn
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.responses import PlainJsonResponse, file_response, text_response
from spanproof.api.http.wire.document import ChunkListOut, FindOut, LocateOut
from spanproof.api.http.wire.examples import files
from spanproof.api.http.wire.problem import problem_responses
from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedSpanError
from spanproof.ingest.chunking.chunk import FEWEST_CHARACTERS, MOST_CHARACTERS, ChunkBy, ChunkChoice
from spanproof.operations.documents.chunks import list_chunks
from spanproof.operations.documents.find import FindReport, find
from spanproof.operations.documents.locate import MarkedSpan, locate, page_image
from spanproof.operations.documents.references import load_extraction
from spanproof.operations.documents.stored import slice_text
from spanproof.operations.errors import Work
from spanproof.operations.verification.budget import bounded_work

ROUTER = APIRouter(
    prefix="/v1/documents",
    tags=["spans"],
    dependencies=[Depends(require("read", "audit")), Depends(require_known_parameters)],
)


@ROUTER.get(
    "/{ref:path}/text",
    dependencies=[admit(Work.STORE), Depends(recorded("document", "ref"))],
    operation_id="getText",
    summary="Read the canonical text, or a slice of it",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"example": "within four business days"}}},
        **problem_responses("DOCUMENT_NOT_FOUND", "DOCUMENT_ERASED", "MALFORMED_PARAMETER"),
    },
)
def get_text(
    context: ContextIn,
    ref: Ref,
    start: Annotated[int | None, Query(ge=0)] = None,
    end: Annotated[int | None, Query(ge=0)] = None,
    unit: Unit = "codepoint",
) -> Response:
    """UTF-8 bytes of ``[start, end)``; newlines are unchanged."""
    extraction = load_extraction(context, ref)
    return text_response(slice_text(extraction, start, end, unit), extraction.extraction_id)


@ROUTER.get(
    "/{ref:path}/locate",
    dependencies=[admit(Work.STORE), Depends(recorded("document", "ref"))],
    operation_id="locateSpan",
    summary="Locate a span on its pages",
    response_model=None,
    responses={
        200: {"model": LocateOut},
        **problem_responses("DOCUMENT_NOT_FOUND", "DOCUMENT_ERASED", "MALFORMED_PARAMETER"),
    },
)
def get_place(
    context: ContextIn, ref: Ref, start: Start, end: End, unit: Unit = "codepoint"
) -> PlainJsonResponse:
    """One quad per line in PDF user space, and one box per displayed page."""
    return PlainJsonResponse(locate(context, ref, start, end, unit).to_json())


@ROUTER.get(
    "/{ref:path}/find",
    dependencies=[admit(Work.STORE), Depends(recorded("document", "ref"))],
    operation_id="findQuote",
    summary="Find a quote",
    response_model=None,
    responses={
        200: {"model": FindOut},
        **problem_responses(
            "DOCUMENT_NOT_FOUND", "DOCUMENT_ERASED", "MALFORMED_PARAMETER", "REQUEST_TOO_COSTLY"
        ),
    },
)
async def get_matches(
    request: Request,
    context: ContextIn,
    ref: Ref,
    quote: Annotated[str, Query(min_length=1, examples=["within four business days"])],
) -> PlainJsonResponse:
    """The status and every match; ``nearest`` if only similar text was found."""

    def work() -> FindReport:
        with bounded_work(context.settings, caller.attend):
            return find(context, ref, quote)

    async with waiting_caller(request, current_ticket(request)) as caller:
        report = await run_in_threadpool(work)
    return PlainJsonResponse(report.to_json())


def _read_marked(
    start: Annotated[int | None, Query(ge=0)] = None,
    end: Annotated[int | None, Query(ge=0)] = None,
    span: Annotated[
        tuple[str, ...], Query(description="start-end or start-end:outcome; may be repeated.")
    ] = (),
) -> list[MarkedSpan]:
    if (start is None) != (end is None):
        msg = f"Expected start and end together, got {start} and {end}."
        raise MalformedSpanError(msg, hint="Give both, or neither.")
    marked = parse_marked_spans(span)
    if start is not None and end is not None:
        marked.append(MarkedSpan(start=start, end=end))
    return marked


@ROUTER.get(
    "/{ref:path}/pages/{page}.png",
    dependencies=[admit(Work.RENDER), Depends(recorded("page", "ref", "page"))],
    operation_id="getPage",
    summary="Draw a page with spans marked",
    response_class=Response,
    responses={
        200: {"content": {"image/png": files.PAGE}},
        **problem_responses("DOCUMENT_NOT_FOUND", "DOCUMENT_ERASED", "MALFORMED_PARAMETER"),
    },
)
def get_page(
    *,
    context: ContextIn,
    ref: Ref,
    page: Annotated[int, Path(ge=1, le=10**9, description="1-based page number.")],
    marked: Annotated[list[MarkedSpan], Depends(_read_marked)],
    if_none_match: Annotated[
        str | None, Header(description="The ETag of an earlier answer.")
    ] = None,
) -> Response:
    """``start`` and ``end`` give one more span; offsets are code points."""
    image = page_image(context, ref, page, marked)
    response = file_response(image, "image/png", digest=Digest.of(image), known=if_none_match)
    response.headers["Cache-Control"] = "private, no-cache"
    return response


CHUNK_ROUTER = APIRouter(
    prefix="/v1/documents",
    tags=["chunks"],
    dependencies=[
        Depends(require("read", "audit")),
        Depends(require_known_parameters),
        admit(Work.STORE),
    ],
)


def _read_choice(
    by: Annotated[
        ChunkBy, Query(description="By size alone, or by the document's structure.")
    ] = "size",
    max_characters: Annotated[
        int,
        Query(
            ge=FEWEST_CHARACTERS,
            le=MOST_CHARACTERS,
            description="Longest chunk, in code points.",
        ),
    ] = 1000,
    overlap: Annotated[
        int, Query(ge=0, description="Most characters repeated from the previous chunk.")
    ] = 0,
) -> ChunkChoice:
    return ChunkChoice(by=by, max_characters=max_characters, overlap=overlap)


@CHUNK_ROUTER.get(
    "/{ref:path}/chunks",
    dependencies=[Depends(recorded("document", "ref"))],
    operation_id="listChunks",
    summary="Cut a document's text into chunks",
    response_model=None,
    responses={
        200: {"model": ChunkListOut},
        **problem_responses("DOCUMENT_NOT_FOUND", "DOCUMENT_ERASED", "MALFORMED_PARAMETER"),
    },
)
def get_chunks(
    *,
    context: ContextIn,
    ref: Ref,
    choice: Annotated[ChunkChoice, Depends(_read_choice)],
    text: Annotated[bool, Query(description="Include each chunk's text.")] = False,
    page: PageIn,
) -> PlainJsonResponse:
    """The rows are those of a manifest; ids depend only on document, position and options."""
    report = list_chunks(context, ref, choice, with_text=text, cursor=page.cursor, limit=page.limit)
    return PlainJsonResponse(report.to_json())
