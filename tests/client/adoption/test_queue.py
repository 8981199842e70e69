from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING

from spanproof.client import Client, RetryPolicy
from spanproof.client.adoption import AnswerQueue, QueueCounts, Submission

if TYPE_CHECKING:
    import pytest

    from tests.client.adoption.conftest import Collector


def answer(text: str = "Yes.") -> Submission:
    return Submission.of({"answer": text, "citations": []})


def test_answers_come_in_the_order_in_which_they_were_put(
    queue: AnswerQueue, collector: Collector
) -> None:
    for number in range(4):
        assert queue.put(answer(str(number)))
    assert queue.flush(60)
    assert [fields["answer"] for _, fields in collector.taken] == ["0", "1", "2", "3"]
    assert queue.counts == QueueCounts(submitted=4)


def test_every_answer_has_an_id_by_which_a_second_try_is_known(
    queue: AnswerQueue, collector: Collector
) -> None:
    queue.put(answer())
    queue.put(Submission.of({"answer": "Yes.", "citations": [], "answer_id": "mine"}))
    queue.put(Submission(payload=b'{"answer": "Yes.", "citations": []}'))
    assert queue.flush(60)
    first, second, third = (fields for _, fields in collector.taken)
    assert len(first["answer_id"]) == 36
    assert second["answer_id"] == "mine"
    assert "answer_id" not in third


def test_a_full_queue_drops_and_says_so(
    queue: AnswerQueue, collector: Collector, caplog: pytest.LogCaptureFixture
) -> None:
    collector.open.clear()
    with caplog.at_level(logging.WARNING, "spanproof.adoption"):
        taken = [queue.put(answer("a secret word")) for _ in range(20)]
    # Four wait, and the one that is being sent has left the queue already, or not yet.
    assert 4 <= sum(taken) <= 5
    assert queue.counts.dropped == 20 - sum(taken)
    assert queue.counts.waiting == sum(taken)
    records = [record.getMessage() for record in caplog.records]
    assert records == ["answers_dropped count=1 reason=the queue is full"]
    collector.open.set()
    assert queue.flush(60)
    assert len(collector.taken) == sum(taken)


def test_memory_is_bounded_by_bytes_too(queue: AnswerQueue, collector: Collector) -> None:
    collector.open.clear()
    assert not queue.put(answer("x" * 5000))
    taken = [queue.put(answer("x" * 1500)) for _ in range(4)]
    assert 2 <= sum(taken) <= 3


def test_a_refusal_is_counted_and_the_next_answer_goes_on(
    queue: AnswerQueue, collector: Collector, caplog: pytest.LogCaptureFixture
) -> None:
    collector.status = 422
    with caplog.at_level(logging.WARNING, "spanproof.adoption"):
        queue.put(answer("a secret word"))
        assert queue.flush(60)
    collector.status = 202
    queue.put(answer())
    assert queue.flush(60)
    assert queue.counts == QueueCounts(submitted=1, failed=1)
    assert "REFUSED" in caplog.text
    assert "secret" not in caplog.text


def test_a_service_that_is_gone_breaks_nothing() -> None:
    with Client("http://127.0.0.1:9", retry=RetryPolicy(tries=1)) as client:
        queue = AnswerQueue(client)
        assert queue.put(answer())
        assert queue.flush(60)
        assert queue.close() == QueueCounts(failed=1)


def test_a_reader_that_fails_is_counted_and_quoted_nowhere(
    queue: AnswerQueue, collector: Collector, caplog: pytest.LogCaptureFixture
) -> None:
    def read() -> Submission:
        raise ValueError("a secret word")

    with caplog.at_level(logging.WARNING, "spanproof.adoption"):
        queue.put_deferred(read, size=1)
        queue.put_deferred(lambda: None, size=1)
        assert queue.flush(60)
    assert queue.counts == QueueCounts(unreadable=1, skipped=1)
    assert collector.taken == []
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text


def test_closing_sends_what_waits(queue: AnswerQueue, collector: Collector) -> None:
    for _ in range(3):
        queue.put(answer())
    assert queue.close(60) == QueueCounts(submitted=3)
    assert len(collector.taken) == 3
    assert not queue.put(answer())
    assert queue.close().dropped == 1


def test_closing_does_not_wait_for_ever(queue: AnswerQueue, collector: Collector) -> None:
    collector.open.clear()
    for _ in range(4):
        queue.put(answer())
    counts = queue.close(0.05)
    assert counts.dropped >= 3
    assert counts.dropped + counts.waiting == 4


def test_many_threads_put_at_once(queue: AnswerQueue, collector: Collector) -> None:
    taken: list[bool] = []

    def put() -> None:
        taken.extend(queue.put(answer()) for _ in range(50))

    threads = [threading.Thread(target=put) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert queue.flush(60)
    counts = queue.counts
    assert counts.submitted == sum(taken) == len(collector.taken)
    assert counts.submitted + counts.dropped == 400


def test_a_forked_child_sends_its_own_and_not_its_parents(
    queue: AnswerQueue, collector: Collector
) -> None:
    collector.open.clear()
    queue.put(answer("of the parent"))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        # The client's connections are made anew: the parent's thread is not here.
        os.write(write, repr(queue.counts).encode())
        queue.put(answer("of the child"))
        os._exit(0 if queue.flush(20) and queue.counts.submitted == 1 else 1)
    os.close(write)
    assert os.read(read, 1000).decode() == repr(QueueCounts())
    os.close(read)
    collector.open.set()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert queue.flush(60)
    said = sorted(fields["answer"] for _, fields in collector.taken)
    assert said == ["of the child", "of the parent"]
