from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError, InputError, IntegrityError, NotFoundError
from spanproof.store.samples.answers import EpochClosedError, digest_rows
from spanproof.store.samples.counts import SampleFilter
from spanproof.store.samples.records import SubmittedAnswer
from tests.store.examples import HOUR, NOON
from tests.store.samples.examples import (
    HALF,
    fill_samples,
    make_epoch,
    make_item,
    make_new,
    make_outcome,
    open_epoch,
    submit,
)

if TYPE_CHECKING:
    from spanproof.store import Store


def test_an_epoch_goes_its_steps_and_its_key_stays_out_of_sight(store: Store) -> None:
    epochs = store.samples.epochs
    assert epochs.find_last() is None
    prepared = epochs.add(make_epoch())
    assert epochs.load("epoch-1").opened is None
    epochs.add_step("epoch-1", "opened", at=NOON, leaf=("log.example", 3))
    epochs.add_step("epoch-1", "opened", at=NOON + HOUR, leaf=("log.example", 4))
    opened = epochs.load("epoch-1")
    assert opened.closing is None
    assert opened.opened is not None
    assert (opened.opened.origin, opened.opened.index) == ("log.example", 3)
    epochs.add_step("epoch-1", "closing", at=NOON + HOUR)
    assert epochs.load("epoch-1").closing is not None
    epochs.add_step("epoch-1", "closed", at=NOON + HOUR, leaf=("log.example", 9))
    epochs.add(make_epoch(2))
    assert [each.epoch for each in epochs.list()] == ["epoch-1", "epoch-2"]
    assert epochs.list()[0].closed is not None
    last = epochs.find_last()
    assert last is not None
    assert last.epoch == "epoch-2"
    assert prepared.key.hex() not in repr(opened)
    assert repr(prepared.key) not in repr(opened)


def test_two_epochs_of_one_position_conflict_and_an_unknown_one_is_not_found(store: Store) -> None:
    store.samples.epochs.add(make_epoch())
    for position in (1, 3):
        with pytest.raises(ConflictError, match="behind the last"):
            store.samples.epochs.add(replace(make_epoch(position), epoch="epoch-9"))
    with pytest.raises(NotFoundError):
        store.samples.epochs.load("epoch-7")


def test_answers_are_numbered_in_the_order_in_which_they_came(store: Store) -> None:
    epoch = open_epoch(store)
    odd = make_new("b\x00\ud800", is_sampled=False, raw=None, given_at=NOON - HOUR)
    first = submit(store, epoch, make_new("z"), odd)
    (second,) = submit(store, epoch, make_new("a"))
    assert [each.number for each in (*first, second)] == [1, 2, 3]
    kept = store.samples.answers.load("b\x00\ud800")
    assert kept == first[1]
    assert (kept.received_at, kept.given_at, kept.epoch) == (NOON, NOON - HOUR, epoch)
    assert store.samples.answers.load("z").raw == b"z"
    assert [each.answer_id for each in store.samples.answers.page_waiting()] == ["z", "a"]
    assert [each.answer_id for each in store.samples.answers.page_waiting(first=2)] == ["a"]
    assert [each.answer_id for each in store.samples.answers.page_waiting(last=2)] == ["z"]
    assert store.samples.answers.count_waiting() == 2
    assert store.samples.answers.find_waiting_range() == (1, 3)
    assert [each.answer_id for each in store.samples.answers.iterate(epoch)] == [
        "z",
        "b\x00\ud800",
        "a",
    ]
    with pytest.raises(NotFoundError, match="submitted"):
        store.samples.answers.load("c")


def test_the_same_answer_again_is_the_first_row_and_other_bytes_conflict(store: Store) -> None:
    epoch = open_epoch(store)
    (first,) = submit(store, epoch, make_new("a"))
    other = replace(make_new("a"), payload_digest=Digest.of(b"other"))
    # The second time it would not be chosen: what was decided first holds.
    again = replace(make_new("a"), is_sampled=False, randomness=0)
    found = store.samples.answers.add_all(
        [other, make_new("b"), again, make_new("b")], epoch=epoch, received_at=NOON + HOUR
    )
    assert isinstance(found[0], ConflictError)
    assert found[2] == replace(first, raw=None)
    assert isinstance(found[1], SubmittedAnswer)
    assert found[3] == found[1]
    assert found[1].number == 2
    assert store.samples.answers.load("a").is_sampled
    in_format = replace(make_new("a"), format="anthropic")
    (found_format,) = store.samples.answers.add_all([in_format], epoch=epoch, received_at=NOON)
    assert isinstance(found_format, ConflictError)


