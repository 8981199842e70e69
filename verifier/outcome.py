"""Steps 7 and 8: the outcome of the axes, for one verdict and for the whole answer.

Over-citation is reported and never changes an outcome. Several citations that each entail a claim
are fine. Too many are reported, and so is a citation that does not support the claim while others
do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.verdicts.answer_findings import OverCitation
from spanproof.core.verdicts.status import ExistenceStatus, IdentityStatus, Outcome, SupportStatus
from spanproof.core.verdicts.verification_block import NEVER_PASSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.citation import Answer
    from spanproof.core.span import Span
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verdict import (
        Attribution,
        Existence,
        Identity,
        LocatorCheck,
        Support,
        Verdict,
    )
    from spanproof.core.verdicts.verification_block import ImportReport
    from spanproof.verifier.claims.pairing import Pairing

_IDENTITY_FAILS = frozenset({IdentityStatus.HASH_MISMATCH})
_EXISTENCE_FAILS = frozenset(
    {
        ExistenceStatus.MISATTRIBUTED,
        ExistenceStatus.STITCHED,
        ExistenceStatus.ALTERED,
        ExistenceStatus.ABSENT,
    }
)
_SUPPORT_FAILS = frozenset({SupportStatus.CONTRADICTED, SupportStatus.NEUTRAL})
_IDENTITY_ERRORS = frozenset({IdentityStatus.UNKNOWN_DOCUMENT, IdentityStatus.UNKNOWN_EXTRACTION})
_EXISTENCE_ERRORS = frozenset({ExistenceStatus.UNVERIFIABLE, ExistenceStatus.NOT_RUN})
#: Statuses that no policy may let pass.
_REVIEW_AT_LEAST = frozenset(
    {
        "EXISTENCE_AMBIGUOUS",
        "SUPPORT_BORDERLINE",
        "HIDDEN_TEXT",
        "LOST_GLYPHS",
        "FOLD_NOT_ACCEPTED",
        "RAISED_DIGITS",
        # What the span leaves out of its words, or of its sentence, changes what they say.
        "SPAN_CUTS_MEANING",
        "SPAN_SCOPE_CUT",
        # A doubt about our own reading, not about the citation: a person must look.
        "WITNESS_DISAGREES",
        # Words in quotation marks that the document lacks, or that were not searched.
        "QUOTATION_ABSENT",
        "QUOTATION_ALTERED",
        "QUOTATION_NOT_RUN",
        # A reader may read other words than the model.
        "CLAIM_OBSCURED",
        # The policy asks for a tier, and an unknown tier is not trusted.
        "SOURCE_UNTRUSTED",
        # The model's answer cannot be reproduced later.
        "MODEL_NON_REPLAYABLE",
    }
)
_WORST_FIRST = (Outcome.FAIL, Outcome.ERROR, Outcome.REVIEW, Outcome.PASS)
UNCITED = "UNCITED_STATEMENT"
UNREAD = "UNREAD_CITATION"
#: Codes of the whole answer that no policy may let pass.
_ANSWER_REVIEW_AT_LEAST = frozenset({UNREAD})
#: Distinct citations of one claim that a reader can be asked to look at.
MAX_CITATIONS = 5
_ADDS_NOTHING = frozenset({SupportStatus.NEUTRAL, SupportStatus.CONTRADICTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """The results of the separate axes of one verdict, before its outcome."""

    identity: Identity
    existence: Existence
    locator: LocatorCheck
    support: Support
    attribution: Attribution

    def codes(self) -> tuple[str, ...]:
        """``<AXIS>_<STATUS>`` for each axis, in order, then the slots that speak against it."""
        return (
            f"IDENTITY_{self.identity.status.value}",
            f"EXISTENCE_{self.existence.status.value}",
            f"LOCATOR_{self.locator.status.value}",
            f"SUPPORT_{self.support.status.value}",
            f"ATTRIBUTION_{self.attribution.status.value}",
            *(_name_slot(veto.kind) for veto in self.support.vetoes),
            *(
                ("CLAIM_PART_UNSUPPORTED",)
                if self.support.reason == "claim_part_unsupported"
                else ()
            ),
        )


def _name_slot(kind: str) -> str:
    """``UNCONFIRMED_NAME`` of a doubt, ``VETO_NAME`` of a veto."""
    return kind.upper() if kind.startswith("unconfirmed_") else f"VETO_{kind.upper()}"


def judge_outcome(axes: Axes, codes: Sequence[str], policy: Policy) -> Outcome:
    """The first that applies: a failure, a step that did not run, the policy's effects."""
    identity, existence, support = axes.identity, axes.existence, axes.support
    effects = policy.effects_of(codes)
    # Axis by axis: NOT_RUN of one axis equals NOT_RUN of another, being strings.
    if (
        identity.status in _IDENTITY_FAILS
        or existence.status in _EXISTENCE_FAILS
        or support.status in _SUPPORT_FAILS
        or "fail" in effects
    ):
        return Outcome.FAIL
    # AMBIGUOUS has no span to read, so its support is NOT_RUN by definition: a person decides.
    ambiguous = existence.status is ExistenceStatus.AMBIGUOUS
    if (
        identity.status in _IDENTITY_ERRORS
        or existence.status in _EXISTENCE_ERRORS
        or (support.status is SupportStatus.NOT_RUN and not ambiguous)
    ):
        return Outcome.ERROR
    if "review" in effects or _REVIEW_AT_LEAST & set(codes):
        return Outcome.REVIEW
    return Outcome.PASS


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The fields of the block that are derived from its verdicts."""

    result: Outcome
    citation_level: str
    density: float
    declared_count: int
    declared_density: float
    action: str
    abstention_reason: str | None
    codes: tuple[str, ...]


def summarise(
    answer: Answer,
    verdicts: Sequence[Verdict],
    *,
    pairing: Pairing,
    imported: ImportReport,
    policy: Policy,
) -> Summary:
    """Result, level, densities and the recommended action.

    Only distinct citations of which every verdict passed count for level and density. The result is
    never a pass if a citation of the payload or a mark of the prose could not be read, if the
    provider itself calls a part ungrounded, or if the caller says that the text is not an answer.
    The policy says what a statement without a citation comes to.
    """
    orphans, sentences = len(pairing.orphans), pairing.sentences
    outcomes = {verdict.outcome for verdict in verdicts}
    result = next((o for o in _WORST_FIRST if o in outcomes), None)
    if orphans:
        result = Outcome.FAIL
    elif result is None:
        result = Outcome.FAIL if answer.answer_kind == "answer" else Outcome.REVIEW
    elif result is Outcome.PASS and (
        answer.answer_kind != "answer" or any(r.code in NEVER_PASSING for r in imported.remarks)
    ):
        result = Outcome.REVIEW
    codes = _find_codes(answer, pairing)
    effects = policy.effects_of(codes)
    only_uncited = "fail" in effects and result is not Outcome.FAIL
    if only_uncited:
        result = Outcome.FAIL
    elif result is Outcome.PASS and ("review" in effects or _ANSWER_REVIEW_AT_LEAST & set(codes)):
        result = Outcome.REVIEW
    good = _passing_citations(verdicts)
    density = good / sentences if sentences else 0.0
    declared = sum(not citation.repaired for citation in answer.citations)
    # Citations that we attached are not the answer's own: a person decides whether to show it.
    only_repaired = result is Outcome.PASS and not good
    result = Outcome.REVIEW if only_repaired else result
    level = "RED"
    if good:
        green = good >= policy.green_count and density >= policy.green_density
        level = "GREEN" if green else "YELLOW"
    action, reason = _recommend(
        result, judged=bool(verdicts), good=good, orphans=orphans, policy=policy
    )
    if only_repaired:
        reason = "only_repaired_citations"
    elif only_uncited and reason is not None:
        reason = "uncited_statements"
    return Summary(
        result=result,
        citation_level=level,
        density=density,
        declared_count=declared,
        declared_density=declared / sentences if sentences else 0.0,
        action=action,
        abstention_reason=reason,
        codes=codes,
    )


def _find_codes(answer: Answer, pairing: Pairing) -> tuple[str, ...]:
    """Codes of the whole answer: what it states without a citation, or behind a mark unread."""
    is_answer = answer.answer_kind == "answer"
    uncited = any(sentence.check_worthy for sentence in pairing.uncited)
    found = {
        "KIND_CONTRADICTED": not is_answer and pairing.statements > 0,
        UNCITED: is_answer and uncited,
        UNREAD: bool(pairing.unread),
    }
    return tuple(code for code, holds in found.items() if holds)


def _passing_citations(verdicts: Sequence[Verdict]) -> int:
    outcomes: dict[int, set[Outcome]] = {}
    for verdict in verdicts:
        outcomes.setdefault(verdict.citation, set()).add(verdict.outcome)
    passing = {index for index, found in outcomes.items() if found == {Outcome.PASS}}
    # The same words of the same document cited twice are one citation, under any numbers.
    # Citations that were attached afterwards do not count for the answer.
    own = [v for v in verdicts if v.citation in passing and not v.repaired]
    return len({(v.identity.doc_hash, v.existence.span) for v in own})


def _recommend(
    result: Outcome, *, judged: bool, good: int, orphans: int, policy: Policy
) -> tuple[str, str | None]:
    if result is Outcome.PASS:
        return "show", None
    if result is Outcome.REVIEW:
        return "review", None
    if result is Outcome.ERROR:
        return "review", "verification_incomplete"
    if not judged:
        return "withhold", "orphan_anchors" if orphans else "no_citations"
    if good and policy.fail_action == "badge":
        return "badge", None
    return "withhold", "citation_validation_failed"


def find_over_cited(verdicts: Sequence[Verdict]) -> tuple[OverCitation, ...]:
    """The claims with over ``MAX_CITATIONS`` distinct citations, or with redundant ones, in order.

    Citations are distinct that name other words or another document. One is redundant whose own
    support is NEUTRAL or CONTRADICTED while another one, or several together without it, entail
    the claim.
    """
    claims: dict[Span, list[Verdict]] = {}
    for verdict in verdicts:
        claims.setdefault(verdict.claim.span, []).append(verdict)
    return tuple(
        OverCitation(
            span=span,
            anchors=tuple(dict.fromkeys(verdict.anchor for verdict in own)),
            redundant=redundant,
        )
        for span, own in sorted(claims.items())
        if (redundant := _find_redundant(own)) or _count_distinct(own) > MAX_CITATIONS
    )


def _find_redundant(verdicts: Sequence[Verdict]) -> tuple[int, ...]:
    if all(verdict.support.status is not SupportStatus.ENTAILED for verdict in verdicts):
        return ()
    redundant = [v.anchor for v in verdicts if v.support.status in _ADDS_NOTHING]
    return tuple(dict.fromkeys(redundant))


def _count_distinct(verdicts: Sequence[Verdict]) -> int:
    # A citation without a span cannot be compared with another: it counts by itself.
    return len(
        {
            (v.identity.doc_hash, v.existence.span)
            if v.existence.span is not None
            else (v.citation, None)
            for v in verdicts
        }
    )
