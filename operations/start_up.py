"""The start of a service: it recovers the log, and resumes the sampled answers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import structlog

from spanproof.core.errors import SpanproofError
from spanproof.operations.context import DEFAULT_TENANT
from spanproof.operations.sampling.sampler import load_plan
from spanproof.store.log.reading import list_logs

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.operations.tenants import Tenants


def recover_log(context: Context) -> None:
    """Open a log that is there, which closes the entries that a killed process left open.

    A log that cannot be opened does not stop the start: documents can still be read. ``/readyz``
    reports it.
    """
    if not list_logs(context.store.database):
        return
    try:
        context.issuer.check()
    except SpanproofError as error:
        structlog.get_logger().error("log_not_open", code=error.code, detail=error.message)


def resume_sampling(tenants: Tenants) -> None:
    """Check the plan, and queue the default tenant's answers that wait since before this start.

    Raises SettingsError if the plan is malformed: it stops the start, not the first answer.
    """
    load_plan(tenants.default.settings)
    _queue_pending(tenants, tenants.default)


class PendingAnswersThread:
    """Queues the answers that wait in the other tenants: there may be many tenants to open."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="spanproof-left", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Open no further tenant; wait for the one that is being looked at."""
        self._is_stopped.set()
        self._thread.join()

    def _run(self) -> None:
        for name in self._tenants.names():
            if self._is_stopped.is_set():
                return
            if name == DEFAULT_TENANT:
                continue
            try:
                with self._tenants.using(name) as context:
                    _queue_pending(self._tenants, context)
            except Exception as error:  # noqa: BLE001 - logged, and the next tenant has its turn
                code = error.code if isinstance(error, SpanproofError) else type(error).__name__
                structlog.get_logger().warning("sampled_answers_wait", tenant=name, code=code)


def _queue_pending(tenants: Tenants, context: Context) -> None:
    if context.store.samples.answers.find_waiting_range() is not None:
        # Its own thread queues them.
        tenants.sampler_of(context)
