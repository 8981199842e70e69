"""What became of a span, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import Candidate, Difference

#: Part of every result: another rule may give another place.
ALGORITHM = "reanchor-5"


class ReanchorStatus(StrEnum):
    """What became of a span's words."""

    SAME = "SAME"
    MOVED = "MOVED"
    FOLD_EQUAL = "FOLD_EQUAL"
    REORDERED = "REORDERED"
    ALTERED = "ALTERED"
    AMBIGUOUS = "AMBIGUOUS"
    GONE = "GONE"
    UNVERIFIABLE = "UNVERIFIABLE"


class Channels(StrEnum):
    """Which channels found the words in one place, and whether they agree."""

    AGREE = "AGREE"
    TEXT_ONLY = "TEXT_ONLY"
    CONFLICT = "CONFLICT"
    NEITHER = "NEITHER"


#: What may be accepted unseen, if the channels do not contradict each other.
ACCEPTED = frozenset({ReanchorStatus.SAME, ReanchorStatus.MOVED, ReanchorStatus.FOLD_EQUAL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reanchored:
    """Where a span's words are now; ``span`` is None where no single place was found.

    ``candidates`` are the places among which none was chosen, ``difference`` is what an ALTERED
    place says otherwise. ``reason`` says in a word what decided (``identity``, ``unique``,
    ``page``, ``context``, ``geometry``) or why nothing could (``copies``: fewer than before,
    ``capped``: too many to look at, ``elsewhere``: the old place reads
    otherwise; ``replaced``: other words appear between the old neighbours).
    """

    status: ReanchorStatus
    channels: Channels
    span: Span | None = None
    folds: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    difference: Difference | None = None
    reason: str | None = None
    algorithm: str = ALGORITHM

    @property
    def is_accepted(self) -> bool:
        """Whether the new place may replace the old one without a person's check."""
        return self.status in ACCEPTED and self.channels is not Channels.CONFLICT
