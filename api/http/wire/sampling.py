"""Monitoring: decisions, rates, alarms, reviews."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, RootModel

from spanproof.api.http.wire.answer import AnswerIn


class SubmissionOut(BaseModel):
    """The sampling decision about a stored answer."""

    answer_id: str
    sampled: bool | None = Field(
        description="Whether it will be verified; null where a witness's signature draws it later."
    )
    probability: float = Field(ge=0, le=1, description="Probability of being chosen.")
    stratum: str = Field(description="Its stratum of the sampling plan.")
    epoch: str = Field(description="The epoch, whose key was committed to beforehand.")


class AnswersIn(RootModel[list[AnswerIn]]):
    """Production answers, at most 256, all of one format."""


class SubmissionProblemOut(BaseModel):
    """Why an answer of an array was refused."""

    code: str
    detail: str
    hint: str


class SubmissionRowOut(BaseModel):
    """The decision about an answer of an array, or its problem."""

    answer_id: str | None
    sampled: bool | None
    probability: float | None
    stratum: str | None
    epoch: str | None
    problem: SubmissionProblemOut | None


class SubmissionListOut(BaseModel):
    """A row for each answer of the array, in its order."""

    answers: list[SubmissionRowOut]


class IntervalOut(BaseModel):
    """An estimate in [0, 1] with its confidence interval."""

    estimate: float | None = Field(description="Null if a part was not measured.")
    low: float
    high: float
    method: Literal["wilson", "two-phase clopper-pearson"]


class ResultsOut(BaseModel):
    """Verified answers by result."""

    # ``pass`` is a keyword.
    pass_: int = Field(alias="pass")
    fail: int
    review: int
    error: int


class RateGroupOut(BaseModel):
    """One group of answers."""

    group: str | None
    answers: int = Field(description="Submitted answers.")
    chosen: int
    weighed: float = Field(description="Sum of 1 / p over the chosen: about ``answers``.")
    verified: int
    traces: int = Field(
        description="Traces of the verified answers; an answer without a trace counts as one."
    )
    results: ResultsOut
    not_answers: int = Field(description="Verified abstentions, questions, refusals.")
    refused: int = Field(description="Verified answers whose payload could not be read.")
    erased: int = Field(description="Chosen, but erased before they were judged: in no rate.")
    labelled: int = Field(description="By people.")
    citations: int
    failed_citations: int
    mean_share: float | None = Field(
        description="Mean share of failed citations over verified answers."
    )
    judge_flagged: IntervalOut | None = Field(
        description="Share that the verifier flags, which is not the true rate; null if nothing is "
        "verified."
    )
    true_rate: IntervalOut | None = Field(
        description="Share of wrong answers, estimated from people's labels of flagged and other "
        "answers."
    )


class AlarmStateOut(BaseModel):
    """The current state of both alarms of a version in a stratum."""

    stratum: str
    version: int
    model: str | None
    index_version: str | None
    budget: float
    alpha: float
    gap: float
    samples: int
    mean_share: float
    budget_ratio: float
    log_e_value: float
    log_statistic: float | None
    budget_breached: bool = Field(description="Whether the budget alarm was ever raised.")


class RaisedAlarmOut(BaseModel):
    """An alarm that was raised."""

    stratum: str
    version: int
    alarm: Literal["budget", "change"]
    samples: int = Field(description="Number of the version's answers at that time.")
    log_value: float
    log_limit: float
    raised_at: str


class IncidentOut(BaseModel):
    """A citation with a wrong quote or document."""

    answer_id: str
    verdict: int
    kind: Literal["span_mismatch", "hash_mismatch"]
    status: str
    raised_at: str


class RatesOut(BaseModel):
    """Rates by group, alarms, and the last 200 incidents."""

    by: Literal["all", "tenant", "model", "index_version", "stratum", "epoch"]
    confidence: float
    groups: list[RateGroupOut]
    alarms: list[AlarmStateOut]
    raised: list[RaisedAlarmOut]
    incidents: list[IncidentOut]


class LabelIn(BaseModel):
    """A reviewer's label of an answer."""

    label: Literal["correct", "wrong", "unclear"]
    reviewer: str | None = Field(
        default=None,
        min_length=1,
        max_length=512,
        description="Only where the service has no keys; else the key or OpenID subject labels.",
    )
    note: str | None = Field(default=None, max_length=4000)


