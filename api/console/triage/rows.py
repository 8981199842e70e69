"""The rows of the list: an answer, its result, its counts, its documents."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.api.console.answer.findings import attach_repaired
from spanproof.api.console.answer.view import count_outcomes, make_heading
from spanproof.core.errors import InputError, SpanproofError, VerificationErasedError
from spanproof.core.shown import first_words
from spanproof.operations.presentation.words import find_worst
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from spanproof.api.console.links import Links
    from spanproof.core.citation import Answer
    from spanproof.operations.context import Context
    from spanproof.store.records import StoredVerification


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDocument:
    """A document that an answer cites: its name and, if known, its hash."""

    title: str
    doc_hash: str | None
    filter_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One verification in the list."""

    url: str
    heading: str
    verified_at: datetime
    result: str
    counts: tuple[tuple[str, int], ...]
    documents: tuple[ListedDocument, ...]


LOG = logging.getLogger("spanproof.console")


def load_rows(
    context: Context, listed: Sequence[tuple[str, datetime]], links: Links
) -> tuple[Row, ...]:
    """The rows of verifications and their times, whatever became of their records."""
    found = context.store.answers.load_several([name for name, _ in listed])
    return tuple(_to_row(found[name], name, moment, links) for name, moment in listed)


def _to_row(
    found: StoredVerification | SpanproofError, name: str, verified_at: datetime, links: Links
) -> Row:
    if isinstance(found, SpanproofError):
        if not isinstance(found, VerificationErasedError):
            # An unreadable record must not hide the others or look like a failed answer.
            LOG.error("%s", found.code, exc_info=found)
        return make_unreadable_row(name, verified_at, found.code, links)
    try:
        answer = parse_payload(found.raw, found.block["import"]["format"]).answer
    except InputError:
        answer = None
    return make_row(name, verified_at, answer, found.block, links)


def make_row(
    verification_id: str,
    verified_at: datetime,
    answer: Answer | None,
    block: Mapping[str, Any],
    links: Links,
) -> Row:
    """One row; an unreadable answer still shows its verdicts."""
    return Row(
        url=links.answer(verification_id),
        heading=make_heading(answer) if answer else "(the answer cannot be read)",
        verified_at=verified_at,
        result=find_worst([block["result"]]),
        counts=count_outcomes(block),
        documents=_list_documents(answer, block, links),
    )


def make_unreadable_row(
    verification_id: str, verified_at: datetime, code: str, links: Links
) -> Row:
    """The row of an unreadable record: it counts as an error, not as its result."""
    return Row(
        url=links.answer(verification_id),
        heading=f"(this record cannot be read: {code})",
        verified_at=verified_at,
        result="error",
        counts=(),
        documents=(),
    )


def _list_documents(
    answer: Answer | None, block: Mapping[str, Any], links: Links
) -> tuple[ListedDocument, ...]:
    found: dict[str, ListedDocument] = {}
    hashes = {v["citation"]: v["identity"]["doc_hash"] for v in block["verdicts"]}
    snippets = {snippet["doc_hash"] for snippet in block.get("snippets", ())}
    for index, citation in enumerate(attach_repaired(answer, block).citations if answer else ()):
        doc_hash = hashes.get(index) or (str(citation.doc_hash) if citation.doc_hash else None)
        title = citation.doc_title or citation.doc_id
        if doc_hash in snippets:
            title, doc_hash = f"text {title or citation.chunk_id}", None
        title = title or doc_hash or "unknown document"
        found.setdefault(
            doc_hash or title,
            ListedDocument(
                title=first_words(title, 60),
                doc_hash=doc_hash,
                filter_url=links.home({"doc_hash": doc_hash, "period": "all"})
                if doc_hash
                else None,
            ),
        )
    return tuple(found.values())
