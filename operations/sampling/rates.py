"""Valid rates: the judge's flags, the truth by people's labels, and the alarms."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, get_args

import structlog

from spanproof.core.errors import SpanproofError
from spanproof.core.moment import write_moment
from spanproof.monitor.estimate import (
    Bounds,
    Labels,
    SampledStratum,
    compute_flagged,
    compute_true_rate,
)
from spanproof.monitor.sampling import MAX_THRESHOLD
from spanproof.monitor.sampling_plan import parse_plan
from spanproof.operations.sampling.alarms import alarm_to_json
from spanproof.operations.sampling.drawing import list_drawn_late
from spanproof.store.samples.counts import SampleFilter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.operations.context import Context
    from spanproof.store.samples.records import AlarmState, AlarmVersion, SampleCount

#: By what rates can be told apart.
By = Literal["all", "tenant", "model", "index_version", "stratum", "epoch"]
BY: tuple[By, ...] = get_args(By)
CONFIDENCE = 0.95
#: By epoch: the probabilities of a flagged answer and of another one to be shown to people.
_ReviewDraws = dict[str, tuple[float, float]]
#: Callers choose models and index versions: so many groups are shown, those with most answers.
MAX_GROUPS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RatesReport:
    """The rates of each group, the state of the alarms, and the raised alarms."""

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
    context: Context, *, by: By = "all", wanted: SampleFilter | None = None
) -> RatesReport:
    """The rates of what came in and passes the filter, told apart ``by`` one thing."""
    samples = context.store.samples
    wanted = wanted or SampleFilter()
    # Count traces first: a verification meanwhile may add answers, never traces alone.
    traces = samples.count_traces(wanted, None if by == "all" else by)
    if by == "all":
        traces = {"all": traces[None]}
    cells: dict[str | None, list[SampleCount]] = {}
    for each in samples.count(wanted):
        name = "all" if by == "all" else getattr(each.group, by)
        cells.setdefault(name, []).append(each)
    most = sorted(cells.items(), key=lambda item: -sum(each.answers for each in item[1]))
    draws = _find_review_draws(context, {each.group.epoch for _, c in most for each in c})
    return RatesReport(
        by=by,
        groups=tuple(
            _describe_group(name, counts, traces.get(name, 0), draws)
            for name, counts in most[:MAX_GROUPS]
        ),
        alarms=tuple(
            _describe_alarm(version, state) for version, state in samples.alarms.list_states()
        ),
        raised=tuple(alarm_to_json(each) for each in samples.alarms.list_raised()),
        incidents=tuple(
            {
                "answer_id": each.answer_id,
                "verdict": each.position,
                "kind": each.kind,
                "status": each.status,
                "raised_at": write_moment(each.raised_at),
            }
            for each in samples.outcomes.list_incidents()
        ),
    )


def _find_review_draws(context: Context, epochs: set[str]) -> _ReviewDraws:
    """With which probabilities each epoch draws flagged and other answers for people."""
    shelf = context.store.samples.epochs
    plans = {name: parse_plan(shelf.load(name).plan_json) for name in epochs}
    return {name: (plan.review_flagged, plan.review_others) for name, plan in plans.items()}


def _describe_group(
    name: str | None, counts: Sequence[SampleCount], traces: int, draws: _ReviewDraws
) -> dict[str, Any]:
    results: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for each in counts:
        for (kind, result, _), number in each.outcomes.items():
            kinds[kind] += number
            if kind == "answer":
                results[result] += number
    strata = _gather_strata(counts, draws)
    unsure = _gather_strata(counts, draws, with_erased=True)
    verified = sum(stratum.verified for stratum in strata)
    labelled = sum(s.of_flagged.labelled + s.of_others.labelled for s in strata)
    counted = sum(each.counted for each in counts)
    total_share = sum(each.total_share for each in counts)
    return {
        "group": name,
        "answers": sum(each.answers for each in counts),
        "chosen": sum(each.chosen for each in counts),
        "weighed": _estimate_weight(counts),
        "verified": verified,
        "traces": traces,
        "results": {word: results[word] for word in ("pass", "fail", "review", "error")},
        "not_answers": sum(kinds.values()) - kinds["answer"],
        "refused": sum(each.refused for each in counts),
        "erased": sum(each.erased for each in counts),
        "labelled": labelled,
        "citations": sum(each.citations for each in counts),
        "failed_citations": sum(each.failed_citations for each in counts),
        "mean_share": total_share / counted if counted else None,
        "judge_flagged": _to_json(compute_flagged(strata, confidence=CONFIDENCE))
        if verified
        else None,
        "true_rate": _to_json(compute_true_rate(unsure, confidence=CONFIDENCE))
        if labelled
        else None,
    }


def _gather_strata(
    counts: Sequence[SampleCount], draws: _ReviewDraws, *, with_erased: bool = False
) -> list[SampledStratum]:
    """One stratum for each name and probability, of the draw and of both reviews.

    Labels that were drawn with different probabilities are never one sample. Epochs that share all
    of them are: then they must be labelled in the order of the draw.
    """
    cells: dict[tuple[str, int, tuple[float, float]], list[SampleCount]] = {}
    for each in counts:
        group = each.group
        key = (group.stratum, group.threshold, draws[group.epoch])
        cells.setdefault(key, []).append(each)
    return [_gather(group, with_erased=with_erased) for group in cells.values()]


def _gather(counts: Sequence[SampleCount], *, with_erased: bool) -> SampledStratum:
    """The counts as one stratum; ``with_erased`` counts erased answers as refused.

    No one can know whether an erased answer was right: it widens the interval only.

    Abstentions and questions are no answers: their share is taken out of the number that came in.
    Then the number of answers is an estimate, and at least one more while any is not verified.
    """
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
    answers = came = sum(each.answers for each in counts)
    if others:
        left = came - verified - others
        answers = max(verified + (left > 0), round(came * verified / (verified + others)))
    erased = sum(each.erased for each in counts) if with_erased else 0
    return SampledStratum(
        answers=max(answers, verified + erased),
        verified=verified + erased,
        flagged=judged[True] + erased,
        refused=sum(each.refused for each in counts) + erased,
        of_flagged=_to_labels(labels, is_flagged=True),
        of_others=_to_labels(labels, is_flagged=False),
    )


def _to_labels(labels: Counter[tuple[bool, str]], *, is_flagged: bool) -> Labels:
    found = {word: labels[is_flagged, word] for word in ("correct", "wrong", "unclear")}
    return Labels(labelled=sum(found.values()), wrong=found["wrong"], unclear=found["unclear"])


def _estimate_weight(counts: Sequence[SampleCount]) -> float:
    """How many answers the chosen ones represent: the sum of 1 / p. It should be about ``answers``.

    A stratum without a chosen answer stands for nothing.
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


