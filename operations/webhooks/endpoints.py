"""Webhooks: make, show, rotate the secret, remove, and send an event again."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError, WebhookNotFoundError
from spanproof.operations.outbound import parse_address
from spanproof.operations.webhooks.secrets import WebhookSecrets, make_secret

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanproof.operations.context import Context
    from spanproof.operations.jobs import Job
    from spanproof.store.deliveries.deliveries import DeliveryTry, Webhook

SOURCE_CHANGED = "source.changed"
DECISION_RECORDED = "decision.recorded"
#: What a webhook may ask for; ``*`` is every one, those of later versions too.
EVENT_TYPES = (
    "verification.completed",
    "job.completed",
    "alarm.raised",
    "incident.span_mismatch",
    "drift.over_budget",
    SOURCE_CHANGED,
    DECISION_RECORDED,
    "webhook.disabled",
    "webhook.test",
)
MAX_WEBHOOKS = 50
_MESSAGE = re.compile(r"msg_[0-9a-f]{32}", re.ASCII)


def secrets_of(context: Context) -> WebhookSecrets:
    """Where the tenant's secrets stand."""
    return WebhookSecrets(folder=context.settings.home.absolute() / "webhooks")


def add_webhook(context: Context, url: str, events: Sequence[str] = ("*",)) -> tuple[Webhook, str]:
    """Make a webhook; return it and its secret, which is shown only now.

    Raises MalformedAddressError for an address that nothing may be sent to.
    """
    parse_address(url, may_be_private=context.settings.webhook_private)
    wanted = tuple(dict.fromkeys(events)) or ("*",)
    unknown = [each for each in wanted if each not in {*EVENT_TYPES, "*"}]
    if unknown:
        msg = f"Expected events of {', '.join(EVENT_TYPES)} or *, got {unknown[0][:80]!r}."
        raise InputError(msg, hint="Omit events to receive every one.")
    if len(context.store.deliveries.list_webhooks()) >= MAX_WEBHOOKS:
        msg = f"Expected at most {MAX_WEBHOOKS} webhooks, got one more."
        raise InputError(msg, hint="Remove a webhook that you no longer use.")
    webhook_id, secret = f"wh_{secrets.token_hex(8)}", make_secret()
    now = datetime.now(UTC)
    # First the secret: a webhook without one could sign nothing.
    secrets_of(context).add(webhook_id, secret, now.timestamp())
    kept = context.store.deliveries.add_webhook(webhook_id, url=url, events=wanted, moment=now)
    return kept, secret


def rotate_secret(context: Context, webhook_id: str) -> str:
    """Another secret; for a day both sign."""
    context.store.deliveries.load_webhook(webhook_id)
    secret = make_secret()
    secrets_of(context).add(webhook_id, secret, datetime.now(UTC).timestamp())
    return secret


def remove_webhook(context: Context, webhook_id: str) -> None:
    """Send this webhook nothing more; its past messages stay in the log of deliveries."""
    context.store.deliveries.set_state(
        webhook_id, "removed", reason="removed", moment=datetime.now(UTC)
    )
    secrets_of(context).remove(webhook_id)


def enable_webhook(context: Context, webhook_id: str) -> Webhook:
    """Enable a webhook that was disabled because it did not answer."""
    context.store.deliveries.set_state(
        webhook_id, "enabled", reason="enabled by hand", moment=datetime.now(UTC)
    )
    return context.store.deliveries.load_webhook(webhook_id)


def list_tries(
    context: Context, webhook_id: str, *, message_id: str | None = None, limit: int = 100
) -> tuple[DeliveryTry, ...]:
    """The log of a webhook's deliveries, newest first."""
    context.store.deliveries.load_webhook(webhook_id)
    return context.store.deliveries.list_tries(webhook_id, message_id=message_id, limit=limit)


def replay_message(context: Context, webhook_id: str, message_id: str) -> Job:
    """Send a message once more, now, with its own id and body; try only once."""
    context.store.deliveries.load_webhook(webhook_id)
    is_one = _MESSAGE.fullmatch(message_id) is not None
    if not is_one or context.store.deliveries.find_message(message_id) is None:
        msg = f"Expected a message of this home, got {message_id[:80]!r}."
        raise WebhookNotFoundError(msg, hint="Give a message_id that the log of deliveries shows.")
    known = context.store.deliveries.list_tries(webhook_id, message_id=message_id, limit=1000)
    # Beyond the last of a schedule, so that none follows it.
    attempt = max((FIRST_REPLAY - 1, *(each.attempt for each in known))) + 1
    return start_delivery(context, webhook_id, message_id, attempt)


#: Tries by hand are numbered from here on.
FIRST_REPLAY = 1_000


def start_delivery(
    context: Context,
    webhook_id: str,
    message_id: str,
    attempt: int,
    *,
    delay_seconds: float | None = None,
) -> Job:
    """Queue one try; the same again is the same job."""
    arguments = {"webhook_id": webhook_id, "message_id": message_id, "attempt": attempt}
    return context.jobs.start(
        "webhook_delivery",
        arguments,
        job_id=f"{message_id}.{webhook_id}.{attempt}",
        delay_seconds=delay_seconds,
    )


def name_message(event_type: str, event_id: str) -> str:
    """The id of a message: of the event's, so that it is told once."""
    digest = hashlib.sha256(f"{event_type}\n{event_id}".encode()).hexdigest()
    return f"msg_{digest[:32]}"


def to_message(event_type: str, moment: datetime, data: dict[str, Any]) -> dict[str, Any]:
    """The payload of an event, after Standard Webhooks."""
    return {
        "type": event_type,
        "timestamp": moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "data": data,
    }


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
