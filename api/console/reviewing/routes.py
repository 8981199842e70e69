"""The routes of the review queue: the list, the next answer, one answer and its labels."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from spanproof.api.console.answer.extraction_reader import ExtractionReader
from spanproof.api.console.answering import answer, make_links
from spanproof.api.console.rendering import render_page
from spanproof.api.console.reviewing.queue import make_queue_view
from spanproof.api.console.reviewing.sheet import make_sheet_view, read_sheet
from spanproof.api.http.requests.access import PrincipalIn, require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import read_body
from spanproof.api.http.requests.recording import recorded
from spanproof.operations.errors import Work
from spanproof.operations.sampling.sheets import find_role, name_reviewer, save_sheet, take_next
from spanproof.receipt.statement.predicate import NOBODY

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context
    from spanproof.receipt.statement.predicate import Actor
    from spanproof.store.samples.records import QueuedReview

    ShowAnswer = Callable[[Request, Context, str, QueuedReview], Response]


def add_review_routes(
    router: APIRouter, context_of: Callable[[Request], Context], show_answer: ShowAnswer
) -> None:
    """Add them; all need the scope audit. ``show_answer`` is the page with the verdict."""
    audited = [Depends(require("audit")), admit(Work.STORE)]

    @router.get("/reviews", dependencies=[*audited, Depends(recorded("answers", door="console"))])
    def show_queue(request: Request, principal: PrincipalIn) -> Response:
        return answer(request, lambda: _queue_page(request, context_of(request), principal.actor))

    @router.post("/reviews", dependencies=audited)
    def start_review(request: Request, principal: PrincipalIn) -> Response:
        return answer(request, lambda: _go_on(request, context_of(request), principal.actor))

    @router.get(
        "/reviews/{answer_id:path}",
        dependencies=[*audited, Depends(recorded("answer", "answer_id", door="console"))],
    )
    def show_review(request: Request, principal: PrincipalIn, answer_id: str) -> Response:
        context = context_of(request)

        def show() -> Response:
            review = context.store.samples.reviews.load(answer_id)
            role = find_role(context, review, principal.actor)
            if role == "done":
                # The queue holds verified answers only.
                return show_answer(request, context, review.outcome.verification_id or "", review)
            return _sheet_page(request, context, review, role)

        return answer(request, show)

    @router.post(
        "/reviews/{answer_id:path}",
        dependencies=[Depends(require("audit")), admit(Work.STORE, reads_body=True)],
    )
    async def save_label(request: Request, principal: PrincipalIn, answer_id: str) -> Response:
        context = context_of(request)
        raw = await read_body(request, context, hint="Give the reason in a few sentences.")

        def save() -> Response:
            sent = read_sheet(raw)
            save_sheet(context, answer_id, principal.actor, sent.said, note=sent.note)
            if sent.goes_on:
                return _go_on(request, context, principal.actor)
            # Redirect to the page, so that a reload sends nothing twice.
            return RedirectResponse(make_links(request).review(answer_id), HTTPStatus.SEE_OTHER)

        return await run_in_threadpool(answer, request, save)


def _queue_page(request: Request, context: Context, actor: Actor) -> Response:
    links, query = make_links(request), request.query_params
    view = make_queue_view(
        context,
        links,
        reviewer=None if actor == NOBODY else name_reviewer(actor),
        shows_all=query.get("all") == "1",
        after=query.get("after"),
    )
    return render_page("reviews.html", links, view=view)


def _go_on(request: Request, context: Context, actor: Actor) -> Response:
    links, taken = make_links(request), take_next(context, actor)
    goal = links.reviews() if taken is None else links.review(taken)
    return RedirectResponse(goal, HTTPStatus.SEE_OTHER)


def _sheet_page(request: Request, context: Context, review: QueuedReview, role: str) -> Response:
    stored = context.store.answers.load(review.outcome.verification_id or "")
    links, reader = make_links(request), ExtractionReader(context.store.documents)
    view = make_sheet_view(review, stored, reader, links, decides=role == "adjudicator")
    return render_page("review.html", links, view=view, role=role)
