"""The CPU time of one request: of one answer, one attribution, one turn, or one row of a bulk run.

Where a step can say that it did not run, it says so. Work that cannot leave anything out is refused
as a whole. Work over kept answers, whose count the request bounds, only ends with its caller.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spanproof.core.budget import Budget, BudgetSpentError, spending
from spanproof.operations.errors import RequestTooCostlyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.operations.settings import Settings


def make_budget(settings: Settings, on_checkpoint: Callable[[], None] | None = None) -> Budget:
    """The settings' seconds of this thread's CPU time, from now on."""
    return Budget(
        settings.budget_seconds or None, clock=time.thread_time, on_checkpoint=on_checkpoint
    )


@contextmanager
def bounded_work(
    settings: Settings, on_checkpoint: Callable[[], None] | None = None
) -> Iterator[Budget]:
    """Work inside has such a budget; raise RequestTooCostlyError where it cannot be cut short."""
    try:
        with spending(make_budget(settings, on_checkpoint)) as budget:
            yield budget
    except BudgetSpentError as error:
        seconds = f"{settings.budget_seconds:g}"
        msg = f"Expected work of at most {seconds} seconds of CPU time, got more."
        raise RequestTooCostlyError(msg, hint="Send less at once.") from error


@contextmanager
def awaited_work(on_checkpoint: Callable[[], None]) -> Iterator[Budget]:
    """Work inside has no limit of time, but ends where ``on_checkpoint`` raises."""
    budget = Budget(None, clock=time.thread_time, on_checkpoint=on_checkpoint)
    with spending(budget):
        yield budget
