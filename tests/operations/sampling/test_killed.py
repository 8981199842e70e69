"""A worker dies between a chosen answer's leaf and its rows; another, long at work, goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.fsck.store import check_store
from spanproof.operations.sampling.verification import verify_sampled, verify_waiting
from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import IntakeError
from spanproof.store.log.failpoints import Failpoint
from tests.operations.sampling.conftest import ALL, GOOD, make_payload, submit
from tests.operations.sampling.killing import KilledError, kill
from tests.store.log.test_stopping import INCLUSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context

#: What is reached while the intake's leaf is written, before that of the result.
_OF_APPENDING = INCLUSION[: INCLUSION.index(Failpoint.TREE_COMMITTED) + 1]


def die_at(context: Context, point: Failpoint) -> None:
    """Kill at this point of the result's leaf: nothing is written after it, not even the error."""
    left = 2 if point in _OF_APPENDING else 1

    def reach(reached: Failpoint) -> None:
        nonlocal left
        left -= reached is point
        if left <= 0:
            kill()

    log = context.issuer.log
    log._reach = log._mark._reach = reach


@pytest.mark.parametrize("point", INCLUSION)
def test_a_result_that_was_logged_is_finished_and_not_judged_again(
    open_home: Callable[..., Any], point: Failpoint
) -> None:
    with open_home(ALL) as dying, open_home(ALL) as living:
        submit(dying, make_payload("before", GOOD))
        verify_waiting(dying)
        submit(dying, make_payload("a", GOOD))
        # Its log is open before the other one dies.
        living.issuer.check()
        die_at(dying, point)
        with pytest.raises(KilledError):
            verify_sampled(dying, "a")
        is_logged = INCLUSION.index(point) >= INCLUSION.index(Failpoint.TREE_COMMITTED)
        (name,) = {each.statement.subject for each in living.log.open_intakes()} or {None}
        outcome, _ = verify_sampled(living, "a")
        about = living.log.find_statements(outcome.verification_id or "")
        kinds = [each.statement.kind for each in about]
        assert kinds.count("result") == 1
        assert (name is None) == is_logged
        if not is_logged:
            # The intake of the dead worker says who has the result.
            event = parse_event(about[-1].statement.payload)
            assert isinstance(event, IntakeError)
            assert event.code == "SUPERSEDED"
        assert living.log.open_intakes() == ()
        assert living.log.find_unreceipted() == ()
        report = check_store(living, None)
        assert report.outcome is LineStatus.OK, report.to_json()


def test_two_workers_that_judge_one_answer_at_once_log_one_result(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(ALL) as first, open_home(ALL) as second:
        submit(first, make_payload("a", GOOD))
        issue = first.issuer.issue

        def be_late(*given: Any, **named: Any) -> Any:
            monkeypatch.setattr(first.issuer, "issue", issue)
            verify_sampled(second, "a")
            return issue(*given, **named)

        monkeypatch.setattr(first.issuer, "issue", be_late)
        outcome, _ = verify_sampled(first, "a")
        about = first.log.find_statements(outcome.verification_id or "")
        assert [each.statement.kind for each in about].count("result") == 1
        assert second.store.samples.outcomes.find("a") == outcome
        assert check_store(second, None).outcome is LineStatus.OK
