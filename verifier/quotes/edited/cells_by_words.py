"""Cells found by all of their words, in tables of any size.

An ordinary cell is one stretch of text that is its words: such cells are compared by their length
and then letter by letter, all at once. The others, and other forms of a cell's value, are listed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.cell_columns import CellColumns
from spanproof.core.documents.match_views import to_codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanproof.core.documents.cell_columns import Indexes, TableCell
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.packed_numbers import Ints
    from spanproof.core.documents.table import Table

    Codes = np.ndarray[Any, np.dtype[np.uint32]]
    Mask = np.ndarray[Any, np.dtype[np.bool_]]

#: What ``str.split`` parts words by; all of it lies in the first plane.
_WHITE = np.array([chr(code).isspace() for code in range(0x10000)])
_BLANK = ord(" ")
_NO_CELLS = (np.zeros(0, np.int32), np.zeros(0, np.int32))


class CellsByWords:
    """Some cells of tables, each under a number: its place in the order in which they are given."""

    def __init__(
        self,
        extraction: Extraction,
        chosen: Sequence[tuple[Table, Indexes]],
        forms: Mapping[int, Sequence[str]] | None = None,
    ) -> None:
        self._tables = [table for table, _ in chosen]
        self._table = np.repeat(np.arange(len(chosen)), [len(cells) for _, cells in chosen])
        self._cell = np.concatenate([np.zeros(0, np.intp), *(cells for _, cells in chosen)])
        edges = [_NO_CELLS, *(_edges(CellColumns.of(t.cells), cells) for t, cells in chosen)]
        start, end = map(np.concatenate, zip(*edges, strict=True))
        self._codes = to_codes(extraction.text.text)
        ordinary = (start >= 0) & _are_words(self._codes, start, end)
        self._listed: dict[str, list[int]] = defaultdict(list)
        told = forms or {}
        for number in np.flatnonzero(~ordinary | np.isin(start, list(told))).tolist():
            _, cell = self.get(number)
            said = (cell.words(extraction.text), *told.get(cell.spans[0].start, ()))
            for words in said:
                self._listed[words].append(number)
        numbers = np.flatnonzero(ordinary)
        lengths = (end - start)[numbers]
        order = np.argsort(lengths, kind="stable")
        self._numbers, self._lengths = numbers[order], lengths[order]
        self._starts = start[self._numbers]

    def get(self, number: int) -> tuple[Table, TableCell]:
        """The table and the cell of a number."""
        table = self._tables[int(self._table[number])]
        return table, table.cells[int(self._cell[number])]

    def place(self, number: int) -> tuple[int, int]:
        """The place of a number's table, and of the cell among those chosen of it."""
        table = int(self._table[number])
        return table, number - int(np.searchsorted(self._table, table))

    def find(self, words: str, *, most: int) -> list[int]:
        """The numbers of the cells that say these words, the first ones of many."""
        length = len(words)
        first = bisect_left(self._lengths.data, length)
        alike = np.arange(first, bisect_right(self._lengths.data, length, lo=first))
        # From the end: names and numbers that follow each other differ there.
        for offset in range(length - 1, -1, -1):
            if not len(alike):
                break
            alike = alike[self._codes[self._starts[alike] + offset] == ord(words[offset])]
        found = self._numbers[alike][:most].tolist()
        return sorted({*found, *self._listed.get(words, ())})[:most]


def _edges(cells: CellColumns, chosen: Indexes) -> tuple[Ints, Ints]:
    """Where the only stretch of each cell starts and ends; -1 for a cell of several."""
    first, is_one = cells.first[chosen], np.diff(cells.first)[chosen] == 1
    start, end = (np.full(len(chosen), -1, np.int32) for _ in range(2))
    start[is_one], end[is_one] = cells.start[first[is_one]], cells.end[first[is_one]]
    return start, end


def _are_words(codes: Codes, start: Ints, end: Ints) -> Mask:
    """Which stretches are the same where white space is folded: single blanks, none at an edge."""
    white = _WHITE.take(codes, mode="clip") & (codes < len(_WHITE))
    odd = white & (codes != _BLANK)
    odd[1:] |= white[1:] & white[:-1]
    before = np.concatenate([np.zeros(1, np.int32), np.cumsum(odd, dtype=np.int32)])
    edges = np.append(white, True)
    inside = before[end] - before[np.minimum(start + 1, len(odd))]
    fits: Mask = (start < end) & (inside <= 0) & ~edges[start] & ~edges[end - 1]
    return fits
