"""What an auditor is given over HTTP: an evidence pack as one archive."""

import shutil
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import FileResponse

from spanproof.api.http.requests.access import ServicesIn, read_filter_moment, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.parameters import require_known_parameters
from spanproof.api.http.wire.problem import problem_responses
from spanproof.operations.context import Context
from spanproof.operations.errors import Work
from spanproof.operations.export.pack import choose_verifications, export_pack
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
    summary="An evidence pack as one archive",
    response_class=FileResponse,
    responses={
        200: {"content": {_ZIP: {"schema": {"type": "string", "format": "binary"}}}},
        **problem_responses(
            "VERIFICATION_NOT_FOUND", "VERIFICATION_ERASED", "MALFORMED_INPUT", "STORE_UNAVAILABLE"
        ),
    },
)
def get_export(
    *,
    request: Request,
    services: ServicesIn,
    verification_id: Annotated[
        list[str], Query(description="Which verifications; may be repeated.")
    ] = [],  # noqa: B006 - never changed, and a default in the schema
    since: Annotated[datetime | None, Query(description="Verified at or after.")] = None,
    until: Annotated[datetime | None, Query(description="Verified before.")] = None,
) -> FileResponse:
    """Verifications by their ids, or all of a time: what ``audit export --zip`` writes."""
    wanted = VerificationFilter(since=read_filter_moment(since), until=read_filter_moment(until))
    chosen = choose_verifications(services, verification_id, wanted)
    # Gone with the request, however it ends: sent, broken off by a reader or by the service's end.
    leases = request.state.take_leases()
    folder = Path(tempfile.mkdtemp(prefix="spanproof-export-"))
    leases.callback(shutil.rmtree, folder, ignore_errors=True)
    return _make(services, chosen, folder)


def _make(services: Context, chosen: Sequence[str], folder: Path) -> FileResponse:
    path = folder / "evidence.zip"
    report = export_pack(services, chosen, path, is_zip=True)
    lacks = (report.missing, report.problems, report.without_receipt, report.erased)
    gaps = sum(map(len, lacks))
    return FileResponse(
        path,
        media_type=_ZIP,
        filename=path.name,
        # What the pack lacks is told on its page; here only that there is something.
        headers={"Cache-Control": "no-store", "X-Pack-Gaps": str(gaps)},
    )
