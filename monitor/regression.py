"""Compares a run with a baseline: flipped cases, fallen rates, and which are regressions.

A regression is one of these, and nothing else is:

``worse``    the case's result is worse than in the baseline (fail < error < review < pass); where
             the case names what it expects: it was met in the baseline and is not now
``unmet``    the baseline does not have the case, and what it expects is not met
``missing``  this run has no result for a case of the baseline: unchecked is not a pass
``rate``     the 95 % interval lies wholly on the worse side of the baseline's estimate, or nothing
             was measured where the baseline has a figure
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from spanproof.monitor.case_result import WORST_FIRST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.monitor.case_result import CaseResult
    from spanproof.monitor.evaluation import Rate
    from spanproof.monitor.evaluation_run import EvaluationRun

Direction = Literal["better", "worse", "neither"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A case that came to another result; ``is_same_case`` says whether its payload is the same.

    ``neither`` better nor worse: what the case expects is met in both runs, or in none.
    """

    case_id: str
    before: str
    now: str
    expected: str | None
    direction: Direction
    is_same_case: bool

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "case_id": self.case_id,
            "before": self.before,
            "now": self.now,
            "expected": self.expected,
            "direction": self.direction,
            "same_case": self.is_same_case,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """One regression: ``kind`` as above, ``name`` of the case or the rate, and why in words."""

    kind: Literal["worse", "unmet", "missing", "rate"]
    name: str
    why: str

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"kind": self.kind, "name": self.name, "why": self.why}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A run beside its baseline; ``header_differences`` are JSON pointers into the headers."""

    header_differences: tuple[str, ...]
    flips: tuple[Flip, ...]
    new: tuple[str, ...]
    missing: tuple[str, ...]
    regressions: tuple[Regression, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "same_header": not self.header_differences,
            "header_differences": list(self.header_differences),
            "flips": [flip.to_json() for flip in self.flips],
            "new": list(self.new),
            "missing": list(self.missing),
            "regressions": [regression.to_json() for regression in self.regressions],
        }


def compare_runs(run: EvaluationRun, baseline: EvaluationRun) -> Comparison:
    """Compare by ``case_id``. A run compared with itself has no flip and no regression."""
    before = {case.case_id: case for case in baseline.cases}
    now = {case.case_id: case for case in run.cases}
    flips = tuple(
        _flip(case, before[case.case_id])
        for case in run.cases
        if case.case_id in before and case.result != before[case.case_id].result
    )
    new = tuple(case.case_id for case in run.cases if case.case_id not in before)
    missing = tuple(case.case_id for case in baseline.cases if case.case_id not in now)
    return Comparison(
        header_differences=tuple(_find_differences(baseline.header, run.header, "")),
        flips=flips,
        new=new,
        missing=missing,
        regressions=(
            *_from_flips(flips),
            *(_unmet(now[name]) for name in new if now[name].is_met is False),
            *(_missing(before[name]) for name in missing),
            *_from_rates(run.rates.rates, baseline.rates.rates),
        ),
    )


def _flip(case: CaseResult, before: CaseResult) -> Flip:
    # The current expectation decides: a corrected expectation is not a regression.
    if case.expected is None:
        rose = WORST_FIRST.index(case.result) > WORST_FIRST.index(before.result)
        direction: Direction = "better" if rose else "worse"
    elif before.result == case.expected:
        direction = "worse"
    else:
        direction = "better" if case.is_met else "neither"
    return Flip(
        case_id=case.case_id,
        before=before.result,
        now=case.result,
        expected=case.expected,
        direction=direction,
        is_same_case=case.case_sha256 == before.case_sha256,
    )


def _from_flips(flips: tuple[Flip, ...]) -> Iterator[Regression]:
    for flip in flips:
        if flip.direction == "worse":
            wanted = "" if flip.expected is None else f", {flip.expected!r} is expected"
            why = f"it was {flip.before!r} and is {flip.now!r}{wanted}"
            yield Regression(kind="worse", name=flip.case_id, why=why)


def _unmet(case: CaseResult) -> Regression:
    why = f"a new case that should be {case.expected!r} is {case.result!r}"
    return Regression(kind="unmet", name=case.case_id, why=why)


def _missing(case: CaseResult) -> Regression:
    return Regression(kind="missing", name=case.case_id, why=f"it was {case.result!r}, and not run")


def _from_rates(now: tuple[Rate, ...], before: tuple[Rate, ...]) -> Iterator[Regression]:
    for rate, old in zip(now, before, strict=True):
        if rate.better == "neither" or old.interval is None:
            continue
        was = old.interval.estimate
        if rate.interval is None:
            why = f"it was {was:.4f} of {old.n}, and nothing was measured"
            yield Regression(kind="rate", name=rate.name, why=why)
            continue
        low, high = rate.interval.low, rate.interval.high
        if high < was if rate.better == "more" else low > was:
            why = (
                f"it was {was:.4f} of {old.n}, and is between {low:.4f} and {high:.4f} of {rate.n}"
            )
            yield Regression(kind="rate", name=rate.name, why=why)


def _find_differences(before: object, now: object, pointer: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for name in sorted(before.keys() | now.keys()):
            if name in before and name in now:
                yield from _find_differences(before[name], now[name], f"{pointer}/{name}")
            else:
                yield f"{pointer}/{name}"
    elif before != now:
        yield pointer
