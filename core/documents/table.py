"""Tables over canonical text: cells by row and column, each a list of spans, blank ones included.

Rows and columns count from 1, also over the pages of a table that goes on. A cell of a page may
stand in the text in several pieces: its text is theirs, joined by one space.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from spanproof.core.documents.cell_columns import CellColumns, TableCell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.core.geometry import Rect
    from spanproof.core.span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePart:
    """What one page (from 1) shows of a table: its rows up to ``last_row``, its box as displayed.

    ``bbox`` is in points from the top left; None where pages have no geometry.
    """

    page: int
    first_row: int
    last_row: int
    bbox: Rect | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A table: its cells row by row, its header rows, how many columns name its rows, its caption.

    ``number`` counts the tables of the document from 1; ``parts`` has one entry for each page. The
    ``cells`` become columns (``CellColumns``).
    """

    number: int
    cells: Sequence[TableCell]
    parts: tuple[TablePart, ...]
    header_rows: tuple[int, ...] = ()
    header_columns: int = 1
    caption: Span | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", CellColumns.of(self.cells))

    @property
    def reach(self) -> int:
        """Where the last stretch of text ends that the table names."""
        caption = 0 if self.caption is None else self.caption.end
        return max(caption, int(self._columns.end.max(initial=0)))

    @property
    def column_count(self) -> int:
        """How many columns the table has."""
        return self._columns.column_count

    @property
    def row_count(self) -> int:
        """How many rows the table has."""
        return self._columns.row_count

    @property
    def _columns(self) -> CellColumns:
        return CellColumns.of(self.cells)

    def find_cell(self, row: int, column: int) -> TableCell | None:
        """The cell that takes this place."""
        return self._columns.find(row, column)

    def cells_of(self, span: Span) -> Sequence[TableCell]:
        """The cells that a span touches, in their order."""
        return self._columns.touching(span)

    def row_cells(self, row: int) -> tuple[TableCell, ...]:
        """The cells of one row from left to right, those that reach into it included."""
        found = (self.find_cell(row, column) for column in range(1, self.column_count + 1))
        return tuple(dict.fromkeys(cell for cell in found if cell is not None))

    def column_headers(self, cell: TableCell) -> tuple[TableCell, ...]:
        """The filled cells of the header rows above a cell's first column, from the top."""
        if cell.row in self.header_rows:
            return ()
        # The header rows of the cell's own page stand last above it.
        above = [row for row in self.header_rows if row < cell.row]
        near = [row for row in above if row > above[-1] - len(self._first_header)] if above else []
        found = (self.find_cell(row, cell.column) for row in near)
        return tuple(dict.fromkeys(head for head in found if head is not None and head.spans))

    def row_headers(self, cell: TableCell) -> tuple[TableCell, ...]:
        """The filled cells to the left that name the row of a cell."""
        if cell.column <= self.header_columns:
            return ()
        found = (self.find_cell(cell.row, column) for column in range(1, self.header_columns + 1))
        return tuple(dict.fromkeys(head for head in found if head is not None and head.spans))

    @cached_property
    def _first_header(self) -> tuple[int, ...]:
        """The header rows at the top of the table; a page further on may repeat them."""
        leading = enumerate(self.header_rows, start=1)
        return tuple(row for count, row in leading if row == count)

    def page_of(self, cell: TableCell) -> int:
        """The page on which the cell's row stands."""
        return next((p.page for p in self.parts if p.last_row >= cell.row), self.parts[-1].page)


#: A value: digits with signs and marks around them, or a mark that stands for none.
_VALUE = re.compile(
    r"[^\w\s]{0,3}\s*(?:[A-Z]{2,3}\s*)?[^\w\s]{0,3}\s*\d[\d.,:/\s'\u2019\u2013-]*"
    r"(?:[^\w\s]{0,4}|\s?[^\W\d_]{1,3}|\s?\([^()]{1,12}\)){0,2}"
    r"|[\u2013\u2014\u2212*.\u2026-]{1,4}|[nN]\.?/?[aAdD]\.?"
)
#: A year, a span of two, a date: what columns are called.
_YEAR = re.compile(
    r"(?:FY\s?)?(?:19|20)\d\d(?:\s?[/\u2013-]\s?(?:\d\d){1,2})?\s?[a-z*]?"
    r"|\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?(?:\s?\([a-z]\))?"
)
_VALUE_MOST, _MOST_HEADS = 24, 6


def is_value(words: str) -> bool:
    """Whether a cell holds a number or a mark for none; a year may be a name, too."""
    words = words.strip()
    return len(words) <= _VALUE_MOST and bool(_VALUE.fullmatch(words))


def is_year(words: str) -> bool:
    """Whether a cell holds a year, a span of two, or a date."""
    return bool(_YEAR.fullmatch(words.strip()))


def count_heads(rows: Iterable[Sequence[tuple[int, str]]], row_count: int) -> int:
    """How many rows at the top hold names, not values; one where no row near the top has a value.

    ``rows`` are from the top, each with the columns (from 1) and the words of its filled cells.
    """
    head = 0
    for number, row in enumerate(islice(rows, _MOST_HEADS), start=1):
        others = [words for column, words in row if column > 1]
        if any(is_value(words) and not is_year(words) for words in others):
            return head
        if others:
            head = number
    return min(1, row_count - 1)
