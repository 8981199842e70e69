"""Field attribution; ``docs/how-to/fields.md`` explains each member."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanproof.api.http.wire.answer import DigestText, GeneratorIn

FieldTypeText = Literal["enum", "numeric", "summary", "list", "plain_value", "suggested_question"]
MethodText = Literal[
    "marker",
    "enum",
    "enum_spaced",
    "numeric",
    "percent",
    "summary",
    "list",
    "plain_value",
    "suggested_question",
]
SourceText = Literal["citation", "heuristic", "mixed", "none"]
ShareNumber = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class FieldPolicyIn(_Strict):
    """The fields that may be cited, and the least confidence of a match by type."""

    min_completeness: ShareNumber | None = Field(None, examples=[0.5])
    thresholds: dict[FieldTypeText, ShareNumber] | None = None


class FieldRegistryIn(_Strict):
    """Prefixes of markers, types and labels of fields by their leaf names."""

    prefixes: dict[str, str] | None = Field(
        None, description="Prefixes of sections, ignoring case. Default: the sections' names."
    )
    types: dict[str, FieldTypeText] | None = None
    labels: dict[str, str | list[str]] | None = Field(
        None, description="Other names of a field in prose."
    )
    common_words: list[str] | None = Field(
        None, description="More values that occur in ordinary prose."
    )
    policy: FieldPolicyIn | None = None


class SectionIn(_Strict):
    """One section of the context."""

    fields: dict[str, Any]
    completeness: ShareNumber | None = None
    hidden: bool | None = None


class TurnIn(_Strict):
    """A response and the structured context that its prompt was written from."""

    role: str = Field(description="Only 'assistant' is parsed.", examples=["assistant"])
    response: str = Field(max_length=1_000_000)
    context: dict[str, SectionIn]
    registry: FieldRegistryIn | None = None
    generator: GeneratorIn | None = None
    answer_id: str | None = None
    session_id: str | None = None


class LabelledTurnIn(TurnIn):
    """A turn, and whether its response uses each labelled field."""

    labels: dict[str, bool] = Field(min_length=1, description="By path: section.field.")


class LabelledTurnsIn(_Strict):
    """Labelled turns, as the lines of ``spanproof fields calibrate``."""

    rows: list[LabelledTurnIn] = Field(min_length=1)


class FieldOffsetsOut(BaseModel):
    """Half-open offsets, code points."""

    start: int
    end: int


class PositionOut(BaseModel):
    """One place in the response and in its clean text, where a marker is a point."""

    raw: FieldOffsetsOut
    clean: FieldOffsetsOut


class ValueMatchOut(BaseModel):
    """Position of the value itself."""

    match_confidence: float
    match_method: MethodText
    places: int = Field(description="Number of places with the value; at most 200 are examined.")
    positions: list[PositionOut] = Field(description="The first 100 of them.")
    items_named: list[str]
    items_total: int | None
    capped: Literal["common_word", "unspaced_script"] | None


class FieldOut(BaseModel):
    """One field that the answer uses."""

    path: str
    field: str
    type: Literal[FieldTypeText, "group"]
    value: Any
    match_confidence: float = Field(description="1.0 for a marker, below it for a match.")
    match_method: MethodText
    positions: list[PositionOut]
    markers: int = Field(description="How many markers named it.")
    self_reported: bool
    value_match: ValueMatchOut | None = Field(
        description="Position of the value; null for a marker alone."
    )


class FieldSectionOut(BaseModel):
    """A section with its fields, highest confidence first."""

    name: str
    completeness: float | None
    attribution_source: SourceText
    fields: list[FieldOut]


class DroppedMarkerOut(BaseModel):
    """A rejected marker, and the reason."""

    prefix: str
    field: str
    code: str = Field(examples=["UNKNOWN_FIELD", "HIDDEN_SECTION"])
    position: PositionOut


class DensityOut(BaseModel):
    """Markers, and runs of non-spaces of the clean text."""

    markers: int
    tokens: int


class DriftOut(BaseModel):
    """How often each guardrail applied; unknown and hidden fields are counted apart."""

    unknown: int
    hidden: int
    ambiguous: int
    empty: int
    duplicates: int


class SnapshotOut(BaseModel):
    """The visible context as text, one line a field, and the SHA-256 of its bytes."""

    sha256: DigestText
    text: str


class FieldsOut(BaseModel):
    """The fields that an answer uses."""

    clean_text: str
    role: str
    parsed: bool
    reason: Literal["role_not_assistant"] | None
    attribution_source: SourceText
    sections: list[FieldSectionOut]
    below_threshold: list[FieldOut]
    dropped: list[DroppedMarkerOut]
    hidden_sections: list[str]
    over_cited: bool
    density: DensityOut
    drift: DriftOut
    response_sha256: DigestText
    snapshot: SnapshotOut


class ShareOut(BaseModel):
    """A share, its 95 % Wilson interval, and the counts; null without observations."""

    value: float | None
    low: float | None
    high: float | None
    hits: int
    total: int


class FieldIntervalOut(BaseModel):
    """A figure with its interval; null if it cannot be computed."""

    value: float | None
    low: float | None
    high: float | None


class ThresholdOut(FieldIntervalOut):
    """The confidence with the best F1, and what it gives."""

    precision: ShareOut | None
    recall: ShareOut | None


class MeasuredOut(BaseModel):
    """How matches and labels agree."""

    labels: int
    is_enough: bool = Field(description="At least 30 labels.")
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    agreement: ShareOut
    precision: ShareOut
    recall: ShareOut
    kappa: FieldIntervalOut


class MeasuredTypeOut(MeasuredOut):
    """The same for one type, with a threshold."""

    threshold: ThresholdOut


class MethodsOut(BaseModel):
    """Method of the intervals."""

    level: float
    shares: str
    threshold: str
    draws: int


class FieldThresholdsOut(BaseModel):
    """Thresholds for the registry's policy."""

    thresholds: dict[str, float]


class FieldCalibrationOut(BaseModel):
    """Measure the matchers on labelled turns."""

    labelled_sha256: DigestText
    turns: int
    labels: int
    overall: MeasuredOut
    types: dict[str, MeasuredTypeOut]
    marker: MeasuredOut
    policy: FieldThresholdsOut
    interval: MethodsOut


TURN_EXAMPLE: dict[str, Any] = {
    "role": "assistant",
    "response": "The ticket is in progress [[T:status]] and its risk is high. "
    "About 85% of the budget is spent. [[T:owner]]",
    "context": {
        "ticket": {
            "fields": {"status": "in_progress", "risk_level": "high", "spent": 0.85},
            "completeness": 0.9,
            "hidden": False,
        }
    },
    "registry": {
        "prefixes": {"T": "ticket"},
        "types": {"status": "enum", "risk_level": "enum", "spent": "numeric"},
    },
    "generator": {"model": "example-1", "prompt_id": "ticket-7"},
}
LABELLED_EXAMPLE: dict[str, Any] = {
    "rows": [
        {
            **TURN_EXAMPLE,
            "labels": {"ticket.status": True, "ticket.risk_level": True, "ticket.spent": True},
        },
        {
            **TURN_EXAMPLE,
            "response": "Nothing was decided.",
            "labels": {"ticket.status": False, "ticket.spent": False},
        },
    ]
}
