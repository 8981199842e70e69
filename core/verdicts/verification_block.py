"""The block: everything that was checked of one answer, and the door ``require()``.

``verifier`` computes the derived fields; their JSON is in ``spanproof.core.verdicts.block_json``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from spanproof.core.errors import VerificationFailed
from spanproof.core.verdicts.status import ExistenceStatus, Outcome, SupportStatus

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.citation import Answer, Citation
    from spanproof.core.digest import Digest
    from spanproof.core.span import Span
    from spanproof.core.verdicts.answer_findings import OverCitation, Snippet, UncitedSentence
    from spanproof.core.verdicts.calibration import CalibrationCheck
    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verdict import Verdict

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

    ``sentences``: also where the answer cites elsewhere. ``refuted``: also the nearest span where
    no source supports a sentence. ``considered`` counts the sentences that
    were looked at, ``rejected_not_entailed`` those whose nearest spans do not entail them,
    ``unconsidered`` those beyond ``max_repairs``. ``skipped`` says why nothing was looked for.
    """

    sentences: bool
    max_repairs: int
    refuted: bool = False
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
    """Everything that was checked in one answer. ``require()`` raises."""

    answer: Answer
    verifier_version: str
    verified_at: datetime
    verdicts: tuple[Verdict, ...]
    result: Outcome
    citation_level: str
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
    #: Texts of the request that verdicts name in place of documents.
    snippets: tuple[Snippet, ...] = ()
    #: Marks of the prose that look like citations and are not read.
    unread_citations: tuple[Span, ...] = ()
    repair: RepairReport | None = None

    @property
    def all_spans_present(self) -> bool:
        """At least one citation, every citation judged, and all EXACT, FOLD_EQUAL or EDITORIAL."""
        present = {
            ExistenceStatus.EXACT,
            ExistenceStatus.FOLD_EQUAL,
            ExistenceStatus.EDITORIAL,
        }
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

    def require(self) -> Self:
        """The block itself; raise VerificationFailed unless the result is ``pass``."""
        if self.result is Outcome.PASS:
            return self
        failed = [f"[{v.anchor}] {v.notes}" for v in self.verdicts if v.outcome is not Outcome.PASS]
        why = "; ".join(failed) or "no verdict"
        msg = f"Expected result 'pass', got {self.result.value!r}: {why}"
        raise VerificationFailed(msg, hint="Read the block's verdicts before the answer is shown.")
