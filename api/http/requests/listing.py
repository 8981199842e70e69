"""Shared by the lists of verifications and answers: filters, and the form of a page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query, Request, Response

from spanproof.api.http.requests.access import Cursor, Limit, read_filter_digest, read_filter_moment
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.core.errors import FieldProblem
from spanproof.core.span import Span
from spanproof.core.verdicts.status import Outcome
from spanproof.operations.errors import MalformedParameterError
from spanproof.operations.presentation.listed import ListFormat, Row, write_csv, write_ndjson
from spanproof.store.records import VerificationFilter

NDJSON, CSV = "application/x-ndjson", "text/csv; charset=utf-8"
As = Annotated[
    ListFormat,
    Query(
        description="ndjson and csv hold only rows; the Link header has the next page.",
        examples=["csv"],
    ),
]


@dataclass(frozen=True, kw_only=True)
class FilterQuery:
    """The filters as query parameters."""

    doc_hash: Annotated[str | None, Query(description="Citing this document.")] = None
    page: Annotated[int | None, Query(ge=1, le=10**9, description="Citing this page.")] = None
    start: Annotated[
        int | None,
        Query(ge=0, le=2**53 - 1, description="Citing a character from this offset on …"),
    ] = None
    end: Annotated[
        int | None, Query(ge=0, le=2**53 - 1, description="… and before this offset.")
    ] = None
    outcome: Annotated[Outcome | None, Query(description="With a verdict of this outcome.")] = None
    result: Annotated[Outcome | None, Query(description="With this result.")] = None
    code: Annotated[str | None, Query(examples=["EXISTENCE_ALTERED"])] = None
    since: Annotated[datetime | None, Query(description="Verified at or after this moment.")] = None
    until: Annotated[datetime | None, Query(description="Verified before.")] = None
    generator_model: str | None = None
    prompt_id: str | None = None
    index_version: str | None = None
    answer_id: str | None = None


def read_filter(given: Annotated[FilterQuery, Depends()]) -> VerificationFilter:
    """``doc_hash``, page, span, outcome, code and ``index_version`` apply to the same verdict."""
    return VerificationFilter(
        doc_hash=read_filter_digest(given.doc_hash),
        page=given.page,
        span=_read_span(given.doc_hash, given.start, given.end),
        outcome=given.outcome,
        result=given.result,
        code=given.code,
        since=read_filter_moment(given.since),
        until=read_filter_moment(given.until),
        generator_model=given.generator_model,
        prompt_id=given.prompt_id,
        index_version=given.index_version,
        answer_id=given.answer_id,
    )


@dataclass(frozen=True, kw_only=True)
class PageQuery:
    """Which page of a list, as query parameters."""

    cursor: Cursor = None
    limit: Limit = 50


@dataclass(frozen=True, kw_only=True)
class FormQuery(PageQuery):
    """Which page of a list, and in which form."""

    format: As = "json"


@dataclass(frozen=True, kw_only=True)
class ListShape:
    """How a list is written: its name, the columns of CSV, and the rows of CSV."""

    name: str
    columns: Sequence[str]
    flatten: Callable[[Sequence[Row]], Sequence[Row]] = lambda rows: rows


def describe_forms(row: str) -> dict[str, Any]:
    """OpenAPI's other forms of a list: each line of NDJSON is a ``row``."""
    return {
        NDJSON: {"schema": {"$ref": f"#/components/schemas/{row}"}},
        "text/csv": {
            "schema": {"type": "string"},
            "example": "verification_id,answer_id,verified_at,result,…\r\n",
        },
    }


FilterIn = Annotated[VerificationFilter, Depends(read_filter)]
PageIn = Annotated[PageQuery, Depends()]
FormIn = Annotated[FormQuery, Depends()]


def list_response(
    request: Request,
    rows: Sequence[Row],
    next_cursor: str | None,
    *,
    form: ListFormat,
    shape: ListShape,
) -> Response:
    """A page with its cursor, or its rows alone and the next page in ``Link``."""
    if form == "json":
        return PlainJsonResponse({shape.name: list(rows), "next_cursor": next_cursor})
    headers = {}
    if next_cursor is not None:
        query = [each for each in request.query_params.multi_items() if each[0] != "cursor"]
        target = f"{request.url.path}?{urlencode([*query, ('cursor', next_cursor)])}"
        headers["Link"] = f'<{target}>; rel="next"'
    if form == "ndjson":
        return Response(write_ndjson(rows), media_type=NDJSON, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{shape.name}.csv"'
    return Response(write_csv(shape.flatten(rows), shape.columns), media_type=CSV, headers=headers)


def _read_span(doc_hash: str | None, start: int | None, end: int | None) -> Span | None:
    """Both offsets and a document, or no offset; raise MalformedParameterError otherwise."""
    if start is None and end is None:
        return None
    if start is None or end is None or end <= start or doc_hash is None:
        expected = "start below end, both with doc_hash"
        got = f"start {start}, end {end}, doc_hash {'given' if doc_hash else 'left out'}"
        problem = FieldProblem(pointer="/query/start", expected=expected, got=got)
        msg = f"Expected {expected}, got {got}."
        hint = "Offsets are code points of a document's canonical text: name the document."
        raise MalformedParameterError(msg, hint=hint, problems=(problem,))
    return Span(start, end)
