"""A submitted answer: taken in by the sampler, and what its caller is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from monitor.sampling import MAX_THRESHOLD

if TYPE_CHECKING:
    from store.samples.records import SubmittedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionReport:
    """The decision about an answer that is kept."""

    answer: SubmittedAnswer

    def to_json(self) -> dict[str, Any]:
        """The answer's id, whether it will be verified, with which probability it was to be."""
        return {
            "answer_id": self.answer.answer_id,
            "sampled": self.answer.is_sampled,
            "probability": (MAX_THRESHOLD - self.answer.threshold) / MAX_THRESHOLD,
            "stratum": self.answer.stratum,
            "epoch": self.answer.epoch,
        }
