from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.log.merkle import EMPTY_ROOT, compute_root, hash_leaf
from spanproof.core.log.tiles import Tile, parse_tile_path
from spanproof.receipt.check.tree import MOST_GAPS, TreeReport, check_tree
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.signed_note import parse_note
from tests.receipt.tiles import make_tiles
from tests.spread import thin_out

EDGES = [0, 1, 2, 3, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 65_793]


def make_entries(count: int) -> list[bytes]:
    return [hashlib.sha256(b"%d" % index).digest()[: index % 9] for index in range(count)]


def check(tiles: dict[str, bytes], size: int, *sizes: int) -> TreeReport:
    return check_tree(lambda tile: tiles.get(tile.path), size, sizes=sizes)


def codes(report: TreeReport) -> list[tuple[str, str]]:
    return [(found.code, found.place) for found in report.findings]


@pytest.mark.parametrize("size", EDGES)
def test_a_whole_log_comes_to_its_roots(size: int) -> None:
    entries = make_entries(size)
    tiles = make_tiles(entries)
    older = sorted({0, size // 3, size - 1, size} & set(range(size + 1)))
    seen: list[int] = []
    report = check_tree(
        lambda tile: tiles.get(tile.path),
        size,
        sizes=[*older, size + 1],
        visit=lambda index, entry: seen.append(index) if entry == entries[index] else None,
    )
    assert codes(report) == []
    assert seen == list(range(size))
    assert report.roots == {
        each: compute_root(list(map(hash_leaf, entries[:each]))) for each in {*older, size}
    }
    assert (report.entries, report.tiles) == (size, len(tiles))


def test_a_log_without_leaves_has_the_empty_root() -> None:
    assert check({}, 0).roots == {0: EMPTY_ROOT}


def test_the_number_of_leaves_read_is_told_as_it_grows() -> None:
    tiles = make_tiles(make_entries(600))
    told: list[int] = []
    check_tree(lambda tile: tiles.get(tile.path), 600, advance=told.append)
    assert told == [256, 512, 600]


SMALL = make_entries(300)
SMALL_TILES = make_tiles(SMALL)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_no_byte_of_any_tile_can_change_unseen(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(SMALL_TILES)))
    content = bytearray(SMALL_TILES[path])
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert codes(check(SMALL_TILES | {path: bytes(content)}, 300))


@pytest.mark.parametrize("attack", thin_out(["flip", "delete", "swap"], every=3))
def test_no_change_of_each_of_500_leaves_goes_unseen(attack: str) -> None:
    entries = [b"%d" % index for index in range(500)]
    root = compute_root(list(map(hash_leaf, entries)))
    detected = 0
    for index in range(500):
        forged = list(entries)
        if attack == "flip":
            forged[index] = bytes([forged[index][0] ^ 1]) + forged[index][1:]
        elif attack == "delete":
            del forged[index]
        else:
            other = (index + 1) % 500
            forged[index], forged[other] = forged[other], forged[index]
        # Whoever changes a leaf writes its tiles anew: only the root is not theirs to choose.
        report = check(make_tiles(forged), 500)
        detected += bool(report.findings) or report.roots[500] != root
    assert detected == 500


def test_no_byte_of_a_log_of_64_leaves_can_change_unseen() -> None:
    tiles = make_tiles(make_entries(64))
    flips = [(path, at) for path, content in tiles.items() for at in range(len(content))]
    for path, at in flips:
        content = bytearray(tiles[path])
        content[at] ^= 0x01
        assert codes(check(tiles | {path: bytes(content)}, 64)), (path, at)


@pytest.mark.parametrize("path", sorted(SMALL_TILES))
def test_a_missing_tile_is_named_and_hides_nothing_else(path: str) -> None:
    tiles = {name: content for name, content in SMALL_TILES.items() if name != path}
    report = check(tiles, 300, 299)
    assert codes(report) == [("TILE_MISSING", path)]
    # Entries and hashes stand in for each other, so the roots are known all the same.
    assert report.roots[299] == compute_root(list(map(hash_leaf, SMALL[:299])))
    assert report.roots[300] == compute_root(list(map(hash_leaf, SMALL)))


@pytest.mark.parametrize("path", sorted(SMALL_TILES))
def test_a_tile_of_another_length_is_malformed(path: str) -> None:
    report = check(SMALL_TILES | {path: SMALL_TILES[path] + b"\x00"}, 300)
    assert codes(report) == [("TILE_MALFORMED", path)]


def test_a_bundle_with_an_entry_too_few_is_malformed() -> None:
    tile = Tile(level=None, index=1, width=44)
    cut = SMALL_TILES[tile.path][: -2 - len(SMALL[-1])]
    assert codes(check(SMALL_TILES | {tile.path: cut}, 300)) == [("TILE_MALFORMED", tile.path)]


def test_an_entry_that_was_changed_is_named_by_its_index() -> None:
    changed = [*SMALL[:270], b"another", *SMALL[271:]]
    bundle = Tile(level=None, index=1, width=44).path
    report = check(SMALL_TILES | {bundle: make_tiles(changed)[bundle]}, 300)
    (found,) = report.findings
    assert found.code == "TILE_MISMATCH"
    assert "leaf 270" in found.message
    assert report.roots[300] == compute_root(list(map(hash_leaf, changed)))


def test_a_node_above_the_leaves_that_is_wrong_is_named() -> None:
    path = Tile(level=1, index=0, width=1).path
    report = check(SMALL_TILES | {path: bytes(32)}, 300)
    assert [(f.code, f.place, "node of level 1 0" in f.message) for f in report.findings] == [
        ("TILE_MISMATCH", path, True)
    ]


def test_a_partial_tile_that_is_gone_is_read_from_the_full_one() -> None:
    entries = make_entries(256)
    tiles = make_tiles(entries)
    assert Tile(level=0, index=0, width=77).path not in tiles
    full = {path: content for path, content in tiles.items() if ".p/" not in path}
    report = check(full, 77)
    assert codes(report) == []
    assert report.roots == {77: compute_root(list(map(hash_leaf, entries[:77])))}


def test_a_gap_of_entries_and_hashes_leaves_the_root_open() -> None:
    gone = {Tile(level=0, index=0).path, Tile(level=None, index=0).path}
    tiles = {path: content for path, content in SMALL_TILES.items() if path not in gone}
    report = check(tiles, 300, 5, 256)
    assert {place for _, place in codes(report)} == gone
    assert report.roots[5] is None
    assert report.roots[256] is None
    assert report.roots[300] is None
    assert report.entries == 44


def test_a_full_tile_above_stands_in_for_a_gap_below() -> None:
    entries = [b"%d" % index for index in range(65_536 + 1)]
    tiles = make_tiles(entries)
    for level in (0, None):
        del tiles[Tile(level=level, index=3).path]
    report = check(tiles, len(entries))
    assert len(report.findings) == 2
    assert report.roots[len(entries)] == compute_root(list(map(hash_leaf, entries)))


def test_a_head_of_leaves_that_nobody_serves_ends_the_reading() -> None:
    report = check(SMALL_TILES, 2**60, 100)
    assert [code for code, _ in codes(report)][-1] == "LOG_TRUNCATED"
    assert report.roots[2**60] is None
    assert report.roots[100] == compute_root(list(map(hash_leaf, SMALL[:100])))
    # Two resources a gap, the last partial tiles of the log's own edge, and that it ended.
    assert len(report.findings) <= 2 * MOST_GAPS + 3


def test_a_log_that_nobody_serves_is_asked_for_64_bundles() -> None:
    report = check({}, 2**60)
    assert codes(report) == [
        *(
            ("TILE_MISSING", Tile(level=level, index=index).path)
            for index in range(64)
            for level in (None, 0)
        ),
        ("LOG_TRUNCATED", Tile(level=None, index=63).path),
    ]
    assert (report.roots, report.entries, report.tiles) == ({2**60: None}, 0, 0)


@pytest.mark.parametrize("levels", [(None,), (0,)])
def test_a_log_without_its_entries_or_its_hashes_is_read_to_the_end(
    levels: tuple[int | None, ...],
) -> None:
    size = 256 * 70
    entries = make_entries(size)
    gone = {Tile(level=level, index=index).path for level in levels for index in range(70)}
    tiles = {path: content for path, content in make_tiles(entries).items() if path not in gone}
    report = check(tiles, size)
    assert {place for _, place in codes(report)} == gone
    assert report.roots[size] == compute_root(list(map(hash_leaf, entries)))


def test_gaps_that_do_not_follow_each_other_end_no_reading() -> None:
    size = 256 * 130
    entries = make_entries(size)
    gone = {
        Tile(level=level, index=index).path for level in (None, 0) for index in range(1, 130, 2)
    }
    tiles = {path: content for path, content in make_tiles(entries).items() if path not in gone}
    report = check(tiles, size)
    assert {place for _, place in codes(report)} == gone
    assert report.entries == 256 * 65


def test_a_whole_tile_that_is_gone_is_asked_for_once() -> None:
    asked: list[str] = []

    def find(tile: Tile) -> bytes | None:
        asked.append(tile.path)
        return None

    check_tree(find, 256)
    assert asked.count(Tile(level=0, index=0).path) == 1


def _find_tessera() -> Path:
    folder = Path(os.environ.get("SPANPROOF_TEST_DATA", "/nowhere"))
    log = folder / "vectors" / "tessera-tlog-tiles" / "testdata" / "log"
    if not log.is_dir():
        pytest.skip("SPANPROOF_TEST_DATA has no vectors/tessera-tlog-tiles")
    return log


@pytest.mark.parametrize("size", range(16))
def test_the_logs_of_tessera_come_to_their_checkpoints(size: int) -> None:
    log = _find_tessera()
    note = (log / f"checkpoint.{size}").read_text(encoding="utf-8")
    head = parse_checkpoint(parse_note(note).text)
    assert head.size == size
    # Its newest head is not the largest of them.
    report = check_tree(lambda tile: _read(log / tile.path), size)
    assert codes(report) == []
    assert report.roots[size] == head.root


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def test_the_paths_of_the_tiles_are_the_specifications() -> None:
    assert all(parse_tile_path(path) is not None for path in SMALL_TILES)
