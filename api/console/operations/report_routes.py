"""The routes of reports: the list with the form, and the files of one."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, RedirectResponse, Response

from spanproof.api.console.answering import answer, make_links
from spanproof.api.console.rendering import SECURITY_HEADERS, render_page
from spanproof.api.console.triage.filters import FACTS, OTHERS, read_filters
from spanproof.api.http.requests.access import require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import read_body
from spanproof.api.http.requests.recording import recorded
from spanproof.core.errors import InputError
from spanproof.operations.errors import Work
from spanproof.operations.report.files import CHECK, KIND, PAGE, PDF, ZIP, find_file
from spanproof.operations.report.job import start_report
from spanproof.operations.report.material import write_view
from spanproof.operations.report.rendering import digest_style

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanproof.operations.context import Context

#: Jobs that are looked through for reports.
_JOBS = 200
_MOST_FIELDS = 20
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".zip": "application/zip",
}


def add_report_routes(router: APIRouter, context_of: Callable[[Request], Context]) -> None:
    """Add them; all need the scope audit."""
    audited = [Depends(require("audit")), admit(Work.STORE)]

    @router.get("/reports", dependencies=audited)
    def list_reports(request: Request) -> Response:
        return answer(request, lambda: _reports_page(request, context_of(request)))

    @router.post(
        "/reports", dependencies=[Depends(require("audit")), admit(Work.STORE, reads_body=True)]
    )
    async def ask_report(request: Request) -> Response:
        context = context_of(request)
        raw = await read_body(request, context, hint="Use the form of the page.")

        def ask() -> Response:
            _start(context, raw)
            return RedirectResponse(make_links(request).reports(), HTTPStatus.SEE_OTHER)

        return await run_in_threadpool(answer, request, ask)

    shown = Depends(recorded("pack", "job_id", "name", door="console"))

    @router.get("/reports/{job_id}/{name}", dependencies=[*audited, shown])
    def show_file(request: Request, job_id: str, name: str) -> Response:
        return answer(request, lambda: _send(find_file(context_of(request), job_id, name)))


def _reports_page(request: Request, context: Context) -> Response:
    now = datetime.now(UTC)
    form = read_filters(request.query_params, now=now)
    jobs = [each for each in context.jobs.list(limit=_JOBS).items if each.kind == KIND]
    names = FACTS | OTHERS
    return render_page(
        "reports.html",
        make_links(request),
        jobs=jobs,
        given=form.given,
        problems=form.problems,
        filters=[(names[name], value) for name, value in form.given.items() if name in names],
        # What the form shows and changes is not among what it only hands on.
        kept=[(name, value) for name, value in form.given.items() if name in names],
        since="" if form.view.since is None else form.view.since.strftime("%Y-%m-%d"),
        files=(("HTML", PAGE), ("PDF/A", PDF), ("all files, signed (ZIP)", ZIP), ("check", CHECK)),
    )


def _start(context: Context, raw: bytes) -> None:
    try:
        given = dict(parse_qsl(raw.decode("utf-8"), max_num_fields=_MOST_FIELDS))
    except ValueError as error:
        msg = "Expected the form of a report, got another body."
        raise InputError(msg, hint="Use the form of the page.") from error
    form = read_filters(given or {"period": "all"}, now=datetime.now(UTC))
    if form.problems:
        first = form.problems[0]
        msg = f"Expected {first.expected} at {first.pointer}, got {first.got}."
        raise InputError(msg, hint="Correct the form.")
    start_report(context, write_view(form.view, form.given), job_id=str(uuid.uuid4()))


def _send(path: Path) -> Response:
    policy = (
        f"default-src 'none'; img-src 'self'; style-src 'sha256-{digest_style()}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    headers = SECURITY_HEADERS | {"Cache-Control": "private, no-store"}
    is_shown = path.suffix in {".html", ".png"} and path.name != CHECK
    if path.suffix == ".html":
        headers["Content-Security-Policy"] = policy
    return FileResponse(
        path,
        media_type=_TYPES.get(path.suffix, "application/octet-stream"),
        filename=path.name,
        # The page that checks is opened where the report was unpacked, and the PDF in its viewer.
        content_disposition_type="inline" if is_shown else "attachment",
        headers=headers,
    )
