"""Requests that may be sent twice: the first claims the key, the others wait for its result.

Source: draft-ietf-httpapi-idempotency-key-header-07. No answer is kept here, only the name of
its result: an erased result cannot be found here again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlmodel import col, select

from spanproof.store.accounts.tables import RequestAnswerRow, RequestClaimRow
from spanproof.store.database.copying import to_row, to_value

if TYPE_CHECKING:
    from datetime import datetime

    from sqlmodel import Session

    from spanproof.store.database.session import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestClaim:
    """Who works on a request, and the name of its result; ``status`` of None: still, or in vain.

    ``is_ours``: this call made the claim, and its caller must end it.
    """

    request: str
    position: int
    fingerprint: str
    reference: str
    process: str
    claimed_at: datetime
    is_ours: bool = False
    is_ended: bool = False
    status: int | None = None


class Requests:
    """The claims of one tenant's requests. Safe for several threads and processes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, request: str) -> RequestClaim | None:
        """The newest claim of a request, or None."""
        with self._database.reading() as session:
            return _find_newest(session, request)

    def claim(self, wanted: RequestClaim) -> RequestClaim:
        """The newest claim of the request: ``wanted``, or the one that was there before.

        One that ended with nothing is followed. ``wanted`` is at position 0: its own is found here.
        """
        with self._database.writing(f"request {wanted.request}") as session:
            found = _find_newest(session, wanted.request)
            if found is not None and not (found.is_ended and found.status is None):
                return found
            position = 0 if found is None else found.position + 1
            session.add(to_row(RequestClaimRow, wanted, position=position))
        return replace(wanted, position=position, is_ours=True)

    def end(self, claim: RequestClaim, *, status: int | None, at: datetime) -> None:
        """Record how a claim ended; one that has an end keeps it."""
        with self._database.writing(f"request {claim.request}") as session:
            if session.get(RequestAnswerRow, (claim.request, claim.position)) is None:
                session.add(to_row(RequestAnswerRow, claim, status=status, answered_at=at))


def _find_newest(session: Session, request: str) -> RequestClaim | None:
    query = select(RequestClaimRow).where(RequestClaimRow.request == request)
    row = session.exec(query.order_by(col(RequestClaimRow.position).desc()).limit(1)).first()
    if row is None:
        return None
    return _to_claim(row, session.get(RequestAnswerRow, (row.request, row.position)))


def _to_claim(row: RequestClaimRow, answer: RequestAnswerRow | None) -> RequestClaim:
    status = None if answer is None else answer.status
    return to_value(RequestClaim, row, is_ended=answer is not None, status=status)
