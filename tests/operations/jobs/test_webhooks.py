"""Webhooks: signed by the published formula, tried again, disabled in the end; never a text."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Any

import pytest
from standardwebhooks import Webhook as PublishedWebhook

from spanproof.core.errors import InputError, IntegrityError, WebhookNotFoundError
from spanproof.operations import outbound
from spanproof.operations.tenants import Tenants
from spanproof.operations.webhooks import delivery
from spanproof.operations.webhooks import endpoints as operation
from spanproof.operations.webhooks.endpoints import notify
from spanproof.operations.webhooks.secrets import WebhookSecrets
from tests.operations.jobs.conftest import make_settings, running, wait_for
from tests.operations.jobs.receiver import Receiver, receiving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.operations.context import Context

DATA = {"verification_id": "v1", "result": "fail"}


@pytest.fixture(scope="module")
def receiver_server() -> Iterator[Receiver]:
    """One for the module."""
    with receiving() as made:
        yield made


@pytest.fixture
def receiver(receiver_server: Receiver) -> Receiver:
    """It answers 204 and has received nothing."""
    receiver_server.status, receiver_server.hang, receiver_server.drip = 204, 0.0, False
    receiver_server.received.clear()
    return receiver_server


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    """A home whose webhooks may be on loopback."""
    settings = make_settings(tmp_path_factory.mktemp("hooks") / "home")
    opened = Tenants(settings.model_copy(update={"webhook_private": True}))
    yield opened
    opened.close()


@pytest.fixture
def context(home: Tenants) -> Iterator[Context]:
    """The default tenant without webhooks."""
    yield home.default
    for each in home.default.store.deliveries.list_webhooks():
        operation.remove_webhook(home.default, each.webhook_id)


def run_try(context: Context, webhook_id: str, message_id: str, attempt: int = 0) -> Any:
    """One try in this thread."""
    arguments = {"webhook_id": webhook_id, "message_id": message_id, "attempt": attempt}
    return delivery.run(context, arguments, lambda *_: None)


def tell(context: Context, event: str = "alarm.raised", event_id: str = "1") -> str:
    """Keep a message for whoever wants it."""
    told = notify(context, event, DATA, event_id=event_id)
    assert told is not None
    return told


def test_a_delivery_verifies_by_the_published_formula_and_package(
    context: Context, receiver: Receiver
) -> None:
    made, secret = operation.add_webhook(context, receiver.url + "in?a=1")
    message_id = tell(context, event_id="formula")
    assert run_try(context, made.webhook_id, message_id) == {
        "outcome": "delivered",
        "status": 204,
    }
    (came,) = receiver.received
    assert came.path == "/in?a=1"
    assert came.headers["webhook-id"] == message_id
    assert came.headers["content-type"] == "application/json"
    signed = f"{message_id}.{came.headers['webhook-timestamp']}.".encode() + came.body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    assert came.headers["webhook-signature"] == f"v1,{expected}"
    body = PublishedWebhook(secret).verify(came.body, came.headers)
    assert body["type"] == "alarm.raised"
    assert body["data"] == DATA
    assert body["timestamp"].endswith("Z")


def test_after_a_rotation_both_secrets_verify_and_a_day_later_one(
    context: Context, receiver: Receiver
) -> None:
    made, old = operation.add_webhook(context, receiver.url)
    new = operation.rotate_secret(context, made.webhook_id)
    run_try(context, made.webhook_id, tell(context, event_id="rotated"))
    (came,) = receiver.received
    assert len(came.headers["webhook-signature"].split()) == 2
    for secret in (old, new):
        PublishedWebhook(secret).verify(came.body, came.headers)
    kept = operation.secrets_of(context)
    assert kept.load(made.webhook_id, 0.0) == (new, old)
    assert kept.load(made.webhook_id, 9e9) == (new,)
    newest = operation.rotate_secret(context, made.webhook_id)
    assert kept.load(made.webhook_id, 0.0) == (newest, new)
    path = kept.folder / made.webhook_id
    assert path.stat().st_mode & 0o777 == 0o600
    operation.remove_webhook(context, made.webhook_id)
    assert not path.exists()
    with pytest.raises(IntegrityError):
        kept.load(made.webhook_id, 0.0)


def test_secrets_of_a_name_that_is_none_reach_no_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_text('[{"secret": "whsec_", "until": null}]')
    for name in ("../x", "x", "wh_5f0c6d0a4c0e4f3b\n", ""):
        with pytest.raises(IntegrityError):
            WebhookSecrets(folder=tmp_path / "in").load(name, 0.0)


def test_the_same_event_is_told_once_and_only_to_whoever_wants_it(
    context: Context, receiver: Receiver, home: Tenants
) -> None:
    assert notify(context, "alarm.raised", DATA, event_id="nobody") is None
    wants, _ = operation.add_webhook(context, receiver.url + "a", ["alarm.raised"])
    operation.add_webhook(context, receiver.url + "b", ["drift.over_budget"])
    with running(home, threads=2):
        (message_id,) = {tell(context, event_id="once") for _ in range(3)}
        job_id = f"{message_id}.{wants.webhook_id}.0"
        assert wait_for(context.jobs, job_id).result == {"outcome": "delivered", "status": 204}
    assert [each.path for each in receiver.received] == ["/a"]
    (logged,) = operation.list_tries(context, wants.webhook_id)
    assert (logged.outcome, logged.status, logged.next_at) == ("delivered", 204, None)


@pytest.mark.long
def test_a_job_that_is_done_is_an_event_and_a_delivery_is_none(
    context: Context, receiver: Receiver, home: Tenants
) -> None:
    operation.add_webhook(context, receiver.url)
    with running(home, threads=2):
        job = wait_for(context.jobs, context.jobs.start("counted", {"name": "told"}).job_id)
        (came,) = receiver.wait(1)
        body = json.loads(came.body)
        assert body["type"] == "job.completed"
        assert body["data"] == {"job_id": job.job_id, "kind": "counted", "state": "done"}
    assert len(receiver.received) == 1


def test_a_try_that_was_made_is_not_made_again(context: Context, receiver: Receiver) -> None:
    made, _ = operation.add_webhook(context, receiver.url)
    message_id = tell(context, event_id="twice")
    first = run_try(context, made.webhook_id, message_id)
    assert run_try(context, made.webhook_id, message_id) == first
    assert len(receiver.received) == 1


def test_an_endpoint_that_answers_500_for_a_day_is_disabled_and_others_are_told(
    context: Context, receiver: Receiver
) -> None:
    made, _ = operation.add_webhook(context, receiver.url + "bad", ["alarm.raised"])
    other, _ = operation.add_webhook(context, receiver.url + "good", ["webhook.disabled"])
    message_id = tell(context, event_id="bad day")
    receiver.status = 500
    waited = 0.0
    for attempt in range(len(delivery.DELAYS) + 1):
        assert context.store.deliveries.load_webhook(made.webhook_id).state == "enabled"
        run_try(context, made.webhook_id, message_id, attempt)
        tried = context.store.deliveries.find_try(message_id, made.webhook_id, attempt)
        assert tried is not None
        assert (tried.outcome, tried.status) == ("status", 500)
        if tried.next_at is not None:
            delay = (tried.next_at - tried.tried_at).total_seconds()
            assert delivery.DELAYS[attempt] <= delay <= delivery.DELAYS[attempt] * 1.25
            waited += delay
            # The next try is queued, and not before its time.
            job = context.jobs.find(f"{message_id}.{made.webhook_id}.{attempt + 1}")
            assert job.state == "queued"
    assert waited >= 24 * 3600
    disabled = context.store.deliveries.load_webhook(made.webhook_id)
    assert disabled.state == "disabled"
    assert "11 tries failed" in disabled.reason
    assert len(receiver.received) == 11
    # It is told nothing now; the other one is told of it.
    assert run_try(context, made.webhook_id, message_id, 11) == {"outcome": "disabled"}
    told = context.jobs.list(kind="webhook_delivery", limit=200).items
    (event,) = [each.job_id for each in told if other.webhook_id in each.job_id]
    message = context.store.deliveries.find_message(event.partition(".")[0])
    assert message is not None
    assert json.loads(message.body)["data"]["webhook_id"] == made.webhook_id
    assert operation.enable_webhook(context, made.webhook_id).state == "enabled"


def test_one_success_since_then_keeps_an_endpoint(context: Context, receiver: Receiver) -> None:
    made, _ = operation.add_webhook(context, receiver.url)
    lost, taken = tell(context, event_id="lost"), tell(context, event_id="taken")
    run_try(context, made.webhook_id, taken)
    receiver.status = 503
    run_try(context, made.webhook_id, lost, len(delivery.DELAYS))
    assert context.store.deliveries.load_webhook(made.webhook_id).state == "enabled"
    receiver.status = 410
    run_try(context, made.webhook_id, lost)
    assert context.store.deliveries.load_webhook(made.webhook_id).state == "disabled"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(context: Context, receiver: Receiver, status: int) -> None:
    made, _ = operation.add_webhook(context, receiver.url)
    receiver.status = status
    found = run_try(context, made.webhook_id, tell(context, event_id=f"moved {status}"))
    assert found == {"outcome": "redirect", "status": status}
    assert [each.path for each in receiver.received] == ["/"]


@pytest.mark.parametrize("is_dripping", [False, True])
def test_an_endpoint_that_hangs_is_given_up_in_time(
    context: Context,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    is_dripping: bool,
) -> None:
    monkeypatch.setattr(outbound, "SECONDS", 0.5)
    made, _ = operation.add_webhook(context, receiver.url)
    receiver.hang, receiver.drip = 60.0, is_dripping
    found = run_try(context, made.webhook_id, tell(context, event_id=f"hang {is_dripping}"))
    assert found == {"outcome": "timeout", "status": None}


def test_nobody_there_is_a_failed_try(context: Context) -> None:
    with receiving() as gone:
        made, _ = operation.add_webhook(context, gone.url)
    found = run_try(context, made.webhook_id, tell(context, event_id="gone"))
    assert found == {"outcome": "unreachable", "status": None}


def test_a_replay_sends_the_same_message_once_more(context: Context, receiver: Receiver) -> None:
    made, _ = operation.add_webhook(context, receiver.url)
    message_id = tell(context, event_id="again")
    run_try(context, made.webhook_id, message_id)
    receiver.status = 500
    job = operation.replay_message(context, made.webhook_id, message_id)
    assert job.job_id.endswith(f".{operation.FIRST_REPLAY}")
    run_try(context, made.webhook_id, message_id, operation.FIRST_REPLAY)
    first, second = receiver.received
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    tries = operation.list_tries(context, made.webhook_id, message_id=message_id)
    assert [each.attempt for each in tries] == [operation.FIRST_REPLAY, 0]
    # A try by hand neither goes on nor disables.
    assert tries[0].next_at is None
    assert context.store.deliveries.load_webhook(made.webhook_id).state == "enabled"
    for wrong in ("msg_" + "0" * 32, "../x", ""):
        with pytest.raises(WebhookNotFoundError):
            operation.replay_message(context, made.webhook_id, wrong)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "0x7f.1", "2130706433"])
def test_a_name_that_leads_home_is_fenced_when_it_is_sent_to(tmp_path: Path, host: str) -> None:
    tenants = Tenants(make_settings(tmp_path / "home"))
    context = tenants.default
    try:
        made, _ = operation.add_webhook(context, f"https://{host}/hook")
        found = run_try(context, made.webhook_id, tell(context))
        assert found == {"outcome": "fenced", "status": None}
    finally:
        tenants.close()


def test_unknown_events_and_too_many_webhooks_are_refused(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"alarm\.raised"):
        operation.add_webhook(context, "https://hooks.example.org/", ["alarms"])
    monkeypatch.setattr(operation, "MAX_WEBHOOKS", 1)
    operation.add_webhook(context, "https://hooks.example.org/")
    with pytest.raises(InputError, match="at most 1"):
        operation.add_webhook(context, "https://hooks.example.org/")


def test_what_was_removed_is_not_found(context: Context) -> None:
    made, _ = operation.add_webhook(context, "https://hooks.example.org/")
    operation.remove_webhook(context, made.webhook_id)
    for act in (operation.remove_webhook, operation.rotate_secret, operation.enable_webhook):
        with pytest.raises(WebhookNotFoundError):
            act(context, made.webhook_id)
    with pytest.raises(WebhookNotFoundError):
        operation.list_tries(context, made.webhook_id)
    assert run_try(context, made.webhook_id, "msg_" + "0" * 32) == {"outcome": "removed"}


def test_another_tenants_webhooks_are_told_nothing(
    context: Context, receiver: Receiver, home: Tenants
) -> None:
    other = home.create("acme")
    made, _ = operation.add_webhook(other, receiver.url)
    assert notify(context, "alarm.raised", DATA, event_id="mine") is None
    with pytest.raises(WebhookNotFoundError):
        operation.list_tries(context, made.webhook_id)


@pytest.mark.parametrize("case", ["label", "secret"])
def test_what_cannot_be_sent_is_a_try_that_is_followed(
    context: Context, receiver: Receiver, case: str
) -> None:
    url = f"https://{'a' * 64}.example/" if case == "label" else receiver.url
    made, _ = operation.add_webhook(context, url)
    if case == "secret":
        operation.secrets_of(context).remove(made.webhook_id)
    message_id = tell(context, event_id=f"unsent {case}")
    found = run_try(context, made.webhook_id, message_id)
    assert found == {"outcome": "unreachable", "status": None}
    assert receiver.received == []
    tried = context.store.deliveries.find_try(message_id, made.webhook_id, 0)
    assert tried is not None
    assert tried.next_at is not None
    assert context.jobs.find(f"{message_id}.{made.webhook_id}.1").state == "queued"


def test_a_crash_before_an_endpoint_is_disabled_loses_no_word_of_it(
    context: Context, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = operation.add_webhook(context, receiver.url + "gone")
    other, _ = operation.add_webhook(context, receiver.url + "told", ["webhook.disabled"])
    message_id = tell(context, event_id="gone for good")
    receiver.status = 410

    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    def list_told() -> list[str]:
        jobs = context.jobs.list(kind="webhook_delivery", limit=200).items
        ours = (made.webhook_id, other.webhook_id)
        return [
            each.job_id
            for each in jobs
            if message_id not in each.job_id and each.job_id.split(".")[1] in ours
        ]

    with monkeypatch.context() as patch:
        patch.setattr(type(context.store.deliveries), "set_state", crash)
        with pytest.raises(KeyboardInterrupt):
            run_try(context, made.webhook_id, message_id)
    (told,) = list_told()
    assert other.webhook_id in told
    run_try(context, made.webhook_id, message_id)
    assert context.store.deliveries.load_webhook(made.webhook_id).state == "disabled"
    assert list_told() == [told]
