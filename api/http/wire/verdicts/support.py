"""What the model says of a claim and its span, as it is answered."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from spanproof.api.http.wire.verdicts.span import OffsetsOut, SourceSpanOut


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
