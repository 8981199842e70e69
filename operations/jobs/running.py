"""Run one job: call its kind, note its progress, record its end."""

from __future__ import annotations

import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from spanproof.core.errors import SpanproofError
from spanproof.operations.errors import JobCancelledError
from spanproof.operations.jobs.kinds import DELIVERY, find_kind
from spanproof.operations.jobs.records import JSON, JobState, Progress
from spanproof.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from typing import NoReturn, TypeAlias

    from spanproof.operations.context import Context
    from spanproof.operations.jobs.kinds import Run
    from spanproof.operations.jobs.system import JobSystem

    #: Gives the context of a tenant for as long as a job runs.
    Using: TypeAlias = Callable[[str], AbstractContextManager[Context]]

#: Between two notes of a job's progress, and so between two looks at whether it was cancelled.
NOTE_SECONDS = 0.5
#: A store that does not answer is waited for, twice as long each time, this long in all.
PATIENCE_SECONDS = 600.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0


class JobFailure(Exception):  # noqa: N818 - what DBOS records of a failed job: name, code, data
    """The end of a job that failed, in the shape that DBOS keeps as JSON."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.code = code
        self.data = {"hint": hint}


class JobInterrupted(BaseException):
    """The worker stops; the next one starts the job again. No ``except Exception`` ends it."""


class Running:
    """One run of one job; ``progress`` is what its kind is given to call."""

    def __init__(self, system: JobSystem, workflow_id: str, *, interrupt: threading.Event) -> None:
        self.workflow_id = workflow_id
        self._system = system
        self._interrupt = interrupt
        # A short job needs no note: its end tells all.
        self._noted_at = time.monotonic()
        self._total = 1

    def progress(self, done: int, total: int) -> None:
        """Note how far the job is, now and then.

        Raises JobCancelledError once it was cancelled, and lets the worker stop between two calls.
        """
        if self._interrupt.is_set():
            raise JobInterrupted
        now = time.monotonic()
        self._total = total
        if now - self._noted_at >= NOTE_SECONDS:
            self._noted_at = now
            self._note(Progress(done=done, total=total))

    def check(self) -> None:
        """Raise JobCancelledError where the job was cancelled before it ran."""
        self._note(None)

    def _note(self, progress: Progress | None) -> None:
        try:
            with self._system.connection() as connection:
                rows = self._system.rows
                is_cancelled = rows.set_progress(connection, self.workflow_id, progress)
        except StoreUnavailableError:
            # A note is no work lost: the next one tells more.
            return
        if is_cancelled:
            msg = "Expected the job to be done, got a request to cancel it."
            raise JobCancelledError(msg, hint="Its finished work stays.")

    def run(
        self, using: Using, tenant: str, kind: str, arguments: Mapping[str, JSON]
    ) -> dict[str, JSON]:
        """The kind's result and how many units it had; raise JobFailure if it fails for ever."""
        try:
            self.check()
            run = find_kind(kind).load()
            with using(tenant) as context:
                result = dict(self._run_patiently(context, kind, run, arguments))
        except JobCancelledError as error:
            # Our word may come before the engine's, which keeps the first end that it is told.
            with suppress(StoreUnavailableError), self._system.wrapped_errors():
                self._system.client.cancel_workflow(self.workflow_id)
            raise JobFailure(error.code, error.message, error.hint) from error
        except SpanproofError as error:
            raise JobFailure(error.code, error.message, error.hint) from error
        except Exception as error:  # noqa: BLE001 - a fault of ours ends the job, not the worker
            _fail_internally(kind, self.workflow_id, error)
        return {"result": result, "total": self._total}

    def _run_patiently(
        self, context: Context, kind: str, run: Run, arguments: Mapping[str, JSON]
    ) -> Mapping[str, JSON]:
        pause, given_up_at = _FIRST_PAUSE, time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                found: Mapping[str, JSON] = run(context, arguments, self.progress)
                self._notify(context, kind)
            except StoreUnavailableError:
                if time.monotonic() + pause > given_up_at:
                    raise
            else:
                return found
            if self._interrupt.wait(pause):
                raise JobInterrupted
            pause = min(pause * 2, _LONGEST_PAUSE)
            self.check()

    def _notify(self, context: Context, kind: str) -> None:
        # A delivery is no event, or each would bring the next.
        if kind != DELIVERY:
            from spanproof.operations.webhooks.endpoints import notify

            job_id = self.workflow_id.partition("/")[2]
            told = {"job_id": job_id, "kind": kind, "state": JobState.DONE.value}
            notify(context, "job.completed", told, event_id=self.workflow_id)


def _fail_internally(kind: str, workflow_id: str, error: Exception) -> NoReturn:
    import structlog

    frame = traceback.extract_tb(error.__traceback__)[-1]
    # Not the error's own words: they may quote a document.
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    structlog.get_logger().error(
        "job_failed", job=workflow_id, kind=kind, error=type(error).__name__, place=place
    )
    msg = f"Expected no fault of our own, got {type(error).__name__} at {place}."
    raise JobFailure(SpanproofError.code, msg, "Report it with the job's id.") from error
