"""What was drawn is verified once, and says how it was drawn."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import select

from spanproof.core.errors import ConflictError, ModelUnavailableError, NotFoundError
from spanproof.operations.erasing import erase
from spanproof.operations.fsck.store import check_store
from spanproof.operations.keeping.words import set_words
from spanproof.operations.sampling.audit import audit_epoch
from spanproof.operations.sampling.verification import describe_sampling, verify_sampled
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.store.samples.tables import SubmittedPayloadRow
from tests.operations.audited import codes
from tests.operations.sampling.conftest import ALL, BAD, GOOD, make_payload, sampler_of, submit
from tests.operations.sampling.killing import KilledError, kill

if TYPE_CHECKING:
    from collections.abc import Callable


def test_chosen_answers_are_verified_and_say_how_they_were_drawn(
    open_home: Callable[..., Any],
) -> None:
    with open_home(ALL) as context:
        submit(context, make_payload("good", GOOD))
        submit(context, make_payload("bad", GOOD, BAD))
        submit(context, make_payload("silent", answer_kind="abstention"))
        submit(context, make_payload("bare"))
        progress: list[tuple[int, int]] = []
        report = verify_waiting(context, progress=lambda *at: progress.append(at))
        assert (report.verified, report.refused, report.incidents) == (4, 0, 1)
        assert progress == [(1, 4), (2, 4), (3, 4), (4, 4)]
        found = {name: context.store.samples.outcomes.find(name) for name in OUTCOMES}
        assert {
            name: (each.result, each.is_flagged, each.cited, each.failed, each.share)
            for name, each in found.items()
            if each is not None
        } == OUTCOMES
        (incident,) = context.store.samples.outcomes.list_incidents()
        assert (incident.answer_id, incident.position, incident.kind, incident.status) == (
            "bad",
            1,
            "span_mismatch",
            "ABSENT",
        )
        answer = context.store.samples.answers.load("good")
        outcome = found["good"]
        assert outcome is not None
        assert outcome.verification_id is not None
        (result,) = [
            each.statement
            for each in context.log.find_statements(outcome.verification_id)
            if each.statement.kind == "result"
        ]
        sampled = json.loads(result.payload)["predicate"]["request"]["sampled"]
        epoch = context.store.samples.epochs.load("epoch-1")
        assert sampled == describe_sampling(answer, epoch)
        assert (sampled["scheme"], sampled["rate"]) == ("otel-consistent-56/keyed_hash", "1.000000")
        # A second run, or a second worker, changes nothing.
        assert verify_sampled(context, "good") == (outcome, ())
        assert verify_waiting(context).to_json() == dict.fromkeys(report.to_json(), 0)
        text = context.metrics.render().decode()
        assert 'spanproof_citations_verified_total{check="span",outcome="fail"} 1.0' in text
        assert 'spanproof_sampling_incidents_total{kind="span_mismatch"} 1.0' in text
        assert 'spanproof_answers_sampled_total{stratum="all"} 4.0' in text


#: Result, flagged, citations, failed ones, their share: of what each answer is.
OUTCOMES = {
    "good": ("pass", False, 1, 0, 0.0),
    "bad": ("fail", True, 2, 1, 0.5),
    "silent": ("review", False, 0, 0, None),
    # An answer that cites nothing is no pass.
    "bare": ("fail", True, 0, 0, 1.0),
}


def test_a_worker_that_was_killed_leaves_no_second_result(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(ALL) as context:
        submit(context, make_payload("a", GOOD))
        with monkeypatch.context() as patch:
            patch.setattr(type(context.store.samples.outcomes), "add", kill)
            with pytest.raises(KilledError):
                verify_sampled(context, "a")
        submit(context, make_payload("b", GOOD))
        with monkeypatch.context() as patch:
            patch.setattr(type(context.issuer), "issue", kill)
            with pytest.raises(KilledError):
                verify_sampled(context, "b")
    with open_home(ALL) as context:
        assert verify_waiting(context).verified == 2
        for name in ("a", "b"):
            outcome = context.store.samples.outcomes.find(name)
            assert outcome is not None
            assert outcome.verification_id is not None
            assert context.store.receipts.find(outcome.verification_id) is not None
        assert len(context.store.answers.list().items) == 2
        sampler_of(context).close_epoch()
        assert audit_epoch(context, "epoch-1").differences == 0


def test_without_a_model_a_chosen_answer_waits(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        msg = "Expected a model, got none."
        raise ModelUnavailableError(msg, hint="Mend it.")

    with open_home(ALL) as context:
        submit(context, make_payload("a", GOOD))
        with monkeypatch.context() as patch:
            patch.setattr(type(context), "require_model", refuse)
            with pytest.raises(ModelUnavailableError):
                verify_waiting(context)
        assert context.store.samples.answers.count_waiting() == 1
        assert verify_waiting(context).verified == 1
        with pytest.raises(NotFoundError):
            verify_sampled(context, "unknown")


def test_a_store_that_keeps_no_words_empties_answers_that_nothing_waits_for(
    open_home: Callable[..., Any],
) -> None:
    with open_home(ALL) as context:
        samples = context.store.samples
        submit(context, make_payload("before", GOOD))
        set_words(context, "hash-only", now=datetime.now(UTC))
        submit(context, make_payload("good", GOOD))
        submit(context, make_payload("bad", GOOD, BAD))
        assert samples.answers.load("good").raw
        assert verify_waiting(context).verified == 3
        kept = {name: samples.answers.load(name).raw for name in ("before", "good", "bad")}
        assert (bool(kept["before"]), kept["good"], kept["bad"]) == (True, None, None)
        outcome = samples.outcomes.find("bad")
        assert (outcome.result, outcome.failed) == ("fail", 1)
        assert context.store.answers.load(outcome.verification_id).is_hash_only
        assert verify_sampled(context, "bad") == (outcome, ())
        # While words are kept, no statement empties them.
        set_words(context, "kept", now=datetime.now(UTC))
        submit(context, make_payload("after", GOOD))
        verify_waiting(context)
        with pytest.raises(ConflictError):
            samples.answers.empty_used(datetime.fromtimestamp(0, UTC))
        assert samples.answers.load("after").raw


def test_encrypted_answers_are_judged_and_erased_with_their_keys(
    open_home: Callable[..., Any],
) -> None:
    with open_home(ALL) as context:
        samples, keys = context.store.samples, context.store.content_keys
        set_words(context, "encrypted", now=datetime.now(UTC))
        raw = make_payload("good", GOOD)
        submit(context, raw)
        with context.store.database.read_connection() as connection:
            (kept,) = connection.execute(select(SubmittedPayloadRow.raw)).one()
        assert b"good" not in kept
        assert samples.answers.load("good").raw == raw
        assert verify_waiting(context).verified == 1
        assert [each.kind for each in keys.list_all()] == ["answer", "verification"]
        erase(context, "good", reason="asked for")
        assert keys.list_all() == []
        assert codes(check_store(context, None, with_log=False)) == []
