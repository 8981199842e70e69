"""Epochs: committed before their first answer, disclosed at their end, whole after a crash."""

from __future__ import annotations

import dataclasses
import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.monitor.sampling import check_commitment, draw
from spanproof.operations.sampling import epochs as api_epochs
from spanproof.operations.sampling.audit import audit_epoch, iterate_epochs
from spanproof.operations.sampling.epochs import EpochKeeper, list_events
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import ConfigChange, EpochClosed, EpochOpened
from tests.operations.sampling.conftest import (
    ALL,
    GOOD,
    HALF,
    fill,
    make_payload,
    sampler_of,
    submit,
)
from tests.operations.sampling.killing import KilledError, kill

if TYPE_CHECKING:
    from collections.abc import Callable


def test_the_commitment_is_logged_before_the_first_answer_and_disclosed_at_the_end(
    open_home: Callable[..., Any],
) -> None:
    with open_home(HALF) as context:
        (first,) = fill(context, 1)
        ((opened_at, opened),) = list_events(context, "epoch-1")
        assert isinstance(opened, EpochOpened)
        assert opened.time <= first.received_at
        # A signed head covers it before anybody was answered.
        assert context.log.latest()[0].size > opened_at
        assert next(iterate_epochs(context))["key"] is None
        assert opened.plan_digest == sampler_of(context).plan.digest
        changes = [
            change
            for each in context.log.find_statements("configuration")
            if isinstance(event := parse_event(each.statement.payload), ConfigChange)
            for change in event.changes
        ]
        assert [(each.name, each.new) for each in changes] == [
            ("sampling-plan", sampler_of(context).plan.digest)
        ]
        fill(context, 20)
        closed = sampler_of(context).close_epoch()
        assert closed is not None
        (_, (_, closing)) = list_events(context, "epoch-1")
        assert isinstance(closing, EpochClosed)
        assert check_commitment(bytes.fromhex(opened.commitment.hex), closing.key, "epoch-1")
        assert (closing.answers, closing.key) == (20, closed.key)
        assert next(iterate_epochs(context))["key"] == closed.key.hex()
        # Without a trace everybody can now compute the bits.
        for each in context.store.samples.answers.iterate("epoch-1"):
            assert each.randomness == draw(closing.key, each.answer_id).value
        (later,) = fill(context, 1)
        assert later.epoch == "epoch-1"
        assert submit(context, make_payload("new", GOOD)).epoch == "epoch-2"
        assert sampler_of(context).close_epoch() is not None
        assert sampler_of(context).close_epoch() is None


def test_an_epoch_ends_with_its_hours_and_with_its_plan(open_home: Callable[..., Any]) -> None:
    with open_home(HALF) as context:
        fill(context, 3)
        keeper = EpochKeeper(context, sampler_of(context).plan)
        epoch = keeper.find_current()
        assert epoch.opened is not None
        hours = timedelta(hours=24)
        assert not keeper._is_over(epoch, epoch.opened.at + hours - timedelta(seconds=1))
        assert keeper._is_over(epoch, epoch.opened.at + hours)
        # A clock that went back makes no epoch shorter.
        assert not keeper._is_over(epoch, epoch.opened.at - hours)
        # One that never ends is none that cannot be reckoned with.
        endless = json.loads(epoch.plan_json) | {"epoch_hours": 1e300}
        endless = dataclasses.replace(epoch, plan_json=json.dumps(endless))
        assert not keeper._is_over(endless, epoch.opened.at + 1000 * hours)
    # A restart goes on with the epoch, another plan begins another.
    with open_home(HALF) as context:
        assert submit(context, make_payload("b", GOOD)).epoch == "epoch-1"
    with open_home(ALL) as context:
        assert submit(context, make_payload("c", GOOD)).epoch == "epoch-2"
        assert context.store.samples.epochs.load("epoch-1").closed is not None
        assert audit_epoch(context, "epoch-1").differences == 0


@pytest.mark.parametrize("cut", ["prepared", "logged", "closing", "disclosed"])
def test_an_epoch_that_a_crash_cut_off_goes_on_where_it_was(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, cut: str
) -> None:
    with open_home(HALF) as context:
        keeper = EpochKeeper(context, sampler_of(context).plan)
        epochs = context.store.samples.epochs
        if cut in {"prepared", "logged"}:
            place = (context.issuer, "log_event") if cut == "prepared" else (epochs, "add_step")
            with monkeypatch.context() as patch:
                patch.setattr(type(place[0]), place[1], kill)
                with pytest.raises(KilledError):
                    keeper.find_current()
        else:
            keeper.find_current()
            with monkeypatch.context() as patch:
                if cut == "closing":
                    patch.setattr(api_epochs, "_log_commitment", kill)
                else:
                    patch.setattr(type(context.log), "publish", kill)
                with pytest.raises(KilledError):
                    keeper.close_current()
    with open_home(HALF) as context:
        wanted = "epoch-1" if cut in {"prepared", "logged"} else "epoch-2"
        assert submit(context, make_payload("a", GOOD)).epoch == wanted
        opened = [each for _, each in list_events(context, "epoch-1")]
        assert [type(each) for each in opened][:1] == [EpochOpened]
        assert len(opened) == (1 if wanted == "epoch-1" else 2)
        sampler_of(context).close_epoch()
        for each in context.store.samples.epochs.list():
            assert audit_epoch(context, each.epoch).differences == 0