class ClaimLabelOut(BaseModel):
    """A label of one claim, by its offsets in the answer."""

    start: int
    end: int
    label: Literal["correct", "wrong", "unclear"]


class LabelOut(BaseModel):
    """A reviewer's label of an answer, with its time."""

    label: Literal["correct", "wrong", "unclear"]
    reviewer: str
    note: str | None
    labelled_at: str
    final: bool
    claims: list[ClaimLabelOut]


class ReviewOut(BaseModel):
    """An answer of the queue."""

    answer_id: str
    verification_id: str | None
    flagged: bool
    result: str
    queued_at: str
    agreed: Literal["correct", "wrong", "unclear"] | None
    disputed: bool
    labels: list[LabelOut]


class ReviewListOut(BaseModel):
    """A page of the queue, in the order of the draw."""

    reviews: list[ReviewOut]
    total: int
    labelled: int
    next_after: str | None


SUBMISSION: dict[str, Any] = {
    "answer_id": "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11",
    "sampled": False,
    "probability": 0.05,
    "stratum": "all",
    "epoch": "epoch-1",
}
SUBMISSION_LIST: dict[str, Any] = {
    "answers": [
        SUBMISSION | {"problem": None},
        {
            "answer_id": None,
            "sampled": None,
            "probability": None,
            "stratum": None,
            "epoch": None,
            "problem": {
                "code": "MALFORMED_ANSWER",
                "detail": "Expected a string at /answer, got nothing.",
                "hint": "Compare the answer with the native format of the documentation.",
            },
        },
    ]
}
RATES: dict[str, Any] = {
    "by": "model",
    "confidence": 0.95,
    "groups": [
        {
            "group": "example-writer-2",
            "answers": 1000,
            "chosen": 52,
            "weighed": 1040.0,
            "verified": 52,
            "traces": 48,
            "results": {"pass": 46, "fail": 4, "review": 2, "error": 0},
            "not_answers": 0,
            "refused": 0,
            "erased": 0,
            "labelled": 0,
            "citations": 140,
            "failed_citations": 5,
            "mean_share": 0.035,
            "judge_flagged": {
                "estimate": 0.076923,
                "low": 0.030305,
                "high": 0.181738,
                "method": "wilson",
            },
            "true_rate": None,
        }
    ],
    "alarms": [
        {
            "stratum": "all",
            "version": 1,
            "model": "example-writer-2",
            "index_version": "2026-11-01",
            "budget": 0.03,
            "alpha": 0.01,
            "gap": 100000.0,
            "samples": 52,
            "mean_share": 0.035,
            "budget_ratio": 1.1667,
            "log_e_value": 0.21,
            "log_statistic": 3.4,
            "budget_breached": False,
        }
    ],
    "raised": [
        {
            "stratum": "all",
            "version": 1,
            "alarm": "change",
            "samples": 1523,
            "log_value": 11.62,
            "log_limit": 11.51,
            "raised_at": "2026-11-20T14:00:00Z",
        }
    ],
    "incidents": [
        {
            "answer_id": "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11",
            "verdict": 0,
            "kind": "span_mismatch",
            "status": "ALTERED",
            "raised_at": "2026-11-20T14:00:00Z",
        }
    ],
}
LABEL_EXAMPLE: dict[str, Any] = {
    "label": "wrong",
    "reviewer": "ann",
    "note": "The source says five per cent.",
}
REVIEW: dict[str, Any] = {
    "answer_id": "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11",
    "verification_id": "f2b1c9a0-3c55-5d7e-8a35-1f6f7f0e5b21",
    "flagged": True,
    "result": "fail",
    "queued_at": "2026-11-20T14:00:00Z",
    "agreed": "wrong",
    "disputed": False,
    "labels": [
        LABEL_EXAMPLE | {"labelled_at": "2026-11-20T15:00:00Z", "final": False, "claims": []}
    ],
}
REVIEW_LIST: dict[str, Any] = {
    "reviews": [REVIEW],
    "total": 5,
    "labelled": 1,
    "next_after": None,
}
