"""What a log writes, within a transaction that is open already and whose lock is held."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import bindparam, exc, func
from sqlalchemy import select as select_rows
from sqlmodel import Session, select

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError, LogDamagedError
from spanproof.core.log.checkpoint import Checkpoint, LoggedLeaf
from spanproof.core.log.merkle import EMPTY_ROOT, check_inclusion, hash_leaf, prove_inclusion
from spanproof.core.log.tiles import TILE_WIDTH, TileReader
from spanproof.store.database.columns import Row
from spanproof.store.database.prepared import Prepared
from spanproof.store.database.session import to_store_error
from spanproof.store.log import rows
from spanproof.store.log.failpoints import Failpoint
from spanproof.store.log.tables import FreezeRow, LogRow, TreeRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection

    from spanproof.core.log.checkpoint import IncludedLeaf
    from spanproof.core.log.merkle import InclusionProof
    from spanproof.core.log.tiles import Tile
    from spanproof.store.log.commit_queue import Submission
    from spanproof.store.log.failpoints import Reach
    from spanproof.store.log.frontier import Frontier
    from spanproof.store.log.records import LogFreeze, LogStatement, NewLeaf, NewLog, NewReceipt

_TABLES = Row.metadata.tables
# Every leaf needs them.
_ADD_LEAF, _ADD_STATEMENT, _ADD_TILE, _ADD_TREE, _ADD_NOTE, _ADD_RECEIPT = (
    Prepared(_TABLES[name].insert())
    for name in ("log_leaf", "log_statement", "log_tile", "log_tree", "log_checkpoint", "receipt")
)
_NOTES = _TABLES["log_checkpoint"]
_FIND_NOTE = Prepared(
    select_rows(_NOTES.c.root, _NOTES.c.note).where(
        _NOTES.c.log_id == bindparam("log_id"), _NOTES.c.size == bindparam("size")
    )
)


class _RefusedError(Exception):
    """What one submission asks for cannot be written, and why: the others can be."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class RollbackError(Exception):
    """The one submission of a transaction has its error: the transaction is to be rolled back."""


def add_log(session: Session, origin: str, new: NewLog) -> LogRow:
    """A new log without leaves, and its first head."""
    count = session.exec(select(func.count()).select_from(LogRow)).one()
    row = LogRow(log_id=count, origin=origin, vkey=new.vkey, opened_at=new.opened_at)
    session.add(row)
    session.flush()
    session.add(TreeRow(log_id=row.log_id, size=0, root=EMPTY_ROOT))
    session.flush()
    return row


class LogNames(NamedTuple):
    """The id of a log in this database, and its origin."""

    log_id: int
    origin: str


def add_batch(
    connection: Connection,
    frontier: Frontier,
    batch: Sequence[Submission],
    *,
    log: LogNames,
    reach: Reach,
) -> None:
    """Write the leaves of a batch, their tiles and the head above; grows ``frontier``.

    A submission whose statements meet a row of their key gets a ConflictError of its own, one whose
    rows beside cannot be written what they raise, and no leaf; the others are written. Raises
    RollbackError where there are no others.
    """
    is_alone = len(batch) == 1
    old_size = frontier.size
    for submission in batch:
        try:
            with _point(connection, is_alone=is_alone or not submission.leaves):
                hashes = _add_leaves(connection, log.log_id, frontier.size, submission.leaves)
                _add_attached(connection, submission.leaves)
        except _RefusedError as refused:
            submission.error = refused.error
            if is_alone:
                raise RollbackError from refused
            continue
        submission.logged = tuple(
            LoggedLeaf(origin=log.origin, index=index, leaf_hash=leaf_hash)
            for index, leaf_hash in enumerate(hashes, start=frontier.size)
        )
        for leaf_hash in hashes:
            frontier.add(leaf_hash)
    reach(Failpoint.LEAVES_WRITTEN)
    if frontier.size == old_size:
        return
    tiles = [
        {
            "log_id": log.log_id,
            "level": tile.level,
            "n": tile.index,
            "width": tile.width,
            "hashes": hashes,
        }
        for tile, hashes in frontier.new_tiles()
        # The leaves' own rows are the rest of level 0; a row for each width would be most of a log.
        if tile.level or tile.width == TILE_WIDTH
    ]
    if tiles:
        _ADD_TILE.add(connection, tiles)
    reach(Failpoint.TILES_WRITTEN)
    tree = {"log_id": log.log_id, "size": frontier.size, "root": frontier.root}
    _ADD_TREE.add(connection, [tree])
    reach(Failpoint.TREE_WRITTEN)


def _point(connection: Connection, *, is_alone: bool) -> AbstractContextManager[object]:
    """A point to go back to: one caller's conflict is not the others'.

    Who is alone in a transaction goes back to its beginning.
    """
    return nullcontext() if is_alone else connection.begin_nested()


