"""A database that was set back, a mark that is gone: nothing is signed until somebody decides."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import LogRolledBackError, LogStoppedError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import EMPTY_ROOT, check_consistency
from spanproof.store.log import TransparencyLog, rows
from spanproof.store.log.mark import HighWaterMark
from spanproof.store.log.reading import list_logs
from tests.conftest import StorePlace
from tests.receipt.samples import make_log_key
from tests.store.log.samples import (
    NEXT_ORIGIN,
    ORIGIN,
    WatchedKey,
    check_whole,
    find_mark,
    open_log,
    open_next,
)

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.store import Store

only_sqlite = pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)


def copy_database(home: Path, target: Path) -> None:
    """A backup as SQLite's own tool takes it, also while somebody writes."""
    target.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(home / "spanproof.db")) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)


def restore(home: Path, backup: Path) -> None:
    for path in home.glob("spanproof.db*"):
        path.unlink()
    shutil.copyfile(backup, home / "spanproof.db")


def open_watched(store: Store) -> tuple[TransparencyLog, WatchedKey]:
    key = WatchedKey(make_log_key())
    return TransparencyLog.open(store.database, key, find_mark(store)), key


def refuse(store: Store, match: str) -> None:
    """Opening is refused and the key has signed nothing."""
    key = WatchedKey(make_log_key())
    with pytest.raises(LogRolledBackError, match=match):
        TransparencyLog.open(store.database, key, find_mark(store))
    assert key.signed == []


@pytest.mark.long
@only_sqlite
def test_fifty_restored_backups_sign_no_second_history(
    store_place: StorePlace, tmp_path: Path
) -> None:
    draw = random.Random(20261122)  # noqa: S311 - a repeatable draw, no secret
    signed: list[Checkpoint] = []
    backups: list[tuple[int, Path]] = []
    with store_place.open() as store:
        log, key = open_watched(store)
        while len(backups) < 50:
            for _ in range(draw.randint(0, 2)):
                log.append_all([b"%d" % draw.getrandbits(40)] * draw.randint(1, 40))
            # Some backups are of a head that nothing has signed yet.
            if draw.random() < 0.5:
                log.include(b"%d" % draw.getrandbits(40))
            backups.append((log.head().size, tmp_path / f"{len(backups)}.db"))
            copy_database(store.home, backups[-1][1])
        log.include(b"last")
        signed = key.signed
    for size, backup in backups:
        restore(store_place.home, backup)
        with store_place.open() as store:
            refuse(store, f"at least {signed[-1].size} leaves, as its mark says, got {size}")
            # What is left is the beginning of what was signed.
            reader = list_logs(store.database)[0]
            assert reader.size == size


@only_sqlite
def test_the_newest_backup_goes_on_where_it_was(store_place: StorePlace, tmp_path: Path) -> None:
    with store_place.open() as store:
        log = open_log(store)
        before = log.include(b"a").checkpoint
        copy_database(store.home, tmp_path / "backup.db")
    restore(store_place.home, tmp_path / "backup.db")
    with store_place.open() as store:
        log = open_log(store)
        after = log.include(b"b").checkpoint
        proof = log.prove_consistency(before.size, after.size)
        assert check_consistency(proof, before.root, after.root)


@only_sqlite
def test_a_restored_database_that_grew_past_the_mark_is_another_history(
    store_place: StorePlace, tmp_path: Path
) -> None:
    with store_place.open() as store:
        log = open_log(store)
        log.include(b"a")
        copy_database(store.home, tmp_path / "backup.db")
        log.include_all([b"b", b"c"])
        mark = find_mark(store).read_bytes()
    restore(store_place.home, tmp_path / "backup.db")
    with store_place.open() as store:
        # Somebody goes on with a mark of their own; then the true one comes back.
        find_mark(store).unlink()
        HighWaterMark(find_mark(store)).create(
            Checkpoint(origin=ORIGIN, size=1, root=list_logs(store.database)[0].root)
        )
        open_log(store).append_all([b"x", b"y", b"z"])
        find_mark(store).write_bytes(mark)
        refuse(store, "Expected the root that was signed at size 3, got another")


@only_sqlite
def test_a_database_that_is_exchanged_under_a_running_log_is_noticed(
    store_place: StorePlace, tmp_path: Path
) -> None:
    with store_place.open() as store:
        log, key = open_watched(store)
        log.include(b"a")
        copy_database(store.home, tmp_path / "backup.db")
        log.include(b"b")
        # In place: the file that the running process has open.
        with (
            closing(sqlite3.connect(tmp_path / "backup.db")) as source,
            closing(sqlite3.connect(store.home / "spanproof.db")) as target,
        ):
            source.backup(target)
        for _ in range(2):
            with pytest.raises(LogRolledBackError, match="at least 2 leaves"):
                log.include(b"c")
            with pytest.raises(LogRolledBackError):
                log.append(b"d")
        assert [each.size for each in key.signed] == [0, 1, 2]


