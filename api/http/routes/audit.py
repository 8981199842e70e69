"""Evidence packs for auditors over HTTP, as one archive."""

import shutil
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse

from spanproof.api.http.requests.access import ContextIn, read_filter_moment, require
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.caller import waiting_caller
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.requests.recording import recorded
from spanproof.api.http.wire.examples import files
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.context import Context
from spanproof.operations.errors import Work
from spanproof.operations.export.pack import choose_verifications, export_pack
from spanproof.operations.verification.budget import awaited_work
from spanproof.store.records import VerificationFilter

_ZIP = "application/zip"
ROUTER = APIRouter(
    prefix="/v1/audit",
    tags=["log"],
    dependencies=[
        Depends(require("audit")),
        Depends(require_known_parameters),
        admit(Work.BULK),
    ],
)


@ROUTER.get(
    "/export",
    dependencies=[Depends(recorded("pack", "verification_id", "since", "until"))],
    operation_id="exportEvidence",
    summary="Export an evidence pack as one archive",
    response_class=FileResponse,
    responses={
        200: {"content": {_ZIP: files.PACK}},
        **problem_responses(
            "VERIFICATION_NOT_FOUND", "VERIFICATION_ERASED", "MALFORMED_INPUT", "STORE_UNAVAILABLE"
        ),
    },
)
async def get_export(
    *,
    request: Request,
    context: ContextIn,
    verification_id: Annotated[
        list[str], Query(description="Verification id; may be repeated.")
    ] = [],  # noqa: B006 - never changed, and a default in the schema
    since: Annotated[
        datetime | None, Query(description="Verified at or after this moment.")
    ] = None,
    until: Annotated[datetime | None, Query(description="Verified before.")] = None,
) -> FileResponse:
    """Verifications by id, or all of a period; the same archive as ``audit export --zip``."""
    wanted = VerificationFilter(since=read_filter_moment(since), until=read_filter_moment(until))
    # Deleted at the end of the request, also if it is cancelled.
    leases = request.state.take_leases()
    folder = Path(tempfile.mkdtemp(prefix="spanproof-export-"))
    leases.callback(shutil.rmtree, folder, ignore_errors=True)

    def work() -> FileResponse:
        with awaited_work(caller.attend):
            return _make(context, choose_verifications(context, verification_id, wanted), folder)

    async with waiting_caller(request, current_ticket(request)) as caller:
        return await run_in_threadpool(work)


def _make(context: Context, chosen: Sequence[str], folder: Path) -> FileResponse:
    path = folder / "evidence.zip"
    report = export_pack(context, chosen, path, is_zip=True)
    lacks = (report.missing, report.problems, report.without_receipt, report.erased)
    gaps = sum(map(len, lacks))
    return FileResponse(
        path,
        media_type=_ZIP,
        filename=path.name,
        # The pack's page lists what is missing; this header only says that something is.
        headers={"Cache-Control": "no-store", "X-Pack-Gaps": str(gaps)},
    )
