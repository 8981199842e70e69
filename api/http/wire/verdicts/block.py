"""The verification block, as it is answered."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from spanproof.api.http.wire.answer import DigestText
from spanproof.api.http.wire.verdicts.span import OffsetsOut
from spanproof.api.http.wire.verdicts.verdict import Outcome, VerdictOut


class AnchorOut(OffsetsOut):
    """An anchor without a citation."""

    anchor: int


class DeclaredOut(BaseModel):
    """What the answer itself claims of its citations."""

    count: int
    density: float


class PolicyOut(BaseModel):
    """The policy that judged."""

    name: str
    version: int
    digest: DigestText


class ModelOut(BaseModel):
    """The entailment model that judged."""

    name: str
    weights_sha256: str | None
    runtime: str
    calibration: str
    threshold: float | None
    thresholds: dict[str, float | None]
    labels: list[str]
    replayable: bool


class BoundOut(BaseModel):
    """At most ``alpha`` of what ``strict`` reports ENTAILED is unsupported, with 1 - ``delta``."""

    alpha: float
    delta: float
    n: int
    threshold: float | None
    selected: int
    errors: int
    upper: float | None
    method: str


class CalibrationOut(BaseModel):
    """Whether the model's calibration speaks for this answer."""

    status: Literal["applied", "none", "stale", "out_of_scope"]
    name: str | None
    digest: DigestText | None
    n: int | None
    date: str | None
    bound: BoundOut | None


class ImportRemarkOut(BaseModel):
    """What a reader must know of one place of the payload."""

    pointer: str
    code: str
    detail: str


class ImportOut(BaseModel):
    """How the payload was read."""

    model_config = ConfigDict(title="ImportOut")

    format: str
    declared_unit: str
    observed_unit: str | None
    ambiguous: bool
    unmapped: list[str]
    remarks: list[ImportRemarkOut]


class RepairedSpanOut(BaseModel):
    """The words that a repaired citation quotes, at their offsets (code points)."""

    text: str
    char_start: int
    char_end: int


class RepairedOut(BaseModel):
    """A citation that was attached; ``segment`` is the sentence of the answer that it supports."""

    anchor: int
    doc_hash: DigestText
    chunk_id: str | None
    doc_title: str | None
    span: RepairedSpanOut
    segment: OffsetsOut


class RepairOut(BaseModel):
    """What was attached to sentences that cite nothing, before all of it was judged."""

    sentences: bool
    max_repairs: int
    considered: int
    unconsidered: int
    attached: int
    rejected_not_entailed: int
    skipped: str | None
    citations: list[RepairedOut]


class UncitedOut(BaseModel):
    """A sentence without a citation; whether it states something to be checked is a hint."""

    start: int
    end: int
    check_worthy: bool
    reason: str


class OverCitedOut(BaseModel):
    """A claim with more citations than help it."""

    start: int
    end: int
    anchors: list[int]
    idle: list[int]


class BlockOut(BaseModel):
    """Everything that was checked of one answer."""

    model_config = ConfigDict(populate_by_name=True)

    verifier_version: str
    verified_at: str
    all_spans_present: bool
    all_claims_entailed: bool
    result: Outcome
    level: Literal["GREEN", "YELLOW", "RED"]
    citation_density: float
    declared: DeclaredOut
    recommended_action: Literal["show", "badge", "review", "withhold"]
    abstention_reason: str | None
    codes: list[str]
    orphan_anchors: list[AnchorOut]
    unused_citations: list[int]
    uncited_sentences: list[UncitedOut]
    over_cited: list[OverCitedOut]
    sentences: int
    policy: PolicyOut
    model: ModelOut
    calibration: CalibrationOut
    verdicts_digest: DigestText
    imported: ImportOut = Field(alias="import")
    repair: RepairOut | None
    verdicts: list[VerdictOut]
