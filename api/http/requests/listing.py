"""Shared by the lists of verifications and answers: filters, and the form of a page."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query, Request, Response

from spanproof.api.http.requests.access import read_filter_digest, read_filter_moment
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


def read_filter(  # noqa: PLR0913 - one parameter a filter
    *,
    doc_hash: Annotated[str | None, Query(description="Citing this document.")] = None,
    page: Annotated[int | None, Query(ge=1, le=10**9, description="Citing this page.")] = None,
    start: Annotated[
        int | None,
        Query(ge=0, le=2**53 - 1, description="Citing a character from this offset on …"),
    ] = None,
    end: Annotated[
        int | None, Query(ge=0, le=2**53 - 1, description="… and before this offset.")
    ] = None,
    outcome: Annotated[Outcome | None, Query(description="With a verdict of this outcome.")] = None,
    result: Annotated[Outcome | None, Query(description="With this result.")] = None,
    code: Annotated[str | None, Query(examples=["EXISTENCE_ALTERED"])] = None,
    since: Annotated[
        datetime | None, Query(description="Verified at or after this moment.")
    ] = None,
    until: Annotated[datetime | None, Query(description="Verified before.")] = None,
    generator_model: str | None = None,
    prompt_id: str | None = None,
    index_version: str | None = None,
    answer_id: str | None = None,
) -> VerificationFilter:
    """``doc_hash``, page, span, outcome, code and ``index_version`` apply to the same verdict."""
    return VerificationFilter(
        doc_hash=read_filter_digest(doc_hash),
        page=page,
        span=_read_span(doc_hash, start, end),
        outcome=outcome,
        result=result,
        code=code,
        since=read_filter_moment(since),
        until=read_filter_moment(until),
        generator_model=generator_model,
        prompt_id=prompt_id,
        index_version=index_version,
        answer_id=answer_id,
    )


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


def list_response(  # noqa: PLR0913 - a page, and each form of it
    request: Request,
    rows: Sequence[Row],
    next_cursor: str | None,
    *,
    name: str,
    form: ListFormat,
    columns: Sequence[str],
    flatten: Callable[[Sequence[Row]], Sequence[Row]] = lambda rows: rows,
) -> Response:
    """A page under ``name`` with its cursor, or its rows alone and the next page in ``Link``."""
    if form == "json":
        return PlainJsonResponse({name: list(rows), "next_cursor": next_cursor})
    headers = {}
    if next_cursor is not None:
        query = [each for each in request.query_params.multi_items() if each[0] != "cursor"]
        target = f"{request.url.path}?{urlencode([*query, ('cursor', next_cursor)])}"
        headers["Link"] = f'<{target}>; rel="next"'
    if form == "ndjson":
        return Response(write_ndjson(rows), media_type=NDJSON, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return Response(write_csv(flatten(rows), columns), media_type=CSV, headers=headers)


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
