from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from spanproof.store.log.commit_queue import MAX_BATCH, Queue, Submission
from spanproof.store.log.records import NewLeaf

if TYPE_CHECKING:
    from collections.abc import Sequence


def make(leaves: int = 1) -> Submission:
    return Submission(leaves=(NewLeaf(entry=b""),) * leaves)


class Gate:
    """Work whose first batch waits until it is let go."""

    def __init__(self) -> None:
        self.batches: list[tuple[Submission, ...]] = []
        self.has_begun = threading.Event()
        self.may_end = threading.Event()

    def work(self, batch: tuple[Submission, ...]) -> None:
        self.batches.append(batch)
        if len(self.batches) == 1:
            self.has_begun.set()
            assert self.may_end.wait(60)


def wait_for(queue: Queue, count: int) -> None:
    while len(queue._waiting) < count:
        pass


def run_all(queue: Queue, gate: Gate, waiting: Sequence[Submission]) -> None:
    """One leads; the others queue in this order meanwhile; then it is let go."""
    threads = [threading.Thread(target=queue.run, args=(make(),))]
    threads[0].start()
    assert gate.has_begun.wait(60)
    for count, each in enumerate(waiting, start=1):
        threads.append(threading.Thread(target=queue.run, args=(each,)))
        threads[-1].start()
        wait_for(queue, count)
    gate.may_end.set()
    for thread in threads:
        thread.join()


def test_an_idle_queue_works_at_once_and_alone() -> None:
    batches: list[tuple[Submission, ...]] = []
    queue = Queue(batches.append)
    first, second = make(), make()
    queue.run(first)
    queue.run(second)
    assert batches == [(first,), (second,)]
    assert first.is_done


def test_what_queued_meanwhile_is_one_batch_in_its_order() -> None:
    gate = Gate()
    waiting = [make() for _ in range(5)]
    run_all(Queue(gate.work), gate, waiting)
    assert gate.batches[1:] == [tuple(waiting)]
    assert all(each.is_done for each in waiting)


def test_a_batch_is_at_most_so_many_leaves() -> None:
    gate = Gate()
    waiting = [make(MAX_BATCH - 1), make(1), make(1), make(MAX_BATCH), make(1)]
    run_all(Queue(gate.work), gate, waiting)
    assert gate.batches[1:] == [tuple(waiting[:2]), (waiting[2],), (waiting[3],), (waiting[4],)]


def test_each_caller_gets_its_own_error() -> None:
    def work(batch: tuple[Submission, ...]) -> None:
        for each in batch:
            each.error = ValueError(len(each.leaves))

    with pytest.raises(ValueError, match="3"):
        Queue(work).run(make(3))


def test_a_caller_may_go_before_the_batch_ends() -> None:
    early, late = make(), make()
    done: list[bool] = []

    def work(batch: tuple[Submission, ...]) -> None:
        if batch[0] is early:
            queue.finish([early])
            done.append(early.is_done and not late.is_done)

    queue = Queue(work)
    queue.run(early)
    queue.run(late)
    assert done == [True]


def test_a_caller_who_is_interrupted_while_waiting_is_left_out() -> None:
    gate = Gate()
    queue = Queue(gate.work)
    leader = threading.Thread(target=queue.run, args=(make(),))
    leader.start()
    assert gate.has_begun.wait(60)

    gone, stays = make(), make()

    class Interrupted(threading.Condition):
        def wait(self, timeout: float | None = None) -> bool:
            del timeout
            raise KeyboardInterrupt

    condition = queue._changed
    queue._changed = Interrupted(condition._lock)  # type: ignore[attr-defined]
    with pytest.raises(KeyboardInterrupt):
        queue.run(gone)
    queue._changed = condition
    follower = threading.Thread(target=queue.run, args=(stays,))
    follower.start()
    wait_for(queue, 1)
    gate.may_end.set()
    leader.join()
    follower.join()
    assert gate.batches[1:] == [(stays,)]


def test_an_interrupted_caller_whose_leaf_is_in_work_leaves_the_queue_as_it_is() -> None:
    submission = make()

    class Interrupted(threading.Condition):
        def wait(self, timeout: float | None = None) -> bool:
            # As if another caller had taken it meanwhile.
            del timeout
            queue._waiting.clear()
            raise KeyboardInterrupt

    queue = Queue(lambda _batch: None)
    queue._is_led = True
    queue._changed = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        queue.run(submission)
    assert queue._waiting == []


def test_a_leader_who_is_interrupted_before_the_work_stops_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batches: list[tuple[Submission, ...]] = []
    queue = Queue(batches.append)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(queue, "_take", interrupt)
        with pytest.raises(KeyboardInterrupt):
            queue.run(make())
    after = make()
    other = threading.Thread(target=queue.run, args=(after,), daemon=True)
    other.start()
    other.join(60)
    assert batches == [(after,)]
