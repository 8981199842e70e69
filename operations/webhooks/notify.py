"""Events → the webhooks that want them: each a job of its own, retried until it is delivered."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.operations.webhooks.endpoints import name_message, start_delivery, to_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.operations.context import Context


def notify(
    context: Context,
    event_type: str,
    data: Mapping[str, Any],
    *,
    event_id: str | None = None,
    except_for: str | None = None,
) -> str | None:
    """Tell the tenant's webhooks of an event; ``data`` holds ids and figures, never a text.

    A repeated ``event_id`` sends nothing twice; the webhook ``except_for`` gets nothing. Returns
    the message's id, or None where no webhook wants it: then nothing is stored. Raises
    StoreUnavailableError where it could not be queued.
    """
    deliveries = context.store.deliveries
    wanted = [
        each
        for each in deliveries.list_webhooks()
        if each.wants(event_type) and each.webhook_id != except_for
    ]
    if not wanted:
        return None
    moment = datetime.now(UTC)
    message_id = name_message(event_type, event_id or str(uuid.uuid4()))
    body = json.dumps(
        to_message(event_type, moment, dict(data)), ensure_ascii=True, separators=(",", ":")
    )
    kept = deliveries.add_message(message_id, event_type=event_type, body=body, occurred_at=moment)
    for webhook in wanted:
        if webhook.created_at <= kept.occurred_at:
            start_delivery(context, webhook.webhook_id, message_id, 0)
    return message_id
