"""The right edge of a tree: enough to add leaves, without the complete subtrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.log.merkle import EMPTY_ROOT, InclusionProof, hash_children
from spanproof.core.log.tiles import TILE_HEIGHT, TILE_WIDTH, Tile, TileReader, list_new_tiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.log.merkle import ReadNode
    from spanproof.core.log.tiles import ReadTile


class Frontier:
    """A tree that grows at its right edge; adding costs the same at every size.

    ``peaks`` are the roots of its complete subtrees, the largest first (one for each bit of the
    size); ``rows`` are the tiles at its edge, one for each level of tiles.
    """

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []
        self._rows: list[bytearray] = [bytearray()]
        self._whole: list[tuple[Tile, bytes]] = []
        self._since = 0
        self._newest: InclusionProof | None = None
        self._root: bytes | None = None

    @classmethod
    def read(cls, read: ReadTile, size: int) -> Frontier:
        """The edge of the first ``size`` leaves, from their tiles."""
        frontier = cls()
        frontier.size = frontier._since = size
        frontier._peaks = _read_peaks(TileReader(read, size), size)
        frontier._rows = []
        level = 0
        while level == 0 or size >> TILE_HEIGHT * level:
            index, width = divmod(size >> TILE_HEIGHT * level, TILE_WIDTH)
            row = read(Tile(level=level, index=index, width=width)) if width else b""
            frontier._rows.append(bytearray(row))
            level += 1
        return frontier

    def copy(self) -> Frontier:
        """One that grows by itself; no tiles are new to it."""
        other = Frontier()
        other.size = other._since = self.size
        other._peaks = self._peaks.copy()
        other._rows = [row.copy() for row in self._rows]
        other._newest = self._newest
        other._root = self._root
        return other

    def add(self, leaf_hash: bytes) -> None:
        """One more leaf."""
        path = tuple(reversed(self._peaks))
        self._newest = InclusionProof(index=self.size, size=self.size + 1, hashes=path)
        self._fill(0, leaf_hash)
        node, level = leaf_hash, 0
        while self.size >> level & 1:
            node = hash_children(self._peaks.pop(), node)
            level += 1
            if level % TILE_HEIGHT == 0:
                self._fill(level // TILE_HEIGHT, node)
        self._peaks.append(node)
        self.size += 1
        self._root = None

    def prove_newest(self) -> InclusionProof | None:
        """The proof that the last leaf is in the tree; None where no leaf was added here.

        Its siblings are the roots of the complete subtrees before it, the smallest first.
        """
        return self._newest

    @property
    def root(self) -> bytes:
        """The root above all leaves."""
        if self._root is None:
            *larger, found = self._peaks or [EMPTY_ROOT]
            for peak in reversed(larger):
                found = hash_children(peak, found)
            # It is asked for several times between two leaves.
            self._root = found
        return self._root

    def new_tiles(self) -> Iterator[tuple[Tile, bytes]]:
        """The tiles that the leaves since ``copy`` or ``read`` made, whole and partial."""
        yield from self._whole
        for tile in list_new_tiles(self._since, self.size):
            if tile.width < TILE_WIDTH:
                yield tile, bytes(self._rows[tile.level or 0])

    def pop_complete(self) -> list[tuple[Tile, bytes]]:
        """The tiles that became whole since the last call; they are handed out once."""
        whole, self._whole = self._whole, []
        return whole

    def edge(self, level: int) -> bytes:
        """The hashes of the level's last tile, which is not whole."""
        return bytes(self._rows[level])

    def _fill(self, level: int, node: bytes) -> None:
        if level == len(self._rows):
            self._rows.append(bytearray())
        row = self._rows[level]
        row += node
        if len(row) == TILE_WIDTH * len(node):
            index = self.size >> TILE_HEIGHT * (level + 1)
            self._whole.append((Tile(level=level, index=index), bytes(row)))
            row.clear()


def _read_peaks(read: ReadNode, size: int) -> list[bytes]:
    levels = [level for level in reversed(range(size.bit_length())) if size >> level & 1]
    return [read(level, (size >> level + 1) * 2) for level in levels]
