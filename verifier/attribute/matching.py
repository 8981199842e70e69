"""One claim against the sources: candidate windows, then the same judgement as a citation's.

In order: each window alone; the sentences of a window that entails it, for the smallest span; if
none does, the best windows with their neighbours, up to the longest span that the policy takes;
then the best ones in their context (headings, question). A claim that none of these entails stays
unattributed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanproof.core.budget import BUDGET, BudgetSpentError, checkpoint
from spanproof.core.verdicts.status import SupportStatus
from spanproof.verifier.claims.subclaims import split_claim
from spanproof.verifier.support.claim import support_claims
from spanproof.verifier.support.joint import Cited
from spanproof.verifier.support.parts import combine_parts, judge_parts
from spanproof.verifier.support.premise import Premise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.citation import Answer, Claim
    from spanproof.core.verdicts.verdict import Support
    from spanproof.verifier.attribute.candidates import SpanIndex, Window
    from spanproof.verifier.attribute.sources import Region
    from spanproof.verifier.claims.subclaims import Part
    from spanproof.verifier.support.judge import SupportJudge

#: Windows that are read again with their neighbours, and in their context.
_WIDENED, _IN_CONTEXT = 2, 2
#: Neighbours on each side: the next ones, then as many as the policy takes for one span.
_STEPS = (1, 100)
#: The model calls the claim entailed, and nothing speaks against it but that its word alone counts
#: for nothing: such a span is proposed to a person.
UNCERTIFIED = "no_certificate"
#: The reason for a claim that no source entails: the first that applies.
_REASONS = (
    (SupportStatus.BORDERLINE, "borderline"),
    (SupportStatus.CONTRADICTED, "contradicted"),
    (SupportStatus.NEUTRAL, "not_entailed"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSupport:
    """A window and the model's judgement of it."""

    window: Window
    support: Support


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimMatch:
    """A claim, the windows that entail it (best first), and the others.

    ``reason`` is None if one entails it; else ``no_candidate``, ``no_certificate`` (the model says
    so of one, which is not enough), ``not_entailed``, ``contradicted``, ``borderline`` or the
    model's own reason why it did not run.
    """

    claim: Claim
    entailed: tuple[WindowSupport, ...]
    others: tuple[WindowSupport, ...]
    reason: str | None

    @property
    def nearest(self) -> WindowSupport | None:
        """Of the others, the one that a person should look at first."""
        proposed = [r for r in self.others if r.support.reason == UNCERTIFIED]
        return max(proposed or self.others, key=_likeliness, default=None)


class Matcher:
    """Matches the claims of one answer; the same pair is read once."""

    def __init__(
        self,
        judge: SupportJudge,
        index: SpanIndex,
        regions: Sequence[Region],
        answer: Answer,
        *,
        max_span_chars: int,
    ) -> None:
        self._judge = judge
        self._index = index
        self._regions = regions
        self._answer = answer
        self._most = max_span_chars

    def match(self, claim: Claim) -> ClaimMatch:
        """The spans that entail a claim; with the reason ``budget`` where no time is left."""
        try:
            checkpoint()
        except BudgetSpentError:
            return ClaimMatch(claim=claim, entailed=(), others=(), reason=BUDGET)
        windows = self._index.find(claim.hypothesis)
        parts = split_claim(
            self._answer.prose, claim.span, self._answer.anchors, self._answer.unclaimed
        )
        judged_windows = [self._read(claim, parts, window) for window in windows]
        for by in _STEPS:
            if not _any_entailed(judged_windows):
                wide = [self._index.widen(w, by, self._most) for w in windows[:_WIDENED]]
                known = {judged.window.span for judged in judged_windows}
                judged_windows += [self._read(claim, parts, w) for w in wide if w.span not in known]
        if not _any_entailed(judged_windows):
            judged_windows += [self._read_in_context(claim, w) for w in windows[:_IN_CONTEXT]]
        good = [r for r in judged_windows if r.support.status is SupportStatus.ENTAILED]
        narrow = [self._narrow(claim, parts, judged) for judged in good]
        others = tuple(r for r in judged_windows if r.support.status is not SupportStatus.ENTAILED)
        return ClaimMatch(
            claim=claim,
            entailed=tuple(sorted(narrow, key=_rank)),
            others=others,
            reason=None if narrow else _find_reason(others),
        )

    def _read(self, claim: Claim, parts: Sequence[Part], window: Window) -> WindowSupport:
        region = self._regions[window.region]
        premise = Premise.of_span(region.extraction, window.span)
        (whole,) = self._judge.judge_all(premise, [claim.hypothesis])
        readable = whole.status is not SupportStatus.NOT_RUN or whole.reason == "claim_too_long"
        found = judge_parts(self._judge, premise, parts, 0) if parts and readable else ()
        return WindowSupport(window=window, support=combine_parts(whole, found))

    def _read_in_context(self, claim: Claim, window: Window) -> WindowSupport:
        cited = Cited(
            citation=0,
            extraction=self._regions[window.region].extraction,
            span=window.span,
            may_join=False,
        )
        found = support_claims(self._judge, self._answer, [(claim, 0)], [cited])
        return WindowSupport(window=window, support=found[claim.span, 0])

    def _narrow(self, claim: Claim, parts: Sequence[Part], judged: WindowSupport) -> WindowSupport:
        window = judged.window
        if window.first == window.last or judged.support.context != "bare":
            return judged
        singles = [self._read(claim, parts, each) for each in self._index.split(window)]
        good = [each for each in singles if each.support.status is SupportStatus.ENTAILED]
        return min(good, key=_rank, default=judged)


def to_bare_answer(answer: Answer) -> Answer:
    """The answer without its citations: a match must not depend on other citations."""
    return replace(answer, citations=())


def _any_entailed(judged_windows: Sequence[WindowSupport]) -> bool:
    return any(judged.support.status is SupportStatus.ENTAILED for judged in judged_windows)


def _likeliness(judged: WindowSupport) -> float:
    return judged.support.p_entailment or 0.0


def _rank(judged: WindowSupport) -> tuple[float, float, int, int, int]:
    """The best first: probability to two digits, then shared words, then the shorter and earlier.

    Two digits, so that no rounding of another CPU changes an order.
    """
    window = judged.window
    p_entailment = round(judged.support.p_entailment or 0.0, 2)
    return (-p_entailment, -window.score, len(window.span), window.region, window.span.start)


def _find_reason(others: Sequence[WindowSupport]) -> str:
    if not others:
        return "no_candidate"
    if any(judged.support.reason == UNCERTIFIED for judged in others):
        return UNCERTIFIED
    statuses = {judged.support.status for judged in others}
    for status, reason in _REASONS:
        if status in statuses:
            return reason
    return next((r.support.reason for r in others if r.support.reason), "not_run")
