from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.log.merkle import (
    EMPTY_ROOT,
    HASH_SIZE,
    compute_root,
    hash_leaf,
    prove_inclusion,
)
from spanproof.core.log.tiles import TILE_WIDTH, Tile, TileReader, list_new_tiles
from spanproof.store.log.frontier import Frontier

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Past the first whole tile of the second level.
LEAVES = [hash_leaf(b"%d" % number) for number in range(TILE_WIDTH * TILE_WIDTH + 300)]


class Tiles:
    """Tiles as a store keeps them: each once, by its path."""

    def __init__(self) -> None:
        self.kept: dict[Tile, bytes] = {}

    def keep(self, frontier: Frontier) -> list[Tile]:
        made = list(frontier.new_tiles())
        for tile, hashes in made:
            assert tile not in self.kept
            assert len(hashes) == tile.width * HASH_SIZE
            self.kept[tile] = hashes
        return [tile for tile, _ in made]

    def read(self, tile: Tile) -> bytes:
        whole = Tile(level=tile.level, index=tile.index)
        return self.kept.get(tile) or self.kept[whole][: tile.width * HASH_SIZE]


def grow(sizes: Sequence[int]) -> tuple[Frontier, Tiles]:
    """A tree that was written in batches which ended at these sizes."""
    frontier, tiles = Frontier(), Tiles()
    for size in sizes:
        before = frontier.size
        for leaf in LEAVES[before:size]:
            frontier.add(leaf)
        assert sorted(tiles.keep(frontier), key=lambda t: t.path) == sorted(
            list_new_tiles(before, size), key=lambda t: t.path
        )
        frontier = frontier.copy()
    return frontier, tiles


def test_the_root_is_that_of_the_leaves_at_every_size() -> None:
    frontier = Frontier()
    assert frontier.root == EMPTY_ROOT
    for size, leaf in enumerate(LEAVES[:600], start=1):
        frontier.add(leaf)
        assert frontier.root == compute_root(LEAVES[:size])


@pytest.mark.parametrize(
    "sizes",
    [
        (1, 2, 3),
        (255, 256, 257),
        (100, 356, 612, 700),
        (TILE_WIDTH * TILE_WIDTH - 1, TILE_WIDTH * TILE_WIDTH, TILE_WIDTH * TILE_WIDTH + 1),
        (300, len(LEAVES)),
    ],
)
def test_the_tiles_of_batches_read_as_the_tree(sizes: tuple[int, ...]) -> None:
    frontier, tiles = grow(sizes)
    for size in sizes:
        read = TileReader(tiles.read, size)
        for index in {0, size // 2, size - 1}:
            assert read(0, index) == LEAVES[index]
    again = Frontier.read(tiles.read, sizes[-1])
    assert again.root == frontier.root == compute_root(LEAVES[: sizes[-1]])
    assert list(again.new_tiles()) == []
    for leaf in LEAVES[: 2 * TILE_WIDTH + 3]:
        again.add(leaf)
        frontier.add(leaf)
    assert again.root == frontier.root
    assert list(again.new_tiles()) == list(frontier.new_tiles())


def test_a_copy_grows_by_itself() -> None:
    frontier, _ = grow((300,))
    root = frontier.root
    other = frontier.copy()
    other.add(LEAVES[0])
    assert (frontier.size, frontier.root) == (300, root)
    assert other.size == 301


def test_whole_tiles_are_handed_out_once() -> None:
    frontier = Frontier()
    for leaf in LEAVES[:300]:
        frontier.add(leaf)
    assert [tile for tile, _ in frontier.pop_complete()] == [Tile(level=0, index=0)]
    assert frontier.pop_complete() == []
    assert frontier.edge(0) == b"".join(LEAVES[256:300])
    assert len(frontier.edge(1)) == HASH_SIZE


def test_the_newest_leaf_is_proved_as_the_tiles_prove_it() -> None:
    frontier, tiles = Frontier(), Tiles()
    assert frontier.prove_newest() is None
    for size in range(1, 600):
        frontier.add(LEAVES[size - 1])
        tiles.keep(frontier)
        proof = frontier.prove_newest()
        assert proof == prove_inclusion(TileReader(tiles.read, size), size - 1, size)
        frontier = frontier.copy()
        assert frontier.prove_newest() == proof


def test_a_tree_that_was_read_has_no_leaf_of_its_own_to_prove() -> None:
    frontier, tiles = grow([300])
    assert Frontier.read(tiles.read, frontier.size).prove_newest() is None
