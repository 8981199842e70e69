"""After a write that failed nothing is signed, by this process, until it starts again."""

from __future__ import annotations

import errno
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event, exc

from spanproof.core.errors import (
    KeyUnavailableError,
    LogFrozenError,
    LogRolledBackError,
    LogStoppedError,
)
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import EMPTY_ROOT
from spanproof.store.database.prepared import Prepared
from spanproof.store.errors import StoreUnavailableError
from spanproof.store.log import TransparencyLog
from spanproof.store.log.commit_queue import Submission
from spanproof.store.log.failpoints import Failpoint
from spanproof.store.log.mark import HighWaterMark
from spanproof.store.log.records import NewLeaf, NewLog
from tests.receipt.samples import make_log_key
from tests.store.examples import NOON
from tests.store.log.samples import (
    NEXT_ORIGIN,
    ORIGIN,
    Saboteur,
    WatchedKey,
    check_included,
    check_whole,
    find_mark,
    make_leaf,
    make_receipt,
    open_log,
    open_next,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from spanproof.store import Store

#: The points of an inclusion, in their order.
INCLUSION = [
    Failpoint.TRANSACTION_BEGUN,
    Failpoint.LEAVES_WRITTEN,
    Failpoint.TILES_WRITTEN,
    Failpoint.TREE_WRITTEN,
    Failpoint.TREE_COMMITTED,
    Failpoint.MARK_LOCKED,
    Failpoint.MARK_WRITTEN,
    Failpoint.MARK_SYNCED,
    Failpoint.CHECKPOINT_SIGNED,
    Failpoint.NOTE_WRITTEN,
    Failpoint.RECEIPTS_WRITTEN,
    Failpoint.NOTE_COMMITTED,
]


def test_a_point_is_called_what_it_is() -> None:
    assert {point: point.value for point in Failpoint} == {
        point: point.name.lower() for point in Failpoint
    }


def test_an_inclusion_passes_every_point_in_its_order(store: Store) -> None:
    reached: list[Failpoint] = []
    log = open_log(store, reach=reached.append)
    assert reached[:3] == [Failpoint.LOG_WRITTEN, Failpoint.LOG_COMMITTED, Failpoint.MARK_CREATED]
    reached.clear()
    log.include(b"a")
    assert reached == INCLUSION
    assert len(Failpoint) >= 12


@pytest.mark.parametrize("point", [p for p in INCLUSION if p is not Failpoint.CHECKPOINT_SIGNED])
def test_a_failure_at_any_point_stops_the_log_until_the_next_start(
    store: Store, point: Failpoint
) -> None:
    open_log(store).include(b"before")
    saboteur = Saboteur(point, OSError(errno.EIO, "Input/output error"), is_armed=False)
    key = WatchedKey(make_log_key())
    log = TransparencyLog.open(store.database, key, find_mark(store), reach=saboteur)
    saboteur.is_armed = True
    with pytest.raises(LogStoppedError):
        log.include(b"a", receipt=make_receipt())
    signed = len(key.signed)
    for _ in range(2):
        with pytest.raises(LogStoppedError, match="start again"):
            log.include(b"b")
        with pytest.raises(LogStoppedError):
            log.append(b"b")
    with pytest.raises(LogStoppedError):
        log.seal(0)
    assert len(key.signed) == signed
    # The next start reads what is there: the leaf whole, or no leaf.
    again = open_log(store)
    assert again.head().size in {1, 2}
    check_included(again.include(b"c"), b"c")
    check_whole(again)


def test_an_interrupt_under_the_mark_stops_the_log(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = open_log(store)

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            log.include(b"a")
    with pytest.raises(LogStoppedError):
        log.include(b"b")


@pytest.mark.parametrize("call", ["fdatasync", "pwrite", "open"])
def test_a_mark_that_cannot_be_written_stops_the_log_before_it_signs(
    store: Store, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    key = WatchedKey(make_log_key())
    log = TransparencyLog.open(store.database, key, find_mark(store))

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(LogStoppedError, match="'No space left on device'"):
            log.include(b"a")
    with pytest.raises(LogStoppedError) as later:
        log.include(b"b")
    # What stopped it, for whoever reads the log of the service.
    assert isinstance(later.value.__cause__, LogStoppedError)
    assert [each.size for each in key.signed] == [0]
    check_whole(open_log(store))


@pytest.mark.parametrize("table", ["log_leaf", "log_tree", "log_checkpoint", "receipt"])
def test_a_database_that_fails_to_write_stops_the_log(
    store: Store, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    log = open_log(store)
    add = Prepared.add

    def fail(prepared: Prepared, connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
        sql = str(prepared.statement)
        if sql.startswith(f"INSERT INTO {table} "):
            raise exc.OperationalError(sql, {}, OSError("disk I/O error"))
        add(prepared, connection, rows)

    with monkeypatch.context() as patch:
        patch.setattr(Prepared, "add", fail)
        with pytest.raises(LogStoppedError, match="got StoreUnavailableError"):
            log.include(b"a", receipt=make_receipt())
    with pytest.raises(LogStoppedError):
        log.include(b"b")
    check_included(open_log(store).include(b"c"), b"c")


def test_a_commit_that_fails_stops_the_log(store: Store) -> None:
    log = open_log(store)

    def fail(connection: object) -> None:
        raise exc.OperationalError(f"COMMIT {connection is None}", {}, OSError("disk I/O error"))

    engine = store.database._engine
    event.listen(engine, "commit", fail)
    try:
        with pytest.raises(LogStoppedError):
            log.append(b"a")
    finally:
        event.remove(engine, "commit", fail)
    with pytest.raises(LogStoppedError):
        log.append(b"b")
    check_whole(open_log(store))


def test_a_database_that_cannot_begin_has_written_nothing_and_stops_nothing(
    store: Store,
) -> None:
    log = open_log(store)

    def fail(connection: object) -> None:
        raise exc.OperationalError(f"BEGIN {connection is None}", {}, OSError("locked"))

    engine = store.database._engine
    event.listen(engine, "begin", fail)
    try:
        with pytest.raises(StoreUnavailableError):
            log.append(b"a")
    finally:
        event.remove(engine, "begin", fail)
    assert log.append(b"a").index == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_leader_that_is_interrupted_leaves_nobody_waiting(store: Store) -> None:
    saboteur = Saboteur(Failpoint.TREE_WRITTEN, KeyboardInterrupt())
    has_begun, may_go = threading.Event(), threading.Event()

    def reach(point: Failpoint) -> None:
        if point is Failpoint.TRANSACTION_BEGUN and saboteur.is_armed:
            has_begun.set()
            assert may_go.wait(60)
        saboteur(point)

    log = open_log(store)
    log._reach = reach
    errors: list[BaseException] = []

    def append(entry: bytes) -> None:
        try:
            log.append(entry)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is counted
            errors.append(error)

    leader = threading.Thread(target=append, args=(b"leader",))
    leader.start()
    assert has_begun.wait(60)
    follower = threading.Thread(target=append, args=(b"follower",))
    follower.start()
    may_go.set()
    leader.join()
    follower.join()
    assert sorted(type(error).__name__ for error in errors) == [
        "KeyboardInterrupt",
        "LogStoppedError",
    ]
    check_whole(open_log(store))


def test_the_followers_of_a_batch_that_failed_are_told_each_for_themselves(store: Store) -> None:
    log = open_log(store)
    has_begun, may_go = threading.Event(), threading.Event()
    count = 0

    def reach(point: Failpoint) -> None:
        nonlocal count
        if point is not Failpoint.TRANSACTION_BEGUN:
            return
        count += 1
        if count == 1:
            has_begun.set()
            assert may_go.wait(60)
        else:
            raise OSError(errno.EIO, "Input/output error")

    log._reach = reach
    errors: list[LogStoppedError] = []

    def append(entry: bytes) -> None:
        try:
            log.append(entry)
        except LogStoppedError as error:
            errors.append(error)

    threads = [threading.Thread(target=append, args=(b"%d" % number,)) for number in range(4)]
    threads[0].start()
    assert has_begun.wait(60)
    for thread in threads[1:]:
        thread.start()
    while len(log._queue._waiting) < 3:
        pass
    may_go.set()
    for thread in threads:
        thread.join()
    assert len({id(error) for error in errors}) == 3
    assert log.head().size == 1


def test_who_asked_for_no_signature_is_answered_before_one_fails(store: Store) -> None:
    key = WatchedKey(make_log_key())
    log = TransparencyLog.open(store.database, key, find_mark(store))
    key.failure = KeyUnavailableError("no answer", hint="Wait.")
    has_begun, may_go = threading.Event(), threading.Event()

    def reach(point: Failpoint) -> None:
        if point is Failpoint.TRANSACTION_BEGUN and not has_begun.is_set():
            has_begun.set()
            assert may_go.wait(60)

    log._reach = reach
    done: list[int] = []
    errors: list[KeyUnavailableError] = []

    def include() -> None:
        try:
            log.include(b"signed")
        except KeyUnavailableError as error:
            errors.append(error)

    threads = [threading.Thread(target=lambda: done.append(log.append(b"first").index))]
    threads[0].start()
    assert has_begun.wait(60)
    threads += [
        threading.Thread(target=include),
        threading.Thread(target=lambda: done.append(log.append(b"second").index)),
    ]
    for count, thread in enumerate(threads[1:], start=1):
        thread.start()
        while len(log._queue._waiting) < count:
            pass
    may_go.set()
    for thread in threads:
        thread.join()
    assert sorted(done) == [0, 2]
    assert len(errors) == 1
    log.check_open()


def test_a_failure_after_an_answer_is_not_that_answers(store: Store) -> None:
    key = WatchedKey(make_log_key(1, ORIGIN))
    log = TransparencyLog.open(store.database, key, find_mark(store), new=NewLog(opened_at=NOON))
    key.failure = RuntimeError("no key")
    answered = Submission(leaves=(NewLeaf(entry=b"a"),), is_included=False)
    refused = Submission(leaves=(make_leaf(1),), is_included=True)
    log._work((answered, refused))
    assert answered.is_done
    assert answered.error is None
    assert [leaf.index for leaf in answered.logged] == [0]
    assert refused.error is not None


def test_a_log_says_whether_it_takes_leaves(store: Store) -> None:
    log = open_log(store)
    log.check_open()
    open_next(store)
    with pytest.raises(LogFrozenError):
        log.check_open()
    other = open_log(store, NEXT_ORIGIN, reach=Saboteur(Failpoint.TREE_WRITTEN, OSError("EIO")))
    with pytest.raises(LogStoppedError):
        other.append(b"a")
    with pytest.raises(LogStoppedError):
        other.check_open()


def test_a_mark_that_another_log_took_over_stops_a_running_log(store: Store) -> None:
    log = open_log(store)
    head = Checkpoint(origin=NEXT_ORIGIN, size=0, root=EMPTY_ROOT)
    HighWaterMark(find_mark(store)).create(head)
    with pytest.raises(LogRolledBackError, match="got one of 'log-2"):
        log.include(b"a")


def test_a_mark_above_the_database_stops_a_running_log_before_it_signs(store: Store) -> None:
    key = WatchedKey(make_log_key())
    log = TransparencyLog.open(store.database, key, find_mark(store))
    head = log.include(b"a").checkpoint
    higher = type(head)(origin=head.origin, size=9, root=head.root)
    HighWaterMark(find_mark(store)).raise_to(higher, lambda _known: None)
    with pytest.raises(LogRolledBackError, match="at least 9 leaves"):
        log.include(b"b")
    assert [each.size for each in key.signed] == [0, 1]
