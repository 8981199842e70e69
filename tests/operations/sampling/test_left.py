"""Answers that were chosen before a crash: queued by the next start, in every tenant; and told."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.erasing import erase
from spanproof.operations.sampling import jobs as api_jobs
from spanproof.operations.sampling.rates import refresh_metrics
from spanproof.operations.sampling.submission import read_submission
from spanproof.operations.sampling.verification import verify_sampled
from spanproof.operations.tenants import Tenants
from tests.api.access import run_guarded
from tests.operations.sampling.conftest import GOOD, make_payload, make_settings, sampler_of, submit
from tests.operations.sampling.killing import KilledError, kill

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanproof.ingest.sandbox import Parser

ALL = {"default": 1, "review": {"flagged": 1, "others": 1}}
TENANTS = ("alpha", "beta")


def test_a_start_queues_what_waits_in_every_tenant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_parser: Parser
) -> None:
    # None of them runs a job here: what is queued stays so.
    settings = make_settings(tmp_path / "home", ALL, job_threads=0)
    tenants = Tenants(settings)
    with monkeypatch.context() as patch:
        # As if the process had died between the answer and its job.
        patch.setattr(api_jobs, "_start", lambda *_: False)
        for name in TENANTS:
            context = tenants.create(name)
            for number in range(2):
                raw = make_payload(f"{name}-{number}", GOOD)
                tenants.sampler_of(context).submit(read_submission(raw)).result(timeout=60)
        tenants.create("gamma")
        tenants.close()
    # What cannot be opened keeps back no other.
    (tmp_path / "home" / "tenants" / "also").mkdir()
    (tmp_path / "home" / "tenants" / "also" / "spanproof.db").write_bytes(b"no database" * 100)
    with run_guarded(settings, warm_parser) as guarded:
        for name in TENANTS:
            with guarded.tenants.using(name) as context:
                deadline = time.monotonic() + 60
                while not (queued := context.jobs.list(kind="sampled_verification").items):
                    assert time.monotonic() < deadline
                    time.sleep(0.02)
            assert [job.state for job in queued] == ["queued"]
        with guarded.tenants.using("gamma") as context:
            assert guarded.tenants.find_sampler(context.tenant) is None


def test_the_age_of_the_oldest_answer_that_waits_is_told(open_home: Callable[..., Any]) -> None:
    with open_home(ALL) as context:
        answers = context.store.samples.answers

        def read_age() -> float:
            refresh_metrics(context)
            name = "spanproof_oldest_waiting_answer_seconds "
            lines = context.metrics.render().decode().splitlines()
            return float(next(line for line in lines if line.startswith(name)).split()[1])

        assert read_age() == 0.0
        submission = read_submission(make_payload("old", GOOD))
        first = submit(context, make_payload("new", GOOD))
        decided = submission.decide(sampler_of(context).plan, b"k" * 32, tenant="default")
        moment = datetime.now(UTC) - timedelta(hours=2)
        answers.add_all([decided], epoch=first.epoch, received_at=moment)
        age = read_age()
        # The one that came in first is the oldest, whatever its clock said.
        verify_sampled(context, "new")
        assert read_age() == pytest.approx(7200, abs=300)
        assert age < 300
        verify_sampled(context, "old")
        assert read_age() == 0.0


def test_an_answer_that_was_erased_before_its_outcome_counts_as_not_judged(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(ALL) as context:
        submit(context, make_payload("a", GOOD))
        with monkeypatch.context() as patch:
            patch.setattr(type(context.store.samples.outcomes), "add", kill)
            with pytest.raises(KilledError):
                verify_sampled(context, "a")
        (kept,) = context.store.answers.list().items
        erase(context, kept.verification_id, reason="asked for")
        outcome, incidents = verify_sampled(context, "a")
        assert (outcome.result, outcome.problem_code) == ("erased", "VERIFICATION_ERASED")
        assert (outcome.verification_id, outcome.is_flagged, incidents) == (None, False, ())
        assert (outcome.share, context.store.samples.answers.load("a").raw) == (None, None)
        assert len(context.store.answers.list().items) == 1
        assert context.store.samples.answers.page_waiting() == []
