"""Alarms with a proved rate of false ones, looked at after every answer, for ever.

``x`` is the share in [0, 1] of an answer's citations that failed, ``budget`` the rate that was
agreed on. Nothing is assumed of the answers but that, while all is well, the expectation of the
next ``x`` given all before it is at most the budget; they may well depend on each other.

- Budget: M = mean over bets of the product of 1 + bet * (x - budget) is a nonnegative
  supermartingale, so the probability that it *ever* reaches 1 / alpha is at most alpha (Ville's
  inequality; Waudby-Smith and Ramdas, JRSS B 2024). It is the statement of a breached contract.
- Change: R = (R + 1) * (1 + bet * (x - budget)), averaged over bets, is a Shiryaev-Roberts
  e-detector: on average at least A answers pass before R reaches A while all is well (Shin, Ramdas
  and Rinaldo, 2024). It is the one that pages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from spanproof.core.errors import InputError

#: How many bets are laid at once, and the smallest and largest as a share of what is allowed.
BETS = 16
_LEAST, _MOST = 0.02, 0.95


def make_bets(budget: float) -> tuple[float, ...]:
    """Geometric bets between 0.02 / budget and 0.95 / budget; InputError outside of (0, 1)."""
    if not 0 < budget < 1:
        msg = f"Expected a budget in (0, 1), got {budget!r}."
        raise InputError(msg, hint="Give the share of failed citations that was agreed on.")
    ratio = (_MOST / _LEAST) ** (1 / (BETS - 1))
    return tuple(_LEAST * ratio**number / budget for number in range(BETS))


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetAlarm:
    """The e-process of one version; ``logs`` are the logarithms of its bets' products."""

    budget: float
    alpha: float
    logs: tuple[float, ...] = (0.0,) * BETS
    samples: int = 0

    def __post_init__(self) -> None:
        make_bets(self.budget)
        if not 0 < self.alpha < 1 or len(self.logs) != BETS:
            msg = f"Expected alpha in (0, 1), got {self.alpha!r}."
            raise InputError(msg, hint="Give the probability of a false alarm, ever.")

    @property
    def log_e_value(self) -> float:
        """Ln M: how strongly the answers so far speak against "within the budget"."""
        return _log_mean(self.logs)

    @property
    def is_raised(self) -> bool:
        """Whether M has reached 1 / alpha now; a store of alarms must remember that it once had."""
        return self.log_e_value >= -math.log(self.alpha)

    def update(self, x: float) -> BudgetAlarm:
        """The alarm after one more answer; InputError for a share outside of [0, 1]."""
        excess = _check_share(x) - self.budget
        logs = tuple(
            log + math.log1p(bet * excess)
            for log, bet in zip(self.logs, make_bets(self.budget), strict=True)
        )
        return replace(self, logs=logs, samples=self.samples + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeAlarm:
    """The Shiryaev-Roberts detector; ``logs`` are the logarithms of R + 1 for each bet."""

    budget: float
    gap: float
    logs: tuple[float, ...] = (0.0,) * BETS
    samples: int = 0

    def __post_init__(self) -> None:
        make_bets(self.budget)
        if not self.gap > 1 or len(self.logs) != BETS:
            msg = f"Expected a mean gap above 1 answer, got {self.gap!r}."
            raise InputError(msg, hint="Give how many answers a false alarm may cost on average.")

    @property
    def log_statistic(self) -> float:
        """Ln R; minus infinity before the first answer."""
        mean = _log_mean(self.logs)
        # Every term is R + 1, so the mean of R is the mean of them less 1.
        return mean + math.log(-math.expm1(-mean)) if mean > 0 else -math.inf

    @property
    def is_raised(self) -> bool:
        """Whether R has reached the gap now."""
        return self.log_statistic >= math.log(self.gap)

    def update(self, x: float) -> ChangeAlarm:
        """The alarm after one more answer; InputError for a share outside of [0, 1]."""
        excess = _check_share(x) - self.budget
        logs = tuple(
            _log_one_more(log + math.log1p(bet * excess))
            for log, bet in zip(self.logs, make_bets(self.budget), strict=True)
        )
        return replace(self, logs=logs, samples=self.samples + 1)


def spend_alpha(alpha: float, version: int) -> float:
    """What the ``version``-th version (from 1) may spend: over all of them it is alpha together."""
    return alpha / (version * (version + 1))


def _check_share(x: float) -> float:
    if not 0 <= x <= 1:
        msg = f"Expected a share in [0, 1], got {x!r}."
        raise InputError(msg, hint="Give the failed citations of an answer over all of them.")
    return x


def _log_mean(logs: tuple[float, ...]) -> float:
    most = max(logs)
    return most + math.log(math.fsum(math.exp(log - most) for log in logs) / len(logs))


def _log_one_more(log: float) -> float:
    """ln(1 + exp(log)), also where exp would overflow."""
    return log + math.log1p(math.exp(-log)) if log > 0 else math.log1p(math.exp(log))
