"""Answers that the signature of a witness draws, once the log holds them."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from spanproof.core.errors import InputError, LogDamagedError, SettingsError
from spanproof.monitor.sampling import RandomnessSource
from spanproof.operations.erasing import erase
from spanproof.operations.fsck.store import check_store
from spanproof.operations.log.recover import recover
from spanproof.operations.sampling.audit import audit_epoch, iterate_epochs
from spanproof.operations.sampling.epochs import advance_draws
from spanproof.operations.sampling.intake import SubmissionReport
from spanproof.operations.sampling.intake_leaves import list_leaves, log_submissions
from spanproof.operations.sampling.rates import compute_rates, refresh_metrics
from spanproof.operations.sampling.sampler import load_plan
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.receipt.forms.signed_note import parse_lines
from spanproof.receipt.witness.cosigned_list import parse_list
from spanproof.store.erasing.refusal import ANSWER
from spanproof.store.log.cosignatures import Cosignatures
from spanproof.store.samples.records import LATE
from tests.conftest import copy_migrated
from tests.databases import drop_trigger
from tests.operations.sampling.conftest import (
    ALL,
    GOOD,
    HALF,
    fill,
    make_payload,
    make_settings,
    open_sampling,
    sampler_of,
    submit,
)
from tests.operations.sampling.witnessing import DRAW, WITNESS, LogWitness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanproof.operations.context import Context

LATE_HALF = HALF | DRAW
LATE_ALL = ALL | DRAW


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def open_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Context of one home with a plan, as often as they are asked for, on each database."""
    with copy_migrated(request, tmp_path / "home") as place:

        def open_one(plan: dict[str, Any] | None = None, **more: Any) -> Any:
            settings = make_settings(place.home, plan, **more)
            return open_sampling(settings.model_copy(update={"database_url": place.database_url}))

        yield open_one


def read_signatures(context: Context) -> dict[int, bytes]:
    """The time and signature of the witness below each head that it cosigned."""
    kept = Cosignatures(context.store.database, context.log.log_id).list_of(WITNESS)
    return {each.size: parse_lines(each.line)[0].content for each in kept}


def read_age(context: Context) -> float:
    """What a scrape says of the oldest answer that is not drawn."""
    lines = context.metrics.render().decode().splitlines()
    (line,) = [each for each in lines if each.startswith("spanproof_oldest_undrawn_answer_seconds")]
    return float(line.rsplit(" ", 1)[1])


def test_an_answer_is_drawn_once_a_witness_has_signed_a_head_above_its_leaf(
    open_home: Callable[..., Any],
) -> None:
    with open_home(LATE_HALF) as context:
        answers = fill(context, 24)
        samples = context.store.samples
        assert {SubmissionReport(answer=each).to_json()["sampled"] for each in answers} == {None}
        assert advance_draws(context) == []
        assert samples.answers.count_waiting() == 0
        assert samples.answers.load("a3") == answers[3]
        refresh_metrics(context)
        assert read_age(context) > 0
        LogWitness().cosign(context)
        chosen = advance_draws(context)
        refresh_metrics(context)
        assert read_age(context) == 0
        assert 0 < len(chosen) < 24
        assert advance_draws(context) == []
        (signature,) = read_signatures(context).values()
        key = samples.epochs.load("epoch-1").key
        mixed = hmac.new(key, b"spanproof-sampling-cosignature-v1\0" + signature, hashlib.sha256)
        for each in samples.answers.iterate("epoch-1"):
            mac = hmac.new(mixed.digest(), each.answer_id.encode(), hashlib.sha256).digest()
            assert each.randomness == int.from_bytes(mac[:7], "big")
            assert each.is_sampled == (each.number in chosen) == (each.randomness >= 1 << 55)
            assert submit(context, make_payload(each.answer_id, GOOD)) == each
        assert [each.number for each in samples.answers.page_waiting()] == chosen
        report = verify_waiting(context)
        assert report.verified == len(chosen)
        (group,) = compute_rates(context).groups
        assert (group["answers"], group["chosen"]) == (24, len(chosen))
        (_, state) = samples.alarms.list_states()[0]
        assert state.samples == len(chosen)
        sampler_of(context).close_epoch()
        audit = audit_epoch(context, "epoch-1")
        assert audit.named == ()
        assert (audit.chosen, audit.verified) == (len(chosen), len(chosen))
        assert "cannot foresee it" in audit.claim
        assert "operator's word" in audit.claim


def test_the_first_head_above_the_leaf_draws_whenever_it_is_drawn(
    open_home: Callable[..., Any],
) -> None:
    with open_home(LATE_HALF) as context:
        witness = LogWitness()
        fill(context, 3)
        first = witness.cosign(context)
        submit(context, make_payload("late", GOOD))
        second = witness.cosign(context)
        # Named again behind the first head: that changes nothing.
        log_submissions(context, list(context.store.samples.answers.iterate("epoch-1"))[:1])
        witness.cosign(context)
        advance_draws(context)
        sampler_of(context).close_epoch()
        assert audit_epoch(context, "epoch-1").named == ()
        with context.store.database.connection() as connection:
            rows = connection.execute(text("SELECT answer_id, size FROM answer_draw")).all()
        assert dict(rows) == {"a0": first, "a1": first, "a2": first, "late": second}


