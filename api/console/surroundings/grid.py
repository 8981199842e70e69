"""A window of a sheet or of a CSV file around a span: column letters, row numbers, the header."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.api.console.surroundings.pieces import Words, cut_words
from spanproof.core.documents.cell_address import name_column
from spanproof.core.documents.tables_of import tables_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.api.console.surroundings.pieces import Room
    from spanproof.core.documents.cell_columns import TableCell
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.table import Table
    from spanproof.core.span import Span

#: Header rows and marked rows or columns that are shown at most.
_MOST_HEADS, _MOST_MARKED = 3, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class GridCell:
    """A cell of the window: its words (None: blank), and how much of the window it takes."""

    words: Words | None
    rows: int = 1
    columns: int = 1

    @property
    def is_marked(self) -> bool:
        """Whether the span has some of it."""
        return self.words is not None and self.words.is_marked


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """A row with its own number; ``is_apart``: rows before it are left out."""

    number: int
    cells: tuple[GridCell, ...]
    is_head: bool
    is_apart: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The window: the sheet's name, its columns by letter, its rows, and the size of the whole."""

    sheet: str | None
    columns: tuple[str, ...]
    rows: tuple[GridRow, ...]
    row_count: int
    column_count: int


def make_grid(extraction: Extraction, marks: Sequence[Span], room: Room) -> Grid | None:
    """The table that has the spans; None where they touch no cell of any."""
    for table in tables_of(extraction):
        touched = [cell for mark in marks for cell in table.cells_of(mark)]
        if touched:
            return _cut(extraction, table, touched, marks, room)
    return None


def _cut(
    extraction: Extraction,
    table: Table,
    touched: Sequence[TableCell],
    marks: Sequence[Span],
    room: Room,
) -> Grid:
    rows = _choose(
        table.header_rows[:_MOST_HEADS],
        [number for cell in touched for number in (cell.row, cell.row + cell.rows - 1)],
        room.rows,
        table.row_count,
    )
    columns = _choose(
        range(1, min(table.header_columns, _MOST_HEADS) + 1),
        [number for cell in touched for number in (cell.column, cell.column + cell.columns - 1)],
        room.columns,
        table.column_count,
    )
    page = extraction.page_at(touched[0].spans[0].start)
    made = []
    seen: set[TableCell] = set()
    for before, number in zip([0, *rows], rows, strict=False):
        cells = []
        for column in columns:
            cell = table.find_cell(number, column)
            if cell is None:
                cells.append(GridCell(words=None))
            elif cell not in seen:
                seen.add(cell)
                words = cut_words(extraction, cell.spans[0], marks, room) if cell.spans else None
                cells.append(_to_cell(cell, words, rows, columns))
        made.append(
            GridRow(
                number=number,
                cells=tuple(cells),
                is_head=number in table.header_rows,
                is_apart=number > before + 1,
            )
        )
    return Grid(
        sheet=page.label,
        columns=tuple(map(name_column, columns)),
        rows=tuple(made),
        row_count=table.row_count,
        column_count=table.column_count,
    )


def _to_cell(
    cell: TableCell, words: Words | None, rows: Sequence[int], columns: Sequence[int]
) -> GridCell:
    """The cell as much of it as the window's rows and columns show."""
    return GridCell(
        words=words,
        rows=sum(cell.row <= number < cell.row + cell.rows for number in rows),
        columns=sum(cell.column <= number < cell.column + cell.columns for number in columns),
    )


def _choose(heads: Sequence[int], marked: Sequence[int], around: int, count: int) -> list[int]:
    """Numbers of rows or columns: the headers, and those around the marked ones."""
    first = min(marked)
    last = min(max(marked), first + _MOST_MARKED)
    near = range(max(1, first - around), min(count, last + around) + 1)
    return sorted({*heads, *near})
