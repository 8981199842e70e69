"""Chosen answers become jobs; without workers they wait for ``spanproof sample verify``."""

from __future__ import annotations

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


def start_verification(services: Services, numbers: Sequence[int]) -> None:
    """Queue these chosen answers as one job. They are kept: what cannot be queued waits.

    A later start takes along what waits.
    """
    if numbers:
        _start(services, min(numbers), max(numbers), f"sampled-{min(numbers)}-{max(numbers)}")


def resume_verification(services: Services) -> None:
    """Queue what waits since before this process: its job may never have been started."""
    waiting = services.store.samples.answers.find_waiting_range()
    if waiting is not None:
        _start(services, *waiting, f"sampled-again-{uuid.uuid4()}")


def _start(services: Services, first: int, last: int, job_id: str) -> None:
    try:
        services.jobs.start(KIND, {"first": first, "last": last}, job_id=job_id)
    except SpanproofError as error:
        structlog.get_logger().warning(
            "sampled_answers_wait", first=first, last=last, code=error.code
        )
