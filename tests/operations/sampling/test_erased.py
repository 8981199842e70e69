"""Answers of production that are erased before they are judged, or while: no word of them stays."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import (
    InputError,
    MalformedAnswerError,
    NotFoundError,
    VerificationErasedError,
)
from spanproof.operations.erasing import erase
from spanproof.operations.fsck.store import check_store
from spanproof.operations.receipts.issuing import Issuer
from spanproof.operations.sampling import verification
from spanproof.operations.sampling.audit import audit_epoch
from spanproof.operations.sampling.erased import name_attempt
from spanproof.operations.sampling.rates import compute_rates
from spanproof.operations.sampling.verification import verify_sampled
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Erasure
from spanproof.store.erasing.refusal import ANSWER, VERIFICATION
from spanproof.store.samples.outcomes import Outcomes
from tests.operations.sampling.conftest import GOOD, make_payload, sampler_of, submit
from tests.operations.sampling.killing import KilledError, kill

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.store.samples.records import Outcome

ALL = {"default": 1, "review": {"flagged": 1, "others": 1}}
#: Stands in no other file of a home.
MARKER = "quixotry"
BAD = f"The supplier repairs the {MARKER} of the buyer at once."


def list_remaining(home: Path) -> list[str]:
    """The files of a home that nobody has open, which still hold a word of the answer."""
    files = [path for path in home.rglob("*") if path.is_file()]
    assert any(path.name == "spanproof.db" for path in files)
    return [path.name for path in files if MARKER.encode() in path.read_bytes()]


def check_erased(context: Context, outcome: Outcome) -> None:
    """The answer was not judged: it is no pass, no failure, and no rate counts it."""
    assert (outcome.result, outcome.problem_code) == ("erased", "VERIFICATION_ERASED")
    assert (outcome.verification_id, outcome.share, outcome.is_flagged) == (None, None, False)
    assert context.store.samples.answers.page_waiting() == []
    assert context.store.samples.answers.load(outcome.answer_id).raw is None
    assert [each.code for each in check_store(context, None).findings] == []


def kill_before_outcome(context: Context, monkeypatch: pytest.MonkeyPatch, name: str) -> str:
    """A worker that dies between a verification and its outcome; the verification's id."""
    known = {each.verification_id for each in context.store.answers.list().items}
    with monkeypatch.context() as patch:
        patch.setattr(Outcomes, "add", kill)
        with pytest.raises(KilledError):
            verify_sampled(context, name)
    (made,) = {each.verification_id for each in context.store.answers.list().items} - known
    return made


