"""When a receipt was made, by other clocks than its issuer's: not before one moment, by another.

A witness that cosigns a head of N leaves at T bounds every leaf of the same history: index < N was
there by T, index >= N came after T. A timestamp authority's token over the signature says only
that the signature was there by its moment.

A head counts only where it is shown to be of the receipt's own history: it is the receipt's head,
or a proof leads from one to the other. A log that signed two histories would else have its
receipt bounded by the one that it is not in.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING

from core.errors import EvidenceError
from core.merkle import check_consistency, check_inclusion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from core.checkpoint import Checkpoint, IncludedLeaf
    from core.merkle import ConsistencyProof, InclusionProof

#: How far apart honest clocks may be.
SKEW = timedelta(seconds=300)
_HINT = "Keep both heads: together they show that the log told two histories."


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessedHead:
    """A head of a log that somebody else saw at a moment; whoever makes this checked its note.

    ``inclusion`` is a proof of the receipt's own leaf under this head, ``consistency`` one between
    this head and the receipt's, in whichever order their sizes have.
    """

    checkpoint: Checkpoint
    moment: datetime
    witness: str
    inclusion: InclusionProof | None = None
    consistency: Sequence[ConsistencyProof] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A moment, and by whose clock."""

    moment: datetime
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBounds:
    """The latest lower and the earliest upper bound; ``unlinked`` names heads that bound nothing.

    Nothing shows that those are of the receipt's history.
    """

    after: Bound | None = None
    before: Bound | None = None
    unlinked: tuple[str, ...] = ()

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies between them, give or take SKEW."""
        is_late_enough = self.after is None or moment >= self.after.moment - SKEW
        is_early_enough = self.before is None or moment <= self.before.moment + SKEW
        return is_late_enough and is_early_enough

    def describe(self) -> str:
        """The bounds in words; empty without any."""
        parts = []
        if self.after is not None:
            parts.append(f"after {_write(self.after.moment)} ({self.after.source})")
        if self.before is not None:
            parts.append(f"by {_write(self.before.moment)} ({self.before.source})")
        return " and ".join(parts)


class _Link(Enum):
    SAME = "the receipt's history"
    FORKED = "another history of the same log"
    UNKNOWN = "not shown either way"


def find_bounds(
    included: IncludedLeaf, heads: Iterable[WitnessedHead], stamps: Iterable[Bound] = ()
) -> TimeBounds:
    """The bounds that these heads and stamps give the leaf.

    Raises EvidenceError for a head that is of another history of the same log: the log forked.
    """
    lower: list[Bound] = []
    upper = list(stamps)
    unlinked = []
    for head in heads:
        size = head.checkpoint.size
        bound = Bound(moment=head.moment, source=f"{head.witness}, head of {size} leaves")
        link = _link(included, head)
        if link is _Link.FORKED:
            msg = f"Expected one history, got another head of {size} leaves from {head.witness}."
            raise EvidenceError(msg, hint=_HINT)
        if link is _Link.UNKNOWN:
            unlinked.append(f"{head.witness}, head of {size} leaves")
        elif included.leaf.index < size:
            upper.append(bound)
        else:
            lower.append(bound)
    return TimeBounds(
        after=max(lower, key=_moment, default=None),
        before=min(upper, key=_moment, default=None),
        unlinked=tuple(unlinked),
    )


def _link(included: IncludedLeaf, head: WitnessedHead) -> _Link:
    """Whether the head is of the receipt's history: one that is smaller, equal or larger."""
    own, other = included.checkpoint, head.checkpoint
    if own.origin != other.origin:
        return _Link.UNKNOWN
    if own.size == other.size:
        return _Link.SAME if hmac.compare_digest(own.root, other.root) else _Link.FORKED
    if _includes(head, included):
        return _Link.SAME
    old, new = sorted((own, other), key=lambda each: each.size)
    is_shown = any(
        (each.old_size, each.new_size) == (old.size, new.size)
        and check_consistency(each, old.root, new.root)
        for each in head.consistency
    )
    return _Link.SAME if is_shown else _Link.UNKNOWN


def _includes(head: WitnessedHead, included: IncludedLeaf) -> bool:
    proof, leaf = head.inclusion, included.leaf
    if proof is None or (proof.index, proof.size) != (leaf.index, head.checkpoint.size):
        return False
    return check_inclusion(proof, leaf.leaf_hash, head.checkpoint.root)


def _moment(bound: Bound) -> datetime:
    return bound.moment


def _write(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
