"""Two versions of an index: what became of each chunk.

Both sides are arrays of ``CHUNK_FACTS`` in the order of their ids, which may be mapped files: they
are gone through side by side, a block of ids at a time. Beyond the blocks memory holds 16 bytes for
each chunk whose id stands on one side only.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Facts = NDArray[np.void]
    Numbers = NDArray[np.uint64]

#: Rows of the older side that are looked at together.
BLOCK_ROWS = 1 << 18


class ChunkClass(IntEnum):
    """What became of a chunk of the older version; NEW is one of the newer version alone."""

    SAME = 0
    #: The same words elsewhere: other offsets, another document, or under another id.
    MOVED = 1
    #: The same id, other words: an old citation of it now leads to words that it never cited.
    REASSIGNED = 2
    GONE = 3
    NEW = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkCounts:
    """How many chunks there are of each class.

    All but ``new`` add up to the chunks of the older version; ``same``, ``moved``, ``reassigned``
    and ``new`` to those of the newer.
    """

    same: int
    moved: int
    reassigned: int
    gone: int
    new: int

    def to_json(self) -> dict[str, int]:
        """The counts by the names of their classes."""
        return {each.name.lower(): getattr(self, each.name.lower()) for each in ChunkClass}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """A range of ids on both sides, and which rows of ``new`` have the ids of ``old``'s rows."""

    old: Facts
    new: Facts
    #: For each row of ``old`` the row of ``new``, or -1.
    at: NDArray[np.int64]


def count_changes(old: Facts, new: Facts, *, block_rows: int = BLOCK_ROWS) -> ChunkCounts:
    """Classify every chunk of both versions."""
    counts = dict.fromkeys(ChunkClass, 0)
    vanished: list[Numbers] = []
    appeared: list[Numbers] = []
    for block in _walk(old, new, block_rows):
        kept = block.at >= 0
        classes = _compare(block.old[kept], block.new[block.at[kept]])
        for each in (ChunkClass.SAME, ChunkClass.MOVED, ChunkClass.REASSIGNED):
            counts[each] += int(np.count_nonzero(classes == each))
        vanished.append(_words(block.old[~kept]))
        appeared.append(_words(_drop(block.new, block.at[kept])))
    lost, found = _join(vanished), _join(appeared)
    renamed = int(np.count_nonzero(_mark_common(lost, found)))
    return ChunkCounts(
        same=counts[ChunkClass.SAME],
        moved=counts[ChunkClass.MOVED] + renamed,
        reassigned=counts[ChunkClass.REASSIGNED],
        gone=len(lost) - renamed,
        new=len(found) - renamed,
    )


def list_changes(
    old: Facts, new: Facts, *, most: int, block_rows: int = BLOCK_ROWS
) -> dict[ChunkClass, list[tuple[int, int]]]:
    """The ids, as ``to_id`` gives them, of the first ``most`` chunks of each class but SAME.

    In the order of the ids' digests. Of several chunks with the same words as many are MOVED as the
    other side has under a new id.
    """
    found: dict[ChunkClass, list[tuple[int, int]]] = {
        each: [] for each in ChunkClass if each is not ChunkClass.SAME
    }

    def take(each: ChunkClass, rows: Facts) -> None:
        rows = rows[: most - len(found[each])]
        found[each] += zip(rows["id_high"].tolist(), rows["id_low"].tolist(), strict=True)

    vanished: list[Numbers] = []
    appeared: list[Numbers] = []
    for block in _walk(old, new, block_rows):
        vanished.append(_words(block.old[block.at < 0]))
        appeared.append(_words(_drop(block.new, block.at[block.at >= 0])))
    lost, gained = _join(vanished), _join(appeared)
    is_gone, is_new = ~_mark_common(lost, gained), ~_mark_common(gained, lost)
    lost_rows = gained_rows = 0
    for block in _walk(old, new, block_rows):
        kept = block.at >= 0
        here = block.old[kept]
        classes = _compare(here, block.new[block.at[kept]])
        take(ChunkClass.MOVED, here[classes == ChunkClass.MOVED])
        take(ChunkClass.REASSIGNED, here[classes == ChunkClass.REASSIGNED])
        without = block.old[~kept]
        marks = is_gone[lost_rows : lost_rows + len(without)]
        lost_rows += len(without)
        take(ChunkClass.MOVED, without[~marks])
        take(ChunkClass.GONE, without[marks])
        extra = _drop(block.new, block.at[kept])
        take(ChunkClass.NEW, extra[is_new[gained_rows : gained_rows + len(extra)]])
        gained_rows += len(extra)
    return found


