"""Bulk verification as a job: send pairs as a raw stream, fetch their verdicts."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.responses import StreamingResponse

from spanproof.api.http.requests.access import ContextIn, require
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.body import stage_body
from spanproof.api.http.requests.parameters import PolicyIn, require_known_parameters
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.requests.uploads import UploadIn, answer_started, require_room
from spanproof.api.http.routes.jobs import JobId
from spanproof.api.http.wire.examples import files
from spanproof.api.http.wire.job import PAIR_LINE, JobOut
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.bulk.output import find_parts, write_lines, write_parquet
from spanproof.operations.errors import BulkTooLargeError, Work
from spanproof.operations.jobs.queueing import start_bulk

NDJSON, PARQUET = "application/x-ndjson", "application/vnd.apache.parquet"
ROUTER = APIRouter(
    prefix="/v1/bulk-verifications",
    tags=["verifications"],
    dependencies=[Depends(require_known_parameters)],
)


@ROUTER.post(
    "",
    status_code=202,
    operation_id="createBulkVerification",
    summary="Verify millions of citations",
    dependencies=[Depends(require("verify")), admit(Work.BULK, reads_body=True)],
    response_model=None,
    responses={
        202: {"model": JobOut, "description": "Queued; poll the job for the result."},
        **problem_responses(
            "UPLOAD_STALLED",
            "JOB_UNFINISHED",
            "REQUEST_IN_FLIGHT",
            "BULK_TOO_LARGE",
            "MALFORMED_PARAMETER",
            "MALFORMED_BULK",
            "STORE_UNAVAILABLE",
        ),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "Pairs of quote and claim, JSON Lines or Parquet; "
            "docs/how-to/bulk.md names the columns. The first bytes decide which.",
            "content": {
                NDJSON: {"schema": {"type": "string"}, "example": PAIR_LINE},
                PARQUET: files.ROWS,
            },
        }
    },
)
async def post_bulk_verification(
    *,
    request: Request,
    context: ContextIn,
    policy: PolicyIn = None,
    upload: UploadIn,
) -> Response:
    """The body goes to the disk, not into memory; the store keeps nothing of it."""
    expected = upload.read_digest()
    await require_room(context, upload.idempotency_key)
    async with stage_body(
        request, context, cap=context.settings.max_bulk_bytes, too_large=_to_too_large
    ) as staged:
        await current_ticket(request).take_turn()
        return await answer_started(
            request,
            context,
            upload.idempotency_key,
            str(staged.digest).encode(),
            lambda name: start_bulk(context, staged, policy=policy, expected=expected, job_id=name),
        )


@ROUTER.get(
    "/{job_id}/rows",
    operation_id="listBulkRows",
    summary="List the verdicts of a bulk verification",
    dependencies=[
        Depends(require("read", "audit", "verify")),
        admit(Work.STREAM),
        Depends(recorded("rows", "job_id")),
    ],
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "One row for each pair, in the order of the input.",
            "content": {
                NDJSON: {"schema": {"$ref": "#/components/schemas/BulkRowOut"}},
                PARQUET: files.ROWS,
            },
        },
        **problem_responses(
            "JOB_NOT_FOUND", "JOB_UNFINISHED", "MALFORMED_PARAMETER", "STORE_UNAVAILABLE"
        ),
    },
)
def get_rows(
    context: ContextIn,
    job_id: JobId,
    format: Annotated[  # noqa: A002 - as the other routes call it
        Literal["ndjson", "parquet"], Query(description="Format of the rows.")
    ] = "ndjson",
) -> StreamingResponse:
    """Available as long as the job is listed."""
    parts = find_parts(context, job_id)
    if format == "parquet":
        made, kind = write_parquet(parts, context.settings.home), PARQUET
    else:
        made, kind = write_lines(parts), NDJSON
    name = f"verdicts.{'parquet' if format == 'parquet' else 'jsonl'}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(made, media_type=kind, headers=headers)


def _to_too_large(cap: int, got: int) -> BulkTooLargeError:
    msg = f"Expected at most {cap} bytes, got {got} or more."
    hint = "Write Parquet, send several files, or raise the limit."
    return BulkTooLargeError(msg, hint=hint)
