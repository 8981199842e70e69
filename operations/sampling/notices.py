"""What people must know: an entry in the service's log, and a message to the webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog

from spanproof.operations.webhooks.notify import notify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.operations.context import Context


def announce(services: Context, event_type: str, data: Mapping[str, Any], *, event_id: str) -> None:
    """Announce an alarm or an incident; ``data`` holds ids and figures, no words of an answer.

    A repeated ``event_id`` sends no second message.
    """
    structlog.get_logger().warning(event_type, **data)
    notify(services, event_type, data, event_id=event_id)
