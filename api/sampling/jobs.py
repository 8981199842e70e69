"""Chosen answers become jobs; without workers they wait for ``spanproof sample verify``."""

from __future__ import annotations

import threading
import uuid
from typing import TYPE_CHECKING, Any

import structlog

from api.sampling.verification import verify_waiting
from core.errors import SpanproofError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from api.wiring import Services

KIND = "sampled_verification"


def run(
    services: Services, arguments: Mapping[str, Any], progress: Callable[[int, int], None]
) -> Mapping[str, Any]:
    """The kind of job: verify the chosen answers from number ``first`` to ``last``.

    Running it again does nothing to those that have an outcome.
    """
    report = verify_waiting(
        services, first=arguments["first"], last=arguments["last"], progress=progress
    )
    return report.to_json()


class JobStarter:
    """Queues chosen answers from a thread of its own, those that wait together as one job.

    They are kept: what cannot be queued waits for the next start, or ``spanproof sample verify``.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._changed = threading.Condition()
        self._numbers: list[int] = []
        self._is_closed = False
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
        # A crash may have come between an answer and its job.
        resume_verification(self._services)
        while True:
            with self._changed:
                while not self._numbers and not self._is_closed:
                    self._changed.wait()
                numbers, self._numbers = self._numbers, []
            if not numbers:
                return
            first, last = min(numbers), max(numbers)
            _start(self._services, first, last, f"sampled-{first}-{last}")


def resume_verification(services: Services) -> None:
    """Queue what waits since before this process: its job may never have been started."""
    try:
        waiting = services.store.samples.answers.find_waiting_range()
    except SpanproofError as error:
        structlog.get_logger().warning("sampled_answers_wait", code=error.code)
        return
    if waiting is not None:
        _start(services, *waiting, f"sampled-again-{uuid.uuid4()}")


def _start(services: Services, first: int, last: int, job_id: str) -> None:
    try:
        services.jobs.start(KIND, {"first": first, "last": last}, job_id=job_id)
    except Exception as error:  # noqa: BLE001 - told, and the thread lives on: the answers are kept
        structlog.get_logger().warning(
            "sampled_answers_wait",
            first=first,
            last=last,
            code=getattr(error, "code", type(error).__name__),
        )