def _to_json(interval: Bounds) -> dict[str, Any]:
    return {
        "estimate": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "method": interval.method,
    }


#: A change that was raised within it is shown: longer than any scrape interval.
SHOWN = timedelta(hours=1)
_ALARMS = 50


def refresh_metrics(context: Context) -> None:
    """Set the gauges of alarms, of what waits and of the last success; one that fails is logged."""
    samples, metrics = context.store.samples, context.metrics.sampling
    now, alarms = datetime.now(UTC), samples.alarms
    since = now - SHOWN
    try:
        lately = [each for each in alarms.list_raised(_ALARMS) if each.raised_at >= since]
        metrics.set_alarms(alarms.list_states(), lately)
        oldest = samples.answers.page_waiting(limit=1)
        # A clock that was set back makes no answer younger than it can be.
        ages = [max((now - each.received_at).total_seconds(), 0.0) for each in oldest]
        metrics.set_waiting(samples.answers.count_waiting(), oldest_seconds=max(ages, default=0.0))
        undrawn = (samples.draws.find_oldest_waiting(each) for each in list_drawn_late(context))
        metrics.set_undrawn(
            max((max((now - at).total_seconds(), 0.0) for at in undrawn if at), default=0.0)
        )
        moment = samples.outcomes.find_last_moment()
        if moment is not None:
            metrics.record_success(moment)
    except SpanproofError as error:
        # The other counters are told all the same, and the gauges keep what was last known.
        structlog.get_logger().warning("metrics_not_refreshed", code=error.code)
