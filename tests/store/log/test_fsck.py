"""Whatever a row is changed to, the log says which (THREATS.md, rows 1 and 26)."""

# ruff: noqa: S608 - the tables' names are our own
from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine
from sqlmodel import Session

from spanproof.core.log.tiles import TILE_WIDTH
from spanproof.store.database.session import Database
from spanproof.store.log import fsck_rows
from spanproof.store.log.fsck import MAX_FAULTS, FsckChecks, LogAudit, fsck_log
from spanproof.store.log.reading import LogReader
from spanproof.store.log.records import NewLeaf
from tests.store.log.samples import (
    ORIGIN,
    check_signed,
    make_leaf,
    make_receipt,
    make_statement,
    open_log,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.store import Store
    from spanproof.store.log.records import StoredStatement
    from tests.conftest import StorePlace

only_sqlite = pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)


#: More than a whole tile, with some leaves at the edge.
COUNT = 300
#: Within the whole tile, at both its ends, and the edge; 'make faults' takes every leaf.
SAMPLE = [*range(0, 255, 9), 254, 255, 256, 257, *range(260, COUNT, 5), 299]


def check_note(checkpoint: Checkpoint, note: str) -> str | None:
    try:
        check_signed(checkpoint, note)
    except Exception as error:  # noqa: BLE001 - what is wrong with it is the answer
        return f"No signature ({type(error).__name__})."
    return None


def check_statement(stored: StoredStatement, entry: bytes) -> str | None:
    subject = stored.statement.subject.encode()
    return None if entry.endswith(subject[1:]) else "Its leaf is of another statement."


CHECKS = FsckChecks(note=check_note, statement=check_statement, needs_statements=True)


def audit(store: Store, checks: FsckChecks = CHECKS) -> LogAudit:
    return fsck_log(store.database, LogReader.find(store.database, ORIGIN), checks)


def fill(store: Store) -> None:
    """COUNT results, each with statement and receipt, in batches, the last ones one by one."""
    log = open_log(store)
    leaves = [make_leaf(number) for number in range(COUNT)]
    log.include_all(leaves[:200])
    log.include_all(leaves[200:290])
    for leaf in leaves[290:]:
        log.include_all([leaf])


@pytest.fixture(scope="module")
def full_home(tmp_path_factory: pytest.TempPathFactory, migrated_home: Path) -> Path:
    """A home with a log whose guards are gone: whoever owns the file can do that."""
    import shutil

    from tests.conftest import StorePlace

    home = tmp_path_factory.mktemp("full") / "home"
    shutil.copytree(migrated_home, home)
    with StorePlace(home=home, database_url=None).open() as store:
        fill(store)
    with closing(sqlite3.connect(home / "spanproof.db")) as connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return home


