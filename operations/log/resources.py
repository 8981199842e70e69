"""What the own log serves to its checkers (C2SP tlog-tiles): its head, its tiles, proofs.

The log serves only what a signed head covers: a leaf without a signature proves nothing yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import MalformedReceiptError, NotFoundError
from spanproof.core.log.tiles import TILE_WIDTH, parse_tile_path

if TYPE_CHECKING:
    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.core.log.tiles import Tile
    from spanproof.operations.context import Context
    from spanproof.store.log.reading import LogReader

_HINT = "Ask for /v1/log/checkpoint and then for the tiles that its size requires."


def open_reader(context: Context, origin: str | None = None) -> LogReader:
    """The own log of that origin (None: the one that takes leaves); nothing is made or signed.

    Raises NotFoundError while no head is signed.
    """
    from spanproof.store.log.reading import LogReader, find_current_origin

    database = context.store.database
    name = origin or context.settings.log_origin or find_current_origin(database)
    if name is None:
        msg = "Expected a log that is kept here, got none."
        raise NotFoundError(msg, hint="Verify an answer first: that begins the log.")
    return LogReader.find(database, name)


def read_head(context: Context) -> tuple[Checkpoint, str]:
    """The newest signed head and its note, with the lines of its witnesses."""
    return read_cosigned_head(context, open_reader(context))


def read_cosigned_head(context: Context, reader: LogReader) -> tuple[Checkpoint, str]:
    """The same of this log."""
    from spanproof.operations.log.cosign import join_cosignatures
    from spanproof.store.log.cosignatures import Cosignatures

    checkpoint, note = reader.latest()
    kept = Cosignatures(context.store.database, reader.log_id).list(checkpoint.size)
    return checkpoint, join_cosignatures(note, kept) if kept else note


def read_log_tile(context: Context, path: str) -> bytes:
    """The tile of a path; raise NotFoundError for a path without a tile or with an unsigned one.

    A partial tile is served only while a signed head requires it (tlog-tiles, "Partial Tiles").
    """
    tile = parse_tile_path(path)
    if tile is None:
        msg = f"Expected the path of a tile as tlog-tiles writes it, got {path!r}."
        raise NotFoundError(msg, hint=_HINT)
    reader = open_reader(context)
    size = reader.latest()[0].size
    if not _is_covered(tile, size) or not _is_required(reader, tile):
        msg = f"Expected a tile that a signed head requires, got {path!r}."
        raise NotFoundError(msg, hint=_HINT)
    return reader.read_tile(tile)


def write_receipt_proof(context: Context, verification_id: str) -> str:
    """The .tlog-proof (C2SP) of a verification's receipt."""
    from spanproof.operations.receipts.stored import show_receipt
    from spanproof.receipt.forms.bundle import parse_bundle
    from spanproof.receipt.forms.log_proof import make_log_proof, write_log_proof

    found = show_receipt(context, verification_id)
    try:
        return write_log_proof(make_log_proof(parse_bundle(found.content).included))
    except MalformedReceiptError as error:
        from spanproof.core.errors import IntegrityError

        # It was written by us: the caller's request is not to blame.
        msg = f"Expected a receipt that can be read, got another: {error.message}"
        raise IntegrityError(msg, hint="Restore the store from a backup.") from error


def _is_covered(tile: Tile, size: int) -> bool:
    return tile.index * TILE_WIDTH + tile.width <= size >> 8 * (tile.level or 0)


def _is_required(reader: LogReader, tile: Tile) -> bool:
    """Whether a signed head has this very tile at its edge; a full one every later head has."""
    if tile.width == TILE_WIDTH:
        return True
    first = (tile.index * TILE_WIDTH + tile.width) << 8 * (tile.level or 0)
    return reader.has_checkpoint(first, first + (1 << 8 * (tile.level or 0)))
