"""API keys: made, replaced, revoked; each change is a row, and no row ever changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlmodel import col, select

from spanproof.core.errors import ConflictError
from spanproof.store.accounts.tables import AccessKeyEndRow, AccessKeyRow
from spanproof.store.database.copying import to_row, to_value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlmodel import Session

    from spanproof.store.database.session import Database

EndKind = Literal["rotated", "revoked"]
KeyState = Literal["active", "expired", "rotated", "revoked"]
_LOCK = "access keys"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyEnd:
    """That a key counts until a moment, exclusive, and why."""

    kind: EndKind
    ends_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessKey:
    """An API key as it is kept; ``secret_digest`` is a keyed digest of the key's whole text."""

    key_id: str
    tenant: str
    scopes: tuple[str, ...]
    label: str | None
    secret_digest: str
    created_at: datetime
    expires_at: datetime | None
    replaces: str | None = None
    ends: tuple[KeyEnd, ...] = ()

    def find_state(self, now: datetime) -> KeyState:
        """Whether it counts now; of several reasons why it does not, the earliest.

        A revocation counts once it is recorded: a clock that goes back gives no key back.
        """
        passed: list[tuple[datetime, KeyState]] = [
            (end.ends_at, end.kind)
            for end in self.ends
            if end.kind == "revoked" or end.ends_at <= now
        ]
        if self.expires_at is not None and self.expires_at <= now:
            passed.append((self.expires_at, "expired"))
        return min(passed)[1] if passed else "active"

    @property
    def ends_at(self) -> datetime | None:
        """The moment from which it no longer counts; None: it has no end."""
        moments = [end.ends_at for end in self.ends]
        if self.expires_at is not None:
            moments.append(self.expires_at)
        return min(moments, default=None)


class AccessKeys:
    """The keys of a home, of every tenant: a request's key decides its tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database
        #: Changes that were made through this object: what was read before one may not hold.
        self.changes = 0

    def has_any(self) -> bool:
        """Whether a key was ever made: from then on a key is required."""
        with self._database.reading() as session:
            return session.exec(select(AccessKeyRow.key_id).limit(1)).first() is not None

    def find(self, key_id: str) -> AccessKey | None:
        """The key of that id, or None."""
        with self._database.reading() as session:
            row = session.get(AccessKeyRow, key_id)
            return None if row is None else _to_key(row, _list_ends(session, [key_id]))

    def list(self, tenant: str | None = None) -> tuple[AccessKey, ...]:
        """The keys of a tenant, or of all, the oldest first."""
        query = select(AccessKeyRow)
        if tenant is not None:
            query = query.where(AccessKeyRow.tenant == tenant)
        order = (col(AccessKeyRow.created_at), col(AccessKeyRow.key_id))
        with self._database.reading() as session:
            rows = session.exec(query.order_by(*order)).all()
            ends = _list_ends(session, [row.key_id for row in rows])
            return tuple(_to_key(row, ends) for row in rows)

    def add(self, key: AccessKey, *, ending: KeyEnd | None = None, added_at: datetime) -> None:
        """Keep a new key; ``ending`` is when the one that it replaces ends, in the same step.

        Raises ConflictError where the id is taken, or where the old key was replaced before.
        """
        with self._database.writing(_LOCK) as session:
            session.add(to_row(AccessKeyRow, key, scopes=" ".join(key.scopes)))
            if key.replaces is not None and ending is not None:
                self._add_end(session, key.replaces, ending, added_at)
        self.changes += 1

    def end(self, key_id: str, ending: KeyEnd, *, added_at: datetime) -> bool:
        """Record that a key ends; False where an end of that kind is recorded already."""
        with self._database.writing(_LOCK) as session:
            if any(row.kind == ending.kind for row in _list_ends(session, [key_id])):
                return False
            self._add_end(session, key_id, ending, added_at)
        self.changes += 1
        return True

    @staticmethod
    def _add_end(session: Session, key_id: str, ending: KeyEnd, added_at: datetime) -> None:
        ends = _list_ends(session, [key_id])
        if any(row.kind == ending.kind for row in ends):
            msg = f"Expected a key that is not {ending.kind} yet, got {key_id!r}."
            raise ConflictError(msg, hint="List the keys: 'spanproof keys list'.")
        place = {"key_id": key_id, "position": len(ends)}
        session.add(to_row(AccessKeyEndRow, ending, added_at=added_at, **place))


def _list_ends(session: Session, key_ids: Sequence[str]) -> Sequence[AccessKeyEndRow]:
    query = select(AccessKeyEndRow).where(col(AccessKeyEndRow.key_id).in_(key_ids))
    return session.exec(
        query.order_by(col(AccessKeyEndRow.key_id), col(AccessKeyEndRow.position))
    ).all()


def _to_key(row: AccessKeyRow, ends: Sequence[AccessKeyEndRow]) -> AccessKey:
    mine = tuple(
        # An unknown kind was written by another program; it ends the key too.
        KeyEnd(kind="rotated" if end.kind == "rotated" else "revoked", ends_at=end.ends_at)
        for end in ends
        if end.key_id == row.key_id
    )
    return to_value(AccessKey, row, scopes=tuple(row.scopes.split()), ends=mine)
