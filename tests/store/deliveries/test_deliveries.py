"""Webhooks, messages and tries: kept once, told as they stand, gone where they were removed."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import WebhookNotFoundError
from tests.store.deliveries.samples import add_deliveries, make_try
from tests.store.examples import NOON

if TYPE_CHECKING:
    from spanproof.store import Store

LATER = NOON + timedelta(hours=1)


def test_a_webhook_is_what_its_last_state_says(store: Store) -> None:
    kept = store.deliveries
    add_deliveries(store)
    assert kept.load_webhook("wh_1").state == "enabled"
    assert kept.load_webhook("wh_1").wants("anything")
    assert kept.set_state("wh_1", "disabled", reason="it hangs", moment=LATER)
    assert not kept.set_state("wh_1", "disabled", reason="again", moment=LATER)
    (found,) = kept.list_webhooks()
    assert (found.state, found.reason, found.since) == ("disabled", "it hangs", LATER)
    assert not found.wants("anything")
    kept.set_state("wh_1", "removed", reason="removed", moment=LATER)
    assert kept.list_webhooks() == ()
    for act in (
        kept.load_webhook,
        lambda name: kept.set_state(name, "enabled", reason="", moment=LATER),
    ):
        with pytest.raises(WebhookNotFoundError):
            act("wh_1")
    with pytest.raises(WebhookNotFoundError):
        kept.load_webhook("wh_2")


def test_a_webhook_is_told_of_what_it_asked_for(store: Store) -> None:
    events = ("alarm.raised", "drift.over_budget")
    made = store.deliveries.add_webhook("wh_1", url="https://a/", events=events, moment=NOON)
    assert store.deliveries.load_webhook("wh_1") == made
    assert made.events == events
    assert made.wants("alarm.raised")
    assert not made.wants("job.completed")


def test_a_message_and_a_try_are_kept_as_they_came_first(store: Store) -> None:
    add_deliveries(store)
    again = store.deliveries.add_message(
        "msg_1", event_type="job.completed", body='{"a":1}', occurred_at=LATER
    )
    assert (again.event_type, again.body, again.occurred_at) == ("alarm.raised", "{}", NOON)
    assert store.deliveries.find_message("msg_1") == again
    assert store.deliveries.find_message("msg_2") is None
    store.deliveries.add_try(make_try(outcome="delivered", status=204))
    assert store.deliveries.find_try("msg_1", "wh_1", 0) == make_try()
    assert store.deliveries.find_try("msg_1", "wh_1", 1) is None


def test_tries_are_listed_newest_first_and_a_success_counts_from_its_moment(store: Store) -> None:
    add_deliveries(store)
    second = make_try(attempt=1, tried_at=LATER, outcome="delivered", status=200, next_at=None)
    store.deliveries.add_try(second)
    assert store.deliveries.list_tries("wh_1") == (second, make_try())
    assert store.deliveries.list_tries("wh_1", limit=1) == (second,)
    assert store.deliveries.list_tries("wh_1", message_id="msg_2") == ()
    assert store.deliveries.has_delivered_since("wh_1", LATER)
    assert not store.deliveries.has_delivered_since("wh_1", LATER + timedelta(seconds=1))
    assert not store.deliveries.has_delivered_since("wh_2", NOON)


def test_a_name_that_no_database_holds_is_of_nothing(store: Store) -> None:
    add_deliveries(store)
    name = "wh_1\x00"
    with pytest.raises(WebhookNotFoundError):
        store.deliveries.load_webhook(name)
    with pytest.raises(WebhookNotFoundError):
        store.deliveries.set_state(name, "removed", reason="", moment=LATER)
    assert store.deliveries.list_tries("wh_1", message_id="msg_1\x00") == ()
