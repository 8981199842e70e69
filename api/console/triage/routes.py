"""The routes of the first page: the list, the list as CSV, and saved views."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, parse_qsl

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from spanproof.api.console.answering import answer, make_links
from spanproof.api.console.rendering import PAGE_HEADERS, render_page
from spanproof.api.console.triage.filters import FACTS, PERIODS, FilterForm, read_filters
from spanproof.api.console.triage.page import make_triage_view
from spanproof.api.http.problems import find_status
from spanproof.api.http.requests.access import require
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.body import read_body
from spanproof.api.http.requests.recording import recorded
from spanproof.core.errors import InputError
from spanproof.operations.errors import Work
from spanproof.operations.presentation.words import OUTCOMES
from spanproof.operations.triage.choosing import SORTS, choose
from spanproof.operations.triage.export import write_view
from spanproof.operations.triage.saved import remove_view, save_view

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import APIRouter

    from spanproof.operations.context import Context


def add_triage_routes(router: APIRouter, context_of: Callable[[Request], Context]) -> None:
    """Add them to the console's router."""
    page = [admit(Work.STORE), Depends(recorded("answers", door="console"))]
    # A saved view is seen by everybody of the tenant.
    saving = [Depends(require("audit")), admit(Work.STORE, reads_body=True)]

    @router.get("/", dependencies=page)
    def list_verifications(request: Request) -> Response:
        return answer(request, lambda: _list_page(request, context_of(request)))

    @router.get("/answers.csv", dependencies=page)
    def list_as_table(request: Request) -> Response:
        return answer(request, lambda: _write_table(request, context_of(request)))

    @router.post("/views", dependencies=saving)
    async def save(request: Request) -> Response:
        form = await _read_form(request, context_of(request))
        return await run_in_threadpool(
            answer, request, lambda: _save(request, context_of(request), form)
        )

    @router.post("/views/{key}/remove", dependencies=saving)
    async def remove(request: Request, key: str) -> Response:
        await _read_form(request, context_of(request))
        return await run_in_threadpool(
            answer, request, lambda: _remove(request, context_of(request), key)
        )


def _list_page(request: Request, context: Context) -> Response:
    now = datetime.now(UTC)
    links, form = make_links(request), read_filters(request.query_params, now=now)
    values: dict[str, Any] = {
        "form": form,
        "facts": FACTS,
        "outcomes": OUTCOMES,
        "periods": PERIODS,
        "sorts": SORTS,
        "may_save": request.state.principal.has_any(("audit",)),
    }
    problems = _list_problems(form)
    view = None
    if not problems:
        try:
            view = make_triage_view(context, form, links, now=now)
        except InputError as error:
            problems = [str(error)]
    return render_page(
        "list.html",
        links,
        status=find_status(InputError) if problems else HTTPStatus.OK,
        problems=problems,
        view=view,
        document_url=links.document(form.doc_hash) if form.doc_hash and not problems else None,
        **values,
    )


def _write_table(request: Request, context: Context) -> Response:
    now = datetime.now(UTC)
    form = read_filters(request.query_params, now=now)
    if problems := _list_problems(form):
        raise InputError(problems[0], hint="Go back to the list, and download its table there.")
    chosen = choose(context, form.view, now=now)
    headers = PAGE_HEADERS | {"Content-Disposition": 'attachment; filename="answers.csv"'}
    return StreamingResponse(
        write_view(context, chosen), media_type="text/csv; charset=utf-8", headers=headers
    )


def _list_problems(form: FilterForm) -> list[str]:
    return [f"{p.pointer[1:]}: expected {p.expected}, got {p.got}." for p in form.problems]


async def _read_form(request: Request, context: Context) -> dict[str, str]:
    raw = await read_body(request, context, hint="Save the view from the list itself.")
    try:
        found = parse_qs(raw.decode("utf-8"), max_num_fields=4)
    except ValueError:
        found = {}
    return {name: values[-1] for name, values in found.items()}


def _save(request: Request, context: Context, form: dict[str, str]) -> Response:
    now = datetime.now(UTC)
    # Written anew from what we read of it: nothing else stands in the address of a link.
    read = read_filters(dict(parse_qsl(form.get("query", ""))), now=now)
    if problems := _list_problems(read):
        raise InputError(problems[0], hint="Save the view from the list itself.")
    links = make_links(request)
    query = links.home(read.to_query()).partition("?")[2]
    save_view(context, form.get("name", ""), query, principal=request.state.principal, now=now)
    return RedirectResponse(f"{links.home()}?{query}", HTTPStatus.SEE_OTHER)


def _remove(request: Request, context: Context, key: str) -> Response:
    remove_view(context, key, principal=request.state.principal, now=datetime.now(UTC))
    return RedirectResponse(make_links(request).home(), HTTPStatus.SEE_OTHER)
