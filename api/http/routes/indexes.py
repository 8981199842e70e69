"""Versions of indexes: register a manifest, compare versions, check drift against a budget."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from spanproof.api.http.requests.access import ContextIn, require
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.body import stage_body
from spanproof.api.http.requests.idempotency import answer_idempotently
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.requests.uploads import (
    APPLIED,
    ChosenUploadIn,
    require_room,
    start_idempotently,
)
from spanproof.api.http.responses import PlainJsonResponse
from spanproof.api.http.wire import index as wire
from spanproof.api.http.wire.job import JobOut
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.errors import ManifestTooLargeError, Work
from spanproof.operations.idempotency import IdempotentOperation
from spanproof.operations.indexes import comparison
from spanproof.operations.indexes import drift as drift_operation
from spanproof.operations.indexes import version as operation
from spanproof.operations.indexes.facts import check_names, list_indexes, list_versions
from spanproof.operations.jobs import Job
from spanproof.operations.jobs.queueing import start_registration
from spanproof.store.indexes.index_rows import NewVersion

ROUTER = APIRouter(
    prefix="/v1/indexes", tags=["indexes"], dependencies=[Depends(require_known_parameters)]
)
Name = Annotated[str, Path(description="The index's name.", examples=["contracts"])]
Version = Annotated[str, Query(min_length=1, description="The name that citations use.")]
_READS, _TAKES = [Depends(require("read"))], [Depends(require("ingest"))]


@ROUTER.post(
    "/{name}/versions",
    operation_id="registerIndexVersion",
    summary="Register a version of an index by its manifest",
    dependencies=[*_TAKES, admit(Work.BULK, reads_body=True)],
    response_model=None,
    responses={
        200: {
            "model": wire.RegisteredOut,
            "description": "This manifest was already registered.",
            "content": {"application/json": {"example": wire.REGISTERED | {"is_new": False}}},
        },
        201: {
            "model": wire.RegisteredOut,
            "description": "The version is registered.",
            "content": {"application/json": {"example": wire.REGISTERED}},
        },
        202: {"model": JobOut, "description": "Queued; poll the job for the result."},
        **problem_responses(
            "UPLOAD_STALLED",
            "CONFLICT",
            "MANIFEST_TOO_LARGE",
            "MALFORMED_PARAMETER",
            "MALFORMED_MANIFEST",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "A manifest as JSONL or Parquet; the first bytes decide which.",
            "content": {
                "application/x-ndjson": {
                    "schema": {"type": "string"},
                    "example": '{"chunk_id": "c-17", "doc_id": "agreement", …}\n',
                },
                "application/vnd.apache.parquet": {
                    "schema": {"type": "string", "format": "binary"},
                    "example": "PAR1…",
                },
            },
        }
    },
)
async def post_version(
    *, request: Request, context: ContextIn, name: Name, version: Version, upload: ChosenUploadIn
) -> Response:
    """Hashed while it arrives on the disk; nothing is stored unless all of it is valid.

    As a job on request: a manifest of millions of rows takes minutes.
    """
    expected = upload.read_digest()
    check_names(name, version)
    if upload.is_async:
        await require_room(context, upload.idempotency_key)
    async with stage_body(
        request, context, cap=context.settings.max_manifest_bytes, too_large=_to_too_large
    ) as staged:
        await current_ticket(request).take_turn()
        new = NewVersion(name=name, version=version, registered_at=datetime.now(UTC))

        def register(_name: str) -> Response:
            found, is_new = operation.register(context, new, staged, expected=expected)
            return PlainJsonResponse(
                found.to_json() | {"is_new": is_new}, status_code=201 if is_new else 200
            )

        def start(job_id: str) -> Job:
            return start_registration(context, new, staged, expected=expected, job_id=job_id)

        # The same manifest again gives the stored answer: no record of the request is needed.
        now = IdempotentOperation(perform=register, replay=register, is_done=lambda _name: False)
        work = start_idempotently(context, start) if upload.is_async else now
        given = f"{staged.digest} {upload.is_async}".encode()
        response = await answer_idempotently(request, context, upload.idempotency_key, given, work)
    if upload.is_preferred:
        response.headers.update(APPLIED)
    return response


@ROUTER.get(
    "",
    operation_id="listIndexes",
    summary="List the indexes",
    dependencies=[*_READS, admit(Work.STORE)],
    response_model=None,
    responses={
        200: {
            "model": wire.IndexListOut,
            "content": {"application/json": {"example": wire.INDEX_LIST}},
        },
        **problem_responses("MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_indexes(context: ContextIn) -> PlainJsonResponse:
    """By name, each with its newest version."""
    return PlainJsonResponse(list_indexes(context))


@ROUTER.get(
    "/{name}/versions",
    operation_id="listIndexVersions",
    summary="List the versions of an index, newest first",
    dependencies=[*_READS, admit(Work.STORE)],
    response_model=None,
    responses={
        200: {
            "model": wire.VersionListOut,
            "content": {"application/json": {"example": wire.VERSION_LIST}},
        },
        **problem_responses("INDEX_NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_versions(context: ContextIn, name: Name) -> PlainJsonResponse:
    """As they were registered; a version never changes."""
    return PlainJsonResponse(list_versions(context, name))


@ROUTER.get(
    "/{name}/diff",
    operation_id="compareIndexVersions",
    summary="Compare two versions of an index",
    dependencies=[*_READS, admit(Work.BULK), Depends(recorded("answers", "name", "from", "to"))],
    response_model=None,
    responses={
        200: {"model": wire.DiffOut, "content": {"application/json": {"example": wire.DIFF}}},
        **problem_responses("INDEX_NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_diff(
    *,
    context: ContextIn,
    name: Name,
    old: Annotated[str, Query(alias="from", description="The older version.")],
    new: Annotated[str, Query(alias="to", description="The newer version.")],
    listed: Annotated[
        bool, Query(alias="list", description="List the first 1,000 of each class too.")
    ] = False,
) -> PlainJsonResponse:
    """What happens to the older version's chunks and to the stored citations of it."""
    found = comparison.compare(context, name, old, new, listed=listed)
    return PlainJsonResponse(found.to_json())


@ROUTER.get(
    "/{name}/drift",
    operation_id="getDrift",
    summary="Check the newest version's drift against a budget",
    dependencies=[*_READS, admit(Work.BULK)],
    response_model=None,
    responses={
        200: {
            "model": wire.IndexDriftOut,
            "content": {"application/json": {"example": wire.DRIFT}},
        },
        **problem_responses("INDEX_NOT_FOUND", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"),
    },
)
def get_drift(
    context: ContextIn,
    name: Name,
    budget: Annotated[
        float, Query(ge=0, le=1, description="Share that may be lost.")
    ] = drift_operation.BUDGET,
) -> PlainJsonResponse:
    """Exceeding the budget is not an error; it sends an event to webhooks.

    Only for the default budget: otherwise any reader could create events.
    """
    is_told = budget == drift_operation.BUDGET
    return PlainJsonResponse(
        drift_operation.check_drift(context, name, budget=budget, is_recorded=is_told)
    )


def _to_too_large(cap: int, got: int) -> ManifestTooLargeError:
    msg = f"Expected at most {cap} bytes, got {got} or more."
    return ManifestTooLargeError(msg, hint="Write Parquet, or raise SPANPROOF_MAX_MANIFEST_BYTES.")
