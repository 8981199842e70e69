"""A service's executor: started with it, or by the first job that is queued in its process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import SpanproofError
from spanproof.operations.jobs.executor import Executor

if TYPE_CHECKING:
    from spanproof.operations.tenants import Tenants


def host_jobs(tenants: Tenants, *, at_once: bool) -> Executor:
    """Let this process run jobs; nothing is loaded for that before there are any.

    ``at_once`` starts the executor now, as other processes may queue jobs for this one.
    """
    system = tenants.default.job_system
    settings = system.settings
    executor = Executor(
        system,
        tenants.using,
        threads=settings.job_threads,
        beat_seconds=settings.job_beat_seconds,
    )
    if not settings.job_threads:
        return executor

    def start() -> None:
        try:
            executor.start()
        except SpanproofError as error:
            _warn(error.code, error.message)
        except Exception as error:  # noqa: BLE001 - the caller who queued the job must hear of it
            _warn(type(error).__name__, "A fault that was not foreseen.")

    system.on_start = start
    if at_once or system.exists:
        executor.start()
    return executor


def _warn(code: str, detail: str) -> None:
    # The job is queued, and another process may run it.
    import structlog

    structlog.get_logger().warning("executor_not_started", code=code, detail=detail)
