"""What goes wrong for one answer, one caller or one moment holds up no other."""

from __future__ import annotations

import time
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from spanproof.core.errors import IntegrityError, LogError
from spanproof.operations.errors import ServiceBusyError
from spanproof.operations.sampling import alarms as api_alarms
from spanproof.operations.sampling import jobs as api_jobs
from spanproof.operations.sampling import sampler as api_sampler
from spanproof.operations.sampling import verification, waiting
from spanproof.operations.sampling.alarms import advance_alarms, resend_alarms
from spanproof.operations.sampling.epochs import list_events
from spanproof.operations.sampling.submission import read_submission
from spanproof.operations.sampling.verification import verify_sampled
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.operations.webhooks import endpoints as webhooks
from spanproof.operations.webhooks.endpoints import name_message
from spanproof.store.errors import StoreUnavailableError
from tests.databases import drop_trigger
from tests.operations.sampling.conftest import BAD, GOOD, make_payload, sampler_of, submit
from tests.operations.sampling.killing import KilledError, kill
from tests.operations.sampling.test_alarms import keep_outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.operations.context import Context

ALL = {"default": 1, "review": {"flagged": 1, "others": 1}}
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def damage(context: Context, answer_id: str) -> None:
    """Change the kept bytes of an answer behind the store."""
    with context.store.database.connection() as connection:
        drop_trigger(connection, "submitted_payload", "update")
        query = "UPDATE submitted_payload SET raw = :raw WHERE answer_id = :name"
        connection.execute(text(query), {"raw": b"\0", "name": answer_id})


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


@contextmanager
def holding(context: Context) -> Iterator[None]:
    """The sampler writes nothing within: what is submitted waits."""
    with sampler_of(context)._turn:
        yield


