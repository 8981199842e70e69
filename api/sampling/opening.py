"""What a service does about sampling when it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.sampling.plans import load_plan

if TYPE_CHECKING:
    from api.wiring import Services


def mend_sampling(services: Services) -> None:
    """Check the plan, and queue what waits since before this start.

    Raises SettingsError for a plan that is none: it stops the start, not the first answer.
    """
    load_plan(services.settings)
    if services.store.samples.answers.find_waiting_range() is not None:
        # Its own thread queues them.
        _ = services.sampler
