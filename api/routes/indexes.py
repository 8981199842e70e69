"""Versions of indexes: their manifests taken as a raw stream, compared, held against a budget."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.concurrency import run_in_threadpool

from api.errors import ManifestTooLargeError
from api.limits import read_chunks
from api.operations import drift as drift_operation
from api.operations import indexes as operation
from api.operations.index_versions import check_names, list_indexes, list_versions
from api.responses import PlainJsonResponse
from api.routes.access import ServicesIn, require
from api.routes.digest_field import read_digest_fields
from api.routes.parameters import require_known_parameters
from api.wire import index as wire
from api.wire.problem import problem_responses
from api.wiring import Services
from core.errors import UnsupportedMediaTypeError
from store.indexes import IndexVersion

ROUTER = APIRouter(
    prefix="/v1/indexes", tags=["indexes"], dependencies=[Depends(require_known_parameters)]
)
Name = Annotated[str, Path(description="The index's name.", examples=["contracts"])]
Version = Annotated[str, Query(min_length=1, description="What citations call it.")]
_READS, _TAKES = [Depends(require("read"))], [Depends(require("ingest"))]


@ROUTER.post(
    "/{name}/versions",
    summary="Register a version of an index by its manifest",
    dependencies=_TAKES,
    response_model=None,
    responses={
        200: {
            "model": wire.RegisteredOut,
            "description": "This manifest was registered already.",
            "content": {"application/json": {"example": wire.REGISTERED | {"is_new": False}}},
        },
        201: {
            "model": wire.RegisteredOut,
            "description": "The version is registered.",
            "content": {"application/json": {"example": wire.REGISTERED}},
        },
        **problem_responses("POST /v1/indexes", 408, 409, 413, 422, 503),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "A manifest's bytes, JSONL or Parquet; the first of them tell which.",
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
async def post_version(  # noqa: PLR0913 - what a caller may say of its bytes
    *,
    request: Request,
    services: ServicesIn,
    name: Name,
    version: Version,
    content_encoding: Annotated[
        str | None, Header(description="None but identity is taken.", examples=["identity"])
    ] = None,
    content_digest: Annotated[str | None, Header(description="sha-256=:base64: (RFC 9530)")] = None,
    repr_digest: Annotated[str | None, Header(description="sha-256=:base64: (RFC 9530)")] = None,
) -> PlainJsonResponse:
    """Hashed while it comes, on the disk and not in memory; nothing is kept unless all is well."""
    if (content_encoding or "identity").strip().lower() != "identity":
        msg = f"Expected bytes without a content coding, got {content_encoding!r}."
        raise UnsupportedMediaTypeError(msg, hint="Send the file as it is.")
    expected = read_digest_fields(content_digest, repr_digest)
    check_names(name, version)
    with await run_in_threadpool(services.store.blobs.stage) as staged:
        async for chunk in _read_manifest(request, services):
            await run_in_threadpool(staged.write, chunk)

        def register() -> tuple[IndexVersion, bool]:
            return operation.register(
                services,
                name,
                version,
                staged,
                registered_at=datetime.now(UTC),
                expected=expected,
            )

        found, is_new = await run_in_threadpool(register)
    return PlainJsonResponse(
        found.to_json() | {"is_new": is_new}, status_code=201 if is_new else 200
    )


@ROUTER.get(
    "",
    summary="The indexes of which a version is registered",
    dependencies=_READS,
    response_model=None,
    responses={
        200: {
            "model": wire.IndexListOut,
            "content": {"application/json": {"example": wire.INDEX_LIST}},
        },
        **problem_responses("/v1/indexes", 422, 503),
    },
)
def get_indexes(services: ServicesIn) -> PlainJsonResponse:
    """By name, each with its newest version."""
    return PlainJsonResponse(list_indexes(services))


@ROUTER.get(
    "/{name}/versions",
    summary="The versions of an index, newest first",
    dependencies=_READS,
    response_model=None,
    responses={
        200: {
            "model": wire.VersionListOut,
            "content": {"application/json": {"example": wire.VERSION_LIST}},
        },
        **problem_responses("/v1/indexes", 404, 422, 503),
    },
)
def get_versions(services: ServicesIn, name: Name) -> PlainJsonResponse:
    """As they were registered; nothing of them changes."""
    return PlainJsonResponse(list_versions(services, name))


@ROUTER.get(
    "/{name}/diff",
    summary="Two versions of an index, compared",
    dependencies=_READS,
    response_model=None,
    responses={
        200: {"model": wire.DiffOut, "content": {"application/json": {"example": wire.DIFF}}},
        **problem_responses("/v1/indexes", 404, 422, 503),
    },
)
def get_diff(
    *,
    services: ServicesIn,
    name: Name,
    old: Annotated[str, Query(alias="from", description="The version before.")],
    new: Annotated[str, Query(alias="to", description="The version after.")],
    listed: Annotated[
        bool, Query(alias="list", description="Name the first 1,000 of each class too.")
    ] = False,
) -> PlainJsonResponse:
    """What became of the older version's chunks, and of the kept citations of it."""
    found = operation.compare(services, name, old, new, listed=listed)
    return PlainJsonResponse(found.to_json())


@ROUTER.get(
    "/{name}/drift",
    summary="The newest version against the one before, held against a budget",
    dependencies=_READS,
    response_model=None,
    responses={
        200: {
            "model": wire.IndexDriftOut,
            "content": {"application/json": {"example": wire.DRIFT}},
        },
        **problem_responses("/v1/indexes", 404, 422, 503),
    },
)
def get_drift(
    services: ServicesIn,
    name: Name,
    budget: Annotated[
        float, Query(ge=0, le=1, description="The share that may be lost.")
    ] = drift_operation.BUDGET,
) -> PlainJsonResponse:
    """Over the budget is no error: it is told, and an event is sent to whoever asked for it.

    Of the usual budget only: each other one would be an event of its own, made by a reader.
    """
    is_told = budget == drift_operation.BUDGET
    return PlainJsonResponse(drift_operation.hold(services, name, budget=budget, is_told=is_told))


def _read_manifest(request: Request, services: Services) -> AsyncIterator[bytes]:
    settings = services.settings

    def to_too_large(cap: int, got: int) -> ManifestTooLargeError:
        msg = f"Expected at most {cap} bytes, got {got} or more."
        return ManifestTooLargeError(msg, hint="Write Parquet, or raise the limit.")

    return read_chunks(
        request,
        cap=settings.max_manifest_bytes,
        too_large=to_too_large,
        stall_seconds=settings.stall_seconds,
        total_seconds=settings.upload_seconds,
    )
