"""What white space parts where a document has cells: two cells of a row, or two rows.

A document of blocks says itself what its cells and rows are. A page draws them: there they are the
cells of the tables that were found on it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spanproof.core.documents.table import is_value

if TYPE_CHECKING:
    from spanproof.core.documents.blocks import Blocks
    from spanproof.core.documents.cell_columns import TableCell
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.table import Table
    from spanproof.core.span import Span
    from spanproof.core.text import CanonicalText

#: What white space parts beside words: cells of one row, or rows.
Crossing = Literal["cell", "row"]
#: Cells nest a few deep at most: farther back nothing reaches an offset.
_DEEP = 64
#: A line of so many words is more than a name: a sentence may go on below it.
_SENTENCE_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockCells:
    """The cells of a document that says itself what its cells and rows are."""

    cells: Blocks
    rows: Blocks

    def find_crossing(self, left: int, right: int) -> Crossing | None:
        """What the white space ``text[left:right]`` parts beside words; None: words alone."""
        one, other = (_holding(self.cells, at) for at in (left - 1, right))
        if one == other:
            return None
        rows = [_holding(self.rows, at) for at in (left - 1, right)]
        return "cell" if rows[0] is not None and rows[0] == rows[1] else "row"


def block_cells_of(blocks: Blocks) -> BlockCells | None:
    """The cells that blocks mark; None if there are none."""
    filled = blocks.start < blocks.end
    cells, rows = (blocks.take(filled & blocks.is_kind(kind)) for kind in ("cell", "row"))
    return BlockCells(cells=cells, rows=rows) if cells else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellPair:
    """The two cells of tables on pages that white space stands between."""

    table: Table
    one: TableCell
    other_table: Table
    other: TableCell

    @property
    def is_one_cell(self) -> bool:
        """Whether the white space stands inside one cell."""
        return self.one is self.other

    @property
    def crossing(self) -> Crossing:
        """What the tables say that the white space parts."""
        first, last = sorted((self.one, self.other), key=lambda cell: cell.row)
        is_row = self.table is self.other_table and last.row < first.row + first.rows
        return "cell" if is_row else "row"

    def may_wrap(self, text: CanonicalText) -> bool:
        """Whether the second cell may be the rest of the first: a name or sentence in two lines.

        Who finds tables sees lines, and may take one cell of two lines for two rows. Then nothing
        stands between the two in their column, neither is a value, and they are all that one of
        their rows holds, or both head columns, or the first one is a line of a sentence.
        """
        table, one, other = self.table, self.one, self.other
        if table is not self.other_table or one.column != other.column or one.row >= other.row:
            return False
        between = (table.find_cell(row, one.column) for row in range(one.row + 1, other.row))
        if any(cell is not None and cell != one and cell.spans for cell in between):
            return False
        words = one.words(text)
        if is_value(words) or is_value(other.words(text)):
            return False
        return (
            _is_alone(table, one)
            or _is_alone(table, other)
            or {one.row, other.row} <= set(table.header_rows)
            or len(words.split()) >= _SENTENCE_WORDS
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCells:
    """The cells of the tables on pages, in the order of their stretches of text."""

    starts: tuple[int, ...]
    stretches: tuple[tuple[Span, Table, TableCell], ...]

    def find_pair(self, left: int, right: int) -> CellPair | None:
        """The cells that end before and begin behind the white space ``text[left:right]``."""
        one, other = self._at(left - 1), self._at(right)
        if one is None or other is None:
            return None
        return CellPair(table=one[0], one=one[1], other_table=other[0], other=other[1])

    def _at(self, offset: int) -> tuple[Table, TableCell] | None:
        index = bisect_right(self.starts, offset) - 1
        if index < 0 or self.stretches[index][0].end <= offset:
            return None
        _, table, cell = self.stretches[index]
        return table, cell


def page_cells_of(extraction: Extraction) -> PageCells | None:
    """The cells of the tables that were found on pages; None if there are none."""
    stretches = sorted(
        (
            (span, table, cell)
            for table in extraction.tables
            for cell in table.cells
            for span in cell.spans
        ),
        key=lambda stretch: stretch[0].start,
    )
    starts = tuple(span.start for span, _, _ in stretches)
    return PageCells(starts=starts, stretches=tuple(stretches)) if stretches else None


def _is_alone(table: Table, cell: TableCell) -> bool:
    """Whether a cell is all that its rows hold."""
    rows = range(cell.row, cell.row + cell.rows)
    return not any(other.spans for row in rows for other in table.row_cells(row) if other != cell)


def _holding(blocks: Blocks, at: int) -> tuple[int, int] | None:
    """The span of the innermost block that holds an offset; they are ordered, outer ones first."""
    after = blocks.count_before(at + 1)
    for index in range(after - 1, max(after - _DEEP, 0) - 1, -1):
        if blocks.end[index] > at:
            return int(blocks.start[index]), int(blocks.end[index])
    return None
