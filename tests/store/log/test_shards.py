from __future__ import annotations

import dataclasses
import signal
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import (
    ConflictError,
    LogFrozenError,
    LogRolledBackError,
    LogStoppedError,
    NotFoundError,
    SettingsError,
)
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.store.log.failpoints import Failpoint
from spanproof.store.log.mark import HighWaterMark
from spanproof.store.log.reading import LogReader, find_current_origin, list_logs
from spanproof.store.log.shards import find_old_log, name_successor, open_shard
from tests.databases import postgresql_later
from tests.receipt.samples import make_log_key
from tests.spread import thin_out
from tests.store.examples import NOON, run_in_child
from tests.store.log.samples import (
    NEXT_ORIGIN,
    ORIGIN,
    check_included,
    check_whole,
    find_mark,
    open_log,
    open_next,
    write_shard_leaf,
)

if TYPE_CHECKING:
    from spanproof.store import Store
    from tests.conftest import StorePlace

SHARD_POINTS = [
    Failpoint.LEAVES_WRITTEN,
    Failpoint.FREEZE_WRITTEN,
    Failpoint.SHARD_WRITTEN,
    Failpoint.SHARD_COMMITTED,
    Failpoint.MARK_CREATED,
    Failpoint.MARK_REPLACED,
    Failpoint.TRANSACTION_BEGUN,
    Failpoint.MARK_SYNCED,
    Failpoint.CHECKPOINT_SIGNED,
    Failpoint.NOTE_COMMITTED,
]


def test_the_old_log_is_closed_and_the_new_one_names_it(store: Store) -> None:
    old = open_log(store)
    old.include_all([b"a", b"b"])
    head = old.head()
    new = open_next(store)
    assert new.origin == NEXT_ORIGIN
    assert new.read_entry(0) == f"after {ORIGIN} 2".encode()
    assert (statement := new.find_statement(0)) is not None
    assert statement.statement.subject == ORIGIN
    assert new.latest()[0].size == 1
    (state, _) = list_logs(store.database)
    assert state.freeze is not None
    assert (state.freeze.size, state.freeze.root) == (2, head.root)
    assert (state.freeze.reason, state.freeze.successor) == ("restored", NEXT_ORIGIN)
    assert state.freeze.frozen_at == NOON
    assert LogReader.find(store.database, ORIGIN).find_freeze() == state.freeze
    assert find_current_origin(store.database) == NEXT_ORIGIN
    check_included(new.include(b"c"), b"c")
    check_whole(new)
    # What the old one signed stays readable and provable.
    check_whole(LogReader.find(store.database, ORIGIN))  # type: ignore[arg-type]


def test_a_closed_log_takes_nothing_not_even_from_a_process_that_had_it_open(
    store: Store,
) -> None:
    old = open_log(store)
    old.append(b"unsigned")
    open_next(store)
    for _ in range(2):
        with pytest.raises(LogFrozenError, match=f"SPANPROOF_LOG_ORIGIN to '{NEXT_ORIGIN}'"):
            old.append(b"late")
        with pytest.raises(LogFrozenError):
            old.publish()
    with pytest.raises(LogFrozenError, match="closed: 'restored'"):
        open_log(store)
    assert old.head().size == 1
    assert open_log(store, NEXT_ORIGIN).append(b"next").index == 1


def test_the_triggers_keep_a_closed_log_closed(store: Store) -> None:
    open_log(store).append(b"a")
    open_next(store)
    with pytest.raises(ConflictError), store.database.connection() as connection:
        connection.exec_driver_sql(
            "INSERT INTO log_leaf (log_id, idx, leaf_hash, entry)"
            " SELECT log_id, 1, leaf_hash, entry FROM log_leaf WHERE log_id = 0"
        )


