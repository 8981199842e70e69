"""The routes of the playground: its page, an upload, and a trial of an answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from spanproof.api.console.answer.extraction_reader import ExtractionReader
from spanproof.api.console.answer.view import make_answer_view
from spanproof.api.console.answering import answer, make_links
from spanproof.api.console.forms import read_form
from spanproof.api.console.playground.forms import read_upload, to_payload
from spanproof.api.console.rendering import render_page
from spanproof.api.http.problems import find_status
from spanproof.api.http.requests.access import require
from spanproof.api.http.requests.admitting import admit, current_ticket
from spanproof.api.http.requests.body import read_body, stage_body
from spanproof.core.digest import Digest
from spanproof.core.errors import DocumentNotFoundError, InputError
from spanproof.operations.documents.ingest import Announced, to_too_large
from spanproof.operations.errors import JobNotFoundError, Work
from spanproof.operations.jobs.queueing import start_ingest
from spanproof.operations.verification.trial import try_answer
from spanproof.verifier.formats.registry import NAMES as FORMATS
from spanproof.verifier.formats.registry import parse_payload
from spanproof.verifier.policies import NAMES as POLICIES
from spanproof.verifier.policies import load_policy

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import APIRouter

    from spanproof.core.documents.document import Extraction
    from spanproof.operations.context import Context
    from spanproof.operations.jobs.records import Job

#: Of a document that is tried out, in bytes: the whole form stands in memory for a moment.
MOST_UPLOAD_BYTES = 20 << 20
#: Characters of the document's text on one page.
TEXT_CHARACTERS = 6_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TextView:
    """A stretch of a document's text, to select a quote from."""

    doc_hash: str
    title: str
    text: str
    start: int
    end: int
    length: int
    earlier_url: str | None
    later_url: str | None


def add_playground_routes(router: APIRouter, context_of: Callable[[Request], Context]) -> None:
    """Add them to the console's router; who may not verify may not try either."""
    tries = Depends(require("verify"))

    @router.get("/playground", dependencies=[tries, admit(Work.STORE)])
    def show_playground(request: Request) -> Response:
        return answer(request, lambda: _page(request, context_of(request), {}))

    @router.post(
        "/playground/documents",
        dependencies=[Depends(require("ingest")), tries, admit(Work.INGEST, reads_body=True)],
    )
    async def take_document(request: Request) -> Response:
        context = context_of(request)
        cap = min(MOST_UPLOAD_BYTES, context.settings.max_document_bytes)
        async with stage_body(request, context, cap=cap, too_large=to_too_large) as staged:
            await current_ticket(request).take_turn()
            body = staged.path.read_bytes
            return await run_in_threadpool(answer, request, lambda: _take(request, context, body()))

    @router.post("/playground/answers", dependencies=[tries, admit(Work.VERIFY, reads_body=True)])
    async def try_one(request: Request) -> Response:
        context = context_of(request)
        raw = await read_body(request, context, hint="Try a shorter answer.")
        return await run_in_threadpool(answer, request, lambda: _try(request, context, raw))


def _page(
    request: Request,
    context: Context,
    form: dict[str, str],
    *,
    problem: InputError | None = None,
) -> Response:
    links, query = make_links(request), request.query_params
    job = _find_job(context, query.get("job"))
    doc_hash = form.get("document") or query.get("document")
    if not doc_hash and job is not None and job.result:
        doc_hash = str(job.result.get("doc_hash", "")) or None
    text = None
    if doc_hash:
        at = form.get("at") or query.get("at", "0")
        text = _make_text(request, context, doc_hash, int(at) if at.isdecimal() else 0)
    return render_page(
        "playground.html",
        links,
        status=HTTPStatus.OK if problem is None else find_status(type(problem)),
        job=job,
        text=text,
        form=form,
        problem=problem,
        formats=FORMATS,
        policies=POLICIES,
        policy=form.get("policy") or context.settings.policy,
        may_ingest=request.state.principal.has_any(("ingest",)),
        most_upload=MOST_UPLOAD_BYTES >> 20,
    )


def _find_job(context: Context, job_id: str | None) -> Job | None:
    """The reading of a document that the page waits for."""
    if not job_id:
        return None
    job = context.jobs.find(job_id)
    if job.kind != "ingest":
        msg = f"Expected the reading of a document, got a job of the kind {job.kind}."
        raise JobNotFoundError(msg, hint="Upload the document again.")
    return job


def _load(context: Context, doc_hash: str) -> tuple[str, Extraction]:
    record = context.store.documents.find(str(Digest.parse(doc_hash)))
    if record is None:
        msg = f"Expected a document that is kept here, got {doc_hash!r}."
        raise DocumentNotFoundError(msg, hint="Choose one of the list of documents.")
    extraction = context.store.documents.load_extraction(record.extraction_ids[0])
    return record.title or record.doc_ids[0], extraction


def _make_text(request: Request, context: Context, doc_hash: str, at: int) -> TextView:
    title, extraction = _load(context, doc_hash)
    links, length = make_links(request), len(extraction.text)
    start = min(at, max(0, length - 1))
    end = min(length, start + TEXT_CHARACTERS)

    def turn(to: int) -> str:
        return links.playground(query={"document": doc_hash, "at": str(to)})

    return TextView(
        doc_hash=doc_hash,
        title=title,
        text=extraction.text.text[start:end],
        start=start,
        end=end,
        length=length,
        earlier_url=turn(max(0, start - TEXT_CHARACTERS)) if start else None,
        later_url=turn(end) if end < length else None,
    )


def _take(request: Request, context: Context, body: bytes) -> Response:
    try:
        upload = read_upload(request.headers.get("content-type", ""), body)
    except InputError as problem:
        return _page(request, context, {}, problem=problem)
    with context.store.blobs.stage() as staged:
        staged.write(upload.content)
        job = start_ingest(context, staged, Announced(filename=upload.name, title=upload.name))
    url = make_links(request).playground(query={"job": job.job_id})
    return RedirectResponse(url, HTTPStatus.SEE_OTHER)


def _try(request: Request, context: Context, raw: bytes) -> Response:
    form: dict[str, str] = {}
    try:
        form = read_form(raw)
        extraction = _load(context, form["document"])[1] if form.get("document") else None
        payload, names = to_payload(form, extraction)
        parsed = parse_payload(payload, names)
        policy = load_policy(form.get("policy") or context.settings.policy)
        block = try_answer(context, parsed, policy, size=len(payload))
    except InputError as problem:
        return _page(request, context, form, problem=problem)
    links = make_links(request)
    reader = ExtractionReader(context.store.documents)
    view = make_answer_view("", parsed.answer, block, reader, links)
    values: dict[str, Any] = {
        "view": replace(view, json_url=""),
        "verified_at": datetime.now(UTC),
        "back_url": links.playground(
            query={name: form[name] for name in ("document", "at") if form.get(name)}
        ),
    }
    return render_page("trial.html", links, **values)