class Borrowed(Database):
    """A database that is read through one connection: what that one has not committed is seen."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @contextmanager
    def reading(self) -> Iterator[Session]:
        with Session(self._connection) as session:
            yield session


class Owner:
    """Who can write the file past every guard, and leaves it as it was."""

    def __init__(self, home: Path) -> None:
        self.engine = create_engine(f"sqlite:///{home / 'spanproof.db'}")

    def audit(self, *statements: str, checks: FsckChecks = CHECKS) -> LogAudit:
        """What is found while these statements hold."""
        with self.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
            for statement in statements:
                connection.exec_driver_sql(statement)
            database = Borrowed(connection)
            try:
                return fsck_log(database, LogReader(database, 0, ORIGIN), checks)
            finally:
                connection.rollback()

    def close(self) -> None:
        self.engine.dispose()


@pytest.fixture
def owner(full_home: Path) -> Iterator[Owner]:
    made = Owner(full_home)
    yield made
    made.close()


def places(found: LogAudit, kind: str) -> list[str]:
    return [fault.place for fault in found.faults if fault.kind == kind]


def test_a_log_that_is_whole_is_sound(store: Store) -> None:
    fill(store)
    found = audit(store)
    assert found.faults == []
    assert found.is_sound
    assert (found.leaves, found.statements, found.receipts) == (COUNT, COUNT, COUNT)
    assert found.trees == found.checkpoints == 13
    assert found.tiles == 2
    assert found.head.size == COUNT


def test_an_empty_log_is_sound(store: Store) -> None:
    open_log(store)
    found = audit(store)
    assert found.is_sound
    assert (found.trees, found.checkpoints, found.leaves) == (1, 1, 0)


def test_a_log_over_several_tiles_and_pages_is_sound(store: Store) -> None:
    log = open_log(store)
    seen: list[int] = []
    log.append_all([b"%d" % number for number in range(2 * fsck_rows.PAGE + 77)])
    for number in range(5):
        log.append(b"%d" % number)
    found = audit(store, FsckChecks(advance=seen.append))
    assert found.is_sound, found.faults
    assert found.tiles == 8 + 8
    assert seen == [1024, 2048, 2130]


@pytest.mark.long
def test_every_leaf_that_is_flipped_is_named(owner: Owner) -> None:
    for index in SAMPLE:
        change = f"UPDATE log_leaf SET entry = entry || x'00' WHERE idx = {index}"
        found = owner.audit(change)
        assert places(found, "LEAF") == [f"leaf {index}"], index
        assert places(found, "TREE") == []


@pytest.mark.long
def test_every_leaf_that_is_gone_is_named(owner: Owner) -> None:
    for index in SAMPLE:
        found = owner.audit(f"DELETE FROM log_leaf WHERE idx = {index}")
        assert places(found, "LEAF") == [f"leaf {index}"], index
        assert "The leaf is missing." in [fault.message for fault in found.faults]
        # Where no whole tile holds its hash, the first head above it is off too.
        assert bool(places(found, "TREE")) == (index >= 256)


@pytest.mark.long
def test_leaves_that_change_places_are_both_named(owner: Owner) -> None:
    for index in range(0, COUNT - 1, 7):
        found = owner.audit(
            f"UPDATE log_leaf SET idx = -2 WHERE idx = {index}",
            f"UPDATE log_leaf SET idx = {index} WHERE idx = {index + 1}",
            f"UPDATE log_leaf SET idx = {index + 1} WHERE idx = -2",
        )
        named = set(places(found, "LEAF")) | set(places(found, "STATEMENT"))
        assert named == {f"leaf {index}", f"leaf {index + 1}"}


def rewrite(index: int) -> str:
    entry = b"forged"
    leaf_hash = hashlib.sha256(b"\x00" + entry).hexdigest()
    return (
        f"UPDATE log_leaf SET entry = x'{entry.hex()}', leaf_hash = x'{leaf_hash}'"
        f" WHERE idx = {index}"
    )


def test_a_leaf_that_is_rewritten_with_its_hash_is_named(owner: Owner) -> None:
    found = owner.audit(rewrite(7))
    assert places(found, "LEAF") == ["leaf 7"]
    assert "that its tile holds" in found.faults[0].message or "of its tile" in str(found.faults)
    # At the edge no tile tells: the head above it and the statement behind it do.
    found = owner.audit(rewrite(292))
    assert places(found, "TREE") == ["size 293"]
    assert "a leaf of [292, 293) is not what it was" in str(found.faults)
    assert places(found, "STATEMENT") == ["leaf 292"]
    assert len(places(found, "CHECKPOINT")) == 0


@pytest.mark.parametrize(
    ("statement", "kind", "place"),
    [
        ("UPDATE log_tree SET root = zeroblob(32) WHERE size = 290", "TREE", "size 290"),
        ("UPDATE log_tree SET root = zeroblob(32) WHERE size = 0", "TREE", "size 0"),
        ("DELETE FROM log_tree WHERE size = 295", "TREE", "size 295"),
        ("UPDATE log_checkpoint SET note = note || 'x'", "CHECKPOINT", "size 0"),
        (
            "UPDATE log_checkpoint SET root = zeroblob(32) WHERE size = 200",
            "CHECKPOINT",
            "size 200",
        ),
        ("UPDATE log_tile SET hashes = zeroblob(32) WHERE level = 1", "TILE", "tile/1/000.p/1"),
        ("DELETE FROM log_tile WHERE level = 1", "TILE", "tile/1/000.p/1"),
        ("DELETE FROM log_tile WHERE level = 0", "TILE", "tile/0/000"),
        ("UPDATE log_tile SET hashes = x'00' WHERE level = 0", "TILE", "tile/0/000"),
        ("INSERT INTO log_tile VALUES (0, 1, 0, 2, zeroblob(64))", "ROWS", f"log {ORIGIN}"),
        ("INSERT INTO log_tile VALUES (0, 0, 0, 9, zeroblob(288))", "ROWS", f"log {ORIGIN}"),
        ("INSERT INTO log_leaf VALUES (0, 300, zeroblob(32), x'')", "ROWS", f"log {ORIGIN}"),
        ("DELETE FROM log_tree WHERE size = 300", "ROWS", f"log {ORIGIN}"),
        ("UPDATE log_statement SET subject = 'vx' WHERE idx = 5", "STATEMENT", "leaf 5"),
        ("DELETE FROM log_statement WHERE idx = 6", "STATEMENT", "leaf 6"),
        ("UPDATE receipt SET bundle = x'00' WHERE idx = 8", "RECEIPT", "leaf 8"),
        ("DELETE FROM receipt WHERE idx = 9", "RECEIPT", "leaf 9"),
        ("UPDATE log_statement SET intake_idx = 3 WHERE idx = 4", "INTAKE", "leaf 4"),
        ("UPDATE log_statement SET kind = 'intake' WHERE idx = 4", "INTAKE", "leaf 4"),
    ],
)
def test_every_other_row_that_is_changed_is_named(
    owner: Owner, statement: str, kind: str, place: str
) -> None:
    found = owner.audit(statement)
    assert not found.is_sound
    assert place in places(found, kind), found.faults


def test_a_head_that_is_changed_does_not_count_against_its_signature(owner: Owner) -> None:
    found = owner.audit("UPDATE log_tree SET root = zeroblob(32) WHERE size = 290")
    assert {fault.kind for fault in found.faults} == {"TREE"}


def test_a_tile_that_is_changed_is_told_from_one_that_is_gone(owner: Owner) -> None:
    changed = owner.audit("UPDATE log_tile SET hashes = zeroblob(8192) WHERE level = 0")
    messages = [fault.message for fault in changed.faults if fault.kind == "TILE"]
    assert messages == ["Its hashes are not those that the leaves come to."]
    gone = owner.audit("DELETE FROM log_tile WHERE level = 0")
    assert [f.message for f in gone.faults if f.kind == "TILE"] == ["The tile is missing."]


def test_a_signature_of_a_head_that_is_missing_is_told_from_a_wrong_one(owner: Owner) -> None:
    found = owner.audit("DELETE FROM log_tree WHERE size = 295")
    assert [(fault.kind, fault.message) for fault in found.faults] == [
        ("TREE", "A checkpoint was signed of a head that is missing.")
    ]


def test_every_byte_of_a_leaf_counts(owner: Owner) -> None:
    entry = b"entry 7"
    for at in range(len(entry)):
        flipped = entry[:at] + bytes([entry[at] ^ 1]) + entry[at + 1 :]
        found = owner.audit(f"UPDATE log_leaf SET entry = x'{flipped.hex()}' WHERE idx = 7")
        assert places(found, "LEAF") == ["leaf 7"]


def test_each_of_a_thousand_intakes_without_a_result_is_named(store: Store) -> None:
    log = open_log(store)
    intakes = [
        NewLeaf(entry=b"%d" % number, statement=make_statement("intake", f"v{number}"))
        for number in range(1000)
    ]
    log.append_all(intakes)
    log.append_all(
        [
            NewLeaf(entry=b"", statement=make_statement("error", f"v{number}", intake=number))
            for number in range(1000)
            if number != 417
        ]
    )
    found = audit(store, FsckChecks())
    assert found.open_intakes == (417,)
    assert [(fault.kind, fault.place, fault.message) for fault in found.faults] == [
        ("INTAKE", "leaf 417", "Nothing has answered this intake.")
    ]


def test_a_result_of_what_is_no_intake_is_named(store: Store) -> None:
    log = open_log(store)
    log.append(b"", make_statement("config-change"))
    log.append(b"", make_statement("error", intake=0))
    found = audit(store, FsckChecks())
    assert [fault.message for fault in found.faults] == [
        "It answers leaf 0, which is not an intake.",
    ]


def test_what_the_caller_finds_in_a_receipt_is_a_fault(store: Store) -> None:
    log = open_log(store)
    log.include(b"a", receipt=make_receipt("v1"))
    checks = FsckChecks(receipt=lambda name, bundle: f"{name} {bundle.decode()}")
    found = audit(store, checks)
    assert [fault.message for fault in found.faults] == ["v1 0 of 1"]


def test_faults_are_listed_up_to_a_limit_and_all_counted(owner: Owner) -> None:
    checks = FsckChecks(
        note=lambda *_: "a",
        statement=lambda *_: "b",
        receipt=lambda *_: "c",
    )
    found = owner.audit("UPDATE log_leaf SET entry = x'00'", checks=checks)
    assert found.fault_count == 3 * COUNT + 13
    assert len(found.faults) == min(MAX_FAULTS, found.fault_count)
    found.faults.clear()
    for _ in range(MAX_FAULTS + 5):
        found.add("LEAF", "leaf 0", "again")
    assert len(found.faults) == MAX_FAULTS == 1_000


@only_sqlite
def test_a_signature_of_a_head_that_is_gone_is_told(store_place: StorePlace, owner: Owner) -> None:
    del store_place
    found = owner.audit("DELETE FROM log_tree WHERE size > 290")
    assert f"log {ORIGIN}" in places(found, "ROWS")
    assert "A head of 300 was signed, and the last one kept is of 290." in str(found.faults)


@only_sqlite
def test_a_head_that_was_taken_away_leaves_a_tile_that_none_needs(store: Store) -> None:
    open_log(store).append_all([b"%d" % number for number in range(768)])
    with store.database.connection() as connection:
        connection.exec_driver_sql("DROP TRIGGER log_tree_refuses_delete")
        connection.exec_driver_sql("DELETE FROM log_tree WHERE size = 512")
    found = audit(store, FsckChecks())
    assert places(found, "TILE") == ["tile/1/000.p/2"]
    assert [f.message for f in found.faults if f.kind == "TILE"] == ["No head needs this tile."]


@pytest.mark.long
@only_sqlite
def test_a_log_past_a_whole_tile_of_the_second_level_is_sound(store: Store) -> None:
    log = open_log(store)
    entries = [b"%d" % number for number in range(TILE_WIDTH)]
    for _ in range(TILE_WIDTH + 1):
        log.append_all(entries)
    found = audit(store, FsckChecks())
    assert found.is_sound, found.faults
    # Each whole tile of leaves, each width of the one above, and what began after it.
    assert found.tiles == TILE_WIDTH + 1 + TILE_WIDTH + 1 + 1
    again = open_log(store)
    assert again.head() == log.head()
    with store.database.connection() as connection:
        connection.exec_driver_sql("DROP TRIGGER log_tile_refuses_update")
        connection.exec_driver_sql(
            "UPDATE log_tile SET hashes = zeroblob(32 * width) WHERE level = 1 AND width = 9"
        )
    assert places(audit(store, FsckChecks()), "TILE") == ["tile/1/000.p/9"]
