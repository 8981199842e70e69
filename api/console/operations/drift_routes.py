"""The page of indexes: what a newer version does to citations, and verifying them again."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from spanproof.api.console.answering import answer, make_links
from spanproof.api.console.forms import read_form
from spanproof.api.console.rendering import render_page
from spanproof.api.http.requests.access import PrincipalIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import read_body
from spanproof.api.http.requests.recording import recorded
from spanproof.core.errors import InputError
from spanproof.operations.errors import Work
from spanproof.operations.indexes.comparison import LISTED, list_lost
from spanproof.operations.indexes.drift import BUDGET, check_drift
from spanproof.operations.indexes.facts import list_indexes, list_versions
from spanproof.operations.jobs.queueing import DriftRequest, start_reverification

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import APIRouter

    from spanproof.operations.context import Context

#: Why a citation is lost, as people read it.
_SAID = {
    "reassigned": "its chunk has other words now",
    "gone": "its chunk is gone",
    "source_changed": "its document has changed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LostCitation:
    """A kept citation that the newer version leads elsewhere, or nowhere."""

    verification_id: str
    number: int
    chunk_id: str | None
    url: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftView:
    """Two versions of an index compared, and the citations that are lost."""

    report: dict[str, Any]
    versions: tuple[str, ...]
    lost: tuple[LostCitation, ...]
    answers: int
    is_cut: bool


def add_drift_routes(router: APIRouter, context_of: Callable[[Request], Context]) -> None:
    """Add the page, and the form that verifies again; that one needs ``verify``."""

    @router.get("/drift", dependencies=[admit(Work.STORE)])
    def list_drift(request: Request) -> Response:
        return answer(request, lambda: _list_page(request, context_of(request)))

    shown = Depends(recorded("answers", "name", "from", "to", door="console"))

    @router.get("/drift/{name}", dependencies=[admit(Work.STORE), shown])
    def show_drift(request: Request, name: str) -> Response:
        return answer(request, lambda: _drift_page(request, context_of(request), name))

    @router.post(
        "/drift/{name}/reverifications",
        dependencies=[Depends(require("verify")), admit(Work.STORE, reads_body=True)],
    )
    async def verify_again(request: Request, principal: PrincipalIn, name: str) -> Response:
        context = context_of(request)
        raw = await read_body(request, context, hint="Use the button of the page.")

        def start() -> Response:
            form = read_form(raw)
            old, new = form.get("from"), form.get("to")
            if not old or not new:
                msg = "Expected two versions of the index, got another form."
                raise InputError(msg, hint="Use the button of the page.")
            wanted = DriftRequest(index=name, old=old, new=new)
            start_reverification(context, wanted, job_id=str(uuid.uuid4()), actor=principal.actor)
            return RedirectResponse(make_links(request).jobs(), HTTPStatus.SEE_OTHER)

        return await run_in_threadpool(answer, request, start)


def _list_page(request: Request, context: Context) -> Response:
    listed = list_indexes(context)["indexes"]
    return render_page("drift.html", make_links(request), view=None, indexes=listed)


def _drift_page(request: Request, context: Context, name: str) -> Response:
    links, query = make_links(request), request.query_params
    versions = tuple(each["version"] for each in list_versions(context, name)["versions"])
    old, new = query.get("from"), query.get("to")
    chosen = (old, new) if old and new else None
    report = check_drift(context, name, budget=BUDGET, versions=chosen, is_recorded=False)
    found = list_lost(context, name, report["from"], report["to"])
    lost = tuple(
        LostCitation(
            verification_id=each["verification_id"],
            number=each["citation"] + 1,
            chunk_id=each["chunk_id"],
            url=links.answer(each["verification_id"]),
            why=_SAID[reason],
        )
        for reason, rows in found.items()
        for each in rows
    )
    view = DriftView(
        report=report,
        versions=versions,
        lost=lost,
        answers=len({each.verification_id for each in lost}),
        is_cut=any(len(rows) == LISTED for rows in found.values()),
    )
    may_verify = request.state.principal.has_any(("verify",))
    return render_page("drift.html", links, view=view, indexes=(), may_verify=may_verify)
