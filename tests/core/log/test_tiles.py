"""Tiles: their names, what is new in a bigger tree, and proofs read from nothing but them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.log.merkle import (
    HASH_SIZE,
    MAX_SIZE,
    compute_root,
    hash_children,
    hash_leaf,
    prove_consistency,
    prove_inclusion,
    read_root,
)
from spanproof.core.log.tiles import (
    MAX_ENTRY_BYTES,
    MAX_LEVEL,
    TILE_WIDTH,
    Tile,
    TileReader,
    join_entries,
    list_new_tiles,
    parse_tile_path,
    split_entries,
    split_hashes,
)
from tests.strategies import unhurried

#: Past the second border of a tile at level 1.
MOST = 2 * 256 * 256 + 300
LEAVES = tuple(hash_leaf(str(index).encode()) for index in range(MOST))


def build_rows(leaves: tuple[bytes, ...]) -> list[list[bytes]]:
    """The hashes of complete subtrees, level by level."""
    rows = [list(leaves)]
    while len(rows[-1]) > 1:
        row = rows[-1]
        rows.append([hash_children(*row[at : at + 2]) for at in range(0, len(row) - 1, 2)])
    return rows


ROWS = build_rows(LEAVES)


def read_node(level: int, index: int) -> bytes:
    return ROWS[level][index]


def read_tile(tile: Tile) -> bytes:
    """A tile of the whole tree, as tlog-tiles defines it."""
    row = ROWS[8 * (tile.level or 0)]
    at = tile.index * TILE_WIDTH
    return b"".join(row[at : at + tile.width])


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(level=0, index=0), "tile/0/000"),
        (Tile(level=0, index=1234067), "tile/0/x001/x234/067"),
        (Tile(level=1, index=999, width=255), "tile/1/999.p/255"),
        (Tile(level=1, index=1000, width=1), "tile/1/x001/000.p/1"),
        (Tile(level=63, index=0, width=1), "tile/63/000.p/1"),
        (Tile(level=None, index=5), "tile/entries/005"),
        (Tile(level=None, index=1005, width=112), "tile/entries/x001/005.p/112"),
        (
            Tile(level=0, index=MAX_SIZE >> 8, width=7),
            "tile/0/x036/x028/x797/x018/x963/967.p/7",
        ),
    ],
)
def test_a_path_names_one_tile(tile: Tile, path: str) -> None:
    assert tile.path == path
    assert parse_tile_path(path) == tile


@pytest.mark.parametrize(
    "path",
    [
        "",
        "tile",
        "tile/0",
        "tile/0/",
        "tile/0/0",
        "tile/0/00",
        "tile/0/0000",
        "tile/0/x000/001",
        "tile/0/x001/1",
        "tile/0/001/002",
        "tile/0/x001/x002",
        "tile/0/X001/002",
        "tile/00/000",
        "tile/01/000",
        "tile/64/000",
        "tile/100/000",
        "tile/-1/000",
        "tile/+1/000",
        "tile/0/-01",
        "tile/0/000.p/0",
        "tile/0/000.p/01",
        "tile/0/000.p/256",
        "tile/0/000.p/300",
        "tile/0/000.p/1000",
        "tile/0/000.p/",
        "tile/0/000.p",
        "tile/0/000.p/1/",
        "tile/0/000/",
        "tile/0/000\n",
        "tile/0/٠٠٠",
        "tile/٠/000",
        "tile/0/000.p/１",
        "tile/0/../000",
        "/tile/0/000",
        "tile//0/000",
        "tile/0/000?x=1",
        "tile/entries/000.p/256",
        "tile/Entries/000",
        "tile/entries/0/000",
        # Past the last leaf that any tree has.
        "tile/0/x036/x028/x797/x018/x963/968",
        "tile/7/128",
        "tile/8/001",
        "tile/0/x999/x999/x999/x999/x999/x999/999",
        "tile/0/x001/x999/x999/x999/x999/x999/x999/999",
    ],
)
def test_no_other_path_names_a_tile(path: str) -> None:
    assert parse_tile_path(path) is None


@unhurried
@given(
    level=st.one_of(st.none(), st.integers(0, MAX_LEVEL)),
    index=st.integers(0, MAX_SIZE),
    width=st.integers(1, TILE_WIDTH),
)
def test_paths_go_there_and_back(level: int | None, index: int, width: int) -> None:
    highest = MAX_SIZE >> 8 * ((level or 0) + 1)
    tile = Tile(level=level, index=index % (highest + 1), width=width)
    assert parse_tile_path(tile.path) == tile


@unhurried
@given(path=st.text("tile/entries0123456789x.p", max_size=40))
def test_whatever_is_read_is_written_the_same(path: str) -> None:
    tile = parse_tile_path(f"tile/0/{path}")
    assert tile is None or tile.path == f"tile/0/{path}"


@pytest.mark.parametrize(
    ("level", "index", "width"),
    [(-1, 0, 1), (64, 0, 1), (0, -1, 1), (0, 0, 0), (0, 0, 257), (0, MAX_SIZE, 1), (8, 1, 1)],
)
def test_a_tile_that_no_tree_has_cannot_be_made(level: int, index: int, width: int) -> None:
    with pytest.raises(ValueError, match="Expected a level, an index and a width"):
        Tile(level=level, index=index, width=width)


def list_all_tiles(size: int) -> set[Tile]:
    """Every tile of a tree of a size, from the definition of its full and partial tiles."""
    found = set()
    for level in range(8):
        hashes = size // 256**level
        found |= {Tile(level=level, index=index) for index in range(hashes // 256)}
        if hashes % 256:
            found.add(Tile(level=level, index=hashes // 256, width=hashes % 256))
    return found


def test_the_example_of_the_specification_has_its_tiles() -> None:
    tiles = list(list_new_tiles(0, 70_000))
    assert len(tiles) == 273 + 1 + 1 + 1 + 1
    assert set(tiles) == list_all_tiles(70_000)
    assert Tile(level=0, index=273, width=112) in tiles
    assert Tile(level=1, index=1, width=17) in tiles
    assert Tile(level=2, index=0, width=1) in tiles
    small = [Tile(level=0, index=0), Tile(level=1, index=0, width=1)]
    assert list(list_new_tiles(0, 256)) == small


@unhurried
@given(data=st.data())
def test_new_tiles_are_all_that_the_bigger_tree_has_more(data: st.DataObject) -> None:
    new = data.draw(st.one_of(st.integers(0, 1100), st.integers(65_000, 66_200)))
    old = data.draw(st.one_of(st.integers(max(0, new - 600), new), st.integers(0, new)))
    tiles = list(list_new_tiles(old, new))
    assert len(set(tiles)) == len(tiles)
    assert set(tiles) == list_all_tiles(new) - list_all_tiles(old)


def test_the_last_leaf_of_the_largest_log_has_its_tiles() -> None:
    tiles = list(list_new_tiles(MAX_SIZE - 1, MAX_SIZE))
    assert tiles[0] == Tile(level=0, index=MAX_SIZE >> 8, width=255)


@pytest.mark.parametrize(("old", "new"), [(1, 0), (-1, 5), (0, MAX_SIZE + 1)])
def test_sizes_out_of_order_have_no_tiles(old: int, new: int) -> None:
    with pytest.raises(ValueError, match="Expected sizes 0 <= old <= new"):
        list(list_new_tiles(old, new))


@unhurried
@given(data=st.data())
def test_proofs_from_tiles_are_the_direct_ones(data: st.DataObject) -> None:
    near = [256, 257, 511, 512, 65_535, 65_536, 65_537, 131_072, MOST]
    size = data.draw(st.one_of(st.integers(1, 600), st.integers(1, MOST), st.sampled_from(near)))
    index, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    asked: list[Tile] = []

    def read(tile: Tile) -> bytes:
        asked.append(tile)
        return read_tile(tile)

    reader = TileReader(read, size)
    assert read_root(reader, size) == read_root(read_node, size)
    assert prove_inclusion(reader, index, size) == prove_inclusion(read_node, index, size)
    assert prove_consistency(reader, old, size) == prove_consistency(read_node, old, size)
    assert len(set(asked)) == len(asked)
    # A client asks for no partial tile but those that the tree of this size has.
    assert set(asked) <= list_all_tiles(size)


def test_the_root_of_tiles_is_the_root_of_the_leaves() -> None:
    for size in (1, 2, 255, 256, 257, 300, 65_537):
        assert read_root(TileReader(read_tile, size), size) == compute_root(LEAVES[:size])


@pytest.mark.parametrize(
    ("level", "index"), [(0, 300), (8, 1), (9, 0), (-1, 0), (0, -1), (2, 75), (63, 0)]
)
def test_a_subtree_outside_of_the_tree_is_not_read(level: int, index: int) -> None:
    def read(tile: Tile) -> bytes:
        pytest.fail(f"asked for {tile}")

    with pytest.raises(ValueError, match="Expected a complete subtree in a tree of 300"):
        TileReader(read, 300)(level, index)


@pytest.mark.parametrize("more", [b"x", bytes(HASH_SIZE)])
def test_a_tile_of_another_length_is_refused(more: bytes) -> None:
    def read(tile: Tile) -> bytes:
        return read_tile(tile) + more

    with pytest.raises(ValueError, match="Expected a tile of 1408 bytes"):
        TileReader(read, 300)(0, 299)
    with pytest.raises(ValueError, match="Expected a tile of 1408 bytes, got 1376"):
        TileReader(lambda tile: read_tile(tile)[:-HASH_SIZE], 300)(0, 299)
    with pytest.raises(ValueError, match="got 31"):
        split_hashes(bytes(31), 1)
    assert split_hashes(bytes(64), 2) == (bytes(32), bytes(32))


@given(entries=st.lists(st.binary(max_size=300), max_size=TILE_WIDTH))
def test_bundles_go_there_and_back(entries: list[bytes]) -> None:
    assert split_entries(join_entries(entries)) == tuple(entries)


def test_the_longest_entry_fits_and_no_longer_one() -> None:
    longest = bytes(MAX_ENTRY_BYTES)
    assert split_entries(join_entries([longest, b"next"])) == (longest, b"next")
    with pytest.raises(ValueError, match="Expected an entry of at most 65535 bytes, got 65536"):
        join_entries([longest + b"x"])


@given(entries=st.lists(st.binary(min_size=1, max_size=9), min_size=1, max_size=5), data=st.data())
def test_a_bundle_cut_anywhere_else_is_refused(entries: list[bytes], data: st.DataObject) -> None:
    whole = join_entries(entries)
    ends = {len(join_entries(entries[:count])) for count in range(len(entries) + 1)}
    at = data.draw(st.integers(0, len(whole)).filter(lambda cut: cut not in ends))
    with pytest.raises(ValueError, match="Expected a bundle of whole entries"):
        split_entries(whole[:at])
