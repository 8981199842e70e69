"""What people have to hear of: into the log of the service, and to whoever asked to be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog

from spanproof.operations.webhooks.notify import notify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.operations.context import Context


def tell(services: Context, event_type: str, data: Mapping[str, Any], *, event_id: str) -> None:
    """Tell of an alarm or an incident; ``data`` holds ids and figures, no words of an answer.

    The same ``event_id`` again tells no webhook twice.
    """
    structlog.get_logger().warning(event_type, **data)
    notify(services, event_type, data, event_id=event_id)