def _add_leaves(
    connection: Connection, log_id: int, first: int, leaves: Sequence[NewLeaf]
) -> list[bytes]:
    if not leaves:
        return []
    hashes = [hash_leaf(leaf.entry) for leaf in leaves]
    given = [
        {"log_id": log_id, "idx": index, "leaf_hash": leaf_hash, "entry": leaf.entry}
        for index, (leaf, leaf_hash) in enumerate(zip(leaves, hashes, strict=True), start=first)
    ]
    statements = [
        _to_statement_row(log_id, index, leaf.statement)
        for index, leaf in enumerate(leaves, start=first)
        if leaf.statement is not None
    ]
    _ADD_LEAF.add(connection, given)
    if not statements:
        return hashes
    try:
        _ADD_STATEMENT.add(connection, statements)
    except exc.IntegrityError as error:
        msg = "Expected an intake of this log that nothing has answered, got another."
        hint = "Nothing was logged; load the receipt of the answer that is recorded."
        raise _RefusedError(ConflictError(msg, hint=hint)) from error
    return hashes


def _add_attached(connection: Connection, leaves: Sequence[NewLeaf]) -> None:
    for leaf in leaves:
        if leaf.beside is not None:
            try:
                leaf.beside.write(connection)
            except (exc.OperationalError, exc.InterfaceError):
                # The disk or the server, not one caller's rows.
                raise
            except exc.SQLAlchemyError as error:
                refused = to_store_error(error, "the rows beside a leaf")
                refused.__cause__ = error
                raise _RefusedError(refused) from error
            except Exception as error:
                raise _RefusedError(error) from error


def _to_statement_row(log_id: int, index: int, statement: LogStatement) -> dict[str, object]:
    return {
        "log_id": log_id,
        "idx": index,
        "kind": statement.kind,
        "subject": statement.subject,
        "payload_type": statement.payload_type,
        "payload": statement.payload,
        "signature": statement.signature,
        "intake_idx": statement.intake_index,
    }


def add_note(connection: Connection, log_id: int, checkpoint: Checkpoint, note: str) -> str:
    """Store the note of a head; the one that is stored where another process came first."""
    key = {"log_id": log_id, "size": checkpoint.size}
    known = _FIND_NOTE.find(connection, key)
    if known is not None:
        root, stored = known
        _check_root(root, checkpoint)
        return str(stored)
    _ADD_NOTE.add(connection, [key | {"root": checkpoint.root, "note": note}])
    return note


def _check_root(found: bytes, checkpoint: Checkpoint) -> None:
    if found != checkpoint.root:
        msg = f"Expected one root at size {checkpoint.size}, got two: {checkpoint.origin!r}."
        raise LogDamagedError(msg, hint="Run 'spanproof audit fsck': it names what is wrong.")


def add_freeze(session: Session, log_id: int, freeze: LogFreeze) -> None:
    """Close a log for ever."""
    session.add(
        FreezeRow(
            log_id=log_id,
            size=freeze.size,
            root=freeze.root,
            reason=freeze.reason,
            successor=freeze.successor,
            frozen_at=freeze.frozen_at,
        )
    )
    session.flush()


def prove_leaves(
    connection: Connection,
    log_id: int,
    leaves: Iterable[LoggedLeaf],
    checkpoint: Checkpoint,
    *,
    newest: InclusionProof | None,
) -> tuple[InclusionProof, ...]:
    """The proofs of the leaves under a head, each checked before it goes out.

    ``newest`` proves the head's last leaf, where it is known; the others are proved from the
    stored tiles.
    """
    read = TileReader(partial(_read_tile, connection, log_id), checkpoint.size)
    found = []
    for leaf in leaves:
        if newest is not None and (newest.index, newest.size) == (leaf.index, checkpoint.size):
            proof = newest
        else:
            proof = prove_inclusion(read, leaf.index, checkpoint.size)
        if not check_inclusion(proof, leaf.leaf_hash, checkpoint.root):
            msg = f"Expected leaf {leaf.index} under the root of {checkpoint.size}, got another."
            raise LogDamagedError(msg, hint="Run 'spanproof audit fsck': it names what is wrong.")
        found.append(proof)
    return tuple(found)


def _read_tile(connection: Connection, log_id: int, tile: Tile) -> bytes:
    with Session(connection) as session:
        return rows.read_tile(session, log_id, tile)


def add_receipts(
    connection: Connection,
    log_id: int,
    included: Sequence[IncludedLeaf],
    receipts: Sequence[NewReceipt | None],
    *,
    is_alone: bool,
) -> None:
    """Keep the bundles of leaves; ConflictError where a verification has one already.

    What ``write`` raises is its caller's too: then none of these receipts is kept.
    ``is_alone``: nothing else of this transaction has to outlive a conflict.
    """
    given = []
    for leaf, receipt in zip(included, receipts, strict=True):
        if receipt is not None:
            bundle = receipt.write(leaf)
            given.append(
                {
                    "verification_id": receipt.verification_id,
                    "log_id": log_id,
                    "idx": leaf.leaf.index,
                    "bundle": bundle,
                    "bundle_sha256": str(Digest.of(bundle)),
                }
            )
    if not given:
        return
    try:
        with _point(connection, is_alone=is_alone):
            _ADD_RECEIPT.add(connection, given)
    except exc.IntegrityError as error:
        names = ", ".join(repr(row["verification_id"]) for row in given)
        msg = f"Expected verifications without a receipt, got {names}."
        raise ConflictError(msg, hint="Load the receipt that is kept.") from error