def test_an_epoch_that_is_closing_takes_no_answer(store: Store) -> None:
    epoch = open_epoch(store)
    submit(store, epoch, make_new("a"))
    store.samples.epochs.add_step(epoch, "closing", at=NOON)
    with pytest.raises(EpochClosedError):
        submit(store, epoch, make_new("b"))
    assert [each.answer_id for each in store.samples.answers.iterate(epoch)] == ["a"]


def test_writers_at_once_give_each_answer_a_number_of_its_own(store: Store) -> None:
    epoch = open_epoch(store)
    numbers: list[int] = []

    def work(name: str) -> None:
        for at in range(5):
            answers = [make_new(f"{name}-{at}"), make_new("shared")]
            numbers.extend(each.number for each in submit(store, epoch, *answers))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(set(numbers)) == list(range(1, 17))
    assert [each.number for each in store.samples.answers.iterate(epoch)] == list(range(1, 17))


def test_the_digest_of_an_epoch_changes_with_every_field_that_decides(store: Store) -> None:
    epoch = open_epoch(store)
    (answer,) = submit(store, epoch, make_new("a"))
    count, chosen, digest = digest_rows(iter([answer]))
    assert (count, chosen) == (1, 1)
    assert digest_rows(store.samples.answers.iterate(epoch)) == (1, 1, digest)
    for changed in (
        replace(answer, answer_id="b"),
        replace(answer, number=2),
        replace(answer, payload_digest=Digest.of(b"x")),
        replace(answer, stratum="b"),
        replace(answer, trace_id="0f" * 16),
        replace(answer, trace_state="ot=rv:00000000000001"),
        replace(answer, source="trace_id"),
        replace(answer, randomness=1),
        replace(answer, threshold=1 << 56),
        replace(answer, is_sampled=False),
    ):
        assert digest_rows(iter([changed]))[2] != digest


def test_a_payload_that_was_changed_is_not_read(store: Store) -> None:
    epoch = open_epoch(store)
    submit(store, epoch, replace(make_new("a"), raw=b"other bytes"))
    with pytest.raises(IntegrityError, match="payload"):
        store.samples.answers.load("a")


def test_an_outcome_is_kept_once_with_all_that_belongs_to_it(store: Store) -> None:
    (answer,) = submit(store, open_epoch(store), make_new("a"))
    outcome = make_outcome(answer, 0.25)
    assert store.samples.outcomes.find("a") is None
    assert store.samples.outcomes.add(outcome, (), make_item(answer))
    assert not store.samples.outcomes.add(outcome, (), make_item(answer))
    assert store.samples.outcomes.find("a") == outcome
    with pytest.raises(ConflictError, match="one outcome"):
        store.samples.outcomes.add(replace(outcome, verification_id="v9"), (), None)
    assert store.samples.answers.find_waiting_range() is None


def test_the_queue_is_in_the_order_of_the_draw(store: Store) -> None:
    answers = submit(store, open_epoch(store), *(make_new(name) for name in "abcd"))
    for answer, bits in zip(answers, (5, HALF, 7, 7), strict=True):
        store.samples.outcomes.add(make_outcome(answer), (), make_item(answer, bits=bits))
    reviews = store.samples.reviews
    assert [each.item.answer_id for each in reviews.list()] == ["b", "c", "d", "a"]
    assert [each.item.answer_id for each in reviews.list(limit=2)] == ["b", "c"]
    assert [each.item.answer_id for each in reviews.list(after="c")] == ["d", "a"]
    reviews.add_label("c", "correct", reviewer="ann", note="As it says.", labelled_at=NOON)
    assert [each.item.answer_id for each in reviews.list()] == ["b", "d", "a"]
    assert len(reviews.list(only_open=False)) == 4
    counts = reviews.count()
    assert (counts.items, counts.labelled) == (4, 1)
    with pytest.raises(NotFoundError):
        reviews.list(after="x")


