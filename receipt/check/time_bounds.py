"""When a receipt was made, by other clocks than its issuer's: not before one moment, by another.

Witnesses that cosign a head of N leaves at T bound every leaf of the same history: index < N was
there by T, index >= N came into the log's published tree after T. A timestamp authority's token
over the signature says only that the signature was there by its moment.

A head counts only where it is shown to be of the receipt's own history: it is the receipt's head,
or a proof leads from one to the other. A log that signed two histories would else have its
receipt bounded by the one that it is not in.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from typing import TYPE_CHECKING

from spanproof.core.log.merkle import check_consistency, check_inclusion
from spanproof.core.moment import write_short_moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from spanproof.core.log.checkpoint import Checkpoint, IncludedLeaf
    from spanproof.core.log.merkle import ConsistencyProof, InclusionProof

#: How far apart honest clocks may be.
SKEW = timedelta(seconds=300)


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessedHead:
    """A head that witnesses saw; the maker has checked the log's and their signatures.

    ``earliest`` and ``latest`` are of those who cosigned it. ``inclusion`` is a proof of the
    receipt's own leaf under this head.
    """

    checkpoint: Checkpoint
    earliest: datetime
    latest: datetime
    witnesses: tuple[str, ...]
    inclusion: InclusionProof | None = None

    def __str__(self) -> str:
        return f"{', '.join(self.witnesses)} over {self.checkpoint.size} leaves"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A moment, and by whose clock."""

    moment: datetime
    source: str

    def __str__(self) -> str:
        return f"{write_short_moment(self.moment)} ({self.source})"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBounds:
    """The latest lower and the earliest upper bound, and the heads that give no bound.

    Of ``unlinked`` nothing shows that they are of the receipt's history; ``forked`` are of another
    history of the same log. ``lacks_quorum``: the trust file demands witnesses, and no head that
    they saw was given.
    """

    after: Bound | None = None
    before: Bound | None = None
    unlinked: tuple[str, ...] = ()
    forked: tuple[str, ...] = ()
    lacks_quorum: bool = False

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies between them, give or take SKEW."""
        is_late_enough = self.after is None or moment >= self.after.moment - SKEW
        is_early_enough = self.before is None or moment <= self.before.moment + SKEW
        return is_late_enough and is_early_enough

    def __str__(self) -> str:
        lower = "" if self.after is None else f"after {self.after}"
        upper = "" if self.before is None else f"by {self.before}"
        return " and ".join(filter(None, (lower, upper)))


class _Link(Enum):
    """Whether a head is of the receipt's history, of another of the same log, or unknown."""

    SAME = auto()
    FORKED = auto()
    UNKNOWN = auto()


def find_bounds(
    included: IncludedLeaf,
    heads: Iterable[WitnessedHead],
    *,
    proofs: Sequence[ConsistencyProof] = (),
    stamps: Iterable[Bound] = (),
) -> TimeBounds:
    """The bounds that these heads and stamps give the leaf; ``proofs`` link heads to its own."""
    lower: list[Bound] = []
    upper = list(stamps)
    unlinked, forked = [], []
    for head in heads:
        link = _link(included, head, proofs)
        if link is _Link.FORKED:
            forked.append(str(head))
        elif link is not _Link.SAME:
            unlinked.append(f"{head}: no proof links it to the receipt's head")
        elif included.leaf.index < head.checkpoint.size:
            upper.append(Bound(moment=head.latest, source=str(head)))
        else:
            lower.append(Bound(moment=head.earliest, source=str(head)))
    return TimeBounds(
        after=max(lower, key=_moment, default=None),
        before=min(upper, key=_moment, default=None),
        unlinked=tuple(unlinked),
        forked=tuple(forked),
    )


def is_fork(one: Checkpoint, other: Checkpoint) -> bool:
    """Whether these are two histories of one log: one size, and two roots."""
    is_same = (one.origin, one.size) == (other.origin, other.size)
    return is_same and not hmac.compare_digest(one.root, other.root)


def proves_extension(proof: ConsistencyProof, one: Checkpoint, other: Checkpoint) -> bool:
    """Whether the proof leads from the smaller of two heads of a log to the larger."""
    old, new = sorted((one, other), key=lambda each: each.size)
    is_same = (proof.old_size, proof.new_size) == (old.size, new.size)
    return one.origin == other.origin and is_same and check_consistency(proof, old.root, new.root)


def _link(included: IncludedLeaf, head: WitnessedHead, proofs: Sequence[ConsistencyProof]) -> _Link:
    own, other = included.checkpoint, head.checkpoint
    if own.origin != other.origin:
        return _Link.UNKNOWN
    if own.size == other.size:
        return _Link.FORKED if is_fork(own, other) else _Link.SAME
    if _includes(head, included):
        return _Link.SAME
    is_shown = any(proves_extension(each, own, other) for each in proofs)
    return _Link.SAME if is_shown else _Link.UNKNOWN


def _includes(head: WitnessedHead, included: IncludedLeaf) -> bool:
    proof, leaf = head.inclusion, included.leaf
    if proof is None or (proof.index, proof.size) != (leaf.index, head.checkpoint.size):
        return False
    return check_inclusion(proof, leaf.leaf_hash, head.checkpoint.root)


def _moment(bound: Bound) -> datetime:
    return bound.moment
