"""The console's routes: the list, one answer, one span, the original."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response

from spanproof.api.console.answer.decision_routes import add_decision_routes
from spanproof.api.console.answer.decisions import make_decision_views
from spanproof.api.console.answer.extraction_reader import ExtractionReader
from spanproof.api.console.answer.fields import make_fields_view
from spanproof.api.console.answer.page_figure import TURNS, ZOOMS, Look
from spanproof.api.console.answer.view import make_answer_view, make_receipt_view
from spanproof.api.console.answering import answer, make_links
from spanproof.api.console.document_view import make_document_view
from spanproof.api.console.operations.drift_routes import add_drift_routes
from spanproof.api.console.operations.log_routes import add_log_routes
from spanproof.api.console.operations.report_routes import add_report_routes
from spanproof.api.console.operations.routes import add_operations_routes
from spanproof.api.console.playground.routes import add_playground_routes
from spanproof.api.console.rendering import SECURITY_HEADERS, render_page
from spanproof.api.console.reviewing.routes import add_review_routes
from spanproof.api.console.span_view import make_span_view
from spanproof.api.console.triage.routes import add_triage_routes
from spanproof.api.http.requests.admitting import admit
from spanproof.api.http.requests.recording import recorded
from spanproof.core.digest import Digest
from spanproof.core.errors import (
    DocumentNotFoundError,
    ExtractionNotFoundError,
    InputError,
)
from spanproof.core.span import Span
from spanproof.operations.decisions import list_decisions
from spanproof.operations.documents.stored import name_file
from spanproof.operations.errors import Work
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanproof.operations.access.principal import Principal
    from spanproof.operations.accesses import AccessKind
    from spanproof.operations.context import Context
    from spanproof.store.samples.records import QueuedReview

LOG = logging.getLogger("spanproof.console")
#: Types that a browser may show; others are always downloaded.
_SHOWN_IN_PLACE = frozenset({"application/pdf", "text/plain", "text/markdown"})


def build_router(context_of: Callable[[Request], Context]) -> APIRouter:
    """The router of the console; mount it at the application's root."""
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    page = [admit(Work.STORE)]
    add_triage_routes(router, context_of)
    add_operations_routes(router, context_of)
    add_log_routes(router, context_of)
    add_drift_routes(router, context_of)
    add_report_routes(router, context_of)
    add_decision_routes(router, context_of)
    add_review_routes(router, context_of, _answer_page)
    add_playground_routes(router, context_of)

    @router.get(
        "/answers/{verification_id}", dependencies=[*page, _shown("answer", "verification_id")]
    )
    def show_answer(request: Request, verification_id: str) -> Response:
        return answer(request, lambda: _answer_page(request, context_of(request), verification_id))

    @router.get("/documents/{doc_hash}", dependencies=[*page, _shown("document", "doc_hash")])
    def show_document(request: Request, doc_hash: str) -> Response:
        return answer(request, lambda: _document_page(request, context_of(request), doc_hash))

    @router.get("/view/{doc_hash}/original", dependencies=[*page, _shown("document", "doc_hash")])
    def show_original(request: Request, doc_hash: str) -> Response:
        return answer(request, lambda: _original(context_of(request), doc_hash))

    @router.get(
        "/view/{doc_hash}/{extraction_id}/{start}/{end}",
        dependencies=[*page, _shown("page", "doc_hash", "start", "end")],
    )
    def show_span(
        request: Request, doc_hash: str, extraction_id: str, start: str, end: str
    ) -> Response:
        return answer(
            request,
            lambda: _span_page(request, context_of(request), doc_hash, extraction_id, (start, end)),
        )

    return router


def _shown(kind: AccessKind, *parameters: str) -> Any:  # noqa: ANN401 - a dependency
    return Depends(recorded(kind, *parameters, door="console"))


