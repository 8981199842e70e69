"""The cells of a table by columns: a sheet of millions of them, without an object for each.

A sequence of ``TableCell`` like any other: one is made when it is asked for.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from spanproof.core.documents.packed_numbers import Ints
    from spanproof.core.text import CanonicalText

    Indexes: TypeAlias = np.ndarray[Any, np.dtype[np.intp]]
    Keys: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell:
    """One cell: its first row and column, how many it takes, and its spans (none: blank)."""

    row: int
    column: int
    spans: tuple[Span, ...] = ()
    rows: int = 1
    columns: int = 1

    def words(self, text: CanonicalText) -> str:
        """The cell's text with each white space as one blank."""
        return " ".join(" ".join(text.slice(span) for span in self.spans).split())


@dataclass(frozen=True, kw_only=True, eq=False)
class CellColumns(Sequence[TableCell]):
    """Cells in the order of their table.

    The spans of cell ``i`` are those from ``first[i]`` to ``first[i + 1]`` of ``start`` and
    ``end``.
    """

    row: Ints
    column: Ints
    rows: Ints
    columns: Ints
    first: Indexes
    start: Ints
    end: Ints

    @classmethod
    def of(cls, cells: Iterable[TableCell]) -> CellColumns:
        """Columns of any cells; they themselves where they are columns."""
        if isinstance(cells, CellColumns):
            return cells
        made = list(cells)
        spans = [span for cell in made for span in cell.spans]
        return cls(
            row=_column(cell.row for cell in made),
            column=_column(cell.column for cell in made),
            rows=_column(cell.rows for cell in made),
            columns=_column(cell.columns for cell in made),
            first=np.cumsum([0, *(len(cell.spans) for cell in made)]),
            start=_column(span.start for span in spans),
            end=_column(span.end for span in spans),
        )

    def __len__(self) -> int:
        return len(self.row)

    @overload
    def __getitem__(self, index: int) -> TableCell: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[TableCell, ...]: ...
    def __getitem__(self, index: int | slice) -> TableCell | tuple[TableCell, ...]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        at = range(len(self))[index]
        pieces = slice(int(self.first[at]), int(self.first[at + 1]))
        edges = zip(self.start[pieces].tolist(), self.end[pieces].tolist(), strict=True)
        return TableCell(
            row=int(self.row[at]),
            column=int(self.column[at]),
            spans=tuple(Span(*edge) for edge in edges),
            rows=int(self.rows[at]),
            columns=int(self.columns[at]),
        )

    def __iter__(self) -> Iterator[TableCell]:
        return (self[at] for at in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(TableCell.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]  # as of a list: it is as long as a document

    @cached_property
    def row_count(self) -> int:
        """How many rows they take."""
        return int((self.row + self.rows).max(initial=1)) - 1

    @cached_property
    def column_count(self) -> int:
        """How many columns they take."""
        return int((self.column + self.columns).max(initial=1)) - 1

    def find(self, row: int, column: int) -> TableCell | None:
        """The cell that takes a place; of several the last one."""
        keys, order = self._by_place
        at = bisect_right(keys.data, _key(row, column)) - 1
        exact = int(order[at]) if at >= 0 and int(keys[at]) == _key(row, column) else -1
        found = max(exact, self._wide.get((row, column), -1))
        return self[found] if found >= 0 else None

    def touching(self, span: Span) -> Sequence[TableCell]:
        """The cells that a span touches, row by row."""
        starts, ends, owners = self._by_offset
        first, last = bisect_right(ends.data, span.start), bisect_left(starts.data, span.end)
        found = owners[first : max(first, last)]
        # Each once, in the order in which they are met.
        _, met = np.unique(found, return_index=True)
        found = found[np.sort(met)]
        return self._take(found[np.lexsort((self.column[found], self.row[found]))])

    def _take(self, index: Indexes) -> CellColumns:
        held = np.diff(self.first)[index]
        first = np.concatenate([np.zeros(1, np.intp), np.cumsum(held)])
        pieces = np.repeat(self.first[index] - first[:-1], held) + np.arange(int(first[-1]))
        return CellColumns(
            row=self.row[index],
            column=self.column[index],
            rows=self.rows[index],
            columns=self.columns[index],
            first=first,
            start=self.start[pieces],
            end=self.end[pieces],
        )

    @cached_property
    def _by_place(self) -> tuple[Keys, Indexes]:
        """The cells' first places in order, and whose they are."""
        keys = _key(self.row.astype(np.int64), self.column.astype(np.int64))
        if bool(np.all(keys[1:] >= keys[:-1])):
            return keys, np.arange(len(keys))
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    @cached_property
    def _wide(self) -> dict[tuple[int, int], int]:
        """The places of the cells that take several, and whose they are."""
        return {
            (row, column): at
            for at in np.flatnonzero((self.rows > 1) | (self.columns > 1)).tolist()
            for row in range(self.row[at], self.row[at] + self.rows[at])
            for column in range(self.column[at], self.column[at] + self.columns[at])
        }

    @cached_property
    def _by_offset(self) -> tuple[Ints, Ints, Indexes]:
        """Where the stretches of text start and end, in order, and whose they are."""
        owners = np.repeat(np.arange(len(self)), np.diff(self.first))
        if bool(np.all(self.start[1:] > self.start[:-1])):
            return self.start, self.end, owners
        order = np.lexsort((self.end, self.start))
        return self.start[order], self.end[order], owners[order]


def _column(numbers: Iterable[int]) -> Ints:
    return np.fromiter(numbers, np.int32)


def _key(row: Any, column: Any) -> Any:  # noqa: ANN401 - a number or a column of them
    return (row << 32) | column
