"""A log's resources as a static server has them: by path, or written into a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.log.merkle import compute_root, hash_leaf
from spanproof.core.log.tiles import TILE_WIDTH, Tile, join_entries, list_new_tiles

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.receipt.samples import MemoryLog


def make_tiles(entries: Sequence[bytes]) -> dict[str, bytes]:
    """Every tile and bundle of a log of these entries, by path."""
    hashes = [hash_leaf(entry) for entry in entries]
    found = {}
    for tile in list_new_tiles(0, len(entries)):
        wide = 1 << 8 * (tile.level or 0)
        first = tile.index * TILE_WIDTH
        parts = (hashes[at * wide : (at + 1) * wide] for at in range(first, first + tile.width))
        found[tile.path] = b"".join(map(compute_root, parts))
    for index in range(-(-len(entries) // TILE_WIDTH)):
        part = entries[index * TILE_WIDTH : (index + 1) * TILE_WIDTH]
        found[Tile(level=None, index=index, width=len(part)).path] = join_entries(part)
    return found


def write_log(folder: Path, log: MemoryLog) -> None:
    """The log as a folder: ``checkpoint`` and its tiles."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "checkpoint").write_text(log.note(), encoding="utf-8")
    for path, content in make_tiles(log.entries).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
