"""What a scrape shows of the sample: read from the store, whichever process wrote it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import structlog

from spanproof.core.errors import SpanproofError

if TYPE_CHECKING:
    from spanproof.operations.context import Context

#: A change that was raised within it is shown: longer than any scrape interval.
SHOWN = timedelta(hours=1)
_ALARMS = 50


def refresh_metrics(services: Context) -> None:
    """Set the gauges of alarms, of what waits and of the last success; one that fails is logged."""
    samples, metrics = services.store.samples, services.metrics.sampling
    now, alarms = datetime.now(UTC), samples.alarms
    since = now - SHOWN
    try:
        lately = [each for each in alarms.list_raised(_ALARMS) if each.raised_at >= since]
        metrics.set_alarms(alarms.list_states(), lately)
        oldest = samples.answers.page_waiting(limit=1)
        # A clock that was set back makes no answer younger than it can be.
        ages = [max((now - each.received_at).total_seconds(), 0.0) for each in oldest]
        metrics.set_waiting(samples.answers.count_waiting(), oldest_seconds=max(ages, default=0.0))
        moment = samples.outcomes.find_last_moment()
        if moment is not None:
            metrics.record_success(moment)
    except SpanproofError as error:
        # The other counters are told all the same, and the gauges keep what was last known.
        structlog.get_logger().warning("metrics_not_refreshed", code=error.code)
