"""Tiles of a log's tree (C2SP tlog-tiles): where a hash appears, and how a tile is named and read.

A tile holds up to 256 hashes of one level; tile levels are eight tree levels apart. Entries stand
in bundles of up to 256, each with its length before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.log.merkle import HASH_SIZE, MAX_SIZE, hash_children

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TILE_HEIGHT = 8
TILE_WIDTH = 1 << TILE_HEIGHT
#: What the specification allows; above level 7 no tree has a tile.
MAX_LEVEL = 63
#: What a bundle's two bytes of length can say.
MAX_ENTRY_BYTES = 65_535
_NUMBER = r"(?P<number>(?:x[0-9]{3}/){0,6}[0-9]{3})(?:\.p/(?P<width>[1-9][0-9]{0,2}))?"
_HASHES = re.compile(r"tile/(?P<level>0|[1-9][0-9]?)/" + _NUMBER, re.ASCII)
_ENTRIES = re.compile("tile/entries/" + _NUMBER, re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """``width`` hashes at ``level`` (0: of leaves), number ``index`` of that level.

    ``level`` None: not hashes but the bundle of the same leaves' entries. ValueError for one that
    no tree can have.
    """

    level: int | None
    index: int
    width: int = TILE_WIDTH

    def __post_init__(self) -> None:
        is_possible = 0 <= (self.level or 0) <= MAX_LEVEL and 1 <= self.width <= TILE_WIDTH
        if not is_possible or self.index < 0 or self.start > MAX_SIZE:
            msg = f"Expected a level, an index and a width that a tree has, got {self!r}."
            raise ValueError(msg)

    @property
    def start(self) -> int:
        """The first leaf below the tile."""
        return self.index << TILE_HEIGHT * ((self.level or 0) + 1)

    @property
    def path(self) -> str:
        """The resource below the log's prefix."""
        kind = "entries" if self.level is None else str(self.level)
        part = "" if self.width == TILE_WIDTH else f".p/{self.width}"
        return f"tile/{kind}/{_format_number(self.index)}{part}"


#: ``tile`` → its bytes; what it raises for a tile that is missing is the caller's to handle.
ReadTile = Callable[[Tile], bytes]


def parse_tile_path(path: str) -> Tile | None:
    """The tile that a path names; None for any other path, also for a second spelling of one."""
    found = _HASHES.fullmatch(path) or _ENTRIES.fullmatch(path)
    if found is None:
        return None
    level = found.groupdict().get("level")
    try:
        tile = Tile(
            level=None if level is None else int(level),
            index=int(found["number"].replace("x", "").replace("/", "")),
            width=int(found["width"] or TILE_WIDTH),
        )
    except ValueError:
        return None
    # Padding, and a whole tile named as a partial one, are second spellings.
    return tile if tile.path == path else None


def list_new_tiles(old_size: int, new_size: int) -> Iterator[Tile]:
    """The tiles of hashes that a tree of ``new_size`` has and one of ``old_size`` has not.

    From the leaves up, from the left; ValueError unless 0 <= old <= new <= MAX_SIZE.
    """
    if not 0 <= old_size <= new_size <= MAX_SIZE:
        msg = f"Expected sizes 0 <= old <= new <= {MAX_SIZE}, got {old_size} and {new_size}."
        raise ValueError(msg)
    level = 0
    while (count := new_size >> TILE_HEIGHT * level) > 0:
        known = old_size >> TILE_HEIGHT * level
        if count > known:
            for index in range(known // TILE_WIDTH, -(-count // TILE_WIDTH)):
                width = min(TILE_WIDTH, count - index * TILE_WIDTH)
                yield Tile(level=level, index=index, width=width)
        level += 1


class TileReader:
    """Hashes of complete subtrees, read from the tiles of a tree of ``size`` leaves.

    Calling it is a ``spanproof.core.log.merkle.ReadNode``. Each tile is read once; what is above
    its row is computed from it. Nothing shows that a tile is right but a root that its hashes lead
    to.
    """

    def __init__(self, read: ReadTile, size: int) -> None:
        self._read = read
        self._size = size
        self._rows: dict[tuple[int, int], tuple[bytes, ...]] = {}

    def __call__(self, level: int, index: int) -> bytes:
        """The hash of the complete subtree of 2**level leaves at ``index``; ValueError for none."""
        if level < 0 or index < 0 or (index + 1) << level > self._size:
            msg = f"Expected a complete subtree in a tree of {self._size}, got ({level}, {index})."
            raise ValueError(msg)
        tile_level, above = divmod(level, TILE_HEIGHT)
        first = index << above
        row = self._row(tile_level, first // TILE_WIDTH)
        at = first % TILE_WIDTH
        hashes = row[at : at + (1 << above)]
        while len(hashes) > 1:
            pairs = zip(hashes[::2], hashes[1::2], strict=True)
            hashes = tuple(hash_children(left, right) for left, right in pairs)
        return hashes[0]

    def _row(self, level: int, index: int) -> tuple[bytes, ...]:
        known = self._rows.get((level, index))
        if known is not None:
            return known
        count = self._size >> TILE_HEIGHT * level
        width = min(TILE_WIDTH, count - index * TILE_WIDTH)
        row = split_hashes(self._read(Tile(level=level, index=index, width=width)), width)
        self._rows[level, index] = row
        return row


def split_hashes(content: bytes, width: int) -> tuple[bytes, ...]:
    """The hashes of a tile; ValueError unless it has ``width`` of them."""
    if len(content) != width * HASH_SIZE:
        msg = f"Expected a tile of {width * HASH_SIZE} bytes, got {len(content)}."
        raise ValueError(msg)
    return tuple(content[at : at + HASH_SIZE] for at in range(0, len(content), HASH_SIZE))


def join_entries(entries: Sequence[bytes]) -> bytes:
    """A bundle of entries; ValueError for one that is too long."""
    parts = []
    for entry in entries:
        if len(entry) > MAX_ENTRY_BYTES:
            msg = f"Expected an entry of at most {MAX_ENTRY_BYTES} bytes, got {len(entry)}."
            raise ValueError(msg)
        parts += [len(entry).to_bytes(2, "big"), entry]
    return b"".join(parts)


def split_entries(content: bytes) -> tuple[bytes, ...]:
    """The entries of a bundle; ValueError where it ends within one."""
    entries: list[bytes] = []
    at = 0
    while at < len(content):
        size = int.from_bytes(content[at : at + 2], "big")
        entry = content[at + 2 : at + 2 + size]
        if at + 2 + size > len(content):
            msg = f"Expected a bundle of whole entries, got one cut within entry {len(entries)}."
            raise ValueError(msg)
        entries.append(entry)
        at += 2 + size
    return tuple(entries)


def _format_number(number: int) -> str:
    last = f"{number % 1000:03d}"
    while number >= 1000:
        number //= 1000
        last = f"x{number % 1000:03d}/{last}"
    return last
