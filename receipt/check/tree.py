"""A log read whole: entries → leaf hashes → tiles → roots, each computed and compared.

What a log serves is believed nowhere: a tile is compared with what the entries below it come to,
and the roots that are compared with checkpoints are computed from the entries. Where entries are
missing, their tile's hashes stand in, so that one gap does not hide what lies behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanproof.core.log.merkle import EMPTY_ROOT, HASH_SIZE, compute_root, hash_children, hash_leaf
from spanproof.core.log.tiles import TILE_WIDTH, Tile, split_entries, split_hashes
from spanproof.receipt.check.finding import Findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: ``tile`` → its bytes; None where the log has no such tile.
FindTile = Callable[[Tile], bytes | None]
#: Called with the index and the bytes of each entry, in order.
VisitEntry = Callable[[int, bytes], None]
#: Called now and then with the number of leaves that were read.
Advance = Callable[[int], None]
_Row = list[bytes | None]
#: So many bundles and their tiles missing in a row: the rest is not asked for, there may be no end.
MOST_GAPS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeReport:
    """The tree of the first ``size`` leaves, computed again.

    ``roots`` are those of the sizes that were asked for and of ``size``: None where a tile is
    missing below one. ``entries`` and ``tiles`` count what was read.
    """

    size: int
    roots: Mapping[int, bytes | None]
    entries: int
    tiles: int
    findings: Findings


def check_tree(
    find: FindTile,
    size: int,
    *,
    sizes: Iterable[int] = (),
    visit: VisitEntry = lambda _index, _entry: None,
    advance: Advance = lambda _leaves: None,
) -> TreeReport:
    """Read every entry and tile of a log of ``size`` leaves and compute it again."""
    check = _Check(find, visit, sorted({each for each in sizes if 0 <= each <= size} | {size}))
    for index in range(-(-size // TILE_WIDTH)):
        check.read_leaves(index, min(TILE_WIDTH, size - index * TILE_WIDTH))
        advance(min(size, (index + 1) * TILE_WIDTH))
        if check.gaps == MOST_GAPS:
            check.stop(index, size)
            break
    else:
        check.close_rows(size)
    return TreeReport(
        size=size,
        roots=check.roots,
        entries=check.entries,
        tiles=check.tiles,
        findings=check.findings,
    )


@dataclass(slots=True)
class _Check:
    """The right edge of the tree as it grows: of each tile level, the hashes of its open tile."""

    find: FindTile
    visit: VisitEntry
    sizes: list[int]
    roots: dict[int, bytes | None] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)
    entries: int = 0
    tiles: int = 0
    gaps: int = 0
    open_rows: list[_Row] = field(default_factory=lambda: [[]])
    #: How many tiles of each level are complete.
    complete: list[int] = field(default_factory=lambda: [0])

    def read_leaves(self, index: int, width: int) -> None:
        """Read one bundle and its tile, and put their leaves into the tree."""
        found = self._hash_bundle(Tile(level=None, index=index, width=width))
        tile = Tile(level=0, index=index, width=width)
        served = self._read_hashes(tile)
        if found is not None:
            self._compare(tile, found, served)
        self.gaps = self.gaps + 1 if found is None and served is None else 0
        row: _Row = list(found or served or [None] * width)
        first = index * TILE_WIDTH
        while self.sizes and self.sizes[0] <= first + width:
            self._note_root(self.sizes.pop(0), row, first)
        self.open_rows[0] = row
        if width == TILE_WIDTH:
            self._close_row(0)

    def close_rows(self, size: int) -> None:
        """Compare the partial tiles above the leaves: nothing comes after them."""
        for level, row in enumerate(self.open_rows):
            if level and row:
                self._check_tile(Tile(level=level, index=self.complete[level], width=len(row)), row)
        if not size:
            self.roots[0] = EMPTY_ROOT

    def stop(self, index: int, size: int) -> None:
        """Record that the rest was not read: no root can be computed."""
        self.findings.add(
            code="LOG_TRUNCATED",
            place=Tile(level=None, index=index).path,
            message=f"Expected {size} leaves, got none for {MOST_GAPS} bundles up to here. "
            "What follows was not asked for.",
        )
        self.roots |= dict.fromkeys(self.sizes)

    def _note_root(self, size: int, row: _Row, first: int) -> None:
        rows = [row[: size - first], *self.open_rows[1:]]
        peaks = [peak for each in reversed(rows) for peak in _list_peaks(each)]
        self.roots[size] = _join(peaks) if peaks else EMPTY_ROOT

    def _close_row(self, level: int) -> None:
        row = self.open_rows[level]
        if level:
            self._check_tile(Tile(level=level, index=self.complete[level]), row)
        if level + 1 == len(self.open_rows):
            self.open_rows.append([])
            self.complete.append(0)
        self.complete[level] += 1
        self.open_rows[level] = []
        above = self.open_rows[level + 1]
        above.append(_reduce(row))
        if len(above) == TILE_WIDTH:
            self._close_row(level + 1)

    def _check_tile(self, tile: Tile, row: _Row) -> None:
        served = self._read_hashes(tile)
        self._compare(tile, row, served)
        for at, known in enumerate(row):
            # What could not be computed is taken from the tile: the roots are told in any case.
            if known is None and served is not None:
                row[at] = served[at]

    def _compare(self, tile: Tile, row: _Row, served: tuple[bytes, ...] | None) -> None:
        if served is None or list(served) == row:
            return
        for at, (known, other) in enumerate(zip(row, served, strict=True)):
            if known is not None and known != other:
                what = "leaf" if tile.level == 0 else f"node of level {tile.level}"
                number = tile.index * TILE_WIDTH + at
                self.findings.add(
                    code="TILE_MISMATCH",
                    place=tile.path,
                    message=f"Expected {what} {number} to be {known.hex()} by what is below it, "
                    f"got {other.hex()}.",
                )

    def _hash_bundle(self, tile: Tile) -> _Row | None:
        content = self._find(tile)
        if content is None:
            return None
        try:
            entries = split_entries(content)
        except ValueError as error:
            self.findings.add(code="TILE_MALFORMED", place=tile.path, message=str(error))
            return None
        if len(entries) != tile.width:
            self.findings.add(
                code="TILE_MALFORMED",
                place=tile.path,
                message=f"Expected {tile.width} entries, got {len(entries)}.",
            )
            return None
        first = tile.index * TILE_WIDTH
        for at, entry in enumerate(entries):
            self.visit(first + at, entry)
        self.entries += len(entries)
        return list(map(hash_leaf, entries))

    def _read_hashes(self, tile: Tile) -> tuple[bytes, ...] | None:
        content = self._find(tile)
        if content is None:
            return None
        try:
            return split_hashes(content, tile.width)
        except ValueError as error:
            self.findings.add(code="TILE_MALFORMED", place=tile.path, message=str(error))
            return None

    def _find(self, tile: Tile) -> bytes | None:
        """The tile; of a partial one that is gone, the beginning of the full one (tlog-tiles)."""
        content = self.find(tile)
        if content is None and tile.width < TILE_WIDTH:
            content = self.find(Tile(level=tile.level, index=tile.index))
            content = None if content is None else _cut(content, tile)
        if content is None:
            self.findings.add(
                code="TILE_MISSING",
                place=tile.path,
                message="Expected this tile, which the checkpoint requires, got none.",
            )
            return None
        self.tiles += 1
        return content


def _cut(content: bytes, tile: Tile) -> bytes:
    if tile.level is not None:
        return content[: tile.width * HASH_SIZE]
    at = 0
    for _ in range(tile.width):
        at += 2 + int.from_bytes(content[at : at + 2], "big")
    return content[:at]


def _list_peaks(row: _Row) -> list[bytes | None]:
    """The largest complete subtrees of a row, from the left."""
    peaks: list[bytes | None] = []
    at = 0
    while at < len(row):
        width = 1 << (len(row) - at).bit_length() - 1
        peaks.append(_reduce(row[at : at + width]))
        at += width
    return peaks


def _reduce(row: _Row) -> bytes | None:
    known = [each for each in row if each is not None]
    return compute_root(known) if len(known) == len(row) else None


def _join(peaks: list[bytes | None]) -> bytes | None:
    """The root above complete subtrees that get smaller to the right."""
    root = peaks[-1]
    for peak in reversed(peaks[:-1]):
        if peak is None or root is None:
            return None
        root = hash_children(peak, root)
    return root
