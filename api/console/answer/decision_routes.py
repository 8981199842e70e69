"""The form of a decision: one route of the console."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from spanproof.api.console.answer.decisions import read_decision_form
from spanproof.api.console.answering import answer, make_links
from spanproof.api.http.requests.access import PrincipalIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import read_body
from spanproof.operations.decisions import record_decision
from spanproof.operations.errors import Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context


def add_decision_routes(router: APIRouter, context_of: Callable[[Request], Context]) -> None:
    """Add the route that records what a person decides; it needs the scope audit."""

    @router.post(
        "/answers/{verification_id}/decisions",
        dependencies=[Depends(require("audit")), admit(Work.STORE, reads_body=True)],
    )
    async def save_decision(
        request: Request, principal: PrincipalIn, verification_id: str
    ) -> Response:
        context = context_of(request)
        raw = await read_body(request, context, hint="Give the reason in a sentence.")

        def save() -> Response:
            order = read_decision_form(raw)
            record_decision(context, verification_id, order, actor=principal.actor)
            # Redirect to the page, so that a reload sends nothing twice.
            return RedirectResponse(
                make_links(request).answer(verification_id), HTTPStatus.SEE_OTHER
            )

        return await run_in_threadpool(answer, request, save)
