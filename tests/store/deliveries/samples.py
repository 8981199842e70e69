"""Webhooks for the tests of whatever keeps them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from spanproof.store.deliveries.deliveries import DeliveryTry
from tests.store.examples import NOON

if TYPE_CHECKING:
    from spanproof.store import Store


def make_try(**changes: Any) -> DeliveryTry:
    """A try that failed, with another one due."""
    given: dict[str, Any] = {
        "message_id": "msg_1",
        "webhook_id": "wh_1",
        "attempt": 0,
        "tried_at": NOON,
        "milliseconds": 84,
        "outcome": "status",
        "status": 500,
        "next_at": NOON + timedelta(seconds=5),
    }
    return DeliveryTry(**(given | changes))


def add_deliveries(store: Store) -> None:
    """One row at least in every table."""
    url = "https://hooks.example.org/"
    store.deliveries.add_webhook("wh_1", url=url, events=("*",), moment=NOON)
    store.deliveries.add_message("msg_1", event_type="alarm.raised", body="{}", occurred_at=NOON)
    store.deliveries.add_try(make_try())
