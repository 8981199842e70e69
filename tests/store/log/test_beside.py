"""Rows that a leaf stands for are kept with it, or neither is; what ails them is their caller's."""

from __future__ import annotations

import os
import re
import signal
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import exc

from spanproof.core.errors import (
    ConflictError,
    LogStoppedError,
    SpanproofError,
    VerificationNotFoundError,
)
from spanproof.store.log.failpoints import Failpoint
from spanproof.store.log.records import NewLeaf
from tests.databases import postgresql_later
from tests.spread import thin_out
from tests.store.examples import NOON, make_block, make_payload, make_verdict, run_in_child
from tests.store.log.samples import check_included, check_whole, make_receipt, open_log
from tests.store.log.test_stopping import INCLUSION

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from spanproof.store import Store
    from spanproof.store.answers.answer_rows import AnswerRows
    from spanproof.store.log import TransparencyLog
    from tests.conftest import StorePlace


def make_rows(store: Store, name: str = "v1", result: str = "pass") -> AnswerRows:
    block = make_block(make_verdict(pages=(3,), codes=("MOVED",)), result=result)
    return store.answers.make_rows(
        make_payload(), block, verification_id=name, answer_id="a1", verified_at=NOON
    )


class Failing:
    """Rows that cannot be written, for this reason."""

    def __init__(self, failure: BaseException) -> None:
        self.failure = failure

    def write(self, connection: Connection) -> None:
        """No row at all."""
        del connection
        raise self.failure


def test_rows_beside_a_leaf_are_there_when_it_is_answered(
    store: Store, log: TransparencyLog
) -> None:
    check_included(log.include(b"a", None, make_receipt(), make_rows(store)), b"a")
    assert store.answers.load("v1").answer_id == "a1"
    assert store.receipts.find("v1") is not None


@pytest.mark.parametrize("result", ["pass", "fail"])
def test_a_leaf_whose_rows_are_there_is_not(
    store: Store, log: TransparencyLog, result: str
) -> None:
    log.include(b"a", beside=make_rows(store))
    kept = store.answers.load("v1")
    with pytest.raises(ConflictError, match="'v1', which is recorded"):
        log.include(b"b", beside=make_rows(store, result=result))
    assert log.head().size == 1
    assert store.answers.load("v1") == kept
    check_included(log.include(b"c"), b"c")
    check_whole(log)


@pytest.mark.parametrize(
    ("failure", "seen"),
    [
        (OverflowError("too large"), OverflowError),
        (exc.DataError("INSERT", {}, ValueError("out of range")), SpanproofError),
        (exc.IntegrityError("INSERT", {}, ValueError("a trigger")), ConflictError),
    ],
)
def test_rows_that_cannot_be_written_stop_nobody_else(
    store: Store, log: TransparencyLog, failure: Exception, seen: type[Exception]
) -> None:
    with pytest.raises(seen) as caught:
        log.include(b"a", beside=Failing(failure))
    assert failure in {caught.value, caught.value.__cause__}
    assert isinstance(failure, OverflowError) or re.search(
        r"\bthe rows beside a leaf\b", str(caught.value)
    )
    assert log.head().size == 0
    check_included(log.include(b"b", beside=make_rows(store)), b"b")
    assert store.answers.has("v1")


@pytest.mark.parametrize("failure", [exc.OperationalError, exc.InterfaceError])
def test_a_disk_that_fails_under_the_rows_stops_the_log(
    store: Store, log: TransparencyLog, failure: type[exc.DBAPIError]
) -> None:
    with pytest.raises(LogStoppedError):
        log.include(b"a", beside=Failing(failure("INSERT", {}, OSError("disk I/O error"))))
    with pytest.raises(LogStoppedError):
        log.include(b"b")
    assert open_log(store).head().size == 0


def test_an_interrupt_under_the_rows_leaves_neither(store: Store, log: TransparencyLog) -> None:
    with pytest.raises(KeyboardInterrupt):
        log.include(b"a", beside=Failing(KeyboardInterrupt()))
    assert open_log(store).head().size == 0


def test_of_one_batch_only_the_caller_whose_rows_conflict_has_the_error(
    store: Store, log: TransparencyLog
) -> None:
    log.include(b"first", beside=make_rows(store, "v0"))
    held, begun = Event(), Event()

    class Holding:
        """Keeps the leader busy until the others wait."""

        def write(self, connection: Connection) -> None:
            """No row."""
            del connection
            begun.set()
            held.wait(30)

    errors: dict[str, BaseException | None] = {}

    def include(name: str, entry: bytes, rows: AnswerRows) -> None:
        try:
            log.include_all([NewLeaf(entry=entry, beside=rows)])
            errors[name] = None
        except ConflictError as error:
            errors[name] = error

    leader = Thread(target=lambda: log.include(b"leader", beside=Holding()))
    leader.start()
    assert begun.wait(30)
    others = [
        Thread(target=include, args=("good", b"good", make_rows(store, "v1"))),
        Thread(target=include, args=("bad", b"bad", make_rows(store, "v0", "fail"))),
        Thread(target=include, args=("other", b"other", make_rows(store, "v2"))),
    ]
    for thread in others:
        thread.start()
    while len(log._queue._waiting) < len(others):
        pass
    held.set()
    for thread in (leader, *others):
        thread.join(60)
    assert isinstance(errors.pop("bad"), ConflictError)
    assert errors == {"good": None, "other": None}
    assert log.head().size == 4
    assert {item.verification_id for item in store.answers.list().items} == {"v0", "v1", "v2"}
    check_whole(log)


@postgresql_later
@pytest.mark.parametrize("point", thin_out(INCLUSION, every=3))
def test_a_kill_at_any_point_leaves_the_leaf_with_its_rows_or_neither(
    store_place: StorePlace, point: Failpoint
) -> None:
    def work() -> None:
        with store_place.open() as store:
            log = open_log(store)
            log._reach = log._mark._reach = lambda reached: (
                os.kill(os.getpid(), signal.SIGKILL) if reached is point else None
            )
            log.include(b"a", None, make_receipt(), make_rows(store))

    assert run_in_child(work) == -signal.SIGKILL
    with store_place.open() as store:
        log = open_log(store)
        is_durable = INCLUSION.index(point) >= INCLUSION.index(Failpoint.TREE_COMMITTED)
        assert log.head().size == is_durable
        assert store.answers.has("v1") == is_durable
        if is_durable:
            assert store.answers.load("v1").block["result"] == "pass"
        else:
            with pytest.raises(VerificationNotFoundError):
                store.answers.load("v1")