@only_sqlite
def test_another_history_of_the_same_size_is_noticed_by_a_running_log(
    store_place: StorePlace, tmp_path: Path
) -> None:
    with store_place.open() as store:
        log, key = open_watched(store)
        log.include(b"a")
        copy_database(store.home, tmp_path / "fork.db")
        log.include(b"b")
    fork_home = tmp_path / "fork"
    fork_home.mkdir()
    restore(fork_home, tmp_path / "fork.db")
    with StorePlace(home=fork_home, database_url=None).open() as fork:
        # With a mark of its own, the copy does not know that it is one.
        mark = HighWaterMark(tmp_path / "fork-mark")
        mark.create(Checkpoint(origin=ORIGIN, size=0, root=EMPTY_ROOT))
        forked = TransparencyLog.open(fork.database, make_log_key(), mark.path)
        forked.include(b"B")
        copy_database(fork.home, tmp_path / "fork.db")
    with store_place.open() as store:
        log, key = open_watched(store)
        with (
            closing(sqlite3.connect(tmp_path / "fork.db")) as source,
            closing(sqlite3.connect(store.home / "spanproof.db")) as target,
        ):
            source.backup(target)
        with pytest.raises(LogRolledBackError, match="signed at size 2, got another"):
            log.include(b"c")
        assert key.signed == []


def test_a_log_whose_mark_is_gone_is_refused(store: Store) -> None:
    open_log(store).include(b"a")
    find_mark(store).unlink()
    refuse(store, "high-water mark .* got an unreadable file")
    # Nothing was made in its place: a second start is no way round.
    assert not find_mark(store).exists()
    refuse(store, "recover --new-shard")


def test_a_mark_that_cannot_be_read_is_refused(store: Store) -> None:
    open_log(store).include(b"a")
    find_mark(store).write_bytes(b"?" * 1024)
    refuse(store, "got an unreadable file")


def test_a_mark_that_goes_under_a_running_log_stops_it(store: Store) -> None:
    log = open_log(store)
    find_mark(store).unlink()
    with pytest.raises(LogRolledBackError, match="high-water mark"):
        log.include(b"a")
    with pytest.raises(LogRolledBackError, match="high-water mark"):
        log.append(b"b")


def test_a_mark_that_is_no_file_stops_the_start(store: Store) -> None:
    find_mark(store).mkdir(parents=True)
    with pytest.raises(LogStoppedError, match="Expected a mark that can be read and written"):
        open_log(store)


def test_a_mark_without_its_database_is_refused(store: Store) -> None:
    head = Checkpoint(origin=ORIGIN, size=4, root=b"\x01" * 32)
    find_mark(store).parent.mkdir()
    HighWaterMark(find_mark(store)).create(head)
    refuse(store, "at least 4 leaves, as its mark says, got 0")
    assert list_logs(store.database) == ()


def test_a_mark_of_a_log_without_leaves_lets_it_be_made(store: Store) -> None:
    log = open_log(store)
    mark = find_mark(store).read_bytes()
    assert log.latest()[0].size == 0
    assert open_log(store).include(b"a").checkpoint.size == 1
    assert find_mark(store).read_bytes() != mark


def test_a_mark_of_another_log_is_refused(store: Store) -> None:
    open_log(store).include(b"a")
    with pytest.raises(LogRolledBackError, match=r"of the log 'b\.example\.com', got one of"):
        open_log(store, "b.example.com")
    assert [state.origin for state in list_logs(store.database)] == [ORIGIN]


def test_a_mark_that_is_behind_is_raised_at_the_start(store: Store) -> None:
    log = open_log(store)
    log.include(b"a")
    old = find_mark(store).read_bytes()
    log.include(b"b")
    find_mark(store).write_bytes(old)
    check_whole(open_log(store))
    kept = HighWaterMark(find_mark(store)).read()
    assert kept is not None
    assert kept.size == 2


def test_a_log_that_another_process_made_meanwhile_is_used(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_log(store)
    find = rows.find_log
    missed: list[str] = []

    def miss_once(session: object, origin: str) -> object:
        if not missed:
            missed.append(origin)
            return None
        return find(session, origin)  # type: ignore[arg-type]

    monkeypatch.setattr(rows, "find_log", miss_once)
    assert open_log(store).append(b"a").index == 0
    assert len(list_logs(store.database)) == 1


@pytest.mark.parametrize("comes", ["first", "next"])
def test_another_process_opens_it_between_the_looks_at_mark_and_database(
    store: Store, monkeypatch: pytest.MonkeyPatch, comes: str
) -> None:
    if comes == "next":
        open_log(store).append(b"a")
    open_other = open_log if comes == "first" else open_next
    read = HighWaterMark.read
    seen: list[Checkpoint | None] = []

    def read_and_be_overtaken(mark: HighWaterMark) -> Checkpoint | None:
        found = read(mark)
        seen.append(found)
        if len(seen) == 1:
            open_other(store)
        return found

    monkeypatch.setattr(HighWaterMark, "read", read_and_be_overtaken)
    log = open_log(store, ORIGIN if comes == "first" else NEXT_ORIGIN)
    assert seen[0] is None or seen[0].origin == ORIGIN
    log.append(b"b")
    check_whole(log)
