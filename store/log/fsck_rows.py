"""The rows that ``spanproof.store.log.fsck`` judges, read in pages; nothing is judged here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Integer, and_, cast, exists, func
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from spanproof.core.log.merkle import HASH_SIZE
from spanproof.core.log.tiles import TILE_HEIGHT, TILE_WIDTH
from spanproof.store.log import rows
from spanproof.store.log.tables import (
    CheckpointRow,
    LeafRow,
    ReceiptRow,
    StatementRow,
    TileRow,
    TreeRow,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlmodel import Session

    from spanproof.store.log.records import StoredStatement

#: Leaves in a page: whole tiles, and at most 64 MiB of entries.
PAGE = 4 * TILE_WIDTH
_RECEIPTS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The leaves [first, end) as (hash, entry), the whole tiles above them, and their rows.

    ``roots`` and ``notes`` (root, note) are by size: those in (first, end], and of an empty page
    those of size 0.
    """

    first: int
    end: int
    leaves: dict[int, tuple[bytes, bytes]]
    tiles: dict[int, bytes]
    roots: dict[int, bytes]
    notes: dict[int, tuple[bytes, str]]
    statements: dict[int, StoredStatement]

    def find_tile_hash(self, index: int) -> bytes | None:
        """The hash of a leaf in its whole tile; None for a missing tile."""
        tile = self.tiles.get(index // TILE_WIDTH)
        if tile is None:
            return None
        at = index % TILE_WIDTH * HASH_SIZE
        return tile[at : at + HASH_SIZE]


def read_page(session: Session, log_id: int, first: int, end: int) -> Page:
    """The rows of some leaves and of the heads at their sizes."""
    least = first + 1 if end else 0
    leaves = session.exec(
        select(LeafRow.idx, LeafRow.leaf_hash, LeafRow.entry).where(
            LeafRow.log_id == log_id, LeafRow.idx >= first, LeafRow.idx < end
        )
    )
    tiles = session.exec(
        select(TileRow.n, TileRow.hashes).where(
            TileRow.log_id == log_id,
            TileRow.level == 0,
            TileRow.width == TILE_WIDTH,
            TileRow.n >= first // TILE_WIDTH,
            TileRow.n < end // TILE_WIDTH,
        )
    )
    roots = session.exec(
        select(TreeRow.size, TreeRow.root).where(
            TreeRow.log_id == log_id, TreeRow.size >= least, TreeRow.size <= end
        )
    )
    notes = session.exec(
        select(CheckpointRow.size, CheckpointRow.root, CheckpointRow.note).where(
            CheckpointRow.log_id == log_id, CheckpointRow.size >= least, CheckpointRow.size <= end
        )
    )
    statements = session.exec(
        select(StatementRow).where(
            StatementRow.log_id == log_id, StatementRow.idx >= first, StatementRow.idx < end
        )
    )
    return Page(
        first=first,
        end=end,
        leaves={index: (leaf_hash, entry) for index, leaf_hash, entry in leaves},
        tiles={n: hashes for n, hashes in tiles if len(hashes) == TILE_WIDTH * HASH_SIZE},
        roots=dict(roots.all()),
        notes={size: (root, note) for size, root, note in notes},
        statements={row.idx: rows.to_statement(row) for row in statements},
    )


def read_tiles(session: Session, log_id: int, level: int, index: int) -> dict[int, bytes]:
    """Every width of one tile that is kept."""
    query = select(TileRow.width, TileRow.hashes).where(
        TileRow.log_id == log_id, TileRow.level == level, TileRow.n == index
    )
    return dict(session.exec(query).all())


def find_surplus(session: Session, log_id: int, size: int, tiles: int) -> list[str]:
    """Rows beyond the heads: leaves and tiles that no head covers."""
    found = []
    # In one statement, for another process may be adding.
    last_leaf, last_head, last_note = session.exec(
        select(
            select(func.max(LeafRow.idx)).where(LeafRow.log_id == log_id).scalar_subquery(),
            select(func.max(TreeRow.size)).where(TreeRow.log_id == log_id).scalar_subquery(),
            select(func.max(CheckpointRow.size))
            .where(CheckpointRow.log_id == log_id)
            .scalar_subquery(),
        )
    ).one()
    if last_leaf is not None and last_leaf >= last_head:
        found.append(f"Leaves up to {last_leaf} are kept, and the last head is of {last_head}.")
    if last_note is not None and last_note > last_head:
        found.append(f"A head of {last_note} was signed, and the last one kept is of {last_head}.")
    kept = 0
    level = 0
    while count := size >> TILE_HEIGHT * level:
        within = and_(
            col(TileRow.log_id) == log_id,
            col(TileRow.level) == level,
            col(TileRow.n) * TILE_WIDTH + col(TileRow.width) <= count,
        )
        kept += session.exec(select(func.count()).select_from(TileRow).where(within)).one()
        level += 1
    if kept > tiles:
        found.append(f"{kept} tiles are kept, and the heads have {tiles}.")
    last = select(func.max(TreeRow.size)).where(TreeRow.log_id == log_id).scalar_subquery()
    counted = last.op(">>")(cast(col(TileRow.level) * TILE_HEIGHT, Integer))
    beyond = and_(
        col(TileRow.log_id) == log_id,
        col(TileRow.n) * TILE_WIDTH + col(TileRow.width) > counted,
    )
    if surplus := session.exec(select(func.count()).select_from(TileRow).where(beyond)).one():
        found.append(f"{surplus} tiles are kept that no head has.")
    return found


def find_misdirected(
    session: Session, log_id: int, size: int, kinds: Sequence[str]
) -> list[tuple[int, str]]:
    """The statements that answer a leaf that is not an intake, or a later one."""
    intakes = aliased(StatementRow)
    is_right = exists().where(
        col(intakes.log_id) == log_id,
        col(intakes.idx) == col(StatementRow.intake_idx),
        col(intakes.kind).in_(kinds),
        col(intakes.idx) < col(StatementRow.idx),
    )
    query = select(StatementRow.idx, StatementRow.intake_idx).where(
        StatementRow.log_id == log_id,
        StatementRow.idx < size,
        col(StatementRow.intake_idx).is_not(None),
        ~is_right,
    )
    found = session.exec(query.order_by(col(StatementRow.idx))).all()
    return [
        (index, f"It answers leaf {intake}, which is not an intake.") for index, intake in found
    ]


def read_receipts(session: Session, log_id: int, after: int) -> Sequence[ReceiptRow]:
    """Some receipts of leaves after this index, in the order of their leaves."""
    query = select(ReceiptRow).where(ReceiptRow.log_id == log_id, ReceiptRow.idx > after)
    return session.exec(query.order_by(col(ReceiptRow.idx)).limit(_RECEIPTS)).all()
