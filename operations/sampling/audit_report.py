"""What the audit of an epoch came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanproof.monitor.fit import Fit


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that is not as it should be; ``answer_id`` where it is about an answer."""

    answer_id: str | None
    what: str
    expected: str
    got: str

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "answer_id": self.answer_id,
            "what": self.what,
            "expected": self.expected,
            "got": self.got,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleAudit:
    """What an epoch's audit came to; ``is_disclosed`` is False while its key is secret."""

    epoch: str
    is_disclosed: bool
    answers: int
    chosen: int
    verified: int
    waiting: int
    reviews: int
    differences: int
    named: tuple[Difference, ...]
    #: What the draw shows, in words: how much depends on its source.
    claim: str
    leaves: int
    fits: tuple[Fit, ...]

    def to_json(self) -> dict[str, Any]:
        """The report as the command prints it."""
        return {
            "epoch": self.epoch,
            "disclosed": self.is_disclosed,
            "answers": self.answers,
            "chosen": self.chosen,
            "verified": self.verified,
            "waiting": self.waiting,
            "reviews": self.reviews,
            "differences": self.differences,
            "named": [each.to_json() for each in self.named],
            "claim": self.claim,
            "submission_leaves": self.leaves,
            "rates": [_fit_to_json(each) for each in self.fits],
        }


def _fit_to_json(fit: Fit) -> dict[str, Any]:
    count = fit.count
    return {
        "stratum": count.stratum,
        "model": count.model,
        "index_version": count.index_version,
        "probability": count.probability,
        "answers": count.answers,
        "chosen": count.chosen,
        "p_value": fit.p_value,
        "level": fit.level,
        "fair": fit.is_fair,
    }
