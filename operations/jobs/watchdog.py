"""Reports that this worker lives, takes over the jobs of dead workers, forgets old jobs.

DBOS's open library gives a worker back its own jobs after a restart, and no other one's: whose
machine never returns, its jobs would stay as they are. Mistaking a slow worker for a
dead one costs a second run, which changes nothing, because every write of a job is idempotent.
"""

from __future__ import annotations

import fcntl
import functools
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spanproof.core.errors import SpanproofError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dbos import WorkflowStatus

    from spanproof.operations.jobs.system import JobSystem

#: A worker that was not seen for so many beats is dead.
MISSED_BEATS = 3
#: How many old jobs one beat forgets.
_FORGET_BATCH = 500
DAY_SECONDS = 86_400.0
#: How often it looks for files that no job names: they come of a crash, or of a lost database.
_SWEEP_SECONDS = 3_600.0
#: DBOS's states of a job that is not over.
ACTIVE = ("PENDING", "ENQUEUED", "DELAYED")
#: Where DBOS puts the jobs that a restarted worker finds of its own.
_INTERNAL_QUEUE = "_dbos_internal_queue"


class Watchdog:
    """A thread beside the executor."""

    def __init__(
        self,
        system: JobSystem,
        executor_id: str,
        *,
        beat_seconds: float,
        running: Callable[[], frozenset[str]],
    ) -> None:
        self._system = system
        self._executor_id = executor_id
        self._beat_seconds = beat_seconds
        self._running = running
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        # Jobs of ours that no thread ran at the last look.
        self._idle: frozenset[str] = frozenset()
        self._next_sweep = 0.0

    def beat(self) -> None:
        """Say that this worker lives."""
        with self._system.connection() as connection:
            self._system.rows.beat(connection, self._executor_id)

    def start(self) -> None:
        """Begin to watch."""
        self._thread = threading.Thread(target=self._watch, name="job-watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def requeue_unfinished(self) -> None:
        """Queue what this worker leaves unfinished, and forget the worker."""
        try:
            self._resume(self._list_pending(self._executor_id), is_counted=False)
            with self._system.connection() as connection:
                self._system.rows.remove_worker(connection, self._executor_id)
        except Exception as error:  # noqa: BLE001 - a worker that cannot hand back ends all the same
            # The other workers see that it is silent.
            _warn("jobs_not_handed_back", error)

    def _watch(self) -> None:
        while not self._stop.wait(self._beat_seconds):
            try:
                self.beat()
                self._take_over()
                self._forget_inputs()
                self._forget_old()
                self._sweep_files()
            except Exception as error:  # noqa: BLE001 - without beats this worker counts as dead
                _warn("watchdog_beat_failed", error)

    def _take_over(self) -> None:
        """Queue the jobs whose worker is silent, and our own jobs that no thread runs."""
        with _is_claimed(self._system) as is_mine:
            if not is_mine:
                # Another worker of this home is at it.
                return
            pending = self._list_pending()
            with self._system.connection() as connection:
                silent = self._system.rows.find_silent(
                    connection, MISSED_BEATS * self._beat_seconds
                )
                living = self._system.rows.list_workers(connection) - set(silent)
            orphans = [each for each in pending if each.executor_id not in living]
            self._resume(orphans, is_counted=True)
            with self._system.connection() as connection:
                for executor_id in silent:
                    self._system.rows.remove_worker(connection, executor_id)
        # A database that went away between the taking and the running leaves such a job.
        running = self._running()
        idle = {
            each.workflow_id: each
            for each in pending
            if each.executor_id == self._executor_id and each.workflow_id not in running
        }
        self._resume((idle[each] for each in idle.keys() & self._idle), is_counted=True)
        self._idle = frozenset(idle) - self._idle

    def _list_pending(self, executor_id: str | None = None) -> list[WorkflowStatus]:
        with self._system.wrapped_errors():
            return self._system.client.list_workflows(
                status="PENDING", executor_id=executor_id, load_input=False, load_output=False
            )

    def _resume(self, jobs: Iterable[WorkflowStatus], *, is_counted: bool) -> None:
        """Queue jobs again; ``is_counted``: that they were taken counts among their tries."""
        by_queue: dict[str, dict[str, int]] = {}
        for job in jobs:
            queue = job.queue_name or _INTERNAL_QUEUE
            begun = max((job.recovery_attempts or 0) - (not is_counted), 0)
            by_queue.setdefault(queue, {})[job.workflow_id] = begun
        for queue, attempts in by_queue.items():
            wanted = "jobs" if queue == _INTERNAL_QUEUE else queue
            with self._system.wrapped_errors():
                self._system.client.resume_workflows(list(attempts), queue_name=wanted)
            # DBOS restarts its count, and would never give up a job that kills its workers.
            with self._system.connection() as connection:
                for workflow_id, count in attempts.items():
                    self._system.rows.add_attempts(connection, workflow_id, count)

    def _forget_inputs(self) -> None:
        """Remove what jobs were given that are over."""
        with self._system.connection() as connection:
            rows = self._system.rows.list_inputs(connection, _FORGET_BATCH)
        if not rows:
            return
        active = self._find_active([row.workflow_id for row in rows])
        over = [row for row in rows if row.workflow_id not in active]
        for row in over:
            self._system.inputs(row.tenant).remove(row.input or "")
            self._system.outputs(row.tenant).remove_scratch(row.workflow_id.partition("/")[2])
        with self._system.connection() as connection:
            ids = [row.workflow_id for row in over]
            self._system.rows.forget_inputs(connection, ids)

    def _sweep_files(self) -> None:
        """Remove files that no job names: a crash left them, or their job is forgotten."""
        if time.monotonic() < self._next_sweep:
            return
        for tenant in self._system.input_tenants():
            self._system.inputs(tenant).sweep(DAY_SECONDS, self._system.find_named)
        for tenant in self._system.output_tenants():
            known = functools.partial(self._system.find_known, tenant)
            self._system.outputs(tenant).sweep(DAY_SECONDS, known)
        self._next_sweep = time.monotonic() + _SWEEP_SECONDS

    def _find_active(self, workflow_ids: list[str]) -> frozenset[str]:
        with self._system.wrapped_errors():
            found = self._system.client.list_workflows(
                workflow_ids=workflow_ids, status=list(ACTIVE), load_input=False, load_output=False
            )
        return frozenset(each.workflow_id for each in found)

    def _forget_old(self) -> None:
        """Remove the oldest finished jobs that are past their time, with their output files.

        Their results in the store stay.
        """
        seconds = self._system.settings.job_days * DAY_SECONDS
        with self._system.connection() as connection:
            old = self._system.rows.list_older(connection, seconds, _FORGET_BATCH)
        if not old:
            return
        active = self._find_active(list(old))
        over = [each for each in old if each not in active]
        for workflow_id in over:
            tenant, _, job_id = workflow_id.partition("/")
            self._system.outputs(tenant).remove(job_id)
        with self._system.wrapped_errors():
            self._system.client.delete_workflows(over)
        with self._system.connection() as connection:
            self._system.rows.forget(connection, over)


@contextmanager
def _is_claimed(system: JobSystem) -> Iterator[bool]:
    """Whether this process, of those that share the home, looks after the dead now."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    descriptor = os.open(system.folder / "watchdog.lock", flags, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def _warn(event: str, error: Exception) -> None:
    import structlog

    code, detail = type(error).__name__, "A fault that was not foreseen."
    if isinstance(error, SpanproofError):
        code, detail = error.code, error.message
    structlog.get_logger().warning(event, code=code, detail=detail)
