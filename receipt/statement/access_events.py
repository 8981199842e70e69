"""What a log records of the access log: the digest of each day, and days that were let go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from spanproof.receipt.statement.events import Event, Subjects
from spanproof.receipt.statement.predicate import NOBODY

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.receipt.statement.predicate import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessDigest(Event):
    """Who looked on a UTC day: how many lines the access log has, and the digest over them."""

    KIND: ClassVar[str] = "access-digest"
    day: str
    accesses: int
    rows_digest: Digest

    @property
    def subjects(self) -> Subjects:
        """The lines."""
        return (("accesses", self.rows_digest),)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessErasure(Event):
    """The lines of a day that were let go; their digests stay."""

    KIND: ClassVar[str] = "access-erasure"
    day: str
    accesses: int
    rows_digest: Digest
    reason: str
    actor: Actor = NOBODY

    @property
    def subjects(self) -> Subjects:
        """The lines."""
        return (("accesses", self.rows_digest),)
