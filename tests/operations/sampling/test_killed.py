"""A worker dies between a chosen answer's leaf and its rows; another, long at work, goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.fsck.store import check_store
from spanproof.operations.receipts.intakes import find_superseding
from spanproof.operations.receipts.issuing import RESULT
from spanproof.operations.sampling import verification
from spanproof.operations.sampling.verification import verify_sampled
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import IntakeError
from spanproof.store.log.failpoints import Failpoint
from spanproof.store.log.records import LogStatement
from tests.operations.sampling.conftest import ALL, GOOD, make_payload, submit
from tests.operations.sampling.killing import KilledError, kill
from tests.spread import thin_out
from tests.store.log.test_stopping import INCLUSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.core.log.checkpoint import LoggedLeaf
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


@pytest.mark.parametrize("point", thin_out(INCLUSION, every=4))
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


def damage(context: Context, monkeypatch: pytest.MonkeyPatch, answer_id: str) -> str:
    """Judge an answer twice, as early versions did: the first worker dies behind its leaf."""
    issuer, log = context.issuer, context.log

    def log_alone(payload: bytes, *, verification_id: str, intake: LoggedLeaf, **_: object) -> None:
        signed = issuer.sign(payload)
        statement = LogStatement(
            kind=RESULT,
            subject=verification_id,
            payload=payload,
            signature=signed.envelope.signature,
            payload_type=signed.envelope.payload_type,
            intake_index=intake.index,
        )
        log.append(signed.entry, statement)
        kill()

    with monkeypatch.context() as early:
        early.setattr(issuer, "issue", log_alone)
        early.setattr(context.intakes, "_close_after", lambda *_, **__: None)
        with pytest.raises(KilledError):
            verify_sampled(context, answer_id)
    with monkeypatch.context() as early:
        early.setattr(context.intakes, "finish", lambda _: False)
        early.setattr("spanproof.operations.verification.once.MAX_ATTEMPTS", 1)
        early.setattr("spanproof.operations.verification.once._LOOKS", 1)
        early.setattr(verification, "_ANSWER_ERRORS", ())
        outcome, _ = verify_sampled(context, answer_id)
    return str(outcome.verification_id)


@pytest.mark.long
def test_home_in_which_an_answer_was_judged_twice_turns_green_with_its_evidence(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(ALL) as context:
        submit(context, make_payload("a", GOOD))
        name = damage(context, monkeypatch, "a")
        about = context.log.find_statements(name)
        assert [each.statement.kind for each in about].count("result") == 2
        (lost,) = context.log.find_unreceipted()
        report = check_store(context, None, with_log=False)
        assert [
            (each.question, finding.code) for each in report.lines for finding in each.findings
        ] == [("RECEIPTS", "RECEIPT_MISMATCH")]
    with open_home(ALL) as context:
        report = check_store(context, None)
        assert report.outcome is LineStatus.OK, report.to_json()
        said = find_superseding(context.log.find_statements(name), lost.index)
        assert said is not None
        assert said.leaf_hash == context.log.read_leaf(lost.index)[1]
        kept = context.store.receipts.find(name)
        assert kept is not None
        assert said.by_index == kept.index != lost.index
        size = context.log.head().size
    with open_home(ALL) as context:
        # Said once.
        assert context.log.head().size == size
        # What it says holds only as long as the other result has the receipt.
        monkeypatch.setattr(type(context.store.receipts), "find", lambda *_: None)
        assert check_store(context, None, with_log=False).outcome is not LineStatus.OK
