"""Rates over the cases of an evaluation, each with its count and a Wilson interval.

Every rate counts answers, not citations or sentences: those of one answer hang together, and the
interval holds for draws that do not.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from spanproof.monitor.estimate import Interval, compute_wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spanproof.monitor.case_result import CaseResult

Better = Literal["more", "less", "neither"]
CONFIDENCE = 0.95
_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """``count`` of ``n`` answers; ``interval`` is None where n is 0: nothing was measured."""

    name: str
    better: Better
    n: int
    count: int
    interval: Interval | None

    def to_json(self) -> dict[str, Any]:
        """Plain values, shares rounded to six digits."""
        found = self.interval
        return {
            "n": self.n,
            "count": self.count,
            "estimate": None if found is None else round(found.estimate, _DIGITS),
            "low": None if found is None else round(found.low, _DIGITS),
            "high": None if found is None else round(found.high, _DIGITS),
            "confidence": CONFIDENCE,
            "method": "wilson",
            "better": self.better,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """The rates of a run by name, and the missing answers once more by their reason."""

    rates: tuple[Rate, ...]
    by_reason: tuple[Rate, ...]

    def to_json(self) -> dict[str, Any]:
        """``no_answer`` holds ``by_reason``."""
        body = {rate.name: rate.to_json() for rate in self.rates}
        body["no_answer"]["by_reason"] = {rate.name: rate.to_json() for rate in self.by_reason}
        return body


def count_rate(name: str, better: Better, answers: Iterable[bool]) -> Rate:
    """The share of True among the answers that the rate is about."""
    flags = list(answers)
    count, n = sum(flags), len(flags)
    interval = compute_wilson(count, n, confidence=CONFIDENCE) if n else None
    return Rate(name=name, better=better, n=n, count=count, interval=interval)


def find_reason(case: CaseResult) -> str | None:
    """Why no answer is shown: the block's reason, else the kind of a non-answer, else None."""
    if case.abstention_reason is not None:
        return case.abstention_reason
    return None if case.answer_kind == "answer" else case.answer_kind


def compute_rates(cases: Sequence[CaseResult]) -> Rates:
    """Every rate of ``docs/how-to/evaluation.md``; one about no case has n = 0, no estimate."""
    reasons = Counter(reason for case in cases if (reason := find_reason(case)) is not None)
    return Rates(
        rates=tuple(
            count_rate(name, better, [is_so(case) for case in cases if is_about(case)])
            for name, better, is_about, is_so in _RATES
        ),
        by_reason=tuple(
            count_rate(reason, "less", [find_reason(case) == reason for case in cases])
            for reason in sorted(reasons)
        ),
    )


def _is_any(_case: CaseResult) -> bool:
    return True


def _was_verified(case: CaseResult) -> bool:
    return case.problem is None


def _needs_citations(case: CaseResult) -> bool:
    return case.answer_kind == "answer" and case.needing > 0


def _cites(case: CaseResult) -> bool:
    return case.citations > 0


def _has_citations(case: CaseResult) -> bool:
    return case.citations + case.repaired > 0


#: Name, which way is better, which cases it is about, which of them count.
_RATES: tuple[
    tuple[str, Better, Callable[[CaseResult], bool], Callable[[CaseResult], bool]], ...
] = (
    ("passed", "more", _is_any, lambda case: case.result == "pass"),
    (
        "expected_met",
        "more",
        lambda case: case.expected is not None,
        lambda case: bool(case.is_met),
    ),
    ("citation_coverage", "more", _needs_citations, lambda case: case.uncited == 0),
    ("no_answer", "less", _is_any, lambda case: find_reason(case) is not None),
    ("spans_present", "more", _cites, lambda case: case.all_spans_present),
    ("claims_entailed", "more", _has_citations, lambda case: case.all_claims_entailed),
    ("orphans", "less", _was_verified, lambda case: case.orphan_anchors > 0),
    ("repaired", "neither", _was_verified, lambda case: case.repaired > 0),
    (
        "trusted_top_3",
        "more",
        lambda case: case.trusted_top_3 is not None,
        lambda case: bool(case.trusted_top_3),
    ),
)
#: The rates of a run of which more is better, in the order of its table.
BETTER_HIGHER = tuple(name for name, better, *_ in _RATES if better == "more")
