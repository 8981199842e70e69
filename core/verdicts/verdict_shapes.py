"""The JSON of one verdict: the shapes that ``verdict_json`` writes and OpenAPI describes."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from spanproof.core.verdicts.status import (
    AttributionStatus,
    ChunkStatus,
    CrossCheckStatus,
    ExistenceStatus,
    IdentityStatus,
    LocatorStatus,
    Outcome,
    SupportContext,
    SupportGrade,
    SupportStatus,
)
from spanproof.core.wire_types import DigestText, Length, OneOf

OutcomeText = Annotated[str, OneOf(of=Outcome)]
#: The ladder within one document: its newest text.
_NEWEST = [
    status
    for status in ExistenceStatus
    if status not in {ExistenceStatus.MOVED, ExistenceStatus.MISATTRIBUTED}
]


class OffsetsOut(TypedDict):
    """A span of the prose."""

    start: int
    end: int


class SourceSpanOut(TypedDict):
    """A span of a canonical text."""

    char_start: int
    char_end: int


class CandidateOut(SourceSpanOut):
    """A place in a document."""

    doc_hash: DigestText
    folds: list[str]


class VetoOut(TypedDict):
    """A number, negation or the like in which claim and span differ."""

    kind: str
    claim: str
    claim_start: int
    claim_end: int
    source: str | None
    char_start: int | None
    char_end: int | None


class UnsupportedPartOut(TypedDict):
    """Words of the claim that nothing accounts for; offsets in the hypothesis."""

    claim: str
    claim_start: int
    claim_end: int


class TermOut(TypedDict):
    """Evidence besides the model, which lowered its score."""

    name: str
    value: float
    weight: float


class SubclaimOut(OffsetsOut):
    """A part of the claim: ``text == answer[start:end]``."""

    text: str
    hypothesis: str
    status: Annotated[str, OneOf(of=SupportStatus)]
    reason: str | None
    p_entailment: float | None
    p_neutral: float | None
    p_contradiction: float | None
    logits: dict[str, float]
    vetoes: list[VetoOut]


class ReadOut(TypedDict):
    """What the model read, if that is more than span and claim."""

    premise: str
    hypothesis: str


class AloneOut(TypedDict):
    """What this citation supports by itself."""

    status: Annotated[str, OneOf(of=SupportStatus)]
    p_entailment: float | None


class JointOut(TypedDict):
    """What several citations of the claim support together."""

    citations: list[int]
    status: Annotated[str, OneOf(of=SupportStatus)]
    reason: str | None
    p_entailment: float | None
    alone: AloneOut


class SupportOut(TypedDict):
    """Does the span entail the claim?"""

    status: Annotated[str, OneOf(of=SupportStatus)]
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
    grade: SupportGrade | None
    subclaims: list[SubclaimOut]
    context: SupportContext
    read: ReadOut | None
    joint: JointOut | None
    ordered_coverage: float | None
    unsupported_parts: list[UnsupportedPartOut]


class ClaimOut(OffsetsOut):
    """``text == answer[start:end]``; ``hypothesis`` is the text that the model reads."""

    text: str
    hypothesis: str


class NewestOut(TypedDict):
    """The newest text of the document, and the single place of the same words in it."""

    extraction_id: DigestText
    status: Annotated[str, OneOf(of=_NEWEST)]
    char_start: int | None
    char_end: int | None


class IdentityOut(TypedDict):
    """Is the document the one cited?"""

    status: Annotated[str, OneOf(of=IdentityStatus)]
    doc_hash: DigestText | None
    extraction_id: DigestText | None
    chunk: Annotated[str, OneOf(of=ChunkStatus)]
    newest: NewestOut | None


class TouchedTokenOut(TypedDict):
    """A protected token that an edit changes, as one side has it."""

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


class DifferenceOut(TypedDict):
    """The smallest difference between quote and source."""

    source: str
    edits: list[EditOut]


class ExistenceOut(TypedDict):
    """Is the quote in the document, and where?"""

    status: Annotated[str, OneOf(of=ExistenceStatus)]
    char_start: int | None
    char_end: int | None
    folds: list[str]
    candidates: list[CandidateOut]
    difference: DifferenceOut | None
    degraded_pages: NotRequired[list[int]]


class QuadOut(TypedDict):
    """One line's corners in PDF user space: ul, ur, lr, ll of the text's direction."""

    page: int
    points: Annotated[list[float], Length(8)]


class WitnessOut(TypedDict):
    """What a second PDF engine reads at the span's place."""

    status: Annotated[str, OneOf(of=CrossCheckStatus)]
    engine: str | None
    read: str | None
    moved: float | None
    reason: str | None


class LocatorOut(TypedDict):
    """Do the given page and box contain the span?"""

    status: Annotated[str, OneOf(of=LocatorStatus)]
    page: int | None
    bbox: list[float] | None
    quads: list[QuadOut]
    iou: float | None
    witness: WitnessOut


class AttributionOut(TypedDict):
    """Where is the claim supported?"""

    status: Annotated[str, OneOf(of=AttributionStatus)]
    supported_by: list[CandidateOut]


class QuotationOut(TypedDict):
    """Words in quotation marks inside the claim, checked against the cited document."""

    text: str
    start: int
    end: int
    status: Annotated[str, OneOf(of=ExistenceStatus)]
    char_start: int | None
    char_end: int | None


class VerdictOut(TypedDict):
    """One claim against one citation."""

    anchor: int
    citation: int
    claim: ClaimOut
    identity: IdentityOut
    existence: ExistenceOut
    locator: LocatorOut
    support: SupportOut
    attribution: AttributionOut
    outcome: OutcomeText
    codes: list[str]
    notes: str
    view_url: str | None
    origin: str
    repaired: bool
    quotations: list[QuotationOut]
