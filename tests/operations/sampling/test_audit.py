"""An audit of an epoch names what another plan, key or hand has chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import NotFoundError
from spanproof.operations.log.recover import recover
from spanproof.operations.sampling.audit import audit_epoch
from spanproof.operations.sampling.epochs import open_epoch
from spanproof.operations.sampling.waiting import verify_waiting
from tests.databases import drop_trigger
from tests.operations.sampling.conftest import (
    ALL,
    GOOD,
    HALF,
    fill,
    make_payload,
    sampler_of,
    submit,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def test_an_audit_names_who_should_have_been_chosen(open_home: Callable[..., Any]) -> None:
    with open_home(HALF) as context:
        fill(context, 30)
        verify_waiting(context)
        before = audit_epoch(context, "epoch-1")
        assert (before.is_disclosed, before.differences) == (False, 0)
        sampler_of(context).close_epoch()
        report = audit_epoch(context, "epoch-1")
        assert report.differences == 0, report.named
        assert (report.answers, report.waiting) == (30, 0)
        assert 0 < report.chosen == report.verified < 30
        with pytest.raises(NotFoundError):
            audit_epoch(context, "epoch-2")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"is_sampled": False}, {"chosen", "digest of the answers"}),
        ({"randomness": "00000000000001"}, {"bits", "digest of the answers"}),
        ({"threshold": "00000000000000"}, {"threshold", "digest of the answers"}),
        ({"stratum": "other"}, {"stratum", "digest of the answers"}),
        ({"model": "m2"}, {"stratum", "threshold"}),
    ],
)
def test_an_audit_names_a_row_that_was_changed_behind_the_store(
    open_home: Callable[..., Any], changes: dict[str, Any], what: set[str]
) -> None:
    from sqlalchemy import text

    plan = HALF | {"strata": [{"name": "m2", "model": "m2", "probability": 0.25}]}
    with open_home(plan) as context:
        found = fill(context, 12)
        chosen = next(each for each in found if each.is_sampled)
        sampler_of(context).close_epoch()
        with context.store.database.connection() as connection:
            drop_trigger(connection, "submitted_answer", "update")
            for name, value in changes.items():
                query = f"UPDATE submitted_answer SET {name} = :value WHERE answer_id = :key"  # noqa: S608 - our own names
                connection.execute(text(query), {"value": value, "key": chosen.answer_id})
        report = audit_epoch(context, "epoch-1")
        assert what <= {each.what for each in report.named}
        assert {each.answer_id for each in report.named} <= {None, chosen.answer_id}
        assert report.differences == len(report.named)


def test_an_audit_names_a_second_commitment_and_a_review_that_was_left_out(
    open_home: Callable[..., Any],
) -> None:
    from sqlalchemy import text

    with open_home(ALL) as context:
        fill(context, 2)
        verify_waiting(context)
        epoch = context.store.samples.epochs.load("epoch-1")
        open_epoch(context, replace(epoch, commitment=Digest.of(b"a key that suits better")))
        sampler_of(context).close_epoch()
        with context.store.database.connection() as connection:
            drop_trigger(connection, "review_item", "delete")
            connection.execute(text("DELETE FROM review_item WHERE answer_id = 'a1'"))
        named = {(each.answer_id, each.what) for each in audit_epoch(context, "epoch-1").named}
        assert named == {
            (None, "leaves that open the epoch"),
            ("a1", "drawn for people"),
        }


def test_an_epoch_of_a_log_that_was_closed_can_be_audited(open_home: Callable[..., Any]) -> None:
    with open_home(ALL) as context:
        submit(context, make_payload("old", GOOD))
        verify_waiting(context)
        before = context.log.origin
    with open_home(ALL) as context:
        recover(context.settings, context.store, origin=None, reason="asked for")
    with open_home(ALL) as context:
        assert context.log.origin != before
        submit(context, make_payload("new", GOOD))
        verify_waiting(context)
        sampler_of(context).close_epoch()
        assert context.store.samples.answers.load("new").epoch == "epoch-1"
        report = audit_epoch(context, "epoch-1")
        assert (report.verified, report.named) == (2, ())
        # A second commitment is a second one, in whichever log it stands.
        epoch = context.store.samples.epochs.load("epoch-1")
        open_epoch(context, replace(epoch, commitment=Digest.of(b"a key that suits better")))
        assert [each.what for each in audit_epoch(context, "epoch-1").named] == [
            "leaves that open the epoch"
        ]