def find_rows(facts: Facts, high: Numbers, low: Numbers) -> NDArray[np.int64]:
    """The rows of these ids; -1 for one that is not there."""
    return _find(facts["id_high"].copy(), facts["id_low"], high, low)


def _find(highs: Numbers, lows: Numbers, high: Numbers, low: Numbers) -> NDArray[np.int64]:
    at = np.searchsorted(highs, high)
    if not len(highs):
        return np.full(len(high), -1, dtype=np.int64)
    # Ids that share their first half are side by side: go on until the second is the same too.
    while True:
        here = np.minimum(at, len(highs) - 1)
        beside = (at < len(highs)) & (highs[here] == high) & (lows[here] != low)
        if not beside.any():
            break
        at = at + beside
    return np.where((at < len(highs)) & (highs[here] == high), at, -1)


def _walk(old: Facts, new: Facts, block_rows: int) -> Iterator[_Block]:
    first_old = first_new = 0
    while first_old < len(old) or first_new < len(new):
        end_old, end_new = len(old), len(new)
        edges = [
            facts["id_high"][first + block_rows]
            for facts, first in ((old, first_old), (new, first_new))
            if first + block_rows < len(facts)
        ]
        if edges:
            # Rows that share the first half of their id are never parted.
            edge = min(edges)
            end_old, end_new = _search(old, edge, first_old), _search(new, edge, first_new)
            if (end_old, end_new) == (first_old, first_new):
                end_old = _search(old, edge, first_old, after=True)
                end_new = _search(new, edge, first_new, after=True)
        left, right = np.array(old[first_old:end_old]), np.array(new[first_new:end_new])
        at = _find(right["id_high"].copy(), right["id_low"], left["id_high"], left["id_low"])
        yield _Block(old=left, new=right, at=at)
        first_old, first_new = end_old, end_new


def _search(facts: Facts, high: np.uint64, first: int, *, after: bool = False) -> int:
    # Halving on the mapped file itself: a search over a column would copy all of it.
    low, above = first, len(facts)
    while low < above:
        middle = (low + above) // 2
        value = facts["id_high"][middle]
        if value < high or (after and value == high):
            low = middle + 1
        else:
            above = middle
    return low


def _compare(old: Facts, new: Facts) -> NDArray[np.int8]:
    """The classes of chunks whose ids are on both sides, row by row."""
    is_same_text = (old["text_high"] == new["text_high"]) & (old["text_low"] == new["text_low"])
    is_same_name = (old["words_high"] == new["words_high"]) & (old["words_low"] == new["words_low"])
    # If one side gives no offsets, there is no move to see.
    is_given = (old["start"] >= 0) & (new["start"] >= 0)
    is_same_place = ~is_given | ((old["start"] == new["start"]) & (old["end"] == new["end"]))
    classes = np.full(len(old), ChunkClass.REASSIGNED, dtype=np.int8)
    classes[is_same_text] = ChunkClass.MOVED
    classes[is_same_text & is_same_name & is_same_place] = ChunkClass.SAME
    return classes


def _drop(rows: Facts, taken: NDArray[np.int64]) -> Facts:
    is_left = np.ones(len(rows), dtype=bool)
    is_left[taken] = False
    return rows[is_left]


def _words(rows: Facts) -> Numbers:
    return np.stack([rows["words_high"], rows["words_low"]], axis=1)


def _join(parts: list[Numbers]) -> Numbers:
    return np.concatenate(parts) if parts else np.empty((0, 2), dtype=np.uint64)


def _mark_common(one: Numbers, other: Numbers) -> NDArray[np.bool_]:
    """Which rows of ``one`` have a partner in ``other``: each of the latter is one's only."""
    mine, theirs = (np.lexsort((words[:, 1], words[:, 0])) for words in (one, other))
    # The n-th of equal ones has a partner where the other side has n of them.
    values, first = _group(other[theirs])
    counts = np.diff(np.append(first, len(other)))
    ordered = one[mine]
    _, mine_first = _group(ordered)
    lengths = np.diff(np.append(mine_first, len(one)))
    rank = np.arange(len(one)) - np.repeat(mine_first, lengths)
    at = _find(values[:, 0].copy(), values[:, 1], ordered[:, 0], ordered[:, 1])
    marks = np.zeros(len(one), dtype=bool)
    if len(values):
        marks[mine] = (at >= 0) & (rank < counts[np.maximum(at, 0)])
    return marks


def _group(ordered: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
    """Each value once, and where it appears first."""
    if not len(ordered):
        return ordered, np.empty(0, dtype=np.int64)
    first = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1)))
    return ordered[first], first
