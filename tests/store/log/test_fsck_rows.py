"""What fsck reads of a log: these rows and no others, of this log and no other."""

# ruff: noqa: S608 - the tables' names are our own
from __future__ import annotations

import shutil
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine
from sqlmodel import Session

from spanproof.core.log.merkle import compute_root, hash_leaf
from spanproof.store.log import fsck_rows
from tests.conftest import StorePlace
from tests.store.log.samples import make_leaf, open_log, open_next

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: The heads of the first log: within a tile, at the end of one, and behind it.
HEADS = (0, 200, 300, 512, 600)
HASHES = [hash_leaf(b"entry %d" % number) for number in range(600)]
#: Of those leaves: two of the leaves, and the tile above them at 300 and at 512.
TILES = 4


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, migrated_home: Path) -> Path:
    """Log 0 of 600 results with receipts, and log 1 of 300 leaves behind it."""
    made = tmp_path_factory.mktemp("two") / "home"
    shutil.copytree(migrated_home, made)
    with StorePlace(home=made, database_url=None).open() as store:
        log = open_log(store)
        for start, end in pairwise(HEADS):
            log.include_all([make_leaf(number) for number in range(start, end)])
        after = open_next(store)
        after.include_all([make_leaf(number) for number in range(1000, 1200)])
        after.include_all([make_leaf(number) for number in range(1200, 1299)])
    return made


@contextmanager
def reading(home: Path, *statements: str) -> Iterator[Session]:
    """The rows while these statements hold, past every guard."""
    engine = create_engine(f"sqlite:///{home / 'spanproof.db'}")
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
            triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            for (name,) in connection.exec_driver_sql(triggers).all():
                connection.exec_driver_sql(f"DROP TRIGGER {name}")
            for statement in statements:
                connection.exec_driver_sql(statement)
            with Session(connection) as session:
                yield session
            connection.rollback()
    finally:
        engine.dispose()


def find_surplus(
    home: Path, *statements: str, size: int = 600, tiles: int = TILES, log_id: int = 0
) -> list[str]:
    """What is kept beyond the heads."""
    with reading(home, *statements) as session:
        return fsck_rows.find_surplus(session, log_id, size, tiles)


@pytest.mark.parametrize(
    ("first", "end", "tiles", "heads"),
    [
        (0, 0, [], [0]),
        (0, 256, [0], [200]),
        (0, 300, [0], [200, 300]),
        (1, 511, [0], [200, 300]),
        (256, 512, [1], [300, 512]),
        (299, 300, [], [300]),
        (300, 511, [], []),
        (300, 600, [1], [512, 600]),
        (512, 600, [], [600]),
    ],
)
def test_a_page_has_the_rows_of_its_leaves_and_the_heads_above_them(
    home: Path, first: int, end: int, tiles: list[int], heads: list[int]
) -> None:
    with reading(home) as session:
        page = fsck_rows.read_page(session, 0, first, end)
    assert (page.first, page.end) == (first, end)
    assert page.leaves == {n: (HASHES[n], b"entry %d" % n) for n in range(first, end)}
    assert page.tiles == {n: b"".join(HASHES[256 * n : 256 * n + 256]) for n in tiles}
    assert page.roots == {size: compute_root(HASHES[:size]) for size in heads}
    assert {size: root for size, (root, _) in page.notes.items()} == page.roots
    assert all(f"\n{size}\n" in note for size, (_, note) in page.notes.items())
    assert {n: each.statement.subject for n, each in page.statements.items()} == {
        n: f"v{n}" for n in range(first, end)
    }


def test_the_hash_of_a_leaf_is_found_in_its_whole_tile(home: Path) -> None:
    with reading(home) as session:
        page = fsck_rows.read_page(session, 0, 256, 600)
    for index in (256, 257, 300, 511):
        assert page.find_tile_hash(index) == HASHES[index]
    for index in (0, 255, 512, 599):
        assert page.find_tile_hash(index) is None


def test_every_width_of_a_tile_is_read(home: Path) -> None:
    nodes = [compute_root(HASHES[:256]), compute_root(HASHES[256:512])]
    with reading(home) as session:
        above = fsck_rows.read_tiles(session, 0, 1, 0)
        assert above == {1: nodes[0], 2: b"".join(nodes)}
        assert fsck_rows.read_tiles(session, 0, 0, 1) == {256: b"".join(HASHES[256:512])}
        assert fsck_rows.read_tiles(session, 0, 1, 1) == {}
        assert fsck_rows.read_tiles(session, 0, 2, 0) == {}
        assert list(fsck_rows.read_tiles(session, 1, 1, 0)) == [1]


