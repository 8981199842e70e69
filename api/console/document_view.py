"""The page of a document: its names, what its operator says of it, and the affected answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.api.console.surroundings.pieces import PAGE
from spanproof.api.console.surroundings.view import (
    Surroundings,
    describe_reading,
    make_surroundings,
)
from spanproof.api.console.triage.page import ROWS_PER_PAGE
from spanproof.core.span import Span
from spanproof.operations.documents.affected import list_affected
from spanproof.operations.documents.source_states import list_changes, state_to_json
from spanproof.operations.documents.stored import show_document

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.api.console.links import Links
    from spanproof.operations.context import Context

#: Characters by which the text of a document is turned.
_STEP = PAGE.characters
_WORDS = {
    "withdrawn_from": "Withdrawn from",
    "amended_from": "Amended from",
    "amended_by": "Amended by",
    "valid_from": "In force from",
    "valid_until": "In force until",
    "licence": "Licence",
    "confidentiality": "Confidentiality",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedRow:
    """A kept answer that would be judged by other codes now."""

    url: str
    heading: str
    verified_at: datetime
    result: str
    codes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentView:
    """The values that the document's template shows."""

    title: str
    state: tuple[tuple[str, str], ...]
    changes: tuple[tuple[datetime, str, str], ...]
    facts: tuple[tuple[str, str], ...]
    affected: tuple[AffectedRow, ...]
    surroundings: Surroundings | None
    reading: str | None
    first_page_url: str | None
    earlier_url: str | None
    later_url: str | None
    original_url: str
    answers_url: str
    playground_url: str
    record_url: str
    next_url: str | None


def make_document_view(
    context: Context, ref: str, links: Links, *, cursor: str | None, at: int = 0
) -> DocumentView:
    """Build the page; raise NotFoundError for a document that is not kept.

    ``at``: the character from which on the text is shown, where the format has no pages.
    """
    report = show_document(context, ref)
    record = report.record
    name = str(record.document.doc_hash)
    page = list_affected(context, name, cursor=cursor, limit=ROWS_PER_PAGE)
    state = state_to_json(report.state) or {}
    extraction = context.store.documents.load_extraction(record.extraction_ids[0])
    length = len(extraction.text)
    at = min(at, max(0, length - 1))
    whole = Span(at, min(length, at + 1))
    framed = next((each.span for each in extraction.pages if each.frame and len(each.span)), None)
    query = None if page.next_cursor is None else {"cursor": page.next_cursor}
    return DocumentView(
        title=record.title or record.doc_ids[0],
        state=tuple((_WORDS[key], value) for key, value in state.items() if value),
        changes=tuple(
            (each.time, each.action, each.reason)
            for each in list_changes(context, record.document.doc_hash)
        ),
        facts=(
            ("Document", name),
            ("Names", ", ".join(record.doc_ids[:-1]) or "none"),
            ("Kept since", f"{record.added_at:%Y-%m-%d %H:%M} UTC"),
        ),
        affected=tuple(
            AffectedRow(
                url=links.answer(each.verification.verification_id),
                heading=each.verification.excerpt or each.verification.answer_id,
                verified_at=each.verification.verified_at,
                result=each.verification.result,
                codes=", ".join(each.codes),
            )
            for each in page.answers
        ),
        # A place without a length: nothing of it is marked.
        surroundings=make_surroundings(extraction, [Span(at, at)], PAGE),
        reading=describe_reading(extraction, whole),
        first_page_url=None
        if framed is None
        else links.span(name, str(extraction.extraction_id), framed.start, framed.end),
        earlier_url=links.document(name, {"at": str(max(0, at - _STEP))}) if at else None,
        later_url=links.document(name, {"at": str(at + _STEP)}) if at + _STEP < length else None,
        original_url=links.original(name),
        playground_url=links.playground(query={"document": name}),
        answers_url=links.home({"doc_hash": name}),
        record_url=links.document_json(name),
        next_url=None if query is None else links.document(name, query),
    )
