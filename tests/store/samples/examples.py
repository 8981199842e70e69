"""Epochs, submitted answers, outcomes and labels for the tests of the store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.store.samples.records import (
    AlarmState,
    AnswerDraw,
    Epoch,
    Incident,
    NewAnswer,
    Outcome,
    RaisedAlarm,
    ReviewItem,
    SubmittedAnswer,
)
from tests.store.examples import NOON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.store import Store
    from spanproof.store.samples.records import AlarmVersion

HALF = 1 << 55


def make_epoch(position: int = 1) -> Epoch:
    """An epoch that nobody has opened."""
    return Epoch(
        epoch=f"epoch-{position}",
        position=position,
        key=bytes([position]) * 32,
        commitment=Digest.of(b"commitment"),
        plan_json="{}",
        plan_digest=Digest.of(b"{}"),
        prepared_at=NOON,
    )


def open_epoch(store: Store, position: int = 1) -> str:
    """An epoch that takes answers; its name."""
    epoch = store.samples.epochs.add(make_epoch(position))
    store.samples.epochs.add_step(epoch.epoch, "opened", at=NOON, leaf=("log.example", 3))
    return epoch.epoch


def make_new(answer_id: str, **changes: Any) -> NewAnswer:
    """An answer that is chosen, its payload its own id."""
    raw = answer_id.encode("utf-8", "surrogatepass")
    answer = NewAnswer(
        answer_id=answer_id,
        given_at=None,
        payload_digest=Digest.of(raw),
        byte_length=len(raw),
        format="native",
        policy=None,
        tenant="default",
        model=None,
        index_version=None,
        stratum="all",
        trace_id=None,
        trace_state=None,
        source="keyed_hash",
        randomness=HALF,
        threshold=HALF,
        is_sampled=True,
        raw=raw,
    )
    return replace(answer, **changes)


def submit(store: Store, epoch: str, *answers: NewAnswer) -> list[SubmittedAnswer]:
    """Keep these answers, none of which conflicts."""
    found = store.samples.answers.add_all(answers, epoch=epoch, received_at=NOON)
    assert all(isinstance(each, SubmittedAnswer) for each in found)
    return [each for each in found if isinstance(each, SubmittedAnswer)]


def make_outcome(answer: SubmittedAnswer, share: float | None = 0.0, **changes: Any) -> Outcome:
    """What a refused answer comes to, with a share of failed citations."""
    outcome = Outcome(
        answer_id=answer.answer_id,
        number=answer.number,
        verification_id=None,
        answer_kind="answer",
        result="error",
        is_flagged=bool(share),
        cited=4,
        failed=0 if share is None else round(4 * share),
        share=share,
        problem_code="MALFORMED_ANSWER",
        verified_at=NOON,
    )
    return replace(outcome, **changes)


def make_item(answer: SubmittedAnswer, *, is_flagged: bool = True, bits: int = HALF) -> ReviewItem:
    """The answer as it was drawn for people."""
    return ReviewItem(
        answer_id=answer.answer_id,
        is_flagged=is_flagged,
        randomness=bits,
        threshold=0,
        queued_at=NOON,
    )


def make_draw(answer: SubmittedAnswer, **changes: Any) -> AnswerDraw:
    """The draw of an answer by a witness's signature; it is chosen."""
    draw = AnswerDraw(
        answer_id=answer.answer_id,
        number=answer.number,
        randomness=HALF,
        is_sampled=True,
        log_origin="log.example",
        size=7,
    )
    return replace(draw, **changes)


def count_up(
    version: AlarmVersion, state: AlarmState | None, outcome: Outcome
) -> tuple[AlarmState, Sequence[RaisedAlarm]]:
    """A step that only counts, and raises an alarm with every answer that failed whole."""
    samples = 1 if state is None else state.samples + 1
    share = outcome.share or 0.0
    after = AlarmState(
        samples=samples,
        number=outcome.number,
        total_share=share + (0.0 if state is None else state.total_share),
        budget_logs=(0.1, -1 / 3),
        change_logs=(1e300, 5e-324),
        log_e_value=0.5,
        log_statistic=None,
        is_budget_raised=share == 1.0,
    )
    alarm = RaisedAlarm(
        stratum=version.stratum,
        version=version.version,
        kind="change",
        samples=samples,
        number=outcome.number,
        log_value=2.0,
        log_limit=1.0,
        raised_at=NOON,
    )
    return after, (alarm,) if share == 1.0 else ()


def fill_samples(store: Store) -> None:
    """A row in each table of samples."""
    (answer,) = submit(store, open_epoch(store), make_new("sampled"))
    incident = Incident(
        answer_id="sampled", position=0, kind="span_mismatch", status="ABSENT", raised_at=NOON
    )
    assert store.samples.draws.add_all([make_draw(answer)], at=NOON)
    outcomes, reviews = store.samples.outcomes, store.samples.reviews
    assert outcomes.add(make_outcome(answer, 1.0), (incident,), make_item(answer))
    assert store.samples.alarms.advance(lambda _e, _s: (0.03, 0.01, 100.0), count_up, at=NOON)
    reviews.add_label("sampled", "wrong", reviewer="ann", note=None, labelled_at=NOON)
