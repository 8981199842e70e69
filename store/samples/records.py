"""What is kept of samples, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.digest import Digest

StepName = Literal["opened", "closing", "closed"]
AlarmKind = Literal["budget", "change"]
IncidentKind = Literal["span_mismatch", "hash_mismatch"]
Label = Literal["correct", "wrong", "unclear"]
#: The result of a chosen answer that was erased before it was judged: no rate counts it.
ERASED = "erased"
#: The source of the bits of an answer that is drawn later than it comes in.
LATE = "cosignature"


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochStep:
    """A step of an epoch; ``index`` is of its leaf in the log, where it has one."""

    origin: str | None
    index: int | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """An epoch; ``position`` counts them from 1. The key stays secret until it is closed."""

    epoch: str
    position: int
    key: bytes
    commitment: Digest
    plan_json: str
    plan_digest: Digest
    prepared_at: datetime
    opened: EpochStep | None = None
    closing: EpochStep | None = None
    closed: EpochStep | None = None

    def __repr__(self) -> str:
        # A key has no place in a log or a test's report.
        return f"Epoch({self.epoch!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAnswer:
    """An answer that came in, before it has its number."""

    answer_id: str
    given_at: datetime | None
    payload_digest: Digest
    byte_length: int
    format: str
    policy: str | None
    tenant: str
    model: str | None
    index_version: str | None
    stratum: str
    trace_id: str | None
    trace_state: str | None
    source: str
    randomness: int
    threshold: int
    is_sampled: bool
    #: The bytes as they came, where they are to be kept.
    raw: bytes | None = None
    #: False: the bits are not drawn yet, and until then the answer is not chosen.
    is_drawn: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedAnswer(NewAnswer):
    """An answer as it is kept; ``number`` counts all from 1, ``received_at`` is our clock."""

    number: int
    epoch: str
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDraw:
    """A draw by a witness's signature below the head of ``size`` leaves of a log."""

    answer_id: str
    number: int
    randomness: int
    is_sampled: bool
    log_origin: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the verification of a chosen answer came to.

    ``share`` of its ``cited`` citations ``failed``; None where the answer counts for no rate.
    """

    answer_id: str
    number: int
    verification_id: str | None
    answer_kind: str
    result: str
    is_flagged: bool
    cited: int
    failed: int
    share: float | None
    problem_code: str | None
    verified_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """A citation of a sampled answer whose words or document differ from its source."""

    answer_id: str
    position: int
    kind: IncidentKind
    status: str
    raised_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmVersion:
    """A model and an index version within a stratum, with the contract it is held to.

    ``version`` counts those of the stratum from 1: each may spend its part of ``alpha``.
    """

    stratum: str
    version: int
    model: str | None
    index_version: str | None
    budget: float
    alpha: float
    gap: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmState:
    """Both alarms of a version after ``samples`` answers, the last of them ``number``."""

    samples: int
    number: int
    total_share: float
    budget_logs: tuple[float, ...]
    change_logs: tuple[float, ...]
    log_e_value: float
    #: None: the statistic is 0.
    log_statistic: float | None
    is_budget_raised: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedAlarm:
    """An alarm that was raised: ``log_value`` reached ``log_limit``."""

    stratum: str
    version: int
    kind: AlarmKind
    samples: int
    number: int
    log_value: float
    log_limit: float
    raised_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """An answer that was drawn for people."""

    answer_id: str
    is_flagged: bool
    randomness: int
    threshold: int
    queued_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimLabel:
    """What one person said of a claim; offsets are of the answer's words."""

    start: int
    end: int
    label: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewLabel:
    """What one person said of an answer, and of its claims where they were asked for each.

    ``is_final``: of the person who decided where others had disagreed.
    """

    answer_id: str
    position: int
    label: Label
    reviewer: str
    note: str | None
    labelled_at: datetime
    claims: tuple[ClaimLabel, ...] = ()
    is_final: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedReview:
    """An item with what people said of it so far, the first first, and the answer's outcome."""

    item: ReviewItem
    outcome: Outcome
    labels: tuple[ReviewLabel, ...]

    @property
    def verdict(self) -> Label | None:
        """The final label, else what people agree on by their newest; else ``unclear``."""
        if final := self.final:
            return final.label
        said = {each.label for each in self.newest.values()}
        if not said:
            return None
        return said.pop() if len(said) == 1 else "unclear"

    @property
    def is_disputed(self) -> bool:
        """Whether two people say different things, and nobody has decided."""
        return self.final is None and len(self.newest) > 1 and self.verdict == "unclear"

    @property
    def is_split(self) -> bool:
        """The same, or that they differ about a claim."""
        said: dict[tuple[int, int], set[Label]] = {}
        for each in self.newest.values():
            for claim in each.claims:
                said.setdefault((claim.start, claim.end), set()).add(claim.label)
        differs = any(len(labels) > 1 for labels in said.values())
        return self.is_disputed or (self.final is None and differs)

    @property
    def newest(self) -> dict[str, ReviewLabel]:
        """The newest label of each person."""
        return {each.reviewer: each for each in self.labels}

    @property
    def final(self) -> ReviewLabel | None:
        """The newest label of a person who decided, if there is one."""
        return next((each for each in reversed(self.labels) if each.is_final), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleGroup:
    """Answers that are alike: one stratum, epoch, tenant, model, index version, threshold."""

    stratum: str
    epoch: str
    tenant: str
    model: str | None
    index_version: str | None
    threshold: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleCount:
    """How many answers of a group came in, were chosen, were verified, and how they came out.

    ``outcomes`` counts by (answer_kind, result, flagged), ``labels`` the reviewed ones by
    (flagged, what people agree on). ``counted`` answers have a share of failed citations, and
    ``refused`` ones, which are among the outcomes, were never verified. ``erased`` ones, which are
    not among them, were gone before anybody judged them.
    """

    group: SampleGroup
    answers: int
    chosen: int
    outcomes: dict[tuple[str, str, bool], int]
    refused: int
    counted: int
    citations: int
    failed_citations: int
    total_share: float
    labels: dict[tuple[bool, Label], int]
    erased: int = 0