def test_nothing_is_kept_beyond_the_heads(home: Path) -> None:
    assert find_surplus(home) == []
    assert find_surplus(home, size=300, tiles=2, log_id=1) == []
    # A head that was written meanwhile has tiles that are no surplus.
    assert find_surplus(home, size=300, tiles=2) == []
    assert find_surplus(home, size=511, tiles=2) == []
    assert find_surplus(home, tiles=TILES + 1) == []
    assert find_surplus(home, tiles=TILES - 1) == ["4 tiles are kept, and the heads have 3."]
    assert find_surplus(home, size=512, tiles=3) == ["4 tiles are kept, and the heads have 3."]
    assert find_surplus(home, size=511, tiles=1) == ["2 tiles are kept, and the heads have 1."]
    assert find_surplus(home, size=256, tiles=1) == ["2 tiles are kept, and the heads have 1."]
    assert find_surplus(home, size=255, tiles=0) == []
    assert find_surplus(home, size=0, tiles=0) == []


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (
            "INSERT INTO log_leaf VALUES (0, 600, zeroblob(32), x'')",
            ["Leaves up to 600 are kept, and the last head is of 600."],
        ),
        (
            "DELETE FROM log_tree WHERE log_id = 0 AND size = 600",
            [
                "Leaves up to 599 are kept, and the last head is of 512.",
                "A head of 600 was signed, and the last one kept is of 512.",
            ],
        ),
        (
            "INSERT INTO log_tile VALUES (0, 0, 2, 88, zeroblob(32 * 88))",
            ["5 tiles are kept, and the heads have 4."],
        ),
        (
            "INSERT INTO log_tile VALUES (0, 0, 2, 89, zeroblob(32 * 89))",
            ["1 tiles are kept that no head has."],
        ),
        (
            "INSERT INTO log_tile VALUES (0, 1, 0, 3, zeroblob(96))",
            ["1 tiles are kept that no head has."],
        ),
        (
            "INSERT INTO log_tile VALUES (0, 2, 0, 1, zeroblob(32)), (0, 1, 1, 1, zeroblob(32))",
            ["2 tiles are kept that no head has."],
        ),
        ("INSERT INTO log_tile VALUES (1, 2, 0, 1, zeroblob(32))", []),
        ("DELETE FROM log_tree WHERE log_id = 1 AND size > 0", []),
    ],
)
def test_what_is_kept_beyond_the_heads_is_told(
    home: Path, statement: str, found: list[str]
) -> None:
    assert find_surplus(home, statement) == found


def test_a_log_without_leaves_has_no_surplus(home: Path) -> None:
    emptied = [f"DELETE FROM {table} WHERE log_id = 0" for table in ("log_leaf", "log_tile")]
    heads = [f"DELETE FROM {table} WHERE size > 0" for table in ("log_tree", "log_checkpoint")]
    assert find_surplus(home, *emptied, *heads, size=0, tiles=0) == []


def test_a_tile_of_another_length_is_no_tile(home: Path) -> None:
    change = "UPDATE log_tile SET hashes = {} WHERE log_id = 0 AND level = 0 AND n = {}"
    longer = change.format("CAST(hashes || x'00' AS BLOB)", 0)
    with reading(home, longer, change.format("x'00'", 1)) as session:
        assert fsck_rows.read_page(session, 0, 0, 600).tiles == {}


def answer(log_id: int, index: int, intake: int) -> str:
    """The statement of one leaf answers another."""
    return (
        f"UPDATE log_statement SET intake_idx = {intake} WHERE log_id = {log_id} AND idx = {index}"
    )


def test_a_statement_answers_an_intake_that_came_before_it(home: Path) -> None:
    intake = "UPDATE log_statement SET kind = 'intake' WHERE log_id = {} AND idx IN ({})"
    answers = {2: 1, 3: 0, 4: 5, 6: 6, 7: 9}
    changes = [
        intake.format(0, "1, 5, 6"),
        # Right in the other log, wrong in this one; and the other way around.
        intake.format(1, "0"),
        answer(1, 12, 1),
        *(answer(0, index, answered) for index, answered in answers.items()),
    ]
    wrong = [
        (index, f"It answers leaf {answers[index]}, which is not an intake.")
        for index in (3, 4, 6, 7)
    ]
    with reading(home, *changes) as session:
        assert fsck_rows.find_misdirected(session, 0, 600, ["intake"]) == wrong
        assert fsck_rows.find_misdirected(session, 0, 600, ["result", "intake"]) == wrong[1:]
        assert fsck_rows.find_misdirected(session, 0, 4, ["intake"]) == wrong[:1]
        assert fsck_rows.find_misdirected(session, 0, 3, ["intake"]) == []
        assert [index for index, _ in fsck_rows.find_misdirected(session, 1, 300, ["intake"])] == [
            12
        ]


def test_receipts_are_read_in_the_order_of_their_leaves(home: Path) -> None:
    with reading(home) as session:
        for log_id, after, read in (
            (0, -1, range(256)),
            (0, 255, range(256, 512)),
            (0, 511, range(512, 600)),
            (0, 599, range(0)),
            (1, 0, range(1, 257)),
            (1, 298, range(299, 300)),
        ):
            page = fsck_rows.read_receipts(session, log_id, after)
            assert [receipt.idx for receipt in page] == list(read)
            assert {receipt.log_id for receipt in page} <= {log_id}
