"""The verdict: four separate answers for each claim and citation, each fail-closed.

``Verdict.outcome`` and the block's derived fields are computed by ``verifier``; this module holds
the words, the invariants and the door ``require()``. Their JSON is in
``spanproof.core.verdicts.block_json``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from spanproof.core.errors import VerificationFailed

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.citation import Answer, Citation, Claim
    from spanproof.core.digest import Digest
    from spanproof.core.geometry import Quad, Rect
    from spanproof.core.ports import ScoreTerm
    from spanproof.core.span import Span
    from spanproof.core.verdicts.answer_findings import (
        OverCitation,
        QuotationCheck,
        UncitedSentence,
    )
    from spanproof.core.verdicts.calibration import CalibrationCheck, CalibrationRecord
    from spanproof.core.verdicts.policy import Policy

#: How much of the claim is supported; what was read beside the span and the claim.
SupportGrade = Literal["full", "partial", "none"]
SupportContext = Literal["bare", "headers", "question"]

#: What a model without a calibration is read with.
DEFAULT_THRESHOLD = 0.5


class Outcome(StrEnum):
    """What a verdict comes to."""

    PASS = "pass"  # noqa: S105 - an outcome, no secret
    FAIL = "fail"
    REVIEW = "review"
    ERROR = "error"


class IdentityStatus(StrEnum):
    """Is the document the one cited?"""

    MATCH = "MATCH"
    HASH_MISMATCH = "HASH_MISMATCH"
    UNKNOWN_DOCUMENT = "UNKNOWN_DOCUMENT"
    UNKNOWN_EXTRACTION = "UNKNOWN_EXTRACTION"
    SUPERSEDED = "SUPERSEDED"


class ChunkStatus(StrEnum):
    """Does the span lie in the cited chunk?"""

    MATCH = "MATCH"
    MISMATCH = "MISMATCH"
    NOT_GIVEN = "NOT_GIVEN"
    UNKNOWN_INDEX = "UNKNOWN_INDEX"


class ExistenceStatus(StrEnum):
    """Does the quote stand in the document, and where? The ladder, best first."""

    EXACT = "EXACT"
    FOLD_EQUAL = "FOLD_EQUAL"
    MOVED = "MOVED"
    AMBIGUOUS = "AMBIGUOUS"
    MISATTRIBUTED = "MISATTRIBUTED"
    STITCHED = "STITCHED"
    ALTERED = "ALTERED"
    ABSENT = "ABSENT"
    UNVERIFIABLE = "UNVERIFIABLE"
    NOT_RUN = "NOT_RUN"


class LocatorStatus(StrEnum):
    """Does the given page and box hold the span?"""

    MATCH = "MATCH"
    MISMATCH = "MISMATCH"
    NOT_GIVEN = "NOT_GIVEN"
    NO_LAYOUT = "NO_LAYOUT"
    NOT_RUN = "NOT_RUN"


class SupportStatus(StrEnum):
    """Does the span entail the claim?"""

    ENTAILED = "ENTAILED"
    NEUTRAL = "NEUTRAL"
    CONTRADICTED = "CONTRADICTED"
    BORDERLINE = "BORDERLINE"
    NOT_RUN = "NOT_RUN"


class AttributionStatus(StrEnum):
    """Where is the claim supported?"""

    HERE = "HERE"
    ELSEWHERE = "ELSEWHERE"
    NOWHERE = "NOWHERE"
    NOT_RUN = "NOT_RUN"


class WitnessStatus(StrEnum):
    """Does a second engine read the same words at the same place?"""

    AGREES = "AGREES"
    DISAGREES = "DISAGREES"
    NOT_RUN = "NOT_RUN"
    NOT_ASKED = "NOT_ASKED"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestExtraction:
    """The newest text of the document, where the citation names an older one.

    ``span`` is where the same words stand in it, once; ``status`` what the ladder says of them.
    """

    extraction_id: Digest
    status: ExistenceStatus
    span: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The first axis; ``doc_hash`` and ``extraction_id`` are what was resolved.

    ``newest`` is None where the resolved extraction is the newest of its kind.
    """

    status: IdentityStatus
    doc_hash: Digest | None
    extraction_id: Digest | None
    chunk: ChunkStatus = ChunkStatus.NOT_GIVEN
    newest: NewestExtraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One place where the quote, or what comes nearest to it, stands."""

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
    """One difference: what the quote says, what the source says, and where the source says it.

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
    """

    status: ExistenceStatus
    span: Span | None = None
    folds: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    difference: Difference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessCheck:
    """What a second engine reads where the span stands; NOT_ASKED where the span was not sampled.

    ``read`` is what it reads there where it disagrees, ``moved`` the share of the span's characters
    that it puts elsewhere, ``reason`` why it did not run.
    """

    status: WitnessStatus
    engine: str | None = None
    read: str | None = None
    moved: float | None = None
    reason: str | None = None


NOT_ASKED = WitnessCheck(status=WitnessStatus.NOT_ASKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatorCheck:
    """The locator axis; ``page``, ``bbox`` (displayed page) and ``quads`` are the span's own."""

    status: LocatorStatus
    page: int | None = None
    bbox: Rect | None = None
    quads: tuple[tuple[int, Quad], ...] = ()
    iou: float | None = None
    witness: WitnessCheck = NOT_ASKED


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
    them. ``read`` is set where the span was read in context or jointly.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIdentity:
    """Which entailment model judged: name, weights, runtime, calibration, default threshold.

    ``calibration`` names the one whose numbers are used; ``record`` is of the one that was asked
    for, which is another where that one is stale. ``thresholds`` has one for each policy that the
    calibration knows; None: no threshold keeps that policy's bound. A model that is not
    ``replayable`` may answer otherwise when it is asked again: nothing of it passes.
    """

    name: str
    weights_digest: Digest | None
    runtime: str
    calibration: str
    threshold: float | None
    labels: tuple[str, ...] = ()
    thresholds: tuple[tuple[str, float | None], ...] = ()
    record: CalibrationRecord | None = None
    replayable: bool = True

    @property
    def default_threshold(self) -> float:
        """The calibration's own, or 0.5 without one."""
        return DEFAULT_THRESHOLD if self.threshold is None else self.threshold

    def threshold_for(self, policy: str) -> float | None:
        """What the calibration derived for a policy, the default for any other.

        None: no threshold keeps the bound that the policy states.
        """
        return dict(self.thresholds).get(policy, self.default_threshold)