@pytest.mark.parametrize("loss", ["mark", "database"])
def test_what_cannot_sign_again_goes_on_in_a_shard(store: Store, loss: str) -> None:
    log = open_log(store)
    log.include(b"a")
    mark = HighWaterMark(find_mark(store))
    if loss == "mark":
        mark.path.unlink()
    else:
        lost = Checkpoint(origin=ORIGIN, size=7, root=b"\x07" * 32)
        mark.raise_to(lost, lambda _known: None)
    with pytest.raises(LogRolledBackError):
        open_log(store)
    seen = find_old_log(store.database, mark.path)
    assert (seen.mark is None) == (loss == "mark")
    check_included(open_next(store).include(b"b"), b"b")


@postgresql_later
@pytest.mark.parametrize("point", thin_out(SHARD_POINTS, every=3))
def test_a_shard_that_is_killed_at_any_point_is_finished_by_the_next_start_or_try(
    store_place: StorePlace, point: Failpoint
) -> None:
    with store_place.open() as store:
        open_log(store).include(b"a")

    def work() -> None:
        def reach(reached: Failpoint) -> None:
            if reached is point:
                signal.raise_signal(signal.SIGKILL)

        with store_place.open() as store:
            open_next(store, reach=reach)

    assert run_in_child(work) == -signal.SIGKILL
    with store_place.open() as store:
        states = list_logs(store.database)
        if len(states) == 1:
            # Nothing had happened: the old log goes on.
            assert states[0].freeze is None
            check_included(open_log(store).include(b"b"), b"b")
            return
        assert states[0].freeze is not None
        assert states[1].size == 1
        with pytest.raises(LogFrozenError):
            open_log(store)
        log = open_log(store, NEXT_ORIGIN)
        check_included(log.include(b"b"), b"b")
        check_whole(log)


def test_a_shard_that_was_begun_is_finished_and_not_closed_too(store: Store) -> None:
    open_log(store).include(b"a")

    def fail(point: Failpoint) -> None:
        if point is Failpoint.SHARD_COMMITTED:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        open_next(store, reach=fail)
    # A mark that a third log left there is in the way of a plain start.
    other = Checkpoint(origin="log-9.example.com", size=3, root=b"\x01" * 32)
    HighWaterMark(find_mark(store)).create(other)
    with pytest.raises(LogRolledBackError, match="got one of"):
        open_log(store, NEXT_ORIGIN)
    assert find_old_log(store.database, find_mark(store)).is_begun
    log = open_next(store)
    assert [state.origin for state in list_logs(store.database)] == [ORIGIN, NEXT_ORIGIN]
    assert log.latest()[0].size == 1
    assert not find_old_log(store.database, find_mark(store)).is_begun


def test_the_points_of_a_shard_are_passed_in_their_order(store: Store) -> None:
    open_log(store).include(b"a")
    passed: list[Failpoint] = []
    open_next(store, reach=passed.append)
    first = [
        Failpoint.FREEZE_WRITTEN,
        Failpoint.LEAVES_WRITTEN,
        Failpoint.TILES_WRITTEN,
        Failpoint.TREE_WRITTEN,
        Failpoint.SHARD_WRITTEN,
        Failpoint.SHARD_COMMITTED,
        Failpoint.MARK_CREATED,
        Failpoint.MARK_REPLACED,
    ]
    assert passed[: len(first)] == first
    assert set(SHARD_POINTS) <= set(passed)


def test_a_shard_without_its_mark_is_opened_as_any_log(store: Store) -> None:
    open_log(store).include(b"a")

    def fail(point: Failpoint) -> None:
        if point is Failpoint.SHARD_COMMITTED:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        open_next(store, reach=fail)
    log = open_log(store, NEXT_ORIGIN)
    known = HighWaterMark(find_mark(store)).read()
    assert known is not None
    assert (known.origin, known.size) == (NEXT_ORIGIN, 1)
    check_included(log.include(b"b"), b"b")


