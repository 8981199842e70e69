"""Jobs and bulk runs; ``docs/how-to/jobs.md`` explains each field."""

from __future__ import annotations

import json
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


PAIR_IN: dict[str, Any] = {
    "pair_id": 1,
    "doc_hash": "sha256:" + "3f" * 32,
    "char_start": 23,
    "char_end": 49,
    "span_text": "within four business days",
    "claim": "Goods are replaced within four business days.",
}
PAIR_LINE = json.dumps(PAIR_IN) + "\n"
BULK_ROW: dict[str, Any] = {
    "pair_id": 1,
    "verdict_key": "5f0c6d0a4c0e4f3b9d5a3f1f0f6f2b115f0c6d0a4c0e4f3b9d5a3f1f0f6f2b11",
    "extraction_id": "sha256:" + "a1" * 32,
    "identity_status": "MATCH",
    "existence_status": "EXACT",
    "char_start": 23,
    "char_end": 49,
    "support_status": "ENTAILED",
    "support_reason": None,
    "p_entailment": 0.98,
    "p_neutral": 0.015,
    "p_contradiction": 0.005,
    "logits": [4.5, -0.5, -1.5],
    "outcome": "pass",
    "codes": [],
    "verifier_version": "spanproof@0.1.0 procedure@5 …",
}


class BulkRowOut(BaseModel):
    """The verdict of one pair."""

    pair_id: int | str
    verdict_key: str = Field(description="Equal keys have equal verdicts.")
    extraction_id: str | None
    identity_status: str
    existence_status: str
    char_start: int | None
    char_end: int | None
    support_status: str
    support_reason: str | None
    p_entailment: float | None
    p_neutral: float | None
    p_contradiction: float | None
    logits: list[float]
    outcome: str
    codes: list[str]
    verifier_version: str
