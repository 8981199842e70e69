"""Runs jobs in this process: DBOS takes them from the queues, threads of its pool run them.

A process has one executor at most, for DBOS has one of everything in a process.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import socket
import threading
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import SettingsError
from spanproof.operations.jobs.running import JobInterrupted, Running
from spanproof.operations.jobs.system import (
    APPLICATION_NAME,
    APPLICATION_VERSION,
    SCHEMA,
    WORKFLOW,
    silence_dbos,
)
from spanproof.operations.jobs.watchdog import Watchdog

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Engine

    from spanproof.operations.jobs.running import Using
    from spanproof.operations.jobs.system import JobSystem

#: How often a worker looks for jobs, and for deliveries, which wait for other people anyway.
POLL_SECONDS = {"jobs": 0.1, "deliveries": 0.5}
DELIVERY_THREADS = 4
#: After so many tries that ended with their worker a job is given up: it may be what ends them.
MAX_TRIES = 20
#: DBOS has threads of its own to run beside the jobs.
_SPARE_THREADS = 4

_LOCK = threading.Lock()
_CURRENT: Executor | None = None


class Executor:
    """What runs the jobs of a service in this process, once it is started."""

    def __init__(
        self,
        system: JobSystem,
        using: Using,
        *,
        threads: int,
        beat_seconds: float,
    ) -> None:
        """``using`` gives the context of a tenant for as long as a job runs."""
        self.system = system
        self._using = using
        self._threads = threads
        self._beat_seconds = beat_seconds
        self._interrupt = threading.Event()
        self._is_stopped = False
        self._lock = threading.Lock()
        self._running: dict[str, int] = {}
        self._name: ExecutorName | None = None
        self._engine: Engine | None = None
        self._watchdog: Watchdog | None = None

    @property
    def is_started(self) -> bool:
        """Whether it runs jobs."""
        return self._watchdog is not None

    def start(self) -> None:
        """Begin to run jobs; those that its name left behind first.

        Starting twice does nothing, and nor does starting what was stopped: a job that is queued
        while the service closes is for the next worker.

        Raises SettingsError where another service's executor runs in this process.
        """
        global _CURRENT  # noqa: PLW0603 - DBOS is one in a process, and so is what it calls
        with _LOCK:
            if self.is_started or self._is_stopped:
                return
            if _CURRENT is not None:
                msg = "Expected one home's jobs in this process, got another's running already."
                raise SettingsError(msg, hint="Stop the other one, or run a worker of its own.")
            try:
                self._launch()
            except BaseException:
                self._let_go()
                raise
            _CURRENT = self

    def _launch(self) -> None:
        import dbos

        _register_workflow()
        _ = self.system.client
        name = self._name = ExecutorName(self.system.folder / "workers")
        threads = self._threads + DELIVERY_THREADS + _SPARE_THREADS
        self._engine = self.system.make_engine(worker=True, pool=threads + _SPARE_THREADS)
        watchdog = Watchdog(
            self.system,
            name.name,
            beat_seconds=self._beat_seconds,
            running=self.list_running,
        )
        # The beat comes first: the other hosts take a worker without a beat for dead.
        watchdog.beat()
        silence_dbos()
        dbos.DBOS(
            config={
                "name": APPLICATION_NAME,
                "system_database_url": self.system.url.render_as_string(hide_password=False),
                "system_database_engine": self._engine,
                "dbos_system_schema": SCHEMA,
                "application_version": APPLICATION_VERSION,
                "executor_id": name.name,
                "max_executor_threads": threads,
                "run_migrations": False,
                "enable_otlp": False,
                "log_level": "CRITICAL",
                "notification_listener_polling_interval_sec": 0.2,
            }
        )
        dbos.DBOS.launch()
        for queue, concurrency in (("jobs", self._threads), ("deliveries", DELIVERY_THREADS)):
            dbos.DBOS.register_queue(
                queue,
                worker_concurrency=concurrency,
                polling_interval_sec=POLL_SECONDS[queue],
                on_conflict="always_update",
            )
        watchdog.start()
        self._watchdog = watchdog

    def list_running(self) -> frozenset[str]:
        """The jobs that threads of this process run now."""
        with self._lock:
            return frozenset(self._running)

    def run(self, workflow_id: str, tenant: str, kind: str, arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
        """Run one job; what DBOS calls."""
        if self._interrupt.is_set():
            raise JobInterrupted
        with self._lock:
            # More than once where a watchdog took this worker for dead, and it took its own job.
            self._running[workflow_id] = self._running.get(workflow_id, 0) + 1
        try:
            running = Running(self.system, workflow_id, interrupt=self._interrupt)
            return running.run(self._using, tenant, kind, arguments)
        finally:
            with self._lock:
                self._running[workflow_id] -= 1
                if not self._running[workflow_id]:
                    del self._running[workflow_id]

    def stop(self, *, drain_seconds: float) -> None:
        """Take no more jobs, let those that run finish, and hand back what did not in time.

        A job that is still running then ends at its next note of progress, and the next worker
        starts it again. Stopping twice does nothing.
        """
        global _CURRENT  # noqa: PLW0603 - as in start
        with _LOCK:
            self._is_stopped = True
            if not self.is_started:
                return
            import dbos

            if self._watchdog is not None:
                self._watchdog.stop()
            is_idle = not self.list_running()
            timer = threading.Timer(drain_seconds, self._interrupt.set)
            timer.start()
            try:
                # It looks once a second; a little longer, for what ends at its next note.
                wait = 0 if is_idle else int(drain_seconds) + 3
                dbos.DBOS.destroy(workflow_completion_timeout_sec=wait)
            finally:
                timer.cancel()
                self._interrupt.set()
                if self._watchdog is not None:
                    self._watchdog.requeue_unfinished()
                _CURRENT = None
                self._let_go()

    def _let_go(self) -> None:
        self._watchdog = None
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None
        if self._name is not None:
            self._name.close()
            self._name = None


@cache
def _register_workflow() -> None:
    import dbos

    # DBOS counts the runs after the first.
    @dbos.DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_TRIES - 1)
    def run(tenant: str, kind: str, arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
        executor, workflow_id = _CURRENT, dbos.DBOS.workflow_id
        if executor is None or workflow_id is None:
            # It is stopping: the job stays what it is, for the next worker.
            raise JobInterrupted
        return executor.run(workflow_id, tenant, kind, arguments)


class ExecutorName:
    """A name that is held by a lock on its file until it is closed, or its process is gone."""

    def __init__(self, folder: Path) -> None:
        """Take the first free name of this host; raises OSError."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        host = re.sub("[^a-z0-9-]", "-", socket.gethostname().lower())[:63]
        descriptor = next(
            taken
            for number in count()
            if (taken := _try_take(folder / f"{host}.{number}")) is not None
        )
        self._descriptor = descriptor
        found = os.pread(descriptor, 200, 0).decode("ascii", "replace").strip()
        if not re.fullmatch(r"[a-z0-9-]+\.[0-9a-f]{16}", found):
            # Random, so that two homes on one database and one host name are two workers.
            found = f"{host}.{secrets.token_hex(8)}"
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{found}\n".encode("ascii"), 0)
            os.fsync(descriptor)
        self.name = found

    def close(self) -> None:
        """Let another process take the name; closing twice does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _try_take(path: Path) -> int | None:
    """The descriptor that holds the lock of a file; None where another one holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
