"""Sampling's metrics for Prometheus: chosen answers, their results, the state of each alarm.

The alarms are computed where answers are verified and kept in the database; a scrape only reads
them, so that one that is missed breaks no guarantee.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from prometheus_client import Counter, Gauge

from spanproof.core.verdicts.status import IdentityStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from prometheus_client import CollectorRegistry

    from spanproof.core.verdicts.verdict import Verdict
    from spanproof.store.samples.records import AlarmState, AlarmVersion, IncidentKind, RaisedAlarm

_STRATUM = ["stratum"]


class SamplingMetrics:
    """Counters and gauges of one process; strata are few, by the plan."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._newest = 0.0
        self._submitted = Counter(
            "spanproof_answers_submitted", "Answers that came in.", _STRATUM, registry=registry
        )
        self._sampled = Counter(
            "spanproof_answers_sampled",
            "Answers that were chosen to be verified.",
            _STRATUM,
            registry=registry,
        )
        self._outcomes = Counter(
            "spanproof_sampled_verifications",
            "Chosen answers that were verified, by result.",
            [*_STRATUM, "result"],
            registry=registry,
        )
        self._incidents = Counter(
            "spanproof_sampling_incidents",
            "Citations of chosen answers with false words or a false document.",
            ["kind"],
            registry=registry,
        )
        self._citations = Counter(
            "spanproof_citations_verified",
            "Citations verified, by check and outcome.",
            ["check", "outcome"],
            registry=registry,
        )
        self._budget = Gauge(
            "spanproof_budget_log_e_value",
            "Ln of the e-value against 'within the budget', less what its version may not spend: "
            "the greatest of the stratum's versions. At -ln(alpha) the budget is breached.",
            _STRATUM,
            registry=registry,
        )
        self._change = Gauge(
            "spanproof_change_log_sr",
            "Ln of the Shiryaev-Roberts statistic, the greatest of the stratum's versions. At "
            "ln(gap) the rate has changed.",
            _STRATUM,
            registry=registry,
        )
        self._ratio = Gauge(
            "spanproof_budget_ratio",
            "Mean share of failed citations over the budget, of the stratum's newest version.",
            _STRATUM,
            registry=registry,
        )
        self._raised = Gauge(
            "spanproof_budget_breached",
            "1 where the budget alarm of a version of the stratum was ever raised.",
            _STRATUM,
            registry=registry,
        )
        self._changed = Gauge(
            "spanproof_change_raised",
            "1 for an hour after the change alarm of a version of the stratum was raised.",
            _STRATUM,
            registry=registry,
        )
        self._waiting = Gauge(
            "spanproof_sampled_answers_waiting",
            "Chosen answers without an outcome.",
            registry=registry,
        )
        self._oldest = Gauge(
            "spanproof_oldest_waiting_answer_seconds",
            "Age of the oldest chosen answer without an outcome, in seconds; 0 where none waits.",
            registry=registry,
        )
        self._undrawn = Gauge(
            "spanproof_oldest_undrawn_answer_seconds",
            "Age of the oldest answer that a witness has still to draw, in seconds; 0 for none.",
            registry=registry,
        )
        self._last_success = Gauge(
            "spanproof_last_success_timestamp_seconds",
            "When an answer was last verified, in seconds since 1970.",
            registry=registry,
        )

    def count_answer(self, stratum: str, *, is_sampled: bool) -> None:
        """One answer that came in."""
        self._submitted.labels(stratum=stratum).inc()
        if is_sampled:
            self._sampled.labels(stratum=stratum).inc()

    def count_chosen(self, stratum: str) -> None:
        """One answer that was chosen later than it came in."""
        self._sampled.labels(stratum=stratum).inc()

    def count_outcome(self, stratum: str, result: str) -> None:
        """One chosen answer that was verified."""
        self._outcomes.labels(stratum=stratum, result=result).inc()

    def count_incident(self, kind: IncidentKind) -> None:
        """One citation that must not be."""
        self._incidents.labels(kind=kind).inc()

    def count_verdicts(self, verdicts: Sequence[Verdict]) -> None:
        """The citations of one answer: was the span there, did it support, the outcome."""
        for verdict in verdicts:
            span = judge_span(verdict.identity.status.value, verdict.existence.status.value)
            # Words that stand in a submitted text say nothing about documents.
            is_snippet = verdict.identity.status is IdentityStatus.SNIPPET
            check = "snippet" if is_snippet else "span"
            self._citations.labels(check=check, outcome=span).inc()
            support = judge_support(verdict.support.status.value)
            self._citations.labels(check="entailment", outcome=support).inc()
            self._citations.labels(check="citation", outcome=verdict.outcome.value).inc()

    def record_success(self, moment: datetime) -> None:
        """That an answer was verified; an older moment changes nothing."""
        self._newest = max(self._newest, moment.timestamp())
        self._last_success.set(self._newest)

    def set_undrawn(self, oldest_seconds: float) -> None:
        """How long the oldest answer waits for its draw."""
        self._undrawn.set(oldest_seconds)

    def set_alarms(
        self,
        states: Iterable[tuple[AlarmVersion, AlarmState]],
        raised_lately: Iterable[RaisedAlarm] = (),
    ) -> None:
        """The newest state of each version; the strata show their worst.

        The change's statistic begins again after an alarm: one that was raised lately is shown
        instead, or a scrape between two answers would never see it.
        """
        budget: dict[str, float] = {}
        change: dict[str, float] = {}
        ratio: dict[str, float] = {}
        raised: dict[str, bool] = {}
        for version, state in states:
            name = version.stratum
            spent = state.log_e_value - math.log(version.version * (version.version + 1))
            budget[name] = max(spent, budget.get(name, -math.inf))
            statistic = -math.inf if state.log_statistic is None else state.log_statistic
            change[name] = max(statistic, change.get(name, -math.inf))
            ratio[name] = state.total_share / state.samples / version.budget
            raised[name] = state.is_budget_raised or raised.get(name, False)
        changed: set[str] = set()
        for alarm in raised_lately:
            if alarm.kind == "change" and alarm.stratum in change:
                changed.add(alarm.stratum)
                change[alarm.stratum] = max(alarm.log_value, change[alarm.stratum])
        for name, value in budget.items():
            self._budget.labels(stratum=name).set(value)
            self._change.labels(stratum=name).set(change[name])
            self._ratio.labels(stratum=name).set(ratio[name])
            self._raised.labels(stratum=name).set(int(raised[name]))
            self._changed.labels(stratum=name).set(int(name in changed))

    def set_waiting(self, count: int, *, oldest_seconds: float) -> None:
        """How many chosen answers wait, and since when the oldest of them does."""
        self._waiting.set(count)
        self._oldest.set(oldest_seconds)


def judge_span(identity: str, existence: str) -> str:
    """pass, fail, review or error: whether the cited words are at their cited place."""
    if identity == "HASH_MISMATCH" or existence in {
        "ALTERED",
        "ABSENT",
        "STITCHED",
        "MISATTRIBUTED",
    }:
        return "fail"
    if existence in {"EXACT", "FOLD_EQUAL", "EDITORIAL"}:
        return "pass"
    return "review" if existence in {"MOVED", "AMBIGUOUS"} else "error"


def judge_support(status: str) -> str:
    """pass, fail, review or error: whether the span supports the claim, by the model."""
    if status in {"NEUTRAL", "CONTRADICTED"}:
        return "fail"
    return {"ENTAILED": "pass", "BORDERLINE": "review"}.get(status, "error")
