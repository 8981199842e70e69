"""Verify all chosen answers that wait, then advance the alarms."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from spanproof.core.errors import (
    ConflictError,
    InputError,
    IntegrityError,
    LogDamagedError,
    NotFoundError,
    SpanproofError,
)
from spanproof.operations.sampling.alarms import advance_alarms
from spanproof.operations.sampling.erased import drop_used_words
from spanproof.operations.sampling.verification import (
    make_refused,
    record_outcome,
    verify_sampled,
)
from spanproof.store.samples.records import ERASED

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context
    from spanproof.store.samples.records import Incident, Outcome, SubmittedAnswer

_PAGE = 200
#: Errors of one answer that a later try may pass: the others go on.
_SINGLE_ANSWER_ERRORS = (InputError, IntegrityError, ConflictError, NotFoundError)
#: What still fails, though another was verified so long after it came in, counts as failed.
GIVE_UP_AFTER = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledReport:
    """What a run over waiting answers came to."""

    verified: int
    refused: int
    erased: int
    incidents: int
    alarms: int

    def to_json(self) -> dict[str, int]:
        """Plain values."""
        return {
            "verified": self.verified,
            "refused": self.refused,
            "erased": self.erased,
            "incidents": self.incidents,
            "alarms": self.alarms,
        }


def verify_waiting(
    context: Context,
    *,
    first: int = 1,
    last: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SampledReport:
    """Verify the chosen answers that have no outcome, in order; then advance the alarms.

    Raises what stops the service itself (no model, no log, no store): those answers keep waiting.
    Raises too, at the end, what failed for one answer alone, which no other waits for.
    """
    answers = context.store.samples.answers
    run = _Run(context, answers.count_waiting(first=first, last=last), progress)
    failed: list[SubmittedAnswer] = []
    try:
        at = first
        while waiting := answers.page_waiting(first=at, last=last, limit=_PAGE):
            at = waiting[-1].number + 1
            failed.extend(each for each in waiting if run.verify(each) is not None)
        problems = [each for each in map(run.verify_again, failed) if each is not None]
    finally:
        drop_used_words(context)
        # Also where one of them failed: what came before it counts.
        alarms = len(advance_alarms(context))
    if problems:
        raise problems[0]
    return SampledReport(
        verified=run.verified,
        refused=run.refused,
        erased=run.erased,
        incidents=run.incidents,
        alarms=alarms,
    )


class _Run:
    """Count the outcome of each answer; return an error that affects only one answer."""

    def __init__(
        self, context: Context, total: int, progress: Callable[[int, int], None] | None
    ) -> None:
        self.verified = self.refused = self.erased = self.incidents = 0
        self._context = context
        self._total = total
        self._progress = progress

    def verify(self, answer: SubmittedAnswer) -> Exception | None:
        try:
            outcome, found = verify_sampled(self._context, answer.answer_id)
        except Exception as error:
            if not _is_one_answers(error):
                raise
            return error
        self._count(outcome, found)
        return None

    def verify_again(self, answer: SubmittedAnswer) -> Exception | None:
        error = self.verify(answer)
        if error is None:
            return None
        code = error.code if isinstance(error, SpanproofError) else SpanproofError.code
        structlog.get_logger().warning(
            "sampled_answer_failed",
            answer_id=answer.answer_id,
            code=code,
            error=type(error).__name__,
        )
        if not _is_overdue(self._context, answer, error):
            return error
        self._count(*record_outcome(self._context, answer, make_refused(answer, code)))
        return None

    def _count(self, outcome: Outcome, found: tuple[Incident, ...]) -> None:
        is_erased = outcome.result == ERASED
        self.erased += is_erased
        self.verified += outcome.verification_id is not None
        self.refused += outcome.verification_id is None and not is_erased
        self.incidents += len(found)
        if self._progress is not None:
            done = self.verified + self.refused + self.erased
            self._progress(min(done, self._total), self._total)


def _is_one_answers(error: Exception) -> bool:
    """Whether the answers behind it may still be verified; a log that is damaged stops all."""
    if isinstance(error, SpanproofError):
        return isinstance(error, _SINGLE_ANSWER_ERRORS) and not isinstance(error, LogDamagedError)
    return True


def _is_overdue(context: Context, answer: SubmittedAnswer, error: Exception) -> bool:
    # A disk that is full, or memory that is short, says nothing of the answer.
    if isinstance(error, OSError | MemoryError):
        return False
    since = answer.received_at + GIVE_UP_AFTER
    return context.store.samples.outcomes.has_verified_since(since)
