"""The verification block and what stands around it, as they are answered."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from api.wire.answer import AnswerIn, DigestText
from api.wire.receipt import ReceiptOut  # noqa: TC001 - pydantic reads annotations

Outcome = Literal["pass", "fail", "review", "error"]


class OffsetsOut(BaseModel):
    """A span of the prose."""

    start: int
    end: int


class AnchorOut(OffsetsOut):
    """An anchor without a citation."""

    anchor: int


class SourceSpanOut(BaseModel):
    """A span of a canonical text."""

    char_start: int
    char_end: int


class CandidateOut(SourceSpanOut):
    """A place in a document."""

    doc_hash: DigestText
    folds: list[str]


class ClaimOut(OffsetsOut):
    """``text == answer[start:end]``; ``hypothesis`` is what the model reads."""

    text: str
    hypothesis: str


class NewestOut(BaseModel):
    """The newest text of the document, and where the same words stand in it once."""

    extraction_id: DigestText
    status: Literal[
        "EXACT",
        "FOLD_EQUAL",
        "AMBIGUOUS",
        "STITCHED",
        "ALTERED",
        "ABSENT",
        "UNVERIFIABLE",
        "NOT_RUN",
    ]
    char_start: int | None
    char_end: int | None


class IdentityOut(BaseModel):
    """Is the document the one cited?"""

    status: Literal[
        "MATCH", "HASH_MISMATCH", "UNKNOWN_DOCUMENT", "UNKNOWN_EXTRACTION", "SUPERSEDED"
    ]
    doc_hash: DigestText | None
    extraction_id: DigestText | None
    chunk: Literal["MATCH", "MISMATCH", "NOT_GIVEN", "UNKNOWN_INDEX"]
    newest: NewestOut | None


class TouchedTokenOut(BaseModel):
    """A protected token that an edit changes, as it reads on one side."""

    side: Literal["quote", "source"]
    kind: str
    text: str


class EditOut(SourceSpanOut):
    """One difference between quote and source."""

    kind: str
    quote: str
    source: str
    protected: bool
    touches: list[TouchedTokenOut]


class DifferenceOut(BaseModel):
    """The smallest difference between quote and source."""

    source: str
    edits: list[EditOut]


class ExistenceOut(BaseModel):
    """Does the quote stand in the document, and where?"""

    status: Literal[
        "EXACT",
        "FOLD_EQUAL",
        "MOVED",
        "AMBIGUOUS",
        "MISATTRIBUTED",
        "STITCHED",
        "ALTERED",
        "ABSENT",
        "UNVERIFIABLE",
        "NOT_RUN",
    ]
    char_start: int | None
    char_end: int | None
    folds: list[str]
    candidates: list[CandidateOut]
    difference: DifferenceOut | None


class QuadOut(BaseModel):
    """One line's corners in PDF user space: ul, ur, lr, ll of the text's direction."""

    page: int
    points: list[float] = Field(min_length=8, max_length=8)


class WitnessOut(BaseModel):
    """What a second engine reads where the span stands."""

    status: Literal["AGREES", "DISAGREES", "NOT_RUN", "NOT_ASKED"]
    engine: str | None
    read: str | None
    moved: float | None
    reason: str | None


class LocatorOut(BaseModel):
    """Does the given page and box hold the span?"""

    status: Literal["MATCH", "MISMATCH", "NOT_GIVEN", "NO_LAYOUT", "NOT_RUN"]
    page: int | None
    bbox: list[float] | None
    quads: list[QuadOut]
    iou: float | None
    witness: WitnessOut


class VetoOut(BaseModel):
    """A number, negation or the like in which claim and span differ."""

    kind: str
    claim: str
    claim_start: int
    claim_end: int
    source: str | None
    char_start: int | None
    char_end: int | None


SupportWord = Literal["ENTAILED", "NEUTRAL", "CONTRADICTED", "BORDERLINE", "NOT_RUN"]


class TermOut(BaseModel):
    """Evidence beside the model that lowered its score."""

    name: str
    value: float
    weight: float


class SubclaimOut(OffsetsOut):
    """A part of the claim: ``text == answer[start:end]``."""

    text: str
    hypothesis: str
    status: SupportWord
    reason: str | None
    p_entailment: float | None
    p_neutral: float | None
    p_contradiction: float | None
    logits: dict[str, float]
    vetoes: list[VetoOut]


class ReadOut(BaseModel):
    """What the model read, where it is more than span and claim."""

    premise: str
    hypothesis: str


class AloneOut(BaseModel):
    """What this citation says by itself."""

    status: SupportWord
    p_entailment: float | None


class JointOut(BaseModel):
    """What several citations of the claim say together."""

    citations: list[int]
    status: SupportWord
    reason: str | None
    p_entailment: float | None
    alone: AloneOut


class SupportOut(BaseModel):
    """Does the span entail the claim?"""

    status: SupportWord
    reason: str | None
    p_entailment: float | None
    p_neutral: float | None
    p_contradiction: float | None
    windows: int
    coverage: float
    evidence: SourceSpanOut | None
    vetoes: list[VetoOut]
    logits: dict[str, float]
    terms: list[TermOut]
    grade: Literal["full", "partial", "none"] | None
    subclaims: list[SubclaimOut]
    context: Literal["bare", "headers", "question"]
    read: ReadOut | None
    joint: JointOut | None


class AttributionOut(BaseModel):
    """Where is the claim supported?"""

    status: Literal["HERE", "ELSEWHERE", "NOWHERE", "NOT_RUN"]
    supported_by: list[CandidateOut]


class QuotationOut(BaseModel):
    """Words in quotation marks inside the claim, looked for in the cited document."""

    text: str
    start: int
    end: int
    status: Literal[
        "EXACT",
        "FOLD_EQUAL",
        "MOVED",
        "AMBIGUOUS",
        "MISATTRIBUTED",
        "STITCHED",
        "ALTERED",
        "ABSENT",
        "UNVERIFIABLE",
        "NOT_RUN",
    ]
    char_start: int | None
    char_end: int | None


class VerdictOut(BaseModel):
    """One claim against one citation."""

    anchor: int
    citation: int
    claim: ClaimOut
    identity: IdentityOut
    existence: ExistenceOut
    locator: LocatorOut
    support: SupportOut
    attribution: AttributionOut
    outcome: Outcome
    codes: list[str]
    notes: str
    view_url: str | None
    origin: str
    repaired: bool
    quotations: list[QuotationOut]


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


class VerificationOut(AnswerIn):
    """The payload as it was given, plus the ids, the block and its receipt.

    ``receipt`` is null for what was verified before there were receipts, and where the log took
    no leaf for the result.
    """

    answer_id: str
    verification_id: str
    verification: BlockOut
    receipt: ReceiptOut | None


class VerificationRowOut(BaseModel):
    """One verification in a list."""

    verification_id: str
    answer_id: str
    verified_at: str
    result: Outcome
    level: str
    verdicts: int
    generator_model: str | None
    prompt_id: str | None
    excerpt: str


class VerificationListOut(BaseModel):
    """One page of verifications, newest first."""

    verifications: list[VerificationRowOut]
    next_cursor: str | None


class ListedCitationOut(BaseModel):
    """A verdict in a list; offsets are code points of the extraction's text."""

    verdict: int
    citation: int
    doc_hash: str | None
    extraction_id: str | None
    char_start: int | None
    char_end: int | None
    pages: list[int]
    outcome: Outcome
    codes: list[str]
    index_version: str | None
    chunk_id: str | None


class AnswerRowOut(VerificationRowOut):
    """One answer by its newest verification, with the citations that the filter means."""

    citations: list[ListedCitationOut]


class AnswerListOut(BaseModel):
    """One page of answers, the last verified first."""

    answers: list[AnswerRowOut]
    next_cursor: str | None


class FeedbackItemOut(BaseModel):
    """One fault of an answer; offsets are null where it stands nowhere in the prose."""

    kind: Literal["failed_citation", "orphan_anchor", "unused_citation", "uncited_sentence"]
    anchor: int | None
    start: int | None
    end: int | None
    text: str | None
    codes: list[str]
    action: str


class FeedbackOut(BaseModel):
    """What a regeneration of the answer has to mend."""

    verification_id: str
    result: Outcome
    items: list[FeedbackItemOut]
