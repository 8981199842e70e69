"""Counts of samples, taken while answers come in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import event

from spanproof.store.samples.counts import SampleFilter
from tests.store.samples.examples import make_new, make_outcome, open_epoch, submit

if TYPE_CHECKING:
    from spanproof.store import Store


def test_what_comes_in_between_two_counts_is_in_none_of_them(store: Store) -> None:
    epoch = open_epoch(store)
    (first,) = submit(store, epoch, make_new("first"))
    store.samples.outcomes.add(make_outcome(first), (), None)
    added: list[bool] = []

    def add(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "count(" in statement and not added:
            added.append(True)
            (second,) = submit(store, epoch, make_new("second"))
            store.samples.outcomes.add(make_outcome(second), (), None)

    event.listen(store.database._engine, "after_cursor_execute", add)
    (found,) = store.samples.count(SampleFilter())
    assert added
    assert (found.answers, sum(found.outcomes.values())) == (1, 1)
    (later,) = store.samples.count(SampleFilter())
    assert (later.answers, sum(later.outcomes.values())) == (2, 2)
