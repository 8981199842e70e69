"""A budget ends work between two steps, and only the work that it was given to."""

from __future__ import annotations

import pytest

from spanproof.core.budget import Budget, BudgetSpentError, checkpoint, current_budget, spending


class Hand:
    """A clock that somebody moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_work_goes_on_until_its_time_is_spent_and_never_after() -> None:
    clock = Hand()
    with spending(Budget(2.0, clock=clock)) as budget:
        clock.now = 2.0
        checkpoint()
        assert not budget.is_spent
        clock.now = 2.5
        with pytest.raises(BudgetSpentError):
            checkpoint()
        clock.now = 0.0
        with pytest.raises(BudgetSpentError):
            checkpoint()
        assert budget.is_spent


def test_time_of_other_threads_counts() -> None:
    with spending(Budget(1.0, clock=Hand())) as budget:
        budget.charge(1.5)
        with pytest.raises(BudgetSpentError):
            checkpoint()


def test_a_hook_ends_work_that_has_time_left() -> None:
    def leave() -> None:
        raise LookupError

    with spending(Budget(None, clock=Hand(), on_checkpoint=leave)), pytest.raises(LookupError):
        checkpoint()


def test_without_a_budget_nothing_ends() -> None:
    clock = Hand()
    with spending(Budget(None, clock=clock)):
        clock.now = 1e9
        checkpoint()
    assert current_budget() is None
    checkpoint()
