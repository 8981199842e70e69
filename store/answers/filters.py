"""A filter on verifications → the conditions of its query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlmodel import and_, col, exists, false

from spanproof.store.database.columns import to_utc
from spanproof.store.names import to_label
from spanproof.store.tables import VerdictCodeRow, VerdictPageRow, VerdictRow, VerificationRow

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from spanproof.store.records import VerificationFilter

#: The columns hold 64 bits.
_MOST_OFFSET = 2**63 - 1


def to_conditions(filters: VerificationFilter) -> list[ColumnElement[bool]]:
    """The conditions that a verification's row must meet."""
    conditions: list[ColumnElement[bool]] = []
    if filters.answer_id is not None:
        conditions.append(col(VerificationRow.answer_id) == filters.answer_id)
    if filters.result is not None:
        conditions.append(col(VerificationRow.result) == str(filters.result))
    if filters.generator_model is not None:
        # Clipped as the row is.
        wanted = to_label(filters.generator_model)
        conditions.append(col(VerificationRow.generator_model) == wanted)
    if filters.prompt_id is not None:
        conditions.append(col(VerificationRow.prompt_id) == to_label(filters.prompt_id))
    if filters.since is not None:
        conditions.append(col(VerificationRow.verified_at) >= to_utc(filters.since))
    if filters.until is not None:
        conditions.append(col(VerificationRow.verified_at) < to_utc(filters.until))
    verdict = to_verdict_conditions(filters)
    if verdict:
        same = col(VerdictRow.verification_id) == col(VerificationRow.verification_id)
        conditions.append(exists().where(same, *verdict))
    return conditions


def to_verdict_conditions(filters: VerificationFilter) -> list[ColumnElement[bool]]:
    """The conditions that one verdict must meet; empty where the filter names no verdict."""
    conditions: list[ColumnElement[bool]] = []
    if filters.doc_hash is not None:
        conditions.append(col(VerdictRow.doc_hash) == str(filters.doc_hash))
    if filters.outcome is not None:
        conditions.append(col(VerdictRow.outcome) == str(filters.outcome))
    if filters.span is not None:
        # A number that no column can hold is behind every text.
        end = min(filters.span.end, _MOST_OFFSET)
        conditions.append(col(VerdictRow.char_start) < end)
        conditions.append(col(VerdictRow.char_end) > min(filters.span.start, _MOST_OFFSET))
    if filters.index_version is not None:
        conditions.append(col(VerdictRow.index_version) == to_label(filters.index_version))
    if filters.code is not None:
        same = and_(
            col(VerdictCodeRow.verification_id) == col(VerdictRow.verification_id),
            col(VerdictCodeRow.position) == col(VerdictRow.position),
        )
        conditions.append(exists().where(same, col(VerdictCodeRow.code) == filters.code))
    if filters.page is not None:
        same = and_(
            col(VerdictPageRow.verification_id) == col(VerdictRow.verification_id),
            col(VerdictPageRow.position) == col(VerdictRow.position),
        )
        # A number that no column can hold is on no page.
        is_page = 0 < filters.page < 2**31
        there = col(VerdictPageRow.page) == filters.page if is_page else false()
        conditions.append(exists().where(same, there))
    return conditions
