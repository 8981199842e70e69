"""False alarms and delays of the two alarms: ``python -m bench.alarms [--runs 300]``.

Answers of one citation fail independently at a rate that may step up; a rolling Wilson interval,
looked at every 50 answers, stands beside them. The arrays follow ``spanproof.monitor.alarm`` step
by step; ``tests/monitor/test_alarm.py`` holds the two against each other.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spanproof.monitor.alarm import make_bets
from spanproof.monitor.estimate import compute_wilson

BUDGET, ALPHA, GAP = 0.03, 0.01, 1e5
_WINDOW, _LOOK = 500, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A failure rate, and another from answer ``step`` on."""

    name: str
    before: float
    after: float
    step: int
    answers: int


SCENARIOS = (
    Scenario(name="3 % throughout", before=0.03, after=0.03, step=0, answers=20_000),
    Scenario(name="2 % throughout", before=0.02, after=0.02, step=0, answers=20_000),
    Scenario(name="2 % to 4.5 %", before=0.02, after=0.045, step=3000, answers=12_000),
    Scenario(name="2 % to 6 %", before=0.02, after=0.06, step=3000, answers=12_000),
    Scenario(name="2 % to 10 %", before=0.02, after=0.10, step=3000, answers=12_000),
    Scenario(name="6 % from the start", before=0.06, after=0.06, step=0, answers=12_000),
)


def draw_failures(scenario: Scenario, runs: int, seed: int) -> np.ndarray:
    """Shares of failed citations, a row a run, a column an answer."""
    random = np.random.default_rng(seed)
    rates = np.where(np.arange(scenario.answers) < scenario.step, scenario.before, scenario.after)
    return (random.random((runs, scenario.answers)) < rates).astype(np.float64)


def find_budget_alarms(shares: np.ndarray) -> np.ndarray:
    """The first answer (from 1) at which the budget alarm is raised; 0: never. One a run."""
    return _find_first(shares, is_change=False)


def find_change_alarms(shares: np.ndarray) -> np.ndarray:
    """The same for the change alarm."""
    return _find_first(shares, is_change=True)


def _find_first(shares: np.ndarray, *, is_change: bool) -> np.ndarray:
    bets = np.asarray(make_bets(BUDGET))
    logs = np.zeros((len(shares), len(bets)))
    first = np.zeros(len(shares), dtype=np.int64)
    limit = math.log(GAP) if is_change else -math.log(ALPHA)
    for number in range(shares.shape[1]):
        logs += np.log1p(bets * (shares[:, number, None] - BUDGET))
        reached = _log_mean(logs)
        if is_change:
            logs = np.logaddexp(logs, 0.0)
        first[(first == 0) & (reached >= limit)] = number + 1
    return first


def find_window_alarms(shares: np.ndarray) -> np.ndarray:
    """The same for a rolling 99 % Wilson interval above the budget."""
    first = np.zeros(len(shares), dtype=np.int64)
    lows = [compute_wilson(k, _WINDOW, confidence=0.99).low for k in range(_WINDOW + 1)]
    sums = np.cumsum(np.pad(shares, ((0, 0), (1, 0))), axis=1)
    for end in range(_WINDOW, shares.shape[1] + 1, _LOOK):
        counts = np.rint(sums[:, end] - sums[:, end - _WINDOW]).astype(int)
        is_above = np.asarray([lows[count] > BUDGET for count in counts])
        first[(first == 0) & is_above] = end
    return first


def _log_mean(logs: np.ndarray) -> np.ndarray:
    most = logs.max(axis=1)
    return np.asarray(most + np.log(np.exp(logs - most[:, None]).mean(axis=1)))


def describe(first: np.ndarray, step: int) -> dict[str, float | None]:
    """The share of runs with an alarm, with one before the step, and the median delay after it."""
    late = first[first > step]
    return {
        "raised": float((first > 0).mean()),
        "before_step": float(((first > 0) & (first <= step)).mean()),
        "median_delay": float(np.median(late - step)) if len(late) else None,
    }


def main() -> None:
    """Draw, watch, print the table, write JSON where a path is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    finders = {
        f"e-process, alpha {ALPHA}": find_budget_alarms,
        f"Shiryaev-Roberts, gap {GAP:g}": find_change_alarms,
        "rolling Wilson 99 %": find_window_alarms,
    }
    figures = []
    print(f"budget {BUDGET:.0%}, {arguments.runs} runs, seed {arguments.seed}")
    for scenario in SCENARIOS:
        shares = draw_failures(scenario, arguments.runs, arguments.seed)
        for name, find in finders.items():
            row = describe(find(shares), scenario.step)
            figures.append({"scenario": scenario.name, "alarm": name, **row})
            delay = "-" if row["median_delay"] is None else f"{row['median_delay']:.0f}"
            print(f"{scenario.name:20} {name:28} raised {row['raised']:6.1%}  delay {delay}")
            sys.stdout.flush()
    if arguments.output is not None:
        arguments.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
