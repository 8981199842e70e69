"""The kind ``webhook_delivery``: one try to tell one webhook of one event.

A try that fails queues the next one, later each time; an endpoint that took nothing during a whole
schedule of tries, a day and more, is disabled, which is an event itself.
"""

from __future__ import annotations

import hashlib
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError, IntegrityError, WebhookNotFoundError
from spanproof.operations.errors import FencedAddressError
from spanproof.operations.outbound import parse_address, post
from spanproof.operations.webhooks.endpoints import FIRST_REPLAY, notify, secrets_of, start_delivery
from spanproof.operations.webhooks.secrets import make_headers
from spanproof.store.deliveries.deliveries import DeliveryTry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.operations.context import Context
    from spanproof.operations.jobs.kinds import ProgressCall
    from spanproof.store.deliveries.deliveries import TryOutcome, Webhook, WebhookMessage

#: Seconds before each try but the first: four times the one before, six hours at most, 25.5 h in
#: all. Jitter only adds to them.
DELAYS = (5, 20, 80, 320, 1_280, 5_120, 20_480, 21_600, 21_600, 21_600)
MAX_JITTER = 0.25
#: The status by which a receiver says that it is gone for ever.
_GONE = 410


def run(
    context: Context, arguments: Mapping[str, Any], progress: ProgressCall
) -> Mapping[str, Any]:
    """Try once, note how it went, and queue the next try where it failed."""
    webhook_id, message_id = arguments["webhook_id"], arguments["message_id"]
    attempt = int(arguments["attempt"])
    progress(0, 1)
    try:
        webhook = context.store.deliveries.load_webhook(webhook_id)
    except WebhookNotFoundError:
        return {"outcome": "removed"}
    message = context.store.deliveries.find_message(message_id)
    if message is None or webhook.state != "enabled":
        return {"outcome": webhook.state if message is not None else "unknown"}
    made = context.store.deliveries.find_try(message_id, webhook_id, attempt)
    if made is None:
        made = _try(context, webhook, message, attempt)
        context.store.deliveries.add_try(made)
    if made.outcome != "delivered":
        _go_on(context, webhook, message, made)
    progress(1, 1)
    return {"outcome": made.outcome, "status": made.status}


def find_delay(webhook_id: str, message_id: str, attempt: int) -> float | None:
    """Seconds between this try and the next; None where it is the last.

    The jitter comes from the names: a job that runs again finds the same, and no two endpoints are
    told at once.
    """
    if attempt >= len(DELAYS):
        return None
    drawn = hashlib.sha256(f"{webhook_id}{message_id}{attempt}".encode()).digest()
    share = int.from_bytes(drawn[:4], "big") / 2**32
    return DELAYS[attempt] * (1 + MAX_JITTER * share)


def _try(context: Context, webhook: Webhook, message: WebhookMessage, attempt: int) -> DeliveryTry:
    body = message.body.encode()
    now, started = datetime.now(UTC), time.monotonic()
    outcome: TryOutcome
    status: int | None
    try:
        signing = secrets_of(context).load(webhook.webhook_id, now.timestamp())
    except IntegrityError as error:
        # Nothing goes out unsigned. A secret that is set or brought back serves the next try.
        _warn("webhook_secret_missing", webhook_id=webhook.webhook_id, code=error.code)
        outcome, status = "unreachable", None
    else:
        headers = make_headers(signing, message.message_id, int(now.timestamp()), body)
        outcome, status = _send(webhook.url, body, headers, context.settings.webhook_private)
    delay = find_delay(webhook.webhook_id, message.message_id, attempt)
    is_over = outcome == "delivered" or delay is None or status == _GONE
    return DeliveryTry(
        message_id=message.message_id,
        webhook_id=webhook.webhook_id,
        attempt=attempt,
        tried_at=now,
        milliseconds=round((time.monotonic() - started) * 1000),
        outcome=outcome,
        status=status,
        next_at=None if is_over else now + timedelta(seconds=delay or 0),
    )


def _send(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    may_be_private: bool,  # noqa: FBT001 - a setting
) -> tuple[TryOutcome, int | None]:
    import httpx

    try:
        target = parse_address(url, may_be_private=may_be_private)
        status = post(target, body, headers, may_be_private=may_be_private)
    except (InputError, FencedAddressError):
        # The settings may be others than when it was added.
        return "fenced", None
    except (TimeoutError, httpx.TimeoutException):
        return "timeout", None
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError):
        # UnicodeError: a name that no resolver can be asked for, as with a label of 64 letters.
        return "unreachable", None
    if 200 <= status < 300:
        return "delivered", status
    return ("redirect" if 300 <= status < 400 else "status"), status


def _go_on(context: Context, webhook: Webhook, message: WebhookMessage, made: DeliveryTry) -> None:
    """Queue the next try, or disable an endpoint that took nothing during the whole schedule."""
    if made.next_at is not None:
        delay = max(0.0, (made.next_at - datetime.now(UTC)).total_seconds())
        start_delivery(
            context, webhook.webhook_id, message.message_id, made.attempt + 1, delay_seconds=delay
        )
        return
    if made.status == _GONE:
        _disable(context, webhook, f"it answered {_GONE}")
    elif made.attempt < FIRST_REPLAY and not context.store.deliveries.has_delivered_since(
        webhook.webhook_id, max(message.occurred_at, webhook.since)
    ):
        _disable(context, webhook, f"{made.attempt + 1} tries failed, the last: {made.outcome}")


def _disable(context: Context, webhook: Webhook, reason: str) -> None:
    data = {"webhook_id": webhook.webhook_id, "reason": reason}
    # Tell the others first: once the webhook is disabled, no delivery comes here again. A retry
    # after a crash in between sends the same event.
    event_id = f"{webhook.webhook_id}/{webhook.since.isoformat()}"
    notify(context, "webhook.disabled", data, event_id=event_id, except_for=webhook.webhook_id)
    is_new = context.store.deliveries.set_state(
        webhook.webhook_id, "disabled", reason=reason, moment=datetime.now(UTC)
    )
    if is_new:
        _warn("webhook_disabled", webhook_id=webhook.webhook_id, reason=reason)


def _warn(event: str, **values: str) -> None:
    import structlog

    structlog.get_logger().warning(event, **values)
