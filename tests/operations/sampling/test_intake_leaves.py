"""Each answer that came in stands in the log before its caller is answered."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from spanproof.core.digest import Digest
from spanproof.core.errors import LogError
from spanproof.operations.sampling import sampler as sampler_module
from spanproof.operations.sampling.audit import audit_epoch
from spanproof.operations.sampling.intake_leaves import (
    WeighedLeaf,
    list_leaves,
    log_submissions,
    weigh,
)
from spanproof.operations.sampling.submission import read_submission
from spanproof.store.log.transparency import TransparencyLog
from spanproof.store.samples.answers import write_submission
from spanproof.store.samples.records import SubmittedAnswer
from tests.databases import drop_trigger
from tests.operations.sampling.conftest import GOOD, HALF, fill, make_payload, sampler_of, submit
from tests.operations.sampling.killing import kill

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context


def list_ranges(context: Context, epoch: str = "epoch-1") -> list[tuple[int, int]]:
    """The numbers that each leaf names."""
    return [(each.event.first, each.end - 1) for each in list_leaves(context, epoch)]


def test_an_answer_is_in_the_log_once_its_caller_is_answered(open_home: Callable[..., Any]) -> None:
    with open_home(HALF) as context:
        for at in range(1, 4):
            answer = submit(context, make_payload(f"a{at}", GOOD))
            leaf = list_leaves(context, "epoch-1")[-1]
            assert (leaf.event.first, leaf.event.answers) == (at, 1)
            assert leaf.event.rows_digest == Digest.of(write_submission(answer))
        # The same again is no other answer; whether it has its leaf is not looked up, but logged.
        submit(context, make_payload("a1", GOOD))
        assert list_ranges(context) == [(1, 1), (2, 2), (3, 3), (1, 1)]


def test_answers_that_come_together_are_one_leaf(open_home: Callable[..., Any]) -> None:
    with open_home(HALF) as context:
        payloads = [make_payload(f"a{at % 50}", GOOD) for at in range(60)]
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda raw: submit(context, raw), payloads))
        ranges = list_ranges(context)
        assert {at for first, last in ranges for at in range(first, last + 1)} == set(range(1, 51))
        assert len(ranges) < 60
        sampler_of(context).close_epoch()
        report = audit_epoch(context, "epoch-1")
        assert (report.leaves, report.named) == (len(ranges), ())


def test_a_caller_whose_leaf_failed_is_told_and_the_next_leaf_names_the_answer(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise LogError("Expected room, got a full disk.", hint="Wait.")

    with open_home(HALF) as context:
        submit(context, make_payload("a", GOOD))
        with monkeypatch.context() as patch:
            patch.setattr(TransparencyLog, "append", fail)
            with pytest.raises(LogError):
                submit(context, make_payload("b", GOOD))
        submit(context, make_payload("b", GOOD))
        assert list_ranges(context) == [(1, 1), (2, 2)]
        sampler_of(context).close_epoch()
        assert audit_epoch(context, "epoch-1").named == ()


@pytest.mark.parametrize("comes_again", [False, True])
def test_an_answer_whose_process_was_killed_before_the_leaf_gets_it_at_the_end(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, *, comes_again: bool
) -> None:
    with open_home(HALF) as context:
        submit(context, make_payload("a", GOOD))
        with monkeypatch.context() as patch:
            # The thread that writes ends on the spot, and its caller is never answered.
            patch.setattr(sampler_module, "log_submissions", kill)
            patch.setattr("threading.excepthook", lambda _: None)
            future = sampler_of(context).submit(read_submission(make_payload("b", GOOD)))
            sampler_of(context).close()
            assert not future.done()
        assert list_ranges(context) == [(1, 1)]
    with open_home(HALF) as context:
        submit(context, make_payload("c", GOOD))
        assert list_ranges(context) == [(1, 1), (3, 3)]
        if comes_again:
            submit(context, make_payload("b", GOOD))
            assert list_ranges(context) == [(1, 1), (3, 3), (2, 2)]
        sampler_of(context).close_epoch()
        assert sorted(list_ranges(context)) == [(1, 1), (2, 2), (3, 3)]
        assert audit_epoch(context, "epoch-1").named == ()


def test_leaves_that_name_an_answer_twice_are_both_true(open_home: Callable[..., Any]) -> None:
    with open_home(HALF) as context:
        answers = fill(context, 6)
        # Another process, whose rows were still without their leaf when this one looked.
        log_submissions(context, answers[1:5])
        log_submissions(context, [answers[0], answers[2], answers[3]])
        found = list(weigh(list_leaves(context, "epoch-1"), answers))
        assert all(isinstance(each, WeighedLeaf) and each.is_same for each in found)
        assert len(found) == 6 + 1 + 2
        sampler_of(context).close_epoch()
        assert audit_epoch(context, "epoch-1").named == ()


def test_what_no_leaf_names_and_what_only_a_leaf_names_is_told(
    open_home: Callable[..., Any],
) -> None:
    with open_home(HALF) as context:
        answers = fill(context, 6)
        leaves = list_leaves(context, "epoch-1")
        left = [each for each in leaves if each.event.first != 3]
        found = list(weigh(left, [each for each in answers if each.number != 5]))
        assert [each.number for each in found if isinstance(each, SubmittedAnswer)] == [3]
        lost = [each for each in found if isinstance(each, WeighedLeaf) and not each.is_same]
        assert [(each.leaf.event.first, each.kept) for each in lost] == [(5, 0)]


def test_the_epochs_of_an_earlier_version_have_no_leaves_and_the_claim_says_so(
    open_home: Callable[..., Any],
) -> None:
    with open_home(HALF) as context:
        fill(context, 2)
        plan = context.store.samples.epochs.load("epoch-1").plan_json
        assert '"draw":{"source":"key"}' in plan
        sampler_of(context).close_epoch()
        report = audit_epoch(context, "epoch-1")
        assert "answer ids" in report.claim
        with context.store.database.connection() as connection:
            drop_trigger(connection, "sampling_epoch", "update")
            connection.execute(
                text("UPDATE sampling_epoch SET plan_json = :plan"),
                {"plan": plan.replace('"draw":{"source":"key"},', "")},
            )
        report = audit_epoch(context, "epoch-1")
        # The leaf that opened the epoch names the plan: nobody can say so afterwards.
        assert "plan" in {each.what for each in report.named}
        assert "did not log answers" in report.claim
        assert report.leaves == 0
