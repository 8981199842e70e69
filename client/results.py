"""The answers of the service, typed; ``raw`` is the whole answer, unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedAnswer:
    """A production answer that was taken; ``probability`` is that of its being ``sampled``."""

    answer_id: str
    sampled: bool | None
    probability: float
    stratum: str
    epoch: str
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestedDocument:
    """A document that is kept; ``is_new`` is False where the same bytes were kept already."""

    doc_id: str
    doc_hash: str
    extraction_id: str | None
    characters: int
    pages: int
    status: str
    is_new: bool
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """A job as it stands; ``state`` is queued, running, done, failed or cancelled."""

    job_id: str
    kind: str
    state: str
    done: int
    total: int
    result: Mapping[str, Any] | None
    problem: Mapping[str, Any] | None
    raw: Mapping[str, Any]

    @property
    def is_final(self) -> bool:
        """Whether nothing more comes of it."""
        return self.state in {"done", "failed", "cancelled"}