#: The code of a remark on a citation of the payload that became none: the answer cannot pass.
UNMAPPED = "CITATION_UNMAPPED"
#: The code of a stretch of the answer that the provider itself calls unsupported: neither can it.
UNGROUNDED = "UNGROUNDED"
NEVER_PASSING = frozenset({UNMAPPED, UNGROUNDED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRemark:
    """What a reader must know of one place of the payload (JSON pointer): a stable code and why."""

    pointer: str
    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """How the payload was read.

    Units are ``codepoint``, ``utf16``, ``utf8``, ``mixed``, and as declared also ``undocumented``.
    ``unmapped`` are pointers to what became no citation; each has a remark that says why.
    """

    format: str
    declared_unit: str
    observed_unit: str | None
    ambiguous: bool
    unmapped: tuple[str, ...] = ()
    remarks: tuple[ImportRemark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairReport:
    """What was attached to sentences that cite nothing, before all of it was judged.

    ``sentences``: also where the answer cites elsewhere. ``considered`` counts the sentences that
    were looked at, ``rejected_not_entailed`` those whose nearest spans do not entail them,
    ``unconsidered`` those beyond ``max_repairs``. ``skipped`` says why nothing was looked for.
    """

    sentences: bool
    max_repairs: int
    considered: int = 0
    unconsidered: int = 0
    rejected_not_entailed: int = 0
    citations: tuple[Citation, ...] = ()
    skipped: str | None = None

    @property
    def attached(self) -> int:
        """How many citations were attached."""
        return len(self.citations)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VerificationBlock:
    """Everything that was checked of one answer. ``require()`` raises."""

    answer: Answer
    verifier_version: str
    verified_at: datetime
    verdicts: tuple[Verdict, ...]
    result: Outcome
    level: str
    citation_density: float
    declared_count: int
    declared_density: float
    recommended_action: str
    abstention_reason: str | None
    orphan_anchors: tuple[tuple[int, Span], ...]
    unused_citations: tuple[int, ...]
    uncited_sentences: tuple[UncitedSentence, ...]
    policy: Policy
    model: ModelIdentity
    calibration: CalibrationCheck
    imported: ImportReport
    verdicts_digest: Digest
    sentences: int = field(default=0)
    #: Of the answer itself, beside those of its verdicts.
    codes: tuple[str, ...] = ()
    over_cited: tuple[OverCitation, ...] = ()
    repair: RepairReport | None = None

    @property
    def all_spans_present(self) -> bool:
        """At least one citation, every citation judged, and every one EXACT or FOLD_EQUAL."""
        present = {ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL}
        judged = {verdict.citation for verdict in self.verdicts}
        return (
            bool(self.verdicts)
            and judged == set(range(len(self.answer.citations)))
            and all(verdict.existence.status in present for verdict in self.verdicts)
        )

    @property
    def all_claims_entailed(self) -> bool:
        """At least one verdict, and every one ENTAILED. Nothing is not a pass."""
        return bool(self.verdicts) and all(
            verdict.support.status is SupportStatus.ENTAILED for verdict in self.verdicts
        )

    def require(self) -> None:
        """Raise VerificationFailed unless the result is ``pass``."""
        if self.result is Outcome.PASS:
            return
        failed = [f"[{v.anchor}] {v.notes}" for v in self.verdicts if v.outcome is not Outcome.PASS]
        why = "; ".join(failed) or "no verdict"
        msg = f"Expected result 'pass', got {self.result.value!r}: {why}"
        raise VerificationFailed(msg, hint="Read the block's verdicts before the answer is shown.")
