"""Jobs; ``docs/how-to/jobs.md`` explains each field."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

_ID = "2c0a4c9e-7f0b-4a55-9d8e-0a7a5d1f6a77"
JOB: dict[str, Any] = {
    "job_id": _ID,
    "kind": "verification",
    "state": "running",
    "progress": {"done": 12, "total": 40},
    "result": None,
    "problem": None,
    "attempts": 1,
    "created_at": "2026-11-22T09:00:00Z",
    "updated_at": "2026-11-22T09:00:02Z",
}
JOB_LIST: dict[str, Any] = {"jobs": [JOB], "next_cursor": None}
EVENT_EXAMPLE = (
    "id: running-1-12-40\n"
    "event: progress\n"
    f'data: {{"job_id":"{_ID}","kind":"verification","state":"running","progress":'
    '{"done":12,"total":40},"result":null,"problem":null,"attempts":1,'
    '"created_at":"2026-11-22T09:00:00Z","updated_at":"2026-11-22T09:00:02Z"}\n\n'
)


class ProgressOut(BaseModel):
    """Units done, and their total; the unit depends on the kind."""

    done: int
    total: int


class JobProblemOut(BaseModel):
    """Why the job failed or was stopped."""

    code: str = Field(examples=["JOB_CANCELLED"])
    detail: str
    hint: str


class JobOut(BaseModel):
    """The current state of one job."""

    job_id: str = Field(examples=[_ID])
    kind: str = Field(examples=["verification"])
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    progress: ProgressOut
    result: dict[str, Any] | None
    problem: JobProblemOut | None
    attempts: int
    created_at: str
    updated_at: str


class JobListOut(BaseModel):
    """One page of jobs, newest first."""

    jobs: list[JobOut]
    next_cursor: str | None
