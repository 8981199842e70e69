"""Answers that are drawn later than they come in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.store.samples.counts import SampleFilter
from spanproof.store.samples.records import LATE, NewAnswer
from tests.store.examples import NOON
from tests.store.samples.examples import HALF, make_draw, make_new, make_outcome, open_epoch, submit

if TYPE_CHECKING:
    from spanproof.store import Store


def make_late(answer_id: str) -> NewAnswer:
    """An answer whose draw is to come."""
    return make_new(answer_id, source=LATE, randomness=0, is_sampled=False, is_drawn=False)


def test_an_answer_is_chosen_once_it_is_drawn(store: Store) -> None:
    samples, epoch = store.samples, open_epoch(store)
    a, b, c = submit(store, epoch, make_late("a"), make_late("b"), make_late("c"))
    (early,) = submit(store, epoch, make_new("early"))
    assert samples.answers.load("a") == a
    assert not a.is_drawn
    waiting = samples.draws.list_waiting(epoch, limit=2)
    assert [(each.number, each.answer_id, each.threshold) for each in waiting] == [
        (1, "a", HALF),
        (2, "b", HALF),
    ]
    assert samples.draws.find_oldest_waiting(epoch) == NOON
    draws = [make_draw(a), make_draw(b, randomness=5, is_sampled=False)]
    assert samples.draws.add_all(draws, at=NOON) == draws
    # The first draw holds, whatever another process would make of it.
    assert samples.draws.find_oldest_waiting(epoch) == NOON
    late = [make_draw(a, randomness=0, is_sampled=False), make_draw(c)]
    assert samples.draws.add_all(late, at=NOON) == late[1:]
    assert samples.draws.list_waiting(epoch, limit=9) == []
    assert samples.draws.find_oldest_waiting(epoch) is None
    found = list(samples.answers.iterate(epoch))
    assert [each.is_sampled for each in found] == [True, False, True, True]
    assert [each.randomness for each in found] == [HALF, 5, HALF, HALF]
    assert all(each.is_drawn for each in found)
    assert found[0].raw is None
    assert samples.answers.load("a").raw == b"a"
    # The same again gives the answer as it is drawn by now.
    (again,) = submit(store, epoch, make_late("a"))
    assert again == found[0]
    assert [each.answer_id for each in samples.answers.page_waiting()] == ["a", "c", "early"]
    assert samples.answers.count_waiting() == 3
    assert samples.answers.find_waiting_range() == (1, 4)
    samples.outcomes.add(make_outcome(found[0]), (), None)
    assert samples.answers.find_waiting_range() == (3, 4)
    (count,) = samples.count(SampleFilter())
    assert (count.answers, count.chosen) == (4, 3)
    assert early.is_drawn
