"""The alarms as the service runs them: the same as the simulated ones, and through a restart."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from bench import alarms
from spanproof.monitor.alarm import spend_alpha
from spanproof.operations.sampling.alarms import advance_alarms, step
from spanproof.operations.sampling.rates import refresh_metrics
from spanproof.store.samples.records import AlarmVersion, Outcome, SubmittedAnswer
from tests.operations.sampling.conftest import GOOD, make_payload, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context
    from spanproof.store.samples.records import AlarmState, RaisedAlarm

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
#: The alpha of the first version is the one of the simulation.
VERSION = AlarmVersion(
    stratum="all",
    version=1,
    model=None,
    index_version=None,
    budget=alarms.BUDGET,
    alpha=2 * alarms.ALPHA,
    gap=alarms.GAP,
)


def make_outcome(number: int, share: float, answer_id: str = "a") -> Outcome:
    return Outcome(
        answer_id=answer_id,
        number=number,
        verification_id=None,
        answer_kind="answer",
        result="error",
        is_flagged=share > 0,
        cited=1,
        failed=round(share),
        share=share,
        problem_code=None,
        verified_at=NOON,
    )


def run_steps(shares: np.ndarray) -> list[RaisedAlarm]:
    """Every alarm that the service's own step raises over a row of shares."""
    state: AlarmState | None = None
    raised: list[RaisedAlarm] = []
    for number, share in enumerate(shares.tolist(), start=1):
        state, found = step(VERSION, state, make_outcome(number, share))
        raised.extend(found)
    return raised


def find_first(raised: list[RaisedAlarm], kind: str) -> int:
    return next((each.samples for each in raised if each.kind == kind), 0)


@pytest.mark.long
def test_the_service_raises_its_alarms_where_the_simulation_does() -> None:
    """A part of ``python -m bench.alarms``, whose full table is in docs/reference/benchmarks.md."""
    assert spend_alpha(VERSION.alpha, 1) == pytest.approx(alarms.ALPHA)
    scenarios = {each.name: each for each in alarms.SCENARIOS}
    for name, answers, runs in (("2 % to 10 %", 4000, 4), ("6 % from the start", 1500, 4)):
        scenario = scenarios[name]
        shares = alarms.draw_failures(scenario, runs, 20261122)[:, :answers]
        budget, change = alarms.find_budget_alarms(shares), alarms.find_change_alarms(shares)
        found = [run_steps(row) for row in shares]
        assert [find_first(each, "budget") for each in found] == budget.tolist()
        assert [find_first(each, "change") for each in found] == change.tolist()
        # Each was found, and no alarm came before its reason.
        late = change - min(scenario.step, answers)
        assert (change > 0).all()
        assert (late > 0).all()


@pytest.mark.slow
def test_false_alarms_of_the_service_are_as_rare_as_proved() -> None:
    """Some minutes: 60 rows of 5,000 answers at the budget, through the service's step."""
    random = np.random.default_rng(20261124)
    runs, answers = 60, 5000
    shares = (random.random((runs, answers)) < alarms.BUDGET).astype(float)
    found = [run_steps(row) for row in shares]
    assert sum(find_first(each, "budget") > 0 for each in found) <= 3
    total = sum(sum(alarm.kind == "change" for alarm in each) for each in found)
    # On average at least GAP answers between two: 300,000 answers give 3, and 12 are not chance.
    assert total <= 12


def keep_outcomes(context: Context, shares: list[float], first: int = 0) -> None:
    """Submit answers and keep an outcome of each, as if they had been verified."""
    for at, share in enumerate(shares, start=first):
        answer = submit(context, make_payload(f"a{at}", GOOD))
        assert isinstance(answer, SubmittedAnswer)
        context.store.samples.outcomes.add(
            make_outcome(answer.number, share, answer.answer_id), (), None
        )


def test_alarms_go_on_through_a_restart_and_are_told_to_prometheus(
    open_home: Callable[..., Any],
) -> None:
    plan = {"default": 1, "budget": 0.03, "alpha": 0.01, "gap": 200}
    shares = [0.0, 0.5, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    with open_home(plan) as context:
        keep_outcomes(context, shares[:3])
        assert advance_alarms(context) == []
    with open_home(plan) as context:
        keep_outcomes(context, shares[3:], first=3)
        raised = advance_alarms(context)
        ((version, state),) = context.store.samples.alarms.list_states()
        expected: AlarmState | None = None
        wanted: list[RaisedAlarm] = []
        for number, share in enumerate(shares, start=1):
            expected, found = step(version, expected, make_outcome(number, share))
            wanted.extend(found)
        assert state == expected
        assert raised == wanted
        assert {each.kind for each in raised} == {"budget", "change"}
        assert advance_alarms(context) == []
        refresh_metrics(context)
        text = context.metrics.render().decode()
        gauges = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
        value = float(gauges['spanproof_budget_log_e_value{stratum="all"}'])
        # One limit, -ln(alpha), whatever the version.
        assert value == pytest.approx(state.log_e_value - math.log(2))
        assert value >= -math.log(0.01)
        # Raised within the hour, so a scrape sees it although the detector began again.
        assert float(gauges['spanproof_change_log_sr{stratum="all"}']) >= math.log(200)
        assert gauges['spanproof_budget_breached{stratum="all"}'] == "1.0"
        assert gauges['spanproof_change_raised{stratum="all"}'] == "1.0"
        ratio = float(gauges['spanproof_budget_ratio{stratum="all"}'])
        assert ratio == pytest.approx(sum(shares) / len(shares) / 0.03)
        assert gauges["spanproof_sampled_answers_waiting"] == "0.0"
        assert float(gauges["spanproof_last_success_timestamp_seconds"]) == NOON.timestamp()