def test_a_verification_that_is_erased_before_its_outcome_takes_the_submitted_words_along(
    open_home: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(ALL, job_threads=0) as context:
        submit(context, make_payload("a", BAD))
        name = kill_before_outcome(context, monkeypatch, "a")
        reports = erase(context, name, reason="asked for")
        assert [(r.record.kind, r.record.subject) for r in reports] == [
            (VERIFICATION, name),
            (ANSWER, "a"),
        ]
        outcome, incidents = verify_sampled(context, "a")
        assert incidents == ()
        check_erased(context, outcome)
        # Again: nothing more to remove, and no other tombstone.
        again = erase(context, name, reason="asked for")
        assert [r.removed for r in again] == [0, 0]
        assert [r.record for r in again] == [r.record for r in reports]
    assert list_remaining(tmp_path / "home") == []


@pytest.mark.parametrize("plan", [ALL, {"default": 0, "keep_every_payload": True}])
def test_an_answer_that_nobody_has_verified_is_erased_by_its_own_id(
    open_home: Callable[..., Any], tmp_path: Path, plan: dict[str, Any]
) -> None:
    with open_home(plan, job_threads=0) as context:
        raw = make_payload("a", BAD)
        kept = submit(context, raw)
        (report,) = erase(context, "a", reason="asked for")
        assert (report.record.kind, report.removed) == (ANSWER, 1)
        assert report.content.digests == (kept.payload_digest,)
        stored = context.log.find_statement(report.record.index)
        assert stored is not None
        event = parse_event(stored.statement.payload)
        assert isinstance(event, Erasure)
        # The tombstone names no answer_id: a caller chose it, and it stays for ever.
        assert event.verification_id == name_attempt(kept, 0)
        if kept.is_sampled:
            assert verify_waiting(context).verified == 0
            found = context.store.samples.outcomes.find("a")
            assert found is not None
            check_erased(context, found)
        # The same bytes again are the same answer, and are not kept again.
        assert submit(context, raw) == context.store.samples.answers.load("a")
        (again,) = erase(context, "a", reason="again")
        assert (again.removed, again.record) == (0, report.record)
    assert list_remaining(tmp_path / "home") == []


def test_every_attempt_at_an_answer_goes_with_it(
    open_home: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(ALL, job_threads=0) as context:
        kept = submit(context, make_payload("a", BAD))
        first = name_attempt(kept, 0)
        names, another = {first}, str(uuid.uuid4())
        with monkeypatch.context() as patch:
            patch.setattr(verification, "name_attempt", lambda *_: another)
            names.add(kill_before_outcome(context, monkeypatch, "a"))
        names.add(kill_before_outcome(context, monkeypatch, "a"))
        assert len(names) == 2
        reports = erase(context, another, reason="asked for")
        assert {r.record.subject for r in reports} == names | {"a"}
        check_erased(context, verify_sampled(context, "a")[0])
    assert list_remaining(tmp_path / "home") == []


def test_what_was_refused_is_erased_by_the_answers_id(
    open_home: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(ALL, job_threads=0) as context:
        submit(context, make_payload("a", BAD))

        def refuse(*_: object, **__: object) -> None:
            msg = "Expected an answer, got none."
            raise MalformedAnswerError(msg, hint="Send another.")

        with monkeypatch.context() as patch:
            patch.setattr(verification, "verify_payload", refuse)
            outcome, _ = verify_sampled(context, "a")
        assert (outcome.result, outcome.verification_id) == ("error", None)
        (report,) = erase(context, "a", reason="asked for")
        assert report.removed == 1
        # What was found of it before stays.
        assert verify_sampled(context, "a")[0] == outcome
        assert [each.code for each in check_store(context, None).findings] == []
    assert list_remaining(tmp_path / "home") == []


@pytest.mark.parametrize("point", ["before", "after"])
def test_an_erasure_while_its_job_runs_leaves_no_word(
    open_home: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    """The words of a job that has read them are not written once the erasure is recorded."""
    with open_home(ALL, job_threads=0) as context:
        submit(context, make_payload("a", BAD))
        is_there, may_go = threading.Event(), threading.Event()
        issue = Issuer.issue

        def wait() -> None:
            is_there.set()
            assert may_go.wait(60)

        def issue_slowly(*given: Any, **named: Any) -> Any:
            if point == "before":
                wait()
            made = issue(*given, **named)
            if point == "after":
                wait()
            return made

        monkeypatch.setattr(Issuer, "issue", issue_slowly)
        with ThreadPoolExecutor(1) as pool:
            job = pool.submit(verify_sampled, context, "a")
            assert is_there.wait(60)
            reports = erase(context, "a", reason="asked for")
            may_go.set()
            outcome, _ = job.result(60)
        assert [r.record.kind for r in reports] == (
            [ANSWER] if point == "before" else [ANSWER, VERIFICATION]
        )
        check_erased(context, outcome)
        # The intake that the job had logged is answered, and nothing is left open.
        assert (
            "in work 0"
            in {line.question: line.words for line in check_store(context, None).lines}[
                "STATEMENTS"
            ]
        )
    assert list_remaining(tmp_path / "home") == []


@pytest.mark.parametrize("point", ["record", "remove"])
def test_a_crash_on_the_way_is_named_and_the_same_call_finishes_it(
    open_home: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    with open_home(ALL, job_threads=0) as context:
        submit(context, make_payload("a", BAD))
        with monkeypatch.context() as patch:
            patch.setattr(type(context.store.erasures), point, kill)
            with pytest.raises(KilledError):
                erase(context, "a", reason="asked for")
        codes = [each.code for each in check_store(context, None).findings]
        assert codes == ["ERASURE_UNDONE"]
        if point == "remove":
            # A job that comes now reads the words, and may not write them.
            check_result = verify_sampled(context, "a")[0]
            assert check_result.result == "erased"
            assert context.store.answers.list().items == ()
        size = context.log.head().size
        erase(context, "a", reason="asked for")
        assert context.log.head().size == size
        check_erased(context, verify_sampled(context, "a")[0])
    assert list_remaining(tmp_path / "home") == []


def test_no_rate_and_no_alarm_counts_what_was_erased(open_home: Callable[..., Any]) -> None:
    with open_home(ALL, job_threads=0) as context:
        for name in ("a", "b", "c"):
            submit(context, make_payload(name, GOOD))
        erase(context, "b", reason="asked for")
        report = verify_waiting(context)
        assert (report.verified, report.refused, report.erased) == (2, 0, 0)
        rates = compute_rates(context)
        (group,) = rates.groups
        assert (group["answers"], group["chosen"], group["verified"]) == (3, 3, 2)
        assert (group["erased"], group["refused"], group["not_answers"]) == (1, 0, 0)
        assert sum(group["results"].values()) == 2
        assert group["traces"] == 2
        assert group["judge_flagged"]["estimate"] == 0.0
        assert [each["samples"] for each in rates.alarms] == [2]
        for name in ("a", "c"):
            context.store.samples.reviews.add_label(
                name, "correct", reviewer="ann", note=None, labelled_at=report_moment(context)
            )
        (group,) = compute_rates(context).groups
        # Whether it was wrong nobody can know: it may be, for the upper end.
        assert group["true_rate"]["estimate"] == 0.0
        assert group["true_rate"]["high"] > 1 / 3
        sampler_of(context).close_epoch()
        audited = audit_epoch(context, "epoch-1")
        assert (audited.is_disclosed, audited.named) == (True, ())


def report_moment(context: Context) -> Any:
    outcome = context.store.samples.outcomes.find("a")
    assert outcome is not None
    return outcome.verified_at


def test_an_audit_names_an_answer_that_only_says_it_was_erased(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def pretend(*_: object, **__: object) -> None:
        msg = "Expected words, got none."
        raise VerificationErasedError(msg, hint="None.")

    with open_home(ALL, job_threads=0) as context:
        submit(context, make_payload("a", BAD))
        with monkeypatch.context() as patch:
            patch.setattr(verification, "verify_payload", pretend)
            assert verify_sampled(context, "a")[0].result == "erased"
        sampler_of(context).close_epoch()
        (named,) = audit_epoch(context, "epoch-1").named
        assert (named.answer_id, named.what) == ("a", "its erasure is recorded")


@pytest.mark.long
def test_what_is_not_kept_or_means_two_things_is_not_erased(open_home: Callable[..., Any]) -> None:
    with open_home({"default": 0}, job_threads=0) as context:
        submit(context, make_payload("a", GOOD))
        for name in ("a", "never"):
            with pytest.raises(NotFoundError):
                erase(context, name, reason="asked for", kind=ANSWER)
    with open_home(ALL, job_threads=0) as context:
        submit(context, make_payload("agreement", GOOD))
        with pytest.raises(InputError, match="document and an answer"):
            erase(context, "agreement", reason="asked for")
        assert context.store.erasures.list() == ()
