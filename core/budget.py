"""The budget of one piece of work: how much time it may take, and whether anybody waits for it.

Long work asks ``checkpoint()`` between two steps. The budget travels with the context, not through
every signature between a request and its innermost loop: a matter of the process, of which no
verdict is made, but for the one that says that it was cut off.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The code of a block, and of a verdict, whose judgement was cut off; and the reason of support.
BUDGET_SPENT, BUDGET = "BUDGET_SPENT", "budget"


class BudgetSpentError(Exception):
    """The work has had its time. Caught where a step can say that it did not run."""


class Budget:
    """Seconds of ``clock``, and a hook that is called at every checkpoint.

    ``on_checkpoint`` may wait (for a turn) or raise (nobody waits for the result). Work in other
    threads is charged. Safe for one thread at a time.
    """

    def __init__(
        self,
        seconds: float | None,
        *,
        clock: Callable[[], float],
        on_checkpoint: Callable[[], None] | None = None,
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._on_checkpoint = on_checkpoint
        self._charged = 0.0
        self._began = clock()
        #: Whether a checkpoint has refused to go on.
        self.is_spent = False

    def charge(self, seconds: float) -> None:
        """Count time that another thread spent for this work."""
        self._charged += seconds

    def checkpoint(self) -> None:
        """Raise BudgetSpentError once the time is spent, and what the hook raises."""
        if self._on_checkpoint is not None:
            self._on_checkpoint()
        if self._seconds is not None:
            spent = self._clock() - self._began + self._charged
            self.is_spent = self.is_spent or spent > self._seconds
        if self.is_spent:
            raise BudgetSpentError


_CURRENT: ContextVar[Budget | None] = ContextVar("budget", default=None)


def current_budget() -> Budget | None:
    """The budget of the work that runs; None where nothing bounds it."""
    return _CURRENT.get()


def checkpoint() -> None:
    """Let the budget of the work that runs look whether it may go on."""
    budget = _CURRENT.get()
    if budget is not None:
        budget.checkpoint()


@contextmanager
def spending(budget: Budget) -> Iterator[Budget]:
    """Work inside is bounded by this budget."""
    token = _CURRENT.set(budget)
    try:
        yield budget
    finally:
        _CURRENT.reset(token)