def test_an_answer_that_is_damaged_holds_up_no_other_and_at_last_counts_as_failed(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(ALL) as context:
        for name in ("a", "b", "c"):
            submit(context, make_payload(name, GOOD))
        damage(context, "b")
        with pytest.raises(IntegrityError):
            verify_waiting(context)
        samples = context.store.samples
        # It may still be mended: it waits, and alone.
        assert [each.answer_id for each in samples.answers.page_waiting()] == ["b"]
        assert [state.number for _, state in samples.alarms.list_states()] == [1]
        with pytest.raises(IntegrityError):
            verify_waiting(context)
        monkeypatch.setattr(waiting, "GIVE_UP_AFTER", timedelta(0))
        report = verify_waiting(context)
        assert (report.verified, report.refused) == (0, 1)
        outcome = samples.outcomes.find("b")
        assert outcome is not None
        assert (outcome.result, outcome.share, outcome.problem_code) == (
            "error",
            1.0,
            IntegrityError.code,
        )
        assert [state.number for _, state in samples.alarms.list_states()] == [3]


def test_an_answer_is_not_given_up_for_a_fault_of_the_service(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "GIVE_UP_AFTER", timedelta(0))
    with open_home(ALL) as context:
        submit(context, make_payload("a", GOOD))
        verify_waiting(context)
        submit(context, make_payload("b", GOOD))
        for error in (OSError("no space"), LogError("Expected a log.", hint="Mend it.")):

            def fail(*_: object, what: Exception = error, **__: object) -> None:
                raise what

            with monkeypatch.context() as patch:
                patch.setattr(verification, "verify_payload", fail)
                with pytest.raises(type(error)):
                    verify_waiting(context)
            assert [each.answer_id for each in context.store.samples.answers.page_waiting()] == [
                "b"
            ]


def test_what_waits_is_queued_again_once_its_job_is_over(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_jobs, "RESUME_SECONDS", 0.05)
    with open_home(ALL) as context:
        # No worker runs them: a cancelled job stands for one that failed.
        submit(context, make_payload("a", GOOD))

        def find_again() -> list[Any]:
            found = context.jobs.list(kind=api_jobs.KIND).items
            return [each for each in found if each.job_id.startswith("sampled-again")]

        wait_until(lambda: len(find_again()) == 1)
        time.sleep(0.3)
        # One at a time.
        (job,) = find_again()
        context.jobs.cancel(job.job_id)
        wait_until(lambda: len(find_again()) == 2)
        verify_waiting(context)


def test_a_caller_that_goes_away_stops_no_other(open_home: Callable[..., Any]) -> None:
    with open_home(ALL) as context:
        submit(context, make_payload("first", GOOD))
        with holding(context):
            taken = sampler_of(context).submit(read_submission(make_payload("a", GOOD)))
            wait_until(taken.running)
            # What is cancelled waits behind it.
            gone = sampler_of(context).submit(read_submission(make_payload("b", GOOD)))
            assert gone.cancel()
        assert taken.result(timeout=60).answer_id == "a"
        assert submit(context, make_payload("c", GOOD)).answer_id == "c"


def test_a_cancelled_answer_is_not_written_and_ends_no_thread(
    open_home: Callable[..., Any],
) -> None:
    with open_home(ALL) as context:
        submit(context, make_payload("first", GOOD))
        submission = read_submission(make_payload("gone", GOOD))
        gone: Future[Any] = Future()
        assert gone.cancel()
        sampler_of(context)._write([(submission, gone)])
        assert [each.answer_id for each in context.store.samples.answers.page_waiting()] == [
            "first"
        ]
        # Once it is taken, nobody can take it back.
        kept: Future[Any] = Future()
        sampler_of(context)._write([(submission, kept)])
        assert not kept.cancel()
        assert kept.result().answer_id == "gone"


def test_an_epoch_opens_only_below_a_signed_head_after_a_failure_too(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        msg = "Expected a key, got none."
        raise LogError(msg, hint="Wait.")

    with open_home(ALL) as context:
        log = context.log
        before = log.publish
        with monkeypatch.context() as patch:
            patch.setattr(type(log), "publish", fail)
            with pytest.raises(LogError):
                submit(context, make_payload("a", GOOD))
        published: list[int] = []

        def publish(_: object) -> Any:
            published.append(1)
            return before()

        with monkeypatch.context() as patch:
            patch.setattr(type(log), "publish", publish)
            submit(context, make_payload("a", GOOD))
        ((index, _),) = list_events(context, "epoch-1")
        assert log.latest()[0].size > index
        assert published


def test_incidents_are_told_before_their_outcome_is_kept(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        msg = "Expected a database, got none."
        raise StoreUnavailableError(msg, hint="Wait.")

    with open_home(ALL, webhook_private=True) as context:
        webhooks.add_webhook(context, "http://127.0.0.1:9/in", ["incident.span_mismatch"])
        submit(context, make_payload("a", BAD))
        with monkeypatch.context() as patch:
            patch.setattr(type(context.store.samples.outcomes), "add", fail)
            with pytest.raises(StoreUnavailableError):
                verify_sampled(context, "a")
        message = name_message("incident.span_mismatch", "incident/a/0")
        assert context.store.deliveries.find_message(message) is not None


def test_alarms_that_a_crash_kept_from_webhooks_are_told_at_the_next_start(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {"default": 1, "budget": 0.03, "alpha": 0.01, "gap": 200}
    with open_home(plan, webhook_private=True) as context:
        webhooks.add_webhook(context, "http://127.0.0.1:9/in", ["alarm.raised"])
        keep_outcomes(context, [1.0] * 6)
        with monkeypatch.context() as patch:
            patch.setattr(api_alarms, "announce", kill)
            with pytest.raises(KilledError):
                advance_alarms(context)
        assert advance_alarms(context) == []
        raised = context.store.samples.alarms.list_raised()
        names = [name_message("alarm.raised", api_alarms._name_event(each)) for each in raised]
        find = context.store.deliveries.find_message
        assert raised
        assert [find(each) for each in names] == [None] * len(names)
        resend_alarms(context)
        told = [find(each) for each in names]
        assert all(told)
        resend_alarms(context)
        assert [find(each) for each in names] == told


def test_the_bytes_that_wait_are_bounded(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    small, large = (read_submission(make_payload(name, GOOD)) for name in ("a", "b"))
    large = replace(large, raw=large.raw + b" " * 2000)
    monkeypatch.setattr(api_sampler, "MAX_WAITING_BYTES", 1000)
    with open_home(ALL) as context:
        sampler = sampler_of(context)
        submit(context, make_payload("first", GOOD))
        with holding(context):
            running = sampler.submit(small)
            wait_until(running.running)
            # Alone it is taken, whatever its size; another is not.
            waiting = sampler.submit(large)
            with pytest.raises(ServiceBusyError, match="room"):
                sampler.submit(read_submission(make_payload("c", GOOD)))
        waiting.result(timeout=60)
        assert submit(context, make_payload("c", GOOD)).answer_id == "c"
        assert sampler._waiting_bytes == 0


def test_what_comes_while_others_are_written_is_one_transaction(
    open_home: Callable[..., Any],
) -> None:
    with open_home(ALL) as context:
        submit(context, make_payload("first", GOOD))
        for turn in range(2):
            with holding(context):
                running = sampler_of(context).submit(read_submission(make_payload(f"{turn}", GOOD)))
                wait_until(running.running)
                names = [f"{turn}-{at}" for at in range(40)]
                later = [
                    sampler_of(context).submit(read_submission(make_payload(name, GOOD)))
                    for name in (*names, names[0])
                ]
            kept = [each.result(timeout=60) for each in later]
            assert len({each.received_at for each in kept}) == 1
            assert [each.answer_id for each in kept] == [*names, names[0]]
            assert kept[-1] == kept[0]
            assert running.result(timeout=60).received_at < kept[0].received_at
        sampler = sampler_of(context)
    # Once it is closed nothing is taken.
    with pytest.raises(StoreUnavailableError):
        sampler.submit(read_submission(make_payload("late", GOOD)))


def test_a_trace_state_without_its_trace_parent_counts_as_none() -> None:
    raw = make_payload("a", GOOD, trace_id=TRACE)
    alone = read_submission(raw, trace_state="ot=rv:ffffffffffffff")
    assert (alone.trace_id, alone.trace_state) == (TRACE, None)
    header = f"00-{TRACE}-{'1' * 16}-01"
    both = read_submission(raw, trace_parent=header, trace_state="ot=rv:ffffffffffffff")
    assert both.trace_state == "ot=rv:ffffffffffffff"
