"""Questions to the rows of one log, each within a session that is open already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, exists
from sqlalchemy import select as select_rows
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from spanproof.core.errors import LogDamagedError, NotFoundError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import HASH_SIZE
from spanproof.core.log.tiles import TILE_WIDTH, Tile, join_entries
from spanproof.store.database.columns import Row
from spanproof.store.database.copying import to_value
from spanproof.store.database.prepared import Prepared
from spanproof.store.log.records import LogFreeze, LogState, LogStatement, StoredStatement
from spanproof.store.log.tables import (
    CheckpointRow,
    FreezeRow,
    LeafRow,
    LogRow,
    ReceiptRow,
    StatementRow,
    TileRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection
    from sqlmodel import Session

_HINT = "Run 'spanproof audit fsck': it names what is wrong."
#: Tiles that are in memory at once: 512 kB.
_TILES_AT_ONCE = 64
_TREE, _FREEZE = (Row.metadata.tables[name] for name in ("log_tree", "log_freeze"))
#: The newest head of a log, and whether the log was closed: every leaf asks for it.
_STATE = Prepared(
    select_rows(_TREE.c.size, _TREE.c.root, _FREEZE.c.log_id.is_not(None).label("is_closed"))
    .select_from(_TREE.outerjoin(_FREEZE, _FREEZE.c.log_id == _TREE.c.log_id))
    .where(_TREE.c.log_id == bindparam("log_id"))
    .order_by(_TREE.c.size.desc())
    .limit(1)
)


def find_log(session: Session, origin: str) -> LogRow | None:
    """The log of that origin."""
    return session.exec(select(LogRow).where(LogRow.origin == origin)).first()


def list_states(session: Session) -> Iterator[LogState]:
    """Every log, in the order in which they were opened."""
    for row in session.exec(select(LogRow).order_by(col(LogRow.log_id))).all():
        head = read_head(session, row.log_id, row.origin)
        freeze = find_freeze(session, row.log_id)
        yield to_value(LogState, row, size=head.size, root=head.root, freeze=freeze)


def find_freeze(session: Session, log_id: int) -> LogFreeze | None:
    """How the log was closed; None while it is open."""
    row = session.get(FreezeRow, log_id)
    return None if row is None else to_value(LogFreeze, row)


def read_head(session: Session, log_id: int, origin: str) -> Checkpoint:
    """The newest head, signed or not."""
    return read_state(session.connection(), log_id, origin)[0]


def read_state(connection: Connection, log_id: int, origin: str) -> tuple[Checkpoint, bool]:
    """The newest head, signed or not, and whether the log is closed."""
    row = _STATE.find(connection, {"log_id": log_id})
    if row is None:
        # A log is written together with its first head.
        msg = f"Expected a head of log {origin!r}, got none."
        raise LogDamagedError(msg, hint=_HINT)
    size, root, is_closed = row
    return Checkpoint(origin=origin, size=size, root=root), bool(is_closed)


def find_note(session: Session, log_id: int, size: int | None = None) -> CheckpointRow | None:
    """The signed head of that size; the newest where no size is given."""
    query = select(CheckpointRow).where(CheckpointRow.log_id == log_id)
    if size is not None:
        query = query.where(CheckpointRow.size == size)
    return session.exec(query.order_by(col(CheckpointRow.size).desc()).limit(1)).first()


def list_notes(session: Session, log_id: int, after: int, limit: int) -> Sequence[CheckpointRow]:
    """The signed heads above size ``after``, the smallest first."""
    query = select(CheckpointRow).where(CheckpointRow.log_id == log_id, CheckpointRow.size > after)
    return session.exec(query.order_by(col(CheckpointRow.size)).limit(limit)).all()


def read_leaf_hashes(session: Session, log_id: int, start: int, end: int) -> bytes:
    """The hashes of the leaves [start, end), one after the other."""
    query = select(LeafRow.leaf_hash).where(
        LeafRow.log_id == log_id, LeafRow.idx >= start, LeafRow.idx < end
    )
    hashes = b"".join(session.exec(query.order_by(col(LeafRow.idx))).all())
    if len(hashes) != (end - start) * HASH_SIZE:
        raise missing_leaf(start, end)
    return hashes


def find_leaf_hash(session: Session, log_id: int, leaf_hash: bytes) -> int | None:
    """The index of the first leaf with this hash: by the tiles, a 256th of the leaves' rows."""
    tiles = select(TileRow.n, TileRow.hashes).where(
        TileRow.log_id == log_id, TileRow.level == 0, TileRow.width == TILE_WIDTH
    )
    after = 0
    for number, hashes in session.exec(tiles.order_by(col(TileRow.n))).yield_per(_TILES_AT_ONCE):
        if leaf_hash in hashes:
            for place in range(TILE_WIDTH):
                if hashes[place * HASH_SIZE : (place + 1) * HASH_SIZE] == leaf_hash:
                    return int(number * TILE_WIDTH + place)
        after = (number + 1) * TILE_WIDTH
    newest = select(LeafRow.idx).where(
        LeafRow.log_id == log_id, LeafRow.idx >= after, LeafRow.leaf_hash == leaf_hash
    )
    return session.exec(newest.order_by(col(LeafRow.idx)).limit(1)).first()


