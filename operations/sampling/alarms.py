"""The alarms of ``monitor.alarm`` over kept outcomes: each state follows from the last."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import structlog

from spanproof.core.errors import SpanproofError
from spanproof.core.moment import write_moment
from spanproof.monitor.alarm import BETS, BudgetAlarm, ChangeAlarm, spend_alpha
from spanproof.monitor.sampling_plan import parse_plan
from spanproof.operations.webhooks.endpoints import notify
from spanproof.store.samples.records import AlarmState, RaisedAlarm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.operations.context import Context
    from spanproof.store.samples.records import AlarmKind, AlarmVersion, Outcome

_FRESH = (0.0,) * BETS
_EVENT = "alarm.raised"


def advance_alarms(context: Context) -> list[RaisedAlarm]:
    """Update the alarms with the new verifications, in order; return the raised alarms."""
    samples = context.store.samples

    @cache
    def load_plan(epoch: str) -> str:
        return samples.epochs.load(epoch).plan_json

    def find_contract(epoch: str, stratum: str) -> tuple[float, float, float]:
        contract = parse_plan(load_plan(epoch)).find_contract(stratum)
        return contract.budget, contract.alpha, contract.gap

    now = datetime.now(UTC)
    raised = samples.alarms.advance(find_contract, step, at=now)
    for each in raised:
        # The moment that its row has.
        told = alarm_to_json(replace(each, raised_at=now))
        announce(context, _EVENT, told, event_id=_name_event(each))
    return raised


def resend_alarms(context: Context) -> None:
    """Tell webhooks of the newest alarms once more: a crash may have come before they were told.

    No webhook gets an alarm twice, or one from before the webhook was made. Logs an error.
    """
    try:
        webhooks = context.store.deliveries.list_webhooks()
        made = [each.created_at for each in webhooks if each.wants(_EVENT)]
        if not made:
            return
        for alarm in context.store.samples.alarms.list_raised():
            if alarm.raised_at >= min(made):
                notify(context, _EVENT, alarm_to_json(alarm), event_id=_name_event(alarm))
    except Exception as error:  # noqa: BLE001 - the caller goes on; the next start tries again
        code = error.code if isinstance(error, SpanproofError) else type(error).__name__
        structlog.get_logger().warning("alarms_not_told", code=code)


def _name_event(alarm: RaisedAlarm) -> str:
    return f"{_EVENT}/{alarm.stratum}/{alarm.version}/{alarm.kind}/{alarm.samples}"


def step(
    version: AlarmVersion, state: AlarmState | None, outcome: Outcome
) -> tuple[AlarmState, tuple[RaisedAlarm, ...]]:
    """Both alarms after one more answer. The budget's stays raised, the change's begins again."""
    share = outcome.share if outcome.share is not None else 0.0
    samples = 0 if state is None else state.samples
    budget = BudgetAlarm(
        budget=version.budget,
        # All versions together spend alpha, however many there are.
        alpha=spend_alpha(version.alpha, version.version),
        logs=_FRESH if state is None else state.budget_logs,
        samples=samples,
    ).update(share)
    change = ChangeAlarm(
        budget=version.budget,
        gap=version.gap,
        logs=_FRESH if state is None else state.change_logs,
        samples=samples,
    ).update(share)
    was_raised = state is not None and state.is_budget_raised
    raised: list[RaisedAlarm] = []

    def add(kind: AlarmKind, value: float, limit: float) -> None:
        raised.append(
            RaisedAlarm(
                stratum=version.stratum,
                version=version.version,
                kind=kind,
                samples=samples + 1,
                number=outcome.number,
                log_value=value,
                log_limit=limit,
                raised_at=outcome.verified_at,
            )
        )

    if budget.is_raised and not was_raised:
        add("budget", budget.log_e_value, -math.log(budget.alpha))
    if change.is_raised:
        add("change", change.log_statistic, math.log(change.gap))
    statistic = change.log_statistic
    after = AlarmState(
        samples=samples + 1,
        number=outcome.number,
        total_share=share + (0.0 if state is None else state.total_share),
        budget_logs=budget.logs,
        change_logs=_FRESH if change.is_raised else change.logs,
        log_e_value=budget.log_e_value,
        log_statistic=None if statistic == -math.inf else statistic,
        is_budget_raised=was_raised or budget.is_raised,
    )
    return after, tuple(raised)


def alarm_to_json(alarm: RaisedAlarm) -> dict[str, str | int | float]:
    """An alarm as doors and webhooks show it."""
    return {
        "stratum": alarm.stratum,
        "version": alarm.version,
        "alarm": alarm.kind,
        "samples": alarm.samples,
        "log_value": alarm.log_value,
        "log_limit": alarm.log_limit,
        "raised_at": write_moment(alarm.raised_at),
    }


def announce(context: Context, event_type: str, data: Mapping[str, Any], *, event_id: str) -> None:
    """Announce an alarm or an incident; ``data`` holds ids and figures, no words of an answer.

    A repeated ``event_id`` sends no second message.
    """
    structlog.get_logger().warning(event_type, **data)
    notify(context, event_type, data, event_id=event_id)
