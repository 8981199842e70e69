"""One claim against one citation on every axis, as it is answered."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from spanproof.api.http.wire.answer import DigestText
from spanproof.api.http.wire.verdicts.span import CandidateOut, OffsetsOut, SourceSpanOut
from spanproof.api.http.wire.verdicts.support import SupportOut

Outcome = Literal["pass", "fail", "review", "error"]
#: ``spanproof.core.verdicts.status.ExistenceStatus``, as the contract writes it.
ExistenceStatusOut = Literal[
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

    status: ExistenceStatusOut
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


class AttributionOut(BaseModel):
    """Where is the claim supported?"""

    status: Literal["HERE", "ELSEWHERE", "NOWHERE", "NOT_RUN"]
    supported_by: list[CandidateOut]


class QuotationOut(BaseModel):
    """Words in quotation marks inside the claim, looked for in the cited document."""

    text: str
    start: int
    end: int
    status: ExistenceStatusOut
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
