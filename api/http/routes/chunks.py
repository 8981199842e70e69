"""A document's chunks, a page at a time."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from spanproof.api.http.requests.access import Limit, Ref, ServicesIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire.chunk import ChunkListOut
from spanproof.api.http.wire.problem import problem_responses
from spanproof.ingest.chunking.chunk import FEWEST_CHARACTERS, MOST_CHARACTERS, ChunkBy, ChunkChoice
from spanproof.operations.documents.chunks import list_chunks
from spanproof.operations.errors import Work

ROUTER = APIRouter(
    prefix="/v1/documents",
    tags=["chunks"],
    dependencies=[
        Depends(require("read", "audit")),
        Depends(require_known_parameters),
        admit(Work.STORE),
    ],
)


@ROUTER.get(
    "/{ref:path}/chunks",
    summary="A document's text in chunks",
    response_model=None,
    responses={
        200: {"model": ChunkListOut},
        **problem_responses("DOCUMENT_NOT_FOUND", "DOCUMENT_ERASED", "MALFORMED_PARAMETER"),
    },
)
def get_chunks(  # noqa: PLR0913 - what a caller may choose
    *,
    services: ServicesIn,
    ref: Ref,
    by: Annotated[ChunkBy, Query(description="Size alone, or the document's structure.")] = "size",
    max_characters: Annotated[
        int,
        Query(
            ge=FEWEST_CHARACTERS,
            le=MOST_CHARACTERS,
            description="Longest chunk, in code points.",
        ),
    ] = 1000,
    overlap: Annotated[
        int, Query(ge=0, description="Most characters repeated from the chunk before.")
    ] = 0,
    text: Annotated[bool, Query(description="Give each chunk's text too.")] = False,
    cursor: Annotated[str | None, Query(description="next_cursor of the page before.")] = None,
    limit: Limit = 50,
) -> PlainJsonResponse:
    """The rows are those of a manifest; ids hang on document, place and options alone."""
    choice = ChunkChoice(by=by, max_characters=max_characters, overlap=overlap)
    report = list_chunks(services, ref, choice, with_text=text, cursor=cursor, limit=limit)
    return PlainJsonResponse(report.to_json())
