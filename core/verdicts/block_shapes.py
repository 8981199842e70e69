"""The JSON of the block: the shapes that ``block_json`` writes and OpenAPI describes."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from spanproof.core.verdicts.calibration import CalibrationStatus
from spanproof.core.verdicts.verdict_shapes import OffsetsOut, OutcomeText, VerdictOut
from spanproof.core.wire_types import DigestText, OneOf


class AnchorOut(OffsetsOut):
    """An anchor without a citation."""

    anchor: int


class UnreadOut(OffsetsOut):
    """A mark that looks like a citation and is not read: ``text`` as the answer has it."""

    text: str


class DeclaredOut(TypedDict):
    """The answer's own count and density of citations."""

    count: int
    density: float


class PolicyOut(TypedDict):
    """The policy used."""

    name: str
    version: int
    digest: DigestText


class ModelOut(TypedDict):
    """The entailment model used."""

    name: str
    weights_sha256: str | None
    runtime: str
    calibration: str
    threshold: float | None
    thresholds: dict[str, float | None]
    labels: list[str]
    replayable: bool


class BoundOut(TypedDict):
    """At most ``alpha`` of what ``strict`` reports ENTAILED is unsupported, with 1 - ``delta``."""

    alpha: float
    delta: float
    n: int
    threshold: float | None
    selected: int
    errors: int
    upper: float | None
    method: str


class CalibrationOut(TypedDict):
    """Whether the model's calibration applies to this answer."""

    status: Annotated[str, OneOf(of=CalibrationStatus)]
    name: str | None
    digest: DigestText | None
    n: int | None
    date: str | None
    bound: BoundOut | None


class ImportRemarkOut(TypedDict):
    """A remark on one place of the payload."""

    pointer: str
    code: str
    detail: str


class ImportOut(TypedDict):
    """How the payload was read."""

    format: str
    declared_unit: str
    observed_unit: str | None
    ambiguous: bool
    unmapped: list[str]
    remarks: list[ImportRemarkOut]


class RepairedSpanOut(TypedDict):
    """The quote of a repaired citation, with its offsets (code points)."""

    text: str
    char_start: int
    char_end: int


class RepairedOut(TypedDict):
    """A citation that was attached; ``segment`` is the sentence of the answer that it supports."""

    anchor: int
    doc_hash: DigestText
    chunk_id: str | None
    doc_title: str | None
    span: RepairedSpanOut
    segment: OffsetsOut


class RepairOut(TypedDict):
    """Citations attached to uncited sentences before the verification."""

    sentences: bool
    refuted: bool
    max_repairs: int
    considered: int
    unconsidered: int
    attached: int
    rejected_not_entailed: int
    skipped: str | None
    citations: list[RepairedOut]


class UncitedOut(TypedDict):
    """A sentence without a citation; ``check_worthy``: it states something that asks for one."""

    start: int
    end: int
    check_worthy: bool
    reason: str


class OverCitedOut(TypedDict):
    """A claim with redundant citations."""

    start: int
    end: int
    anchors: list[int]
    idle: list[int]


class SnippetOut(TypedDict):
    """A text that came with the request and has no document; ``upgrade`` says which is missing."""

    doc_hash: DigestText
    characters: int
    chunk_id: str
    doc_id: str | None
    cited_hash: DigestText | None
    page: int | None
    upgrade: str


class KeptOut(TypedDict):
    """The words of the answer are not kept: what its own payload and block were."""

    mode: Literal["hash-only"]
    format: str
    block_digest: DigestText
    payload_sha256: DigestText


#: Apart, because its name is a keyword.
_Import = TypedDict("_Import", {"import": ImportOut})


class BlockOut(_Import):
    """The result of verifying one answer."""

    verifier_version: str
    verified_at: str
    all_spans_present: bool
    all_claims_entailed: bool
    result: OutcomeText
    citation_level: Annotated[str, OneOf("GREEN", "YELLOW", "RED")]
    citation_density: float
    declared: DeclaredOut
    recommended_action: Annotated[str, OneOf("show", "badge", "review", "withhold")]
    abstention_reason: str | None
    codes: list[str]
    orphan_anchors: list[AnchorOut]
    unread_citations: list[UnreadOut]
    unused_citations: list[int]
    uncited_sentences: list[UncitedOut]
    over_cited: list[OverCitedOut]
    snippets: list[SnippetOut]
    sentences: int
    policy: PolicyOut
    model: ModelOut
    calibration: CalibrationOut
    verdicts_digest: DigestText
    repair: RepairOut | None
    verdicts: list[VerdictOut]
    kept: NotRequired[KeptOut]