def read_entries(session: Session, log_id: int, start: int, end: int) -> tuple[bytes, ...]:
    """The bytes of the leaves [start, end)."""
    query = select(LeafRow.entry).where(
        LeafRow.log_id == log_id, LeafRow.idx >= start, LeafRow.idx < end
    )
    entries = tuple(session.exec(query.order_by(col(LeafRow.idx))).all())
    if len(entries) != end - start:
        raise missing_leaf(start, end)
    return entries


def missing_leaf(start: int, end: int) -> LogDamagedError:
    """That a leaf below the log's head is not there."""
    return LogDamagedError(f"Expected the leaves [{start}, {end}), got fewer.", hint=_HINT)


def read_tile(session: Session, log_id: int, tile: Tile) -> bytes:
    """The bytes of a tile that the log has; LogDamagedError where its rows are gone."""
    first = tile.index * TILE_WIDTH
    if tile.level is None:
        return join_entries(read_entries(session, log_id, first, first + tile.width))
    if tile.level == 0 and tile.width < TILE_WIDTH:
        return read_leaf_hashes(session, log_id, first, first + tile.width)
    query = select(TileRow.hashes).where(
        TileRow.log_id == log_id,
        TileRow.level == tile.level,
        TileRow.n == tile.index,
        TileRow.width >= tile.width,
    )
    # A wider one begins with it: what a tile once held does not change.
    hashes = session.exec(query.order_by(col(TileRow.width)).limit(1)).first()
    if hashes is None or len(hashes) < tile.width * HASH_SIZE:
        raise LogDamagedError(f"Expected the tile {tile.path!r}, got none.", hint=_HINT)
    return hashes[: tile.width * HASH_SIZE]


def has_tile(tile: Tile, size: int) -> bool:
    """Whether a log of that size has the tile."""
    count = size >> 8 * (tile.level or 0)
    return tile.index * TILE_WIDTH + tile.width <= count


def list_open(
    session: Session, log_id: int, size: int, kinds: Sequence[str], *, subject: str | None = None
) -> tuple[StoredStatement, ...]:
    """The statements of these kinds below ``size`` that no other answers.

    With ``subject`` those about it alone.
    """
    answers = aliased(StatementRow)
    is_answered = exists().where(
        col(answers.log_id) == log_id, col(answers.intake_idx) == col(StatementRow.idx)
    )
    query = select(StatementRow).where(
        StatementRow.log_id == log_id,
        StatementRow.idx < size,
        col(StatementRow.kind).in_(kinds),
        ~is_answered,
    )
    if subject is not None:
        query = query.where(StatementRow.subject == subject)
    return tuple(map(to_statement, session.exec(query.order_by(col(StatementRow.idx))).all()))


def list_unreceipted(
    session: Session, log_id: int, size: int, kinds: Sequence[str], *, subject: str | None = None
) -> tuple[StoredStatement, ...]:
    """The statements of these kinds below ``size`` without a receipt.

    With ``subject`` those about it alone.
    """
    has_one = exists().where(
        col(ReceiptRow.log_id) == log_id, col(ReceiptRow.idx) == col(StatementRow.idx)
    )
    query = select(StatementRow).where(
        StatementRow.log_id == log_id,
        StatementRow.idx < size,
        col(StatementRow.kind).in_(kinds),
        ~has_one,
    )
    if subject is not None:
        query = query.where(StatementRow.subject == subject)
    return tuple(map(to_statement, session.exec(query.order_by(col(StatementRow.idx))).all()))


def to_statement(row: StatementRow) -> StoredStatement:
    """The statement of a row."""
    statement = to_value(LogStatement, row, intake_index=row.intake_idx)
    return StoredStatement(index=row.idx, statement=statement)


def to_checkpoint(row: CheckpointRow, origin: str) -> Checkpoint:
    """The head that a row's note signs."""
    return Checkpoint(origin=origin, size=row.size, root=row.root)


def not_logged(what: str, size: int) -> NotFoundError:
    """That the log does not go so far."""
    return NotFoundError(
        f"Expected something in a log of {size} leaves, got {what}.",
        hint="Ask for less, or for a newer checkpoint.",
    )
