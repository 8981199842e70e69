"""What the triggers refuse, and that a trigger which is gone is noticed (THREATS.md, row 2)."""

# ruff: noqa: S608 - the tables' names are our own
from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from spanproof.core.errors import ConflictError, IntegrityError
from tests.store.log.samples import check_included, check_whole, open_log

if TYPE_CHECKING:
    from spanproof.store import Store
    from tests.conftest import StorePlace

only_sqlite = pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)
LEAF = "(log_id, idx, leaf_hash, entry)"
HASH = "x'" + "ab" * 32 + "'"
GUARDS = (
    "log_refuses_gap",
    "log_leaf_refuses_gap",
    "log_leaf_refuses_late",
    "log_tree_refuses_gap",
    "log_leaf_refuses_update",
    "receipt_refuses_delete",
)
#: The six of the threat model; without our settings, as whoever has the file would try them.
SIX = [
    "UPDATE log_leaf SET entry = x'00' WHERE idx = 1",
    "DELETE FROM log_leaf WHERE idx = 3",
    f"INSERT OR REPLACE INTO log_leaf {LEAF} VALUES (0, 1, {HASH}, x'00')",
    f"REPLACE INTO log_leaf {LEAF} VALUES (0, 1, {HASH}, x'00')",
    (
        f"INSERT INTO log_leaf {LEAF} VALUES (0, 1, {HASH}, x'00')"
        " ON CONFLICT DO UPDATE SET entry = excluded.entry"
    ),
    f"INSERT INTO log_leaf {LEAF} VALUES (0, 9, {HASH}, x'00')",
]
#: More of the same kind, on the rows that hang on leaves.
MORE = [
    f"INSERT INTO log_leaf {LEAF} VALUES (0, -1, {HASH}, x'00')",
    f"INSERT OR IGNORE INTO log_leaf {LEAF} VALUES (0, 9, {HASH}, x'00')",
    f"UPDATE OR REPLACE log_leaf SET idx = 1 WHERE idx = 2 AND leaf_hash != {HASH}",
    f"INSERT OR REPLACE INTO log_tree VALUES (0, 4, {HASH})",
    f"INSERT INTO log_tree VALUES (0, 3, {HASH})",
    f"INSERT INTO log_tree VALUES (0, 9, {HASH})",
    f"INSERT OR REPLACE INTO log_checkpoint VALUES (0, 4, {HASH}, 'note')",
    "INSERT INTO log VALUES (5, 'other', NULL, '2026-11-20')",
    "INSERT OR REPLACE INTO log VALUES (0, 'other', NULL, '2026-11-20')",
    "INSERT OR REPLACE INTO log VALUES (1, 'log.example.com', NULL, '2026-11-20')",
]


def read_all(path: object) -> list[object]:
    with closing(sqlite3.connect(str(path))) as connection:
        return [
            connection.execute(f"SELECT * FROM {table}").fetchall()
            for table in ("log", "log_leaf", "log_tree", "log_checkpoint")
        ]


@only_sqlite
def test_none_of_six_statements_and_their_like_succeeds(store: Store) -> None:
    log = open_log(store)
    log.include_all([b"a", b"b", b"c", b"d"])
    path = store.home / "spanproof.db"
    before = read_all(path)
    for statement in SIX + MORE:
        with (
            closing(sqlite3.connect(path)) as connection,
            pytest.raises(sqlite3.IntegrityError, match="append-only"),
        ):
            connection.execute(statement)
    assert read_all(path) == before
    check_whole(log)


@pytest.mark.parametrize("index", [-1, 1, 2, 4, 9])
def test_only_the_next_leaf_can_be_added(store: Store, index: int) -> None:
    log = open_log(store)
    log.append_all([b"a", b"b", b"c"])
    with pytest.raises(ConflictError), store.database.connection() as connection:
        connection.execute(
            text(
                f"INSERT INTO log_leaf {LEAF} SELECT log_id, {index}, leaf_hash, entry"
                " FROM log_leaf WHERE idx = 0"
            )
        )
    assert log.append(b"d").index == 3


@pytest.mark.parametrize("size", [-1, 0, 2, 3, 4])
def test_a_head_follows_the_last_one_and_its_leaves(store: Store, size: int) -> None:
    log = open_log(store)
    log.append_all([b"a", b"b", b"c"])
    with pytest.raises(ConflictError), store.database.connection() as connection:
        connection.execute(
            text(f"INSERT INTO log_tree SELECT log_id, {size}, root FROM log_tree WHERE size = 0")
        )


@pytest.mark.parametrize("column", ["leaf_hash", "entry"])
def test_a_leaf_of_a_wrong_length_is_refused_by_the_database(store: Store, column: str) -> None:
    open_log(store).append(b"a")
    size = {"leaf_hash": 31, "entry": 65_536}[column]
    row = {"leaf_hash": b"\x00" * 32, "entry": b"a"} | {column: b"\x00" * size}
    with pytest.raises(ConflictError), store.database.connection() as connection:
        connection.execute(
            text(f"INSERT INTO log_leaf {LEAF} VALUES (0, 1, :leaf_hash, :entry)"), row
        )


@pytest.mark.parametrize("guard", GUARDS)
def test_a_dropped_guard_is_found_at_the_start(fresh_place: StorePlace, guard: str) -> None:
    with fresh_place.open() as store, store.database.connection() as connection:
        table = guard.partition("_refuses_")[0]
        on = f" ON {table}" if store.database.is_postgresql else ""
        connection.execute(text(f"DROP TRIGGER {guard}{on}"))
    with pytest.raises(IntegrityError, match=guard):
        fresh_place.open()


@pytest.mark.parametrize("store_place", ["postgresql"], indirect=True)
def test_a_role_that_may_only_read_and_add_is_all_that_a_service_needs(
    store_place: StorePlace,
) -> None:
    role = f"writer_{uuid.uuid4().hex}"
    assert store_place.database_url is not None
    as_role = replace(
        store_place, database_url=store_place.database_url.replace("spanproof@", f"{role}@")
    )
    with store_place.open() as owned:
        with owned.database.connection() as connection:
            connection.exec_driver_sql(f"CREATE ROLE {role} LOGIN")
            connection.exec_driver_sql(
                f"GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO {role}"
            )
        with as_role.open() as store:
            log = open_log(store)
            check_included(log.include(b"a"), b"a")
            for statement in (
                "UPDATE log_leaf SET entry = entry",
                "DELETE FROM log_leaf",
                "TRUNCATE log_leaf CASCADE",
                "ALTER TABLE log_leaf DISABLE TRIGGER ALL",
                "DROP TRIGGER log_leaf_refuses_update ON log_leaf",
            ):
                with (
                    pytest.raises(IntegrityError, match="got ProgrammingError"),
                    store.database.connection() as connection,
                ):
                    connection.exec_driver_sql(statement)
            check_whole(log)
        with owned.database.connection() as connection:
            connection.exec_driver_sql(f"DROP OWNED BY {role}")
            connection.exec_driver_sql(f"DROP ROLE {role}")