def test_labels_are_added_and_disagreement_is_shown(store: Store) -> None:
    fill_samples(store)
    reviews = store.samples.reviews
    again = reviews.add_label("sampled", "wrong", reviewer="ann", note=None, labelled_at=NOON)
    assert len(again.labels) == 1
    assert (again.verdict, again.is_disputed) == ("wrong", False)
    other = reviews.add_label(
        "sampled", "correct", reviewer="bob", note="Page 3.", labelled_at=NOON + HOUR
    )
    assert [(each.reviewer, each.label) for each in other.labels] == [
        ("ann", "wrong"),
        ("bob", "correct"),
    ]
    assert (other.verdict, other.is_disputed) == ("unclear", True)
    agreed = reviews.add_label(
        "sampled", "correct", reviewer="ann", note="I see.", labelled_at=NOON + HOUR
    )
    assert (len(agreed.labels), agreed.verdict, agreed.is_disputed) == (3, "correct", False)
    for reviewer, note in (("", None), ("x" * 600, None), ("ann", "x" * 5000)):
        with pytest.raises(InputError):
            reviews.add_label("sampled", "wrong", reviewer=reviewer, note=note, labelled_at=NOON)
    with pytest.raises(NotFoundError):
        reviews.add_label("other", "wrong", reviewer="ann", note=None, labelled_at=NOON)


def test_counts_tell_groups_apart(store: Store) -> None:
    fill_samples(store)
    epoch = "epoch-1"
    more = submit(
        store,
        epoch,
        make_new("m1", model="m"),
        make_new("m2", model="m"),
        make_new("m3", model="m", is_sampled=False, randomness=1, raw=None),
    )
    store.samples.outcomes.add(
        make_outcome(more[0], 0.5, result="fail"), (), make_item(more[0], is_flagged=True)
    )
    store.samples.outcomes.add(
        make_outcome(more[1], None, answer_kind="abstention", result="review"), (), None
    )
    for reviewer, label in (("ann", "correct"), ("bob", "unclear"), ("bob", "correct")):
        store.samples.reviews.add_label(
            "m1",
            label,  # type: ignore[arg-type]
            reviewer=reviewer,
            note=None,
            labelled_at=NOON,
        )
    plain, of_m = sorted(store.samples.count(SampleFilter()), key=lambda each: each.answers)
    assert (plain.group.model, plain.answers, plain.chosen) == (None, 1, 1)
    assert plain.labels == {(True, "wrong"): 1}
    assert (of_m.group.model, of_m.group.epoch, of_m.group.threshold) == ("m", epoch, HALF)
    assert (of_m.answers, of_m.chosen, of_m.counted) == (3, 2, 1)
    assert of_m.outcomes == {("answer", "fail", True): 1, ("abstention", "review", False): 1}
    assert (of_m.citations, of_m.failed_citations, of_m.total_share) == (8, 2, 0.5)
    assert of_m.labels == {(True, "correct"): 1}
    # Without a verification the answer was refused; the abstention is no answer.
    assert (of_m.refused, sum(of_m.outcomes.values())) == (1, 2)
    assert store.samples.count(SampleFilter(model="m")) == [of_m]
    assert store.samples.count(SampleFilter(epoch="epoch-2")) == []
    for name in ("epoch", "model", "index_version", "stratum"):
        assert store.samples.count(SampleFilter(**{name: "\x00\ud800"})) == []


def test_answers_of_one_trace_are_one(store: Store) -> None:
    fill_samples(store)
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    news = [
        *(make_new(f"t{at}", model=f"m{at % 2}", trace_id=trace) for at in range(4)),
        make_new("own", model="m0"),
        make_new("silent", model="m0"),
    ]
    for each in submit(store, "epoch-1", *news):
        kind = "abstention" if each.answer_id == "silent" else "answer"
        store.samples.outcomes.add(make_outcome(each, answer_kind=kind), (), None)
    only, both = SampleFilter(model="m0"), SampleFilter()
    assert store.samples.count_traces(only, "model") == {"m0": 2}
    by_model = store.samples.count_traces(both, "model")
    assert (by_model["m0"], by_model["m1"]) == (2, 1)
    # A trace of two models is one trace in all.
    assert store.samples.count_traces(both, None)[None] == sum(by_model.values()) - 1
    assert store.samples.count_traces(SampleFilter(model="x"), None) == {None: 0}
