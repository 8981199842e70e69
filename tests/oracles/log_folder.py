"""A log as files, laid out by our own code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import compute_root, hash_leaf
from spanproof.core.log.tiles import TILE_WIDTH, Tile, join_entries, list_new_tiles

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.receipt.keys.signing_keys import LocalLogKey


class LogFolder:
    """A log as files below a folder, as C2SP tlog-tiles lays them out."""

    def __init__(self, folder: Path, entries: list[bytes], key: LocalLogKey) -> None:
        self.folder = folder
        self.entries = entries
        self.key = key
        leaves = [hash_leaf(entry) for entry in entries]
        self.rows = [leaves]
        while len(self.rows[-1]) >= TILE_WIDTH:
            below = self.rows[-1]
            whole = range(0, len(below) - TILE_WIDTH + 1, TILE_WIDTH)
            self.rows.append([compute_root(below[at : at + TILE_WIDTH]) for at in whole])

    def head(self, size: int | None = None) -> str:
        """The signed head over the first ``size`` entries (None: all)."""
        size = len(self.entries) if size is None else size
        root = compute_root(self.rows[0][:size])
        return self.key.sign(Checkpoint(origin=self.key.origin, size=size, root=root))

    def read(self, tile: Tile) -> bytes:
        """A tile's bytes, or a bundle of entries."""
        at = slice(tile.index * TILE_WIDTH, tile.index * TILE_WIDTH + tile.width)
        if tile.level is None:
            return join_entries(self.entries[at])
        return b"".join(self.rows[tile.level][at])

    def write(self) -> None:
        """Head, tiles and entries."""
        self._write("checkpoint", self.head().encode())
        for tile in list_new_tiles(0, len(self.entries)):
            self._write(tile.path, self.read(tile))
            if tile.level == 0:
                bundle = Tile(level=None, index=tile.index, width=tile.width)
                self._write(bundle.path, self.read(bundle))

    def _write(self, name: str, content: bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
