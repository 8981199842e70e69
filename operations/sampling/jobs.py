"""Chosen answers become jobs; without workers they wait for ``spanproof sample verify``."""

from __future__ import annotations

import threading
import time
import uuid
from typing import TYPE_CHECKING, Any

import structlog

from spanproof.core.errors import SpanproofError
from spanproof.operations.sampling.alarms import resend_alarms
from spanproof.operations.sampling.epochs import advance_draws
from spanproof.operations.sampling.waiting import verify_waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanproof.operations.context import Context

KIND = "sampled_verification"
#: How often it is looked whether the oldest waiting answer still waits: its job may have failed.
RESUME_SECONDS = 300.0
#: States of a job, as text: nothing of their engine is loaded for it.
_AT_WORK = frozenset({"queued", "running"})


def run(
    context: Context, arguments: Mapping[str, Any], progress: Callable[[int, int], None]
) -> Mapping[str, Any]:
    """The kind of job: verify the chosen answers from number ``first`` to ``last``.

    Running it again does nothing to those that have an outcome.
    """
    report = verify_waiting(
        context, first=arguments["first"], last=arguments["last"], progress=progress
    )
    return report.to_json()


class JobStarter:
    """Queues chosen answers from a thread of its own, those that wait together as one job.

    They are kept: what cannot be queued, or whose job failed, is queued again some minutes later.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._changed = threading.Condition()
        self._numbers: list[int] = []
        self._is_closed = False
        self._oldest: int | None = None
        self._resumed: str | None = None
        self._thread = threading.Thread(target=self._run, name="spanproof-chosen", daemon=True)
        self._thread.start()

    def add(self, numbers: Sequence[int]) -> None:
        """Queue these chosen answers, some time soon."""
        if numbers:
            with self._changed:
                self._numbers.extend(numbers)
                self._changed.notify()

    def close(self) -> None:
        """Queue what waits, and end the thread."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        # A crash may have come between an answer and its job, or an alarm and its webhook.
        self._draw()
        self._resume(is_start=True)
        resend_alarms(self._context)
        looks_at = time.monotonic() + RESUME_SECONDS
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: bool(self._numbers) or self._is_closed,
                    max(looks_at - time.monotonic(), 0),
                )
                numbers, self._numbers = self._numbers, []
                is_over = self._is_closed and not numbers
            if is_over:
                return
            if numbers:
                first, last = min(numbers), max(numbers)
                _start(self._context, first, last, f"sampled-{first}-{last}")
            if time.monotonic() >= looks_at:
                self._draw()
                self._resume()
                looks_at = time.monotonic() + RESUME_SECONDS

    def _draw(self) -> None:
        """Draw and queue the answers that a witness's signature covers by now."""
        try:
            chosen = advance_draws(self._context)
        except Exception as error:  # noqa: BLE001 - told, and looked at again later
            _warn(error)
            return
        if chosen:
            _start(self._context, chosen[0], chosen[-1], f"sampled-{chosen[0]}-{chosen[-1]}")

    def _resume(self, *, is_start: bool = False) -> None:
        """Queue all that waits, where the oldest was the oldest at the last look too."""
        try:
            waiting = self._context.store.samples.answers.find_waiting_range()
            before, self._oldest = self._oldest, None if waiting is None else waiting[0]
            if waiting is None or not (is_start or before == waiting[0]):
                return
            resumed = self._resumed
            if resumed is not None and self._context.jobs.find(resumed).state in _AT_WORK:
                return
        except Exception as error:  # noqa: BLE001 - told, and looked at again later
            _warn(error)
            return
        job_id = f"sampled-again-{uuid.uuid4()}"
        if _start(self._context, *waiting, job_id):
            self._resumed = job_id


def _start(context: Context, first: int, last: int, job_id: str) -> bool:
    try:
        context.jobs.start(KIND, {"first": first, "last": last}, job_id=job_id)
    except Exception as error:  # noqa: BLE001 - told, and the thread lives on: the answers are kept
        _warn(error, first=first, last=last)
        return False
    return True


def _warn(error: Exception, **told: int) -> None:
    code = error.code if isinstance(error, SpanproofError) else type(error).__name__
    structlog.get_logger().warning("sampled_answers_wait", **told, code=code)
