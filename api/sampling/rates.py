"""Rates that hold: what the judge flags, what is true by people's labels, and the alarms."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from api.operations.moment import to_moment_text
from api.sampling.alarms import tell_alarm
from monitor.estimate import (
    Interval,
    Labels,
    SampledStratum,
    compute_flagged,
    compute_true_rate,
)
from monitor.sampling import MAX_THRESHOLD
from store.samples.counts import SampleFilter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.wiring import Services
    from store.samples.records import AlarmState, AlarmVersion, SampleCount

#: By what rates can be told apart.
By = Literal["all", "tenant", "model", "index_version", "stratum", "epoch"]
BY: tuple[By, ...] = get_args(By)
CONFIDENCE = 0.95
#: Callers choose models and index versions: so many groups are shown, those with most answers.
MAX_GROUPS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RatesReport:
    """The rates of each group, the alarms as they stand, and what was raised."""

    by: By
    groups: tuple[dict[str, Any], ...]
    alarms: tuple[dict[str, Any], ...]
    raised: tuple[dict[str, Any], ...]
    incidents: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """The report as both doors show it."""
        return {
            "by": self.by,
            "confidence": CONFIDENCE,
            "groups": list(self.groups),
            "alarms": list(self.alarms),
            "raised": list(self.raised),
            "incidents": list(self.incidents),
        }


def compute_rates(
    services: Services, *, by: By = "all", wanted: SampleFilter | None = None
) -> RatesReport:
    """The rates of what came in and passes the filter, told apart ``by`` one thing."""
    samples = services.store.samples
    cells: dict[str | None, list[SampleCount]] = {}
    for each in samples.count(wanted or SampleFilter()):
        name = "all" if by == "all" else getattr(each.group, by)
        cells.setdefault(name, []).append(each)
    most = sorted(cells.items(), key=lambda item: -sum(each.answers for each in item[1]))
    return RatesReport(
        by=by,
        groups=tuple(_describe_group(name, counts) for name, counts in most[:MAX_GROUPS]),
        alarms=tuple(
            _describe_alarm(version, state) for version, state in samples.outcomes.list_states()
        ),
        raised=tuple(tell_alarm(each) for each in samples.outcomes.list_alarms()),
        incidents=tuple(
            {
                "answer_id": each.answer_id,
                "verdict": each.position,
                "kind": each.kind,
                "status": each.status,
                "raised_at": to_moment_text(each.raised_at),
            }
            for each in samples.outcomes.list_incidents()
        ),
    )


def _describe_group(name: str | None, counts: Sequence[SampleCount]) -> dict[str, Any]:
    results: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for each in counts:
        for (kind, result, _), number in each.outcomes.items():
            kinds[kind] += number
            if kind == "answer":
                results[result] += number
    strata = _gather_strata(counts)
    verified = sum(stratum.verified for stratum in strata)
    labelled = sum(s.of_flagged.labelled + s.of_others.labelled for s in strata)
    counted = sum(each.counted for each in counts)
    total_share = sum(each.total_share for each in counts)
    return {
        "group": name,
        "answers": sum(each.answers for each in counts),
        "chosen": sum(each.chosen for each in counts),
        "weighed": _weigh(counts),
        "verified": verified,
        "results": {word: results[word] for word in ("pass", "fail", "review", "error")},
        "not_answers": sum(kinds.values()) - kinds["answer"],
        "labelled": labelled,
        "citations": sum(each.citations for each in counts),
        "failed_citations": sum(each.failed_citations for each in counts),
        "mean_share": total_share / counted if counted else None,
        "judge_flagged": _to_json(compute_flagged(strata, confidence=CONFIDENCE))
        if verified
        else None,
        "true_rate": _to_json(compute_true_rate(strata, confidence=CONFIDENCE))
        if labelled
        else None,
    }


def _gather_strata(counts: Sequence[SampleCount]) -> list[SampledStratum]:
    """One stratum for each name and probability, whatever its epoch.

    What is no answer (an abstention, a question) is taken out of what came in by its share.
    """
    cells: dict[tuple[str, int], list[SampleCount]] = {}
    for each in counts:
        cells.setdefault((each.group.stratum, each.group.threshold), []).append(each)
    return [_gather(group) for group in cells.values()]


def _gather(counts: Sequence[SampleCount]) -> SampledStratum:
    judged: Counter[bool] = Counter()
    others = 0
    labels: Counter[tuple[bool, str]] = Counter()
    for each in counts:
        for (kind, _, is_flagged), number in each.outcomes.items():
            if kind == "answer":
                judged[is_flagged] += number
            else:
                others += number
        labels.update(each.labels)
    verified = judged.total()
    answers = sum(each.answers for each in counts)
    if others:
        answers = max(verified, round(answers * verified / (verified + others)))
    return SampledStratum(
        answers=answers,
        verified=verified,
        flagged=judged[True],
        of_flagged=_to_labels(labels, is_flagged=True),
        of_others=_to_labels(labels, is_flagged=False),
    )


def _to_labels(labels: Counter[tuple[bool, str]], *, is_flagged: bool) -> Labels:
    found = {word: labels[is_flagged, word] for word in ("correct", "wrong", "unclear")}
    return Labels(labelled=sum(found.values()), wrong=found["wrong"], unclear=found["unclear"])


def _weigh(counts: Sequence[SampleCount]) -> float:
    """How many answers the chosen ones stand for: the sum of 1 / p. It should be about ``answers``.

    A stratum that nobody is chosen from stands for nothing.
    """
    return sum(
        each.chosen * MAX_THRESHOLD / (MAX_THRESHOLD - each.group.threshold)
        for each in counts
        if each.group.threshold < MAX_THRESHOLD
    )


def _describe_alarm(version: AlarmVersion, state: AlarmState) -> dict[str, Any]:
    mean = state.total_share / state.samples
    return {
        "stratum": version.stratum,
        "version": version.version,
        "model": version.model,
        "index_version": version.index_version,
        "budget": version.budget,
        "alpha": version.alpha,
        "gap": version.gap,
        "samples": state.samples,
        "mean_share": mean,
        "budget_ratio": mean / version.budget,
        "log_e_value": state.log_e_value,
        "log_statistic": state.log_statistic,
        "budget_breached": state.is_budget_raised,
    }


def _to_json(interval: Interval) -> dict[str, Any]:
    return {
        "estimate": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "method": interval.method,
    }
