"""Answers by their citations: one row for each answer's last verification, with its verdicts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import exists
from sqlalchemy.orm import aliased
from sqlmodel import and_, col, or_, select

from spanproof.store.answers.filters import to_conditions, to_verdict_conditions
from spanproof.store.database.copying import to_value
from spanproof.store.database.cursor import Position, check_limit, parse_cursor, to_cursor
from spanproof.store.mapping import from_verification_row
from spanproof.store.tables import (
    VerdictChunkRow,
    VerdictCodeRow,
    VerdictPageRow,
    VerdictRow,
    VerificationRow,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlmodel import Session

    from spanproof.store.database.session import Database
    from spanproof.store.records import VerificationFilter, VerificationSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCitation:
    """A verdict in a list: its citation and place, its outcome. Offsets are code points."""

    position: int
    citation: int
    doc_hash: str | None
    extraction_id: str | None
    char_start: int | None
    char_end: int | None
    pages: tuple[int, ...]
    outcome: str
    codes: tuple[str, ...]
    index_version: str | None
    chunk_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedAnswer:
    """An answer by its newest verification, and the verdicts that the filter means."""

    verification: VerificationSummary
    citations: tuple[ListedCitation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedAnswerPage:
    """Answers, the last verified first; ``next_cursor`` is None on the last page."""

    items: tuple[CitedAnswer, ...]
    next_cursor: str | None


def list_answers(
    database: Database,
    filters: VerificationFilter,
    cursor: str | None = None,
    limit: int = 50,
) -> CitedAnswerPage:
    """The answers whose newest verification passes the filter: "every answer that cites this page".

    InputError for a cursor of another list, or a malformed one.
    """
    check_limit(limit)
    listing = f"answers {filters!r}"
    when, key = col(VerificationRow.verified_at), col(VerificationRow.verification_id)
    query = select(VerificationRow).where(*to_conditions(filters), _is_newest())
    if cursor is not None:
        last = parse_cursor(cursor, listing)
        query = query.where(or_(when < last.moment, and_(when == last.moment, key < last.key)))
    with database.reading() as session:
        rows = session.exec(query.order_by(when.desc(), key.desc()).limit(limit + 1)).all()
        shown = rows[:limit]
        cited = _read_citations(session, [row.verification_id for row in shown], filters)
    ending = None
    if len(rows) > limit:
        ending = Position(moment=shown[-1].verified_at, key=shown[-1].verification_id)
    return CitedAnswerPage(
        items=tuple(
            CitedAnswer(
                verification=from_verification_row(row), citations=cited[row.verification_id]
            )
            for row in shown
        ),
        next_cursor=None if ending is None else to_cursor(ending, listing),
    )


def _is_newest() -> ColumnElement[bool]:
    """Whether no later verification is of the same answer."""
    later = aliased(VerificationRow)
    when, key = col(VerificationRow.verified_at), col(VerificationRow.verification_id)
    return ~exists().where(
        col(later.answer_id) == col(VerificationRow.answer_id),
        or_(
            col(later.verified_at) > when,
            and_(col(later.verified_at) == when, col(later.verification_id) > key),
        ),
    )


def _read_citations(
    session: Session, verification_ids: Sequence[str], filters: VerificationFilter
) -> dict[str, tuple[ListedCitation, ...]]:
    """The verdicts of each verification that match the filter: all where it names no verdict."""
    mine = col(VerdictRow.verification_id).in_(verification_ids)
    verdicts = session.exec(
        select(VerdictRow)
        .where(mine, *to_verdict_conditions(filters))
        .order_by(col(VerdictRow.verification_id), col(VerdictRow.position))
    ).all()
    pages: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for page in session.exec(
        select(VerdictPageRow)
        .where(col(VerdictPageRow.verification_id).in_(verification_ids))
        .order_by(col(VerdictPageRow.page))
    ):
        pages[page.verification_id, page.position].append(page.page)
    codes: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for code in session.exec(
        select(VerdictCodeRow)
        .where(col(VerdictCodeRow.verification_id).in_(verification_ids))
        .order_by(col(VerdictCodeRow.code))
    ):
        codes[code.verification_id, code.position].append(code.code)
    chunks = {
        (chunk.verification_id, chunk.position): chunk.chunk_id
        for chunk in session.exec(
            select(VerdictChunkRow).where(
                col(VerdictChunkRow.verification_id).in_(verification_ids)
            )
        )
    }
    found: defaultdict[str, tuple[ListedCitation, ...]] = defaultdict(tuple)
    for row in verdicts:
        place = row.verification_id, row.position
        found[row.verification_id] += (
            to_value(
                ListedCitation,
                row,
                pages=tuple(pages[place]),
                codes=tuple(codes[place]),
                chunk_id=chunks.get(place),
            ),
        )
    return found