def test_an_epoch_stays_open_to_the_draw_and_its_key_secret_while_others_take_answers(
    open_home: Callable[..., Any],
) -> None:
    with open_home(LATE_ALL) as context:
        witness = LogWitness()
        submit(context, make_payload("a", GOOD))
        closing = sampler_of(context).close_epoch()
        assert closing is not None
        assert closing.closed is None
        assert submit(context, make_payload("b", GOOD)).epoch == "epoch-2"
        shown = {each["epoch"]: each["key"] for each in iterate_epochs(context)}
        assert shown == {"epoch-1": None, "epoch-2": None}
        assert not audit_epoch(context, "epoch-1").is_disclosed
        witness.cosign(context)
        # In the order of the numbers: both epochs at once, the first is closed.
        assert advance_draws(context) == [1, 2]
        shown = {each["epoch"]: each["key"] is None for each in iterate_epochs(context)}
        assert shown == {"epoch-1": False, "epoch-2": True}
        assert audit_epoch(context, "epoch-1").differences == 0


def test_answers_of_a_log_that_was_closed_are_drawn_by_the_head_of_their_own(
    open_home: Callable[..., Any],
) -> None:
    witness = LogWitness()
    with open_home(LATE_ALL) as context:
        submit(context, make_payload("a", GOOD))
        witness.cosign(context)
    with open_home(LATE_ALL) as context:
        recover(context.settings, context.store, origin=None, reason="asked for")
    with open_home(LATE_ALL) as context:
        submit(context, make_payload("b", GOOD))
        # The sampler draws when it starts, so this may find nothing left to draw.
        advance_draws(context)
        load = context.store.samples.answers.load
        assert [load(name).is_drawn for name in "ab"] == [True, False]
        LogWitness().cosign(context)
        assert advance_draws(context) == [2]
        sampler_of(context).close_epoch()
        assert audit_epoch(context, "epoch-1").named == ()


def test_a_draw_that_was_changed_and_one_that_is_missing_are_named(
    open_home: Callable[..., Any],
) -> None:
    with open_home(LATE_ALL) as context:
        fill(context, 3)
        LogWitness().cosign(context)
        advance_draws(context)
        sampler_of(context).close_epoch()
        with context.store.database.connection() as connection:
            for verb in ("update", "delete"):
                drop_trigger(connection, "answer_draw", verb)
            connection.execute(
                text("UPDATE answer_draw SET randomness = '00000000000000' WHERE number = 1")
            )
            connection.execute(text("DELETE FROM answer_draw WHERE number = 2"))
        named = {(each.answer_id, each.what) for each in audit_epoch(context, "epoch-1").named}
        assert ("a0", "bits") in named
        assert ("a1", "drawn by a signature above its leaf") in named
        assert "a2" not in {answer_id for answer_id, _ in named}


def test_a_signature_that_is_not_the_witnesss_draws_nothing(open_home: Callable[..., Any]) -> None:
    with open_home(LATE_ALL) as context:
        submit(context, make_payload("a", GOOD))
        LogWitness().cosign(context)
        with context.store.database.connection() as connection:
            drop_trigger(connection, "log_checkpoint", "update")
            connection.execute(
                text("UPDATE log_checkpoint SET note = replace(note, :old, :new)"),
                {"old": f"{context.log.origin}\n", "new": "another.example.com\n"},
            )
        with pytest.raises(LogDamagedError, match="got a false one"):
            advance_draws(context)
        assert list_leaves(context, "epoch-1")


def test_a_signature_that_was_lost_is_taken_from_the_witnesss_list_and_draws(
    open_home: Callable[..., Any],
) -> None:
    with open_home(LATE_HALF) as context:
        witness = LogWitness()
        fill(context, 4)
        witness.sign(context)
        submit(context, make_payload("late", GOOD))
        assert read_signatures(context) == {}
        size = witness.cosign(context)
        first, second = sorted(read_signatures(context))
        assert (second, len(witness.cosigned.splitlines())) == (size, 3)
        advance_draws(context)
        sampler_of(context).close_epoch()
        with context.store.database.connection() as connection:
            rows = connection.execute(text("SELECT answer_id, size FROM answer_draw")).all()
        assert dict(rows) == {**{f"a{at}": first for at in range(4)}, "late": second}
        report = audit_epoch(context, "epoch-1", [parse_list(witness.cosigned)])
        assert report.named == ()
        assert "no earlier signature was held back" in report.claim
        with pytest.raises(InputError, match=r"list of .* too"):
            audit_epoch(context, "epoch-1", [parse_list(b"another.example.com\n")])


def test_an_answer_that_is_erased_before_its_draw_ends_as_erased(
    open_home: Callable[..., Any],
) -> None:
    with open_home(LATE_ALL, job_threads=0) as context:
        submit(context, make_payload("a", GOOD))
        erase(context, "a", reason="asked for", kind=ANSWER)
        LogWitness().cosign(context)
        assert advance_draws(context) == [1]
        report = verify_waiting(context)
        assert (report.erased, report.verified) == (1, 0)
        sampler_of(context).close_epoch()
        assert audit_epoch(context, "epoch-1").named == ()
        assert check_store(context, None).outcome.value == "OK"


def test_a_plan_names_a_witness_by_its_verifier_key(tmp_path: Path) -> None:
    plan = {"draw": {"source": "witness", "witness": "witness.example"}}
    with pytest.raises(SettingsError, match="verifier key in the plan"):
        load_plan(make_settings(tmp_path / "home", plan))
    assert RandomnessSource.COSIGNATURE.value == LATE
