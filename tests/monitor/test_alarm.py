"""Alarms: rarely false, as proved; soon true; the same step by step and in arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import alarms
from spanproof.core.errors import InputError
from spanproof.monitor.alarm import (
    BETS,
    BudgetAlarm,
    ChangeAlarm,
    make_bets,
    spend_alpha,
)

SEED = 20261122


def budget_alarm() -> BudgetAlarm:
    return BudgetAlarm(budget=alarms.BUDGET, alpha=alarms.ALPHA)


def change_alarm() -> ChangeAlarm:
    return ChangeAlarm(budget=alarms.BUDGET, gap=alarms.GAP)


def test_no_bet_can_lose_more_than_there_is() -> None:
    bets = make_bets(0.03)
    assert len(bets) == BETS
    assert all(1 - bet * 0.03 > 0 for bet in bets)
    assert bets[0] == pytest.approx(0.02 / 0.03)
    assert bets[-1] == pytest.approx(0.95 / 0.03)


@given(st.lists(st.floats(0, 1), max_size=60))
def test_the_e_process_is_the_mean_of_its_bets(shares: list[float]) -> None:
    alarm = budget_alarm()
    for x in shares:
        alarm = alarm.update(x)
    products = [math.prod(1 + bet * (x - alarms.BUDGET) for x in shares) for bet in make_bets(0.03)]
    mean = math.fsum(products) / BETS
    assert alarm.log_e_value == pytest.approx(math.log(mean), abs=1e-8)
    assert alarm.samples == len(shares)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_the_detector_is_the_recursion_of_shiryaev_and_roberts(shares: list[float]) -> None:
    alarm, values = change_alarm(), [0.0] * BETS
    for x in shares:
        alarm = alarm.update(x)
        values = [
            (value + 1) * (1 + bet * (x - alarms.BUDGET))
            for value, bet in zip(values, make_bets(alarms.BUDGET), strict=True)
        ]
    assert alarm.log_statistic == pytest.approx(math.log(math.fsum(values) / BETS), abs=1e-8)


@given(st.floats(0, 0.03), st.lists(st.sampled_from([0.0, 1.0]), max_size=20))
def test_within_the_budget_nothing_is_to_be_gained(rate: float, before: list[float]) -> None:
    """The supermartingale itself: the expectation of the next value is at most this one."""
    alarm = budget_alarm()
    for x in before:
        alarm = alarm.update(x)
    now = math.exp(alarm.log_e_value)
    after = rate * math.exp(alarm.update(1.0).log_e_value)
    after += (1 - rate) * math.exp(alarm.update(0.0).log_e_value)
    assert after <= now * (1 + 1e-9)


def test_arrays_and_single_steps_raise_the_alarm_at_the_same_answer() -> None:
    scenario = alarms.Scenario(name="", before=0.02, after=0.2, step=100, answers=600)
    shares = alarms.draw_failures(scenario, 3, SEED)
    for find, start in (
        (alarms.find_budget_alarms, budget_alarm()),
        (alarms.find_change_alarms, change_alarm()),
    ):
        for row, expected in zip(shares, find(shares), strict=True):
            alarm: BudgetAlarm | ChangeAlarm = start
            first = 0
            for number, x in enumerate(row, start=1):
                alarm = alarm.update(float(x))
                if alarm.is_raised and not first:
                    first = number
            assert first == expected > 0


def test_false_alarms_are_as_rare_as_proved_and_a_step_is_found() -> None:
    runs, answers = 100, 5000
    calm = alarms.Scenario(name="", before=0.03, after=0.03, step=0, answers=answers)
    shares = alarms.draw_failures(calm, runs, SEED)
    # At most alpha of the runs: 1 expected of 100 at the bound, and 5 are beyond 3 deviations.
    by_proof = (alarms.find_budget_alarms(shares) > 0).sum()
    assert by_proof <= 5
    # A mean gap of 100,000 answers: at most a twentieth of the runs within 5,000 on average.
    assert (alarms.find_change_alarms(shares) > 0).mean() <= 0.10
    # A rolling interval, looked at again and again, has no such bound.
    assert (alarms.find_window_alarms(shares) > 0).sum() > 5 * max(by_proof, 1)
    stepped = alarms.Scenario(name="", before=0.02, after=0.10, step=1500, answers=3000)
    found = alarms.find_change_alarms(alarms.draw_failures(stepped, runs, SEED))
    late = found[found > 1500] - 1500
    assert len(late) >= 0.97 * runs
    assert np.median(late) <= 250


def test_before_the_first_answer_nothing_is_said() -> None:
    assert budget_alarm().log_e_value == 0
    assert change_alarm().log_statistic == -math.inf
    assert not change_alarm().is_raised


def test_values_far_beyond_a_float_stay_finite() -> None:
    budget, change = budget_alarm(), change_alarm()
    for _ in range(2000):
        budget, change = budget.update(1.0), change.update(1.0)
    assert math.isfinite(budget.log_e_value)
    assert math.isfinite(change.log_statistic)
    assert budget.is_raised
    assert change.is_raised


def test_versions_spend_alpha_together() -> None:
    assert sum(spend_alpha(0.01, version) for version in range(1, 10_000)) <= 0.01


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(InputError, match="share"):
        budget_alarm().update(share)
    with pytest.raises(InputError, match="share"):
        change_alarm().update(share)


@pytest.mark.parametrize("budget", [0.0, 1.0, -1.0])
def test_a_budget_that_is_none_is_refused(budget: float) -> None:
    with pytest.raises(InputError, match="budget"):
        BudgetAlarm(budget=budget, alpha=0.01)
    with pytest.raises(InputError, match="alpha"):
        BudgetAlarm(budget=0.03, alpha=0)
    with pytest.raises(InputError, match="gap"):
        ChangeAlarm(budget=0.03, gap=1)
