"""The verdict: four separate answers for each claim and citation, each fail-closed.

``verifier`` computes ``Verdict.outcome``; this module holds the shapes and their invariants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spanproof.core.verdicts.status import ChunkStatus, CrossCheckStatus

if TYPE_CHECKING:
    from spanproof.core.citation import Claim
    from spanproof.core.digest import Digest
    from spanproof.core.geometry import Quad, Rect
    from spanproof.core.span import Span
    from spanproof.core.verdicts.answer_findings import QuotationCheck
    from spanproof.core.verdicts.model import ScoreTerm
    from spanproof.core.verdicts.status import (
        AttributionStatus,
        ExistenceStatus,
        IdentityStatus,
        LocatorStatus,
        Outcome,
        SupportContext,
        SupportGrade,
        SupportStatus,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestExtraction:
    """The newest text of the document, where the citation names an older one.

    ``span`` is where the same words appear in it, once; ``status`` what the ladder says of them.
    """

    extraction_id: Digest
    status: ExistenceStatus
    span: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The first axis; ``doc_hash`` and ``extraction_id`` are the resolved ones.

    ``newest`` is None where the resolved extraction is the newest of its kind.
    """

    status: IdentityStatus
    doc_hash: Digest | None
    extraction_id: Digest | None
    chunk: ChunkStatus = ChunkStatus.NOT_GIVEN
    newest: NewestExtraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One place where the quote, or what comes nearest to it, appears."""

    span: Span
    doc_hash: Digest
    folds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchedToken:
    """A protected token that an edit touches: on which side, of what kind, how it reads there."""

    side: Literal["quote", "source"]
    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One difference: the words of the quote, those of the source, and their place.

    ``touches`` names the protected tokens that it changes; ``protected`` is whether there are any.
    """

    kind: str
    quote: str
    source: str
    span: Span
    protected: bool
    touches: tuple[TouchedToken, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The smallest difference between quote and source (canonical offsets)."""

    source: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Existence:
    """The second axis; ``span`` is where the words were found, None where they were not.

    For STITCHED ``candidates`` are the pieces, for MISATTRIBUTED the places in the other document.
    ``degraded_pages`` (from 1) are those that may hold an UNVERIFIABLE quote.
    """

    status: ExistenceStatus
    span: Span | None = None
    folds: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    difference: Difference | None = None
    degraded_pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCheck:
    """What a second engine reads where the span appears; NOT_ASKED where the span was not sampled.

    ``read`` is what it reads there where it disagrees, ``moved`` the share of the span's characters
    that it puts elsewhere, ``reason`` why it did not run.
    """

    status: CrossCheckStatus
    engine: str | None = None
    read: str | None = None
    moved: float | None = None
    reason: str | None = None


NOT_ASKED = CrossCheck(status=CrossCheckStatus.NOT_ASKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatorCheck:
    """The locator axis; ``page``, ``bbox`` (displayed page) and ``quads`` are the span's own."""

    status: LocatorStatus
    page: int | None = None
    bbox: Rect | None = None
    quads: tuple[tuple[int, Quad], ...] = ()
    iou: float | None = None
    cross_check: CrossCheck = NOT_ASKED


@dataclass(frozen=True, slots=True, kw_only=True)
class Veto:
    """A slot (number, negation, …) in which claim and span differ; both sides with offsets.

    ``claim_span`` is in the hypothesis, ``source_span`` in the canonical text (None: none there).
    """

    kind: str
    claim: str
    claim_span: Span
    source: str | None
    source_span: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedPart:
    """Words of the claim that nothing accounts for, at ``span`` in the hypothesis."""

    claim: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class SubClaim:
    """A part of the claim that can be true or false by itself, judged against the same premise.

    ``text == answer[span]``; the model reads ``hypothesis``, to which what the parts share (the
    subject, an auxiliary) is carried over.
    """

    text: str
    span: Span
    hypothesis: str
    status: SupportStatus
    reason: str | None = None
    p_entailment: float | None = None
    p_neutral: float | None = None
    p_contradiction: float | None = None
    logits: tuple[tuple[str, float], ...] = ()
    vetoes: tuple[Veto, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JointSupport:
    """What several citations of one claim say when they are read as one premise.

    ``citations`` are their indexes in the answer. ``alone`` is what this citation says by itself.
    """

    citations: tuple[int, ...]
    status: SupportStatus
    reason: str | None
    p_entailment: float | None
    alone: SupportStatus
    p_alone: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTexts:
    """Premise and hypothesis as the model got them, where they are more than span and claim."""

    premise: str
    hypothesis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The third axis: probabilities in [0, 1] (None when not run), windows read, share covered.

    ``logits`` are the raw ones of the deciding window by label, ``terms`` the evidence that lowered
    them. ``read`` is set where the span was read in context or jointly. ``ordered_coverage`` is the
    share of the claim's content words that stand in order within two neighbouring sentences of the
    premise (None when not run), ``unsupported_parts`` the words that nothing accounts for.
    """

    status: SupportStatus
    reason: str | None = None
    p_entailment: float | None = None
    p_neutral: float | None = None
    p_contradiction: float | None = None
    windows: int = 0
    coverage: float = 0.0
    evidence: Span | None = None
    vetoes: tuple[Veto, ...] = ()
    logits: tuple[tuple[str, float], ...] = ()
    terms: tuple[ScoreTerm, ...] = ()
    grade: SupportGrade | None = None
    subclaims: tuple[SubClaim, ...] = ()
    context: SupportContext = "bare"
    read: ReadTexts | None = None
    joint: JointSupport | None = None
    ordered_coverage: float | None = None
    unsupported_parts: tuple[UnsupportedPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """The fourth axis; ``supported_by`` names the other supplied spans that entail the claim."""

    status: AttributionStatus
    supported_by: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One claim against one citation. ``citation`` is its index in the answer."""

    anchor: int
    citation: int
    claim: Claim
    identity: Identity
    existence: Existence
    locator: LocatorCheck
    support: Support
    attribution: Attribution
    outcome: Outcome
    codes: tuple[str, ...]
    notes: str
    view_url: str | None = None
    origin: str = "native"
    repaired: bool = False
    quotations: tuple[QuotationCheck, ...] = ()
