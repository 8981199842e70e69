"""Group commit without a wait: the first caller leads, and writes the leaves queued meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Condition
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spanproof.core.log.checkpoint import IncludedLeaf, LoggedLeaf
    from spanproof.store.log.records import NewLeaf, NewReceipt

#: As many leaves as a bundle of entries holds: enough for a synchronisation to cost each little.
MAX_BATCH = 256


@dataclass(slots=True, kw_only=True, eq=False)
class Submission:
    """Leaves that one caller hands in, at most MAX_BATCH, and what became of them.

    ``sealed`` are leaves that are logged already and wait for a signature with the others.
    """

    leaves: tuple[NewLeaf, ...] = ()
    sealed: tuple[tuple[LoggedLeaf, NewReceipt | None], ...] = ()
    is_included: bool = True
    logged: tuple[LoggedLeaf, ...] = ()
    included: tuple[IncludedLeaf, ...] = ()
    error: BaseException | None = None
    is_done: bool = field(default=False)


class Queue:
    """Callers wait here; one of them at a time does the work of a whole batch."""

    def __init__(self, work: Callable[[tuple[Submission, ...]], None]) -> None:
        self._work = work
        self._changed = Condition()
        self._waiting: list[Submission] = []
        self._is_led = False

    def run(self, submission: Submission) -> None:
        """Return once the submission is done, by this caller or by another; raise its error."""
        batch = self._join(submission)
        if batch:
            try:
                self._work(batch)
            finally:
                with self._changed:
                    self._is_led = False
                    self._finish(batch)
        if submission.error is not None:
            raise submission.error

    def finish(self, submissions: Iterable[Submission]) -> None:
        """Let these callers go before the rest of their batch."""
        with self._changed:
            self._finish(submissions)

    def _finish(self, submissions: Iterable[Submission]) -> None:
        for each in submissions:
            each.is_done = True
        self._changed.notify_all()

    def _join(self, submission: Submission) -> tuple[Submission, ...]:
        """The batch to lead; empty where another caller has done the work."""
        with self._changed:
            self._waiting.append(submission)
            is_leader = False
            try:
                while not submission.is_done:
                    if not self._is_led and self._waiting[0] is submission:
                        is_leader = self._is_led = True
                        return self._take()
                    self._changed.wait()
            except BaseException:
                # Interrupted while it waits: no one waits for a caller that has gone.
                if is_leader:
                    self._is_led = False
                if submission in self._waiting:
                    self._waiting.remove(submission)
                self._changed.notify_all()
                raise
        return ()

    def _take(self) -> tuple[Submission, ...]:
        count = leaves = 0
        for each in self._waiting:
            leaves += len(each.leaves)
            if count and leaves > MAX_BATCH:
                break
            count += 1
        batch = tuple(self._waiting[:count])
        del self._waiting[:count]
        return batch
