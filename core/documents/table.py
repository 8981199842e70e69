"""Tables over canonical text: cells by row and column, each a list of spans, blank ones included.

Rows and columns count from 1, also over the pages of a table that goes on. A cell of a page may
stand in the text in several pieces: its text is theirs, joined by one space.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanproof.core.geometry import Rect
    from spanproof.core.span import Span
    from spanproof.core.text import CanonicalText


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

    ``number`` counts the tables of the document from 1; ``parts`` has one entry for each page.
    """

    number: int
    cells: tuple[TableCell, ...]
    parts: tuple[TablePart, ...]
    header_rows: tuple[int, ...] = ()
    header_columns: int = 1
    caption: Span | None = None

    @property
    def spans(self) -> Iterator[Span]:
        """All stretches of the text that the table names."""
        yield from () if self.caption is None else (self.caption,)
        for cell in self.cells:
            yield from cell.spans

    @cached_property
    def row_count(self) -> int:
        """How many rows the table has."""
        return max((cell.row + cell.rows - 1 for cell in self.cells), default=0)

    @cached_property
    def column_count(self) -> int:
        """How many columns the table has."""
        return max((cell.column + cell.columns - 1 for cell in self.cells), default=0)

    @cached_property
    def _by_place(self) -> dict[tuple[int, int], TableCell]:
        return {place: cell for cell in self.cells for place in _places_of(cell)}

    def find_cell(self, row: int, column: int) -> TableCell | None:
        """The cell that takes this place."""
        return self._by_place.get((row, column))

    def cells_of(self, span: Span) -> tuple[TableCell, ...]:
        """The cells that a span touches, in their order."""
        starts, ends, cells = self._by_offset
        first, last = bisect_right(ends, span.start), bisect_left(starts, span.end)
        met = dict.fromkeys(cells[first:last])
        return tuple(sorted(met, key=lambda cell: (cell.row, cell.column)))

    @cached_property
    def _by_offset(self) -> tuple[list[int], list[int], list[TableCell]]:
        """Where the cells' stretches of text start and end, in order, and whose they are."""
        stretches = sorted(
            ((span.start, span.end, cell) for cell in self.cells for span in cell.spans),
            key=lambda stretch: stretch[:2],
        )
        starts, ends, cells = [], [], []
        for start, end, cell in stretches:
            starts.append(start)
            ends.append(end)
            cells.append(cell)
        return starts, ends, cells

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


def _places_of(cell: TableCell) -> Iterator[tuple[int, int]]:
    for row in range(cell.row, cell.row + cell.rows):
        for column in range(cell.column, cell.column + cell.columns):
            yield row, column