def test_no_origin_is_used_twice(store: Store) -> None:
    open_log(store).include(b"a")
    with pytest.raises(ConflictError, match="that no log has had, got"):
        open_next(store, ORIGIN)
    open_next(store)
    with pytest.raises(ConflictError, match="Give another"):
        open_next(store, ORIGIN)
    # Also where the database that knew the name was set back.
    lost = Checkpoint(origin="log-3.example.com", size=7, root=b"\x07" * 32)
    HighWaterMark(find_mark(store)).create(lost)
    with pytest.raises(ConflictError):
        open_next(store, "log-3.example.com")
    with pytest.raises(SettingsError):
        open_next(store, "not a name")
    assert len(list_logs(store.database)) == 2


def test_a_log_that_grows_meanwhile_is_not_closed(store: Store) -> None:
    log = open_log(store)

    def write(old: object) -> object:
        log.append(b"meanwhile")
        return write_shard_leaf(old)  # type: ignore[arg-type]

    with pytest.raises(ConflictError, match="rests at 0 leaves, got one that grew"):
        open_shard(
            store.database,
            make_log_key(1, NEXT_ORIGIN),
            find_mark(store),
            reason="",
            write_leaf=write,  # type: ignore[arg-type]
        )
    assert log.append(b"after").index == 1


def test_a_store_without_a_log_has_none_to_close(store: Store) -> None:
    with pytest.raises(NotFoundError, match="got a store without one"):
        find_old_log(store.database, find_mark(store))


def test_a_mark_that_the_disk_does_not_give_stops_the_recovery(store: Store) -> None:
    open_log(store)
    find_mark(store).unlink()
    find_mark(store).mkdir()
    with pytest.raises(LogStoppedError):
        open_next(store)
    assert len(list_logs(store.database)) == 1


@pytest.mark.parametrize(
    ("origin", "used", "successor"),
    [
        ("log.example.com", set(), "log-2.example.com"),
        ("log-2.example.com", {"log.example.com"}, "log-3.example.com"),
        ("log", {"log-2"}, "log-3"),
        ("log", {"log-2", "log-3"}, "log-4"),
        ("t-7f3c.log.example.com", set(), "t-7f3c-2.log.example.com"),
        ("t-0012.example.com", set(), "t-0012-2.example.com"),
        ("-.x", set(), "--2.x"),
    ],
)
def test_successors_are_numbered(origin: str, used: set[str], successor: str) -> None:
    assert name_successor(origin, used | {origin}) == successor


def test_the_successor_counts_on_from_what_the_mark_knows(store: Store) -> None:
    open_log(store).include(b"a")
    assert find_old_log(store.database, find_mark(store)).successor == NEXT_ORIGIN
    lost = Checkpoint(origin="log-5.example.com", size=1, root=b"\x07" * 32)
    HighWaterMark(find_mark(store)).create(lost)
    old = find_old_log(store.database, find_mark(store))
    assert old.successor == "log-6.example.com"
    assert old.head == dataclasses.replace(old.head, origin=ORIGIN, size=1)
    assert not old.is_begun


def test_the_successor_of_a_shard_counts_on_from_the_shard(store: Store) -> None:
    open_log(store).include(b"a")
    open_next(store, "other.example.com")
    find_mark(store).unlink()
    old = find_old_log(store.database, find_mark(store))
    assert (old.state.origin, old.successor) == ("other.example.com", "other-2.example.com")


def test_a_first_log_that_signed_nothing_is_no_shard_that_is_begun(store: Store) -> None:
    def fail(point: Failpoint) -> None:
        if point is Failpoint.LOG_COMMITTED:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        open_log(store, reach=fail)
    assert not find_old_log(store.database, find_mark(store)).is_begun
    # Nor is anything in it.
    with pytest.raises(NotFoundError):
        LogReader.find(store.database, ORIGIN).prove_inclusion(0)


def test_a_successor_is_none_that_was_used_out_of_its_order(store: Store) -> None:
    open_log(store).include(b"a")
    open_next(store, "log-3.example.com")
    open_next(store, "log-2.example.com")
    assert find_old_log(store.database, find_mark(store)).successor == "log-4.example.com"
