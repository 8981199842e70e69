"""The rows of sampling: epochs, submitted answers, what became of those that were chosen."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    Double,
    ForeignKeyConstraint,
    Index,
    Text,
    UniqueConstraint,
)
from sqlmodel import Field

from spanproof.store.database.columns import WITHOUT_ROWID, AnyText, ExactBytes, Row, UtcDateTime


class SamplingEpochRow(Row, table=True):
    """An epoch: its key, which no door shows before it is closed, and the plan that holds in it."""

    __tablename__ = "sampling_epoch"
    __table_args__ = (UniqueConstraint("position"), WITHOUT_ROWID)

    epoch: str = Field(primary_key=True, sa_type=AnyText)
    position: int = Field(sa_type=BigInteger)
    key: bytes = Field(sa_type=ExactBytes)
    commitment: str = Field(sa_type=Text)
    plan_json: str = Field(sa_type=AnyText)
    plan_sha256: str = Field(sa_type=Text)
    prepared_at: datetime = Field(sa_type=UtcDateTime)


class SamplingEpochStepRow(Row, table=True):
    """How far an epoch is: ``opened``, ``closing`` (no answer any more), ``closed``.

    The leaf of ``opened`` commits to the key, that of ``closed`` discloses it.
    """

    __tablename__ = "sampling_epoch_step"
    __table_args__ = WITHOUT_ROWID

    epoch: str = Field(primary_key=True, sa_type=AnyText, foreign_key="sampling_epoch.epoch")
    step: str = Field(primary_key=True, sa_type=Text)
    log_origin: str | None = Field(sa_type=AnyText)
    log_index: int | None = Field(sa_type=BigInteger)
    at: datetime = Field(sa_type=UtcDateTime)


class SubmittedAnswerRow(Row, table=True):
    """An answer that came in, and the decision about it; ``number`` counts all from 1.

    ``received_at`` is the server's clock, ``given_at`` what the answer says of itself. Randomness
    and threshold are 14 hexadecimal digits, or 15 for the threshold that nothing reaches.
    """

    __tablename__ = "submitted_answer"
    __table_args__ = (
        UniqueConstraint("number"),
        Index("submitted_answer_by_epoch", "epoch", "number"),
        Index("submitted_answer_by_choice", "is_sampled", "number"),
        WITHOUT_ROWID,
    )

    answer_id: str = Field(primary_key=True, sa_type=AnyText)
    number: int = Field(sa_type=BigInteger)
    epoch: str = Field(sa_type=AnyText, foreign_key="sampling_epoch.epoch")
    received_at: datetime = Field(sa_type=UtcDateTime)
    given_at: datetime | None = Field(sa_type=UtcDateTime)
    payload_sha256: str = Field(sa_type=Text)
    byte_length: int = Field(sa_type=BigInteger)
    format: str = Field(sa_type=Text)
    policy: str | None = Field(sa_type=AnyText)
    tenant: str = Field(sa_type=AnyText)
    model: str | None = Field(sa_type=AnyText)
    index_version: str | None = Field(sa_type=AnyText)
    stratum: str = Field(sa_type=AnyText)
    trace_id: str | None = Field(sa_type=Text)
    trace_state: str | None = Field(sa_type=AnyText)
    source: str = Field(sa_type=Text)
    randomness: str = Field(sa_type=Text)
    threshold: str = Field(sa_type=Text)
    is_sampled: bool = Field(sa_type=Boolean)


class AnswerDrawRow(Row, table=True):
    """The draw of an answer by a witness's signature below the log's head of ``size`` leaves.

    The bits and the decision of such an answer stand here alone: those of its own row mean nothing.
    """

    __tablename__ = "answer_draw"
    __table_args__ = (
        UniqueConstraint("number"),
        Index("answer_draw_by_choice", "is_sampled", "number"),
        WITHOUT_ROWID,
    )

    answer_id: str = Field(
        primary_key=True, sa_type=AnyText, foreign_key="submitted_answer.answer_id"
    )
    number: int = Field(sa_type=BigInteger)
    randomness: str = Field(sa_type=Text)
    is_sampled: bool = Field(sa_type=Boolean)
    log_origin: str = Field(sa_type=AnyText)
    size: int = Field(sa_type=BigInteger)
    drawn_at: datetime = Field(sa_type=UtcDateTime)


class SubmittedPayloadRow(Row, table=True):
    """The bytes of a submitted answer: of every chosen one, of others where the plan asks."""

    __tablename__ = "submitted_payload"
    __table_args__ = WITHOUT_ROWID

    answer_id: str = Field(
        primary_key=True, sa_type=AnyText, foreign_key="submitted_answer.answer_id"
    )
    raw: bytes = Field(sa_type=ExactBytes)


class SampledVerificationRow(Row, table=True):
    """What the verification of a chosen answer came to; ``share`` is null where nothing counts.

    ``verification_id`` is null where the answer itself could not be verified: ``problem_code``
    says why.
    """

    __tablename__ = "sampled_verification"
    __table_args__ = (UniqueConstraint("number"), WITHOUT_ROWID)

    answer_id: str = Field(
        primary_key=True, sa_type=AnyText, foreign_key="submitted_answer.answer_id"
    )
    number: int = Field(sa_type=BigInteger)
    verification_id: str | None = Field(sa_type=AnyText, foreign_key="verification.verification_id")
    answer_kind: str = Field(sa_type=Text)
    result: str = Field(sa_type=Text)
    is_flagged: bool = Field(sa_type=Boolean)
    cited: int = Field(sa_type=BigInteger)
    failed: int = Field(sa_type=BigInteger)
    share: float | None = Field(sa_type=Double)
    problem_code: str | None = Field(sa_type=Text)
    verified_at: datetime = Field(sa_type=UtcDateTime)


class IncidentRow(Row, table=True):
    """A citation whose words or document differ from its source: one is enough."""

    __tablename__ = "sampling_incident"
    __table_args__ = WITHOUT_ROWID

    answer_id: str = Field(
        primary_key=True, sa_type=AnyText, foreign_key="sampled_verification.answer_id"
    )
    position: int = Field(primary_key=True, sa_type=BigInteger)
    kind: str = Field(sa_type=Text)
    status: str = Field(sa_type=Text)
    raised_at: datetime = Field(sa_type=UtcDateTime)


class AlarmVersionRow(Row, table=True):
    """What alarms are kept of: a model and an index version within a stratum, counted from 1."""

    __tablename__ = "sampling_version"
    __table_args__ = WITHOUT_ROWID

    stratum: str = Field(primary_key=True, sa_type=AnyText)
    version: int = Field(primary_key=True, sa_type=BigInteger)
    model: str | None = Field(sa_type=AnyText)
    index_version: str | None = Field(sa_type=AnyText)
    budget: float = Field(sa_type=Double)
    alpha: float = Field(sa_type=Double)
    gap: float = Field(sa_type=Double)
    at: datetime = Field(sa_type=UtcDateTime)


class AlarmStateRow(Row, table=True):
    """Both alarms of a version after ``samples`` answers; the newest holds.

    ``number`` is the last answer's. ``budget_logs`` and ``change_logs`` are JSON arrays, by which
    a new process goes on exactly where the last one was.
    """

    __tablename__ = "sampling_alarm_state"
    __table_args__ = (
        ForeignKeyConstraint(
            ["stratum", "version"], ["sampling_version.stratum", "sampling_version.version"]
        ),
        Index("sampling_alarm_state_by_number", "number"),
        WITHOUT_ROWID,
    )

    stratum: str = Field(primary_key=True, sa_type=AnyText)
    version: int = Field(primary_key=True, sa_type=BigInteger)
    samples: int = Field(primary_key=True, sa_type=BigInteger)
    number: int = Field(sa_type=BigInteger)
    total_share: float = Field(sa_type=Double)
    budget_logs: str = Field(sa_type=Text)
    change_logs: str = Field(sa_type=Text)
    log_e_value: float = Field(sa_type=Double)
    log_statistic: float | None = Field(sa_type=Double)
    is_budget_raised: bool = Field(sa_type=Boolean)
    at: datetime = Field(sa_type=UtcDateTime)


class AlarmRow(Row, table=True):
    """An alarm that was raised, after how many answers, and by how much over its limit."""

    __tablename__ = "sampling_alarm"
    __table_args__ = WITHOUT_ROWID

    stratum: str = Field(primary_key=True, sa_type=AnyText)
    version: int = Field(primary_key=True, sa_type=BigInteger)
    kind: str = Field(primary_key=True, sa_type=Text)
    samples: int = Field(primary_key=True, sa_type=BigInteger)
    number: int = Field(sa_type=BigInteger)
    log_value: float = Field(sa_type=Double)
    log_limit: float = Field(sa_type=Double)
    raised_at: datetime = Field(sa_type=UtcDateTime)


class ReviewItemRow(Row, table=True):
    """An answer that was drawn for people, from the flagged or from the others."""

    __tablename__ = "review_item"
    __table_args__ = (Index("review_item_by_randomness", "randomness"), WITHOUT_ROWID)

    answer_id: str = Field(
        primary_key=True, sa_type=AnyText, foreign_key="sampled_verification.answer_id"
    )
    is_flagged: bool = Field(sa_type=Boolean)
    randomness: str = Field(sa_type=Text)
    threshold: str = Field(sa_type=Text)
    queued_at: datetime = Field(sa_type=UtcDateTime)


class ReviewLabelRow(Row, table=True):
    """What a person said of an answer; a person's newest label is theirs."""

    __tablename__ = "review_label"
    __table_args__ = WITHOUT_ROWID

    answer_id: str = Field(primary_key=True, sa_type=AnyText, foreign_key="review_item.answer_id")
    position: int = Field(primary_key=True, sa_type=BigInteger)
    label: str = Field(sa_type=Text)
    reviewer: str = Field(sa_type=AnyText)
    note: str | None = Field(sa_type=AnyText)
    labelled_at: datetime = Field(sa_type=UtcDateTime)


class ReviewSheetRow(Row, table=True):
    """The claims behind a label, as JSON of ``[start, end, label]`` each, by offsets of the answer.

    ``is_final``: of the person who decided where others had disagreed.
    """

    __tablename__ = "review_sheet"
    __table_args__ = (
        ForeignKeyConstraint(
            ["answer_id", "position"], ["review_label.answer_id", "review_label.position"]
        ),
        WITHOUT_ROWID,
    )

    answer_id: str = Field(primary_key=True, sa_type=AnyText)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    claims_json: str = Field(sa_type=Text)
    is_final: bool = Field(sa_type=Boolean)


class ReviewAssignmentRow(Row, table=True):
    """An answer that a reviewer took; it holds a place until it is labelled or too old."""

    __tablename__ = "review_assignment"
    __table_args__ = WITHOUT_ROWID

    answer_id: str = Field(primary_key=True, sa_type=AnyText, foreign_key="review_item.answer_id")
    reviewer: str = Field(primary_key=True, sa_type=AnyText)
    assigned_at: datetime = Field(primary_key=True, sa_type=UtcDateTime)
