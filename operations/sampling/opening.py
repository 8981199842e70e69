"""What a service does about sampling when it starts."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import structlog

from spanproof.core.errors import SpanproofError
from spanproof.operations.context import DEFAULT_TENANT
from spanproof.operations.sampling.plans import load_plan

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.operations.tenants import Tenants


def mend_sampling(services: Context) -> None:
    """Check the plan, and queue what waits since before this start.

    Raises SettingsError for a plan that is none: it stops the start, not the first answer.
    """
    load_plan(services.settings)
    _queue_left(services)


class LeftAnswers:
    """Queues what waits in the other tenants, from a thread: there may be many to open."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="spanproof-left", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Open no further tenant; the one that is looked at now is looked at to its end."""
        self._is_stopped.set()
        self._thread.join()

    def _run(self) -> None:
        for name in self._tenants.names():
            if self._is_stopped.is_set():
                return
            if name == DEFAULT_TENANT:
                continue
            try:
                with self._tenants.using(name) as services:
                    _queue_left(services)
            except Exception as error:  # noqa: BLE001 - told, and the next tenant is not kept back
                code = error.code if isinstance(error, SpanproofError) else type(error).__name__
                structlog.get_logger().warning("sampled_answers_wait", tenant=name, code=code)


def _queue_left(services: Context) -> None:
    if services.store.samples.answers.find_waiting_range() is not None:
        # Its own thread queues them.
        _ = services.sampler
