"""Alarms and incidents are acknowledged by statements in the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError, InputError, NotFoundError
from spanproof.operations.fsck.store import check_store
from spanproof.operations.sampling.acknowledging import acknowledge, list_raised
from spanproof.operations.sampling.rates import compute_rates
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.receipt.statement.predicate import NOBODY, Actor
from spanproof.store.log.reading import list_events
from tests.operations.audited import codes
from tests.operations.sampling.conftest import BAD, make_payload, submit

if TYPE_CHECKING:
    from collections.abc import Callable

ANNA, BERT = Actor("sp_anna", None), Actor("sp_bert", None)
PLAN = {"default": 1, "budget": 0.03, "alpha": 0.01, "gap": 200}


def test_who_has_seen_an_alarm_is_signed_and_the_alarm_stays(
    open_home: Callable[..., Any],
) -> None:
    with open_home(PLAN) as context:
        for number in range(4):
            submit(context, make_payload(f"a{number}", BAD))
        verify_waiting(context)
        report = compute_rates(context)
        found = list_raised(context, report)
        assert {each.kind for each in found} == {"alarm", "incident"}
        assert len({each.digest for each in found}) == len(found)
        first, size = found[0], context.log.head().size
        for reason in ("", " ", "x" * 501):
            with pytest.raises(InputError, match="Expected a reason"):
                acknowledge(context, report, first.digest, reason=reason, actor=ANNA)
        with pytest.raises(ConflictError, match="by nobody"):
            acknowledge(context, report, first.digest, reason="seen", actor=NOBODY)
        with pytest.raises(NotFoundError, match="that is listed"):
            acknowledge(context, report, Digest.of(b"x"), reason="seen", actor=ANNA)
        assert context.log.head().size == size

        made = acknowledge(context, report, first.digest, reason="rolled back ", actor=ANNA)
        again = acknowledge(context, report, first.digest, reason="rolled back", actor=ANNA)
        assert (again.event_id, again.reason) == (made.event_id, "rolled back")
        acknowledge(context, report, first.digest, reason="I agree", actor=BERT)
        assert context.log.head().size == size + 2
        assert len(list_events(context.store.database, "acknowledgement", [str(first.digest)])) == 2

        after = list_raised(context, compute_rates(context))
        assert compute_rates(context) == report
        assert [each.actor for each in after[-1].acknowledged] == [ANNA, BERT]
        assert after[-1].digest == first.digest
        assert not any(each.acknowledged for each in after[:-1])
        assert codes(check_store(context, None)) == []
