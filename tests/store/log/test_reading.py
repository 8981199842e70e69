from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event

from spanproof.core.errors import LogDamagedError, NotFoundError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import (
    EMPTY_ROOT,
    check_consistency,
    check_inclusion,
    compute_root,
    hash_leaf,
)
from spanproof.core.log.tiles import Tile, join_entries
from spanproof.store.log import rows
from spanproof.store.log.reading import LogReader
from tests.store.log.samples import ORIGIN, make_receipt, make_statement, open_log

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.store import Store
    from spanproof.store.log import TransparencyLog


def test_every_tile_can_be_read_at_every_width(log: TransparencyLog) -> None:
    entries = [b"%d" % number for number in range(600)]
    log.append_all(entries[:300])
    log.append_all(entries[300:])
    hashes = [hash_leaf(entry) for entry in entries]
    for index, count in ((0, 256), (1, 256), (2, 88)):
        first = index * 256
        for width in {1, 44, 88, count}:
            tile = Tile(level=0, index=index, width=width)
            assert log.read_tile(tile) == b"".join(hashes[first : first + width])
            bundle = Tile(level=None, index=index, width=width)
            assert log.read_tile(bundle) == join_entries(entries[first : first + width])
    roots = [compute_root(hashes[:256]), compute_root(hashes[256:512])]
    assert log.read_tile(Tile(level=1, index=0, width=2)) == b"".join(roots)
    assert log.read_tile(Tile(level=1, index=0, width=1)) == roots[0]


@pytest.mark.parametrize(
    "tile",
    [
        Tile(level=0, index=0, width=4),
        Tile(level=0, index=0),
        Tile(level=None, index=1, width=1),
        Tile(level=1, index=0, width=1),
        Tile(level=7, index=0, width=1),
    ],
)
def test_no_tile_is_read_beyond_the_log(log: TransparencyLog, tile: Tile) -> None:
    log.append_all([b"", b"", b""])
    with pytest.raises(NotFoundError, match="in a log of 3 leaves"):
        log.read_tile(tile)


@pytest.mark.parametrize(
    ("tile", "size"),
    [
        (Tile(level=0, index=0, width=3), 3),
        (Tile(level=None, index=0, width=3), 3),
        (Tile(level=0, index=1, width=1), 257),
        (Tile(level=1, index=0, width=1), 256),
        (Tile(level=1, index=0), 65_536),
        (Tile(level=2, index=0, width=1), 65_536),
    ],
)
def test_a_tile_is_there_from_the_leaf_that_fills_it(tile: Tile, size: int) -> None:
    assert rows.has_tile(tile, size)
    assert not rows.has_tile(tile, size - 1)


def test_nothing_is_read_or_proved_beyond_the_log(log: TransparencyLog) -> None:
    log.include_all([b"a", b"b"])
    log.append(b"c")
    for refused in (
        lambda: log.read_entry(3),
        lambda: log.read_entry(-1),
        lambda: list(log.entries(2, 4)),
        lambda: list(log.entries(3, 2)),
        lambda: log.prove_inclusion(2),
        lambda: log.prove_inclusion(3, 3),
        lambda: log.prove_inclusion(0, 4),
        lambda: log.prove_consistency(3),
        lambda: log.prove_consistency(0),
        lambda: log.prove_consistency(1, 4),
        lambda: log.note(3),
        lambda: LogReader.find(log._database, "other.example.com"),
    ):
        with pytest.raises(NotFoundError):
            refused()


def test_a_log_that_has_signed_nothing_proves_nothing_unasked(log: TransparencyLog) -> None:
    log.append(b"a")
    with pytest.raises(NotFoundError):
        log.prove_inclusion(0)
    assert log.prove_inclusion(0, 1).hashes == ()


def test_proofs_of_every_index_and_size_verify(log: TransparencyLog) -> None:
    entries = [b"%d" % number for number in range(20)]
    log.append_all(entries)
    hashes = [hash_leaf(entry) for entry in entries]
    for size in range(1, 21):
        root = compute_root(hashes[:size])
        assert log.read_root(size) == root
        for index in range(size):
            assert check_inclusion(log.prove_inclusion(index, size), hashes[index], root)
        for old in range(1, size + 1):
            proof = log.prove_consistency(old, size)
            assert check_consistency(proof, compute_root(hashes[:old]), root)
    assert log.read_root(0) == EMPTY_ROOT


def test_a_leaf_is_found_by_its_hash(log: TransparencyLog) -> None:
    entries = [b"%d" % number for number in range(600)]
    log.append_all([*entries, entries[3]])
    for index in (0, 3, 255, 256, 511, 512, 599):
        assert log.find_leaf(hash_leaf(entries[index])) == index
    across = log.read_tile(Tile(level=0, index=0))[16:48]
    for absent in (hash_leaf(b"another"), across, b"", entries[3]):
        assert log.find_leaf(absent) is None