def _answer_page(
    request: Request, context: Context, verification_id: str, review: QueuedReview | None = None
) -> Response:
    stored = context.store.answers.load(verification_id)
    links, reader = make_links(request), ExtractionReader(context.store.documents)
    names = stored.block["import"]["format"]
    parsed = parse_payload(stored.raw, names)
    fields = make_fields_view(parsed.payload, names, parsed.answer.prose)
    view = make_answer_view(verification_id, parsed.answer, stored.block, reader, links)
    receipt = make_receipt_view(context.store.receipts, verification_id, links)
    principal: Principal | None = getattr(request.state, "principal", None)
    decided = make_decision_views(
        list_decisions(context, verification_id),
        len(view.cards),
        NOBODY if principal is None or not principal.has_any(["audit"]) else principal.actor,
        links,
        verification_id,
    )
    more: dict[str, Any] = {} if review is None else {"review": review}
    return render_page(
        "answer.html",
        links,
        view=view,
        verified_at=stored.verified_at,
        fields=fields,
        receipt=receipt,
        decided=decided,
        **more,
    )


def _document_page(request: Request, context: Context, doc_hash: str) -> Response:
    links, cursor = make_links(request), request.query_params.get("cursor") or None
    view = make_document_view(
        context,
        str(Digest.parse(doc_hash)),
        links,
        cursor=cursor,
        at=_read_offset(request.query_params.get("at", "0")),
    )
    return render_page("document.html", links, view=view)


def _span_page(
    request: Request,
    context: Context,
    doc_hash: str,
    extraction_id: str,
    offsets: tuple[str, str],
) -> Response:
    links, documents = make_links(request), context.store.documents
    digest, span = Digest.parse(doc_hash), _parse_offsets(*offsets)
    extraction = documents.load_extraction(Digest.parse(extraction_id))
    if extraction.document.doc_hash != digest:
        msg = f"Expected an extraction of {digest}, got one of {extraction.document.doc_hash}."
        raise ExtractionNotFoundError(msg, hint="Use a link from an answer's page.")
    record = documents.find(doc_hash)
    title = (record.title or next(iter(record.doc_ids), None)) if record else None
    view = make_span_view(title, extraction, span, links, _read_look(request.query_params))
    return render_page("span.html", links, view=view)


def _original(context: Context, doc_hash: str) -> Response:
    documents = context.store.documents
    digest = Digest.parse(doc_hash)
    record = documents.find(doc_hash)
    if record is None:
        msg = f"Expected a document that is kept here, got {doc_hash!r}."
        raise DocumentNotFoundError(msg, hint="Follow a link of an answer's page.")
    media_type = record.document.media_type
    shown = media_type in _SHOWN_IN_PLACE
    name = name_file(media_type, digest)
    headers = SECURITY_HEADERS | {
        "Content-Disposition": f'{"inline" if shown else "attachment"}; filename="{name}"',
        # A document's author is not trusted: no scripts for text; a PDF viewer needs its own page.
        "Content-Security-Policy": "frame-ancestors 'none'"
        if media_type == "application/pdf"
        else "sandbox; default-src 'none'; frame-ancestors 'none'",
        "Cache-Control": "private, max-age=3600",
    }
    if media_type.startswith("text/"):
        media_type = "text/plain; charset=utf-8"
    return Response(documents.read_source(digest), media_type=media_type, headers=headers)


def _is_offset(part: str) -> bool:
    # Twelve ASCII digits hold every offset.
    return part.isascii() and part.isdigit() and len(part) <= 12


def _read_offset(part: str) -> int:
    return int(part) if _is_offset(part) else 0


def _parse_offsets(start: str, end: str) -> Span:
    if not (_is_offset(start) and _is_offset(end)):
        msg = f"Expected two offsets, got {start!r} and {end!r}."
        raise InputError(msg, hint="Give half-open offsets of the canonical text.")
    return Span(int(start), int(end))


def _read_look(query: Mapping[str, str]) -> Look:
    """How the page is to be shown; anything but the tools' own values means the whole page."""
    page, zoom, turn = (query.get(name, "") for name in ("page", "zoom", "turn"))
    return Look(
        page=int(page) if re.fullmatch(r"[1-9][0-9]{0,8}", page) else None,
        zoom=next((each for each in ZOOMS if str(each) == zoom), ZOOMS[0]),
        turn=next((each for each in TURNS if str(each) == turn), 0),
    )
