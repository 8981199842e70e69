"""A job as callers see it: its state, its progress and its outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from spanproof.core.moment import write_moment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

#: Any JSON value.
JSON: TypeAlias = Any


#: Kinds that monitor answers and send alarms: those monitored must not be able to stop them.
WATCHING = frozenset({"webhook_delivery", "sampled_verification"})


class JobState(StrEnum):
    """How far a job is; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether nothing more comes of the job."""
        return self in {JobState.DONE, JobState.FAILED, JobState.CANCELLED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Units that are done, of how many; a unit is an answer, a document, a row: the kind says."""

    done: int = 0
    total: int = 0

    def to_json(self) -> dict[str, int]:
        """The wire's form."""
        return {"done": self.done, "total": self.total}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobProblem:
    """Why a job failed or was stopped: a stable code, expected and got, one next step."""

    code: str
    detail: str
    hint: str

    def to_json(self) -> dict[str, str]:
        """The wire's form."""
        return {"code": self.code, "detail": self.detail, "hint": self.hint}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The current state of one job. ``result`` is set once it is done, ``problem`` if it failed.

    ``version`` grows with each change of these fields.
    """

    job_id: str
    kind: str
    state: JobState
    progress: Progress = field(default_factory=Progress)
    result: Mapping[str, JSON] | None = None
    problem: JobProblem | None = None
    created_at: datetime
    updated_at: datetime
    attempts: int = 0

    @property
    def version(self) -> str:
        """Names the values shown here: equal versions show equal values."""
        return f"{self.state}-{self.attempts}-{self.progress.done}-{self.progress.total}"

    def to_json(self) -> dict[str, Any]:
        """The job as both doors show it."""
        return {
            "job_id": self.job_id,
            "kind": self.kind,
            "state": self.state.value,
            "progress": self.progress.to_json(),
            "result": None if self.result is None else dict(self.result),
            "problem": None if self.problem is None else self.problem.to_json(),
            "attempts": self.attempts,
            "created_at": write_moment(self.created_at),
            "updated_at": write_moment(self.updated_at),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPage:
    """Jobs, newest first; ``next_cursor`` is None on the last page."""

    items: tuple[Job, ...]
    next_cursor: str | None

    def to_json(self) -> dict[str, Any]:
        """The page as both doors show it."""
        return {
            "jobs": [job.to_json() for job in self.items],
            "next_cursor": self.next_cursor,
        }