def test_many_checkpoints_are_read_in_pages(
    log: TransparencyLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanproof.store.log.reading._CHUNK", 3)
    for number in range(3):
        log.include(b"%d" % number)
    assert [checkpoint.size for checkpoint, _ in log.checkpoints()] == [0, 1, 2, 3]
    log.include(b"3")
    assert [checkpoint.size for checkpoint, _ in log.checkpoints()] == [0, 1, 2, 3, 4]


def test_statements_stand_beside_their_leaves(log: TransparencyLog) -> None:
    intake = make_statement("intake", "v1")
    log.append(b"intake", intake)
    log.append(b"other", make_statement("intake", "v2"))
    result = make_statement("result", "v1", intake=0)
    log.include(b"result", result)
    log.append(b"bare")
    found = log.find_statements("v1")
    assert [(each.index, each.statement) for each in found] == [(0, intake), (2, result)]
    assert (one := log.find_statement(2)) is not None
    assert one.statement == result
    assert log.find_statement(3) is None
    assert [each.index for each in log.open_intakes()] == [1]


@pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("table", "condition", "read"),
    [
        ("log_leaf", "idx = 258", lambda log: log.read_entry(258)),
        ("log_leaf", "idx = 7", lambda log: list(log.entries(0, 260))),
        ("log_leaf", "idx = 258", lambda log: log.read_tile(Tile(level=0, index=1, width=4))),
        ("log_leaf", "idx = 258", lambda log: open_log(log.store)),
        ("log_tile", "level = 0", lambda log: log.read_tile(Tile(level=0, index=0))),
        ("log_tile", "level = 0", lambda log: log.prove_inclusion(3, 260)),
        ("log_tile", "level = 1", lambda log: log.read_tile(Tile(level=1, index=0, width=1))),
        ("log_tile", "level = 1", lambda log: open_log(log.store)),
        ("log_tree", "log_id = 0", lambda log: log.head()),
    ],
)
def test_rows_that_are_gone_are_told(
    store: Store, table: str, condition: str, read: Callable[[Any], object]
) -> None:
    log = open_log(store)
    log.append_all([b"%d" % number for number in range(260)])
    log.store = store  # type: ignore[attr-defined]
    with store.database.connection() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        for each in ("log_checkpoint", table):
            connection.exec_driver_sql(f"DROP TRIGGER {each}_refuses_delete")
        connection.exec_driver_sql("DELETE FROM log_checkpoint")
        connection.exec_driver_sql(f"DELETE FROM {table} WHERE {condition}")  # noqa: S608
    with pytest.raises(LogDamagedError):
        read(log)


def test_whether_a_head_of_some_size_was_signed_can_be_asked(log: TransparencyLog) -> None:
    log.append_all([b"a", b"b"])
    log.include(b"c")
    found = [size for size in range(5) if log.has_checkpoint(size, size + 1)]
    assert found == [0, 3]
    assert log.has_checkpoint(1, 4)
    assert not log.has_checkpoint(1, 3)


def test_statements_are_listed_by_kind(log: TransparencyLog) -> None:
    for kind in ("intake", "result", "shard", "result"):
        log.append(kind.encode(), make_statement(kind))
    found = log.list_statements(("result", "shard"))
    assert [each.index for each in found] == [1, 2, 3]
    assert [each.index for each in log.find_unreceipted()] == [1, 3]
    log.seal(1, make_receipt())
    assert [each.index for each in log.find_unreceipted()] == [3]


@pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)
def test_a_fork_at_every_size_is_told_from_a_beginning(store: Store) -> None:
    """THREATS.md, row 3: heads that differ in one leaf, at each place of 64."""
    log = open_log(store)
    entries = [b"%d" % number for number in range(64)]
    log.append_all(entries)
    hashes = [hash_leaf(entry) for entry in entries]
    for size in range(65):
        kept = Checkpoint(origin=ORIGIN, size=size, root=compute_root(hashes[:size]))
        assert log.holds(kept)
        assert not log.holds(dataclasses.replace(kept, origin="other.example.com"))
        if size:
            forked = [*hashes[: size - 1], hash_leaf(b"forked")]
            assert not log.holds(dataclasses.replace(kept, root=compute_root(forked)))
    longer = compute_root([*hashes, hash_leaf(b"lost")])
    assert not log.holds(Checkpoint(origin=ORIGIN, size=65, root=longer))


def test_what_is_open_or_lacks_a_receipt_is_told_below_a_size(store: Store) -> None:
    log = open_log(store)
    for name in ("v1", "v2"):
        log.append(b"intake", make_statement("intake", name))
    with store.database.reading() as session:
        for size in (0, 1, 2):
            for find in (rows.list_open, rows.list_unreceipted):
                found = find(session, 0, size, ("intake",))
                assert [each.index for each in found] == list(range(size))


def test_leaves_and_heads_are_read_past_a_page(
    log: TransparencyLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanproof.store.log.reading._CHUNK", 3)
    entries = [b"%d" % number for number in range(8)]
    for entry in entries:
        log.include(entry)
    assert [checkpoint.size for checkpoint, _ in log.checkpoints()] == list(range(9))
    assert list(log.entries(0, 8)) == entries


@pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)
def test_a_tile_that_is_too_short_and_a_leaf_that_is_gone_are_damage(store: Store) -> None:
    open_log(store).append_all([b"%d" % number for number in range(256)])
    with store.database.connection() as connection:
        connection.exec_driver_sql("DROP TRIGGER log_tile_refuses_update")
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        connection.exec_driver_sql("UPDATE log_tile SET hashes = zeroblob(8191)")
        connection.exec_driver_sql("DROP TRIGGER log_leaf_refuses_delete")
        connection.exec_driver_sql("DELETE FROM log_leaf WHERE idx = 0")
    reader = LogReader.find(store.database, ORIGIN)
    with pytest.raises(LogDamagedError, match="Expected the tile"):
        reader.read_tile(Tile(level=0, index=0))
    with pytest.raises(LogDamagedError):
        reader.read_leaf(0)


@pytest.mark.parametrize("store_place", ["postgresql"], indirect=True)
def test_a_leaf_that_comes_between_two_looks_is_no_damage(store: Store) -> None:
    log = open_log(store)
    log.append(b"one")
    reader, added = LogReader.find(store.database, ORIGIN), list[bool]()

    def add(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "FROM log_leaf" in statement and not added:
            added.append(True)
            log.append(b"two")

    event.listen(store.database._engine, "after_cursor_execute", add)
    with pytest.raises(NotFoundError, match="leaf 1"):
        reader.read_leaf(1)
    assert added
    assert reader.read_leaf(1)[0] == b"two"
