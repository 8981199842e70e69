"""The tables of an extraction: those found on its pages, or those that its blocks mark.

A workbook, a web page or a text document says itself what its rows and cells are: its tables are
read from its blocks, also of extractions that were stored before tables were kept. A place of such
a table without a cell is blank. A sheet's rows keep their own numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from spanproof.core.documents.blocks import Blocks
from spanproof.core.documents.cell_address import read_address
from spanproof.core.documents.cell_columns import CellColumns
from spanproof.core.documents.table import Table, TablePart, count_heads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.citation import ClaimedCell
    from spanproof.core.documents.blocks import Indexes, Mask
    from spanproof.core.documents.cell_columns import TableCell
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.packed_numbers import Ints
    from spanproof.core.documents.text_block import Block
    from spanproof.core.span import Span

#: A cell that claims more places than these is one place.
_MOST_PLACES = 10_000
#: What ``read_address`` reads: seven figures, four letters.
_LAST_ROW, _LAST_COLUMN = 9_999_999, 475_254
#: In the column of headers.
_IS_HEADER = 1
#: A caption stands so near before its table, or behind it, in characters.
_CAPTION_APART = 3
#: Cells of one span that are described.
MOST_CELLS = 50
_TABLES: WeakKeyDictionary[Extraction, tuple[Table, ...]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class CellPlace:
    """Where a span stands in a table, in words: the cell, and what names its row and column."""

    table: Table
    cell: TableCell
    text: str
    column_headers: tuple[str, ...]
    row_headers: tuple[str, ...]
    caption: str | None

    @property
    def words(self) -> str:
        """The place as a person says it: ``table 2, row 3, column 4 (Revenue, 2019)``."""
        named = ", ".join((*self.row_headers, *self.column_headers))
        at = f"table {self.table.number}, row {self.cell.row}, column {self.cell.column}"
        return f"{at} ({named})" if named else at

    def to_json(self) -> dict[str, Any]:
        """The cell with offsets in code points; rows, columns and pages count from 1."""
        cell = self.cell
        return {
            "table": self.table.number,
            "row": cell.row,
            "column": cell.column,
            "rows": cell.rows,
            "columns": cell.columns,
            "char_spans": [[span.start, span.end] for span in cell.spans],
            "text": self.text,
            "row_headers": list(self.row_headers),
            "column_headers": list(self.column_headers),
            "caption": self.caption,
            "page": self.table.page_of(cell),
        }


def tables_of(extraction: Extraction) -> tuple[Table, ...]:
    """The tables in the order of the text; made once while the extraction lives."""
    if extraction.tables:
        return extraction.tables
    tables = _TABLES.get(extraction)
    if tables is None:
        tables = _TABLES[extraction] = tuple(_from_blocks(extraction))
    return tables


def find_cell_places(extraction: Extraction, span: Span) -> tuple[CellPlace, ...]:
    """The cells that a span touches, of the innermost table that has any of it.

    At most so many as a person reads: a span over more of them is no place in a table.
    """
    for table in reversed(tables_of(extraction)):
        cells = table.cells_of(span)
        if cells:
            return tuple(describe_cell(extraction, table, cell) for cell in cells[:MOST_CELLS])
    return ()


def find_named(extraction: Extraction, cell: ClaimedCell) -> tuple[tuple[Table, TableCell], ...]:
    """The cells that a caller may mean: one where it names the table or the sheet."""
    found = []
    for table in tables_of(extraction):
        sheet = extraction.pages[table.parts[0].page - 1].label
        named = table.find_cell(cell.row, cell.column)
        if cell.table in {None, table.number} and cell.sheet in {None, sheet} and named is not None:
            found.append((table, named))
    return tuple(found)


def holds_cell(extraction: Extraction, span: Span, cell: ClaimedCell) -> bool:
    """Whether a span has words of the named cell, and of no other row of its table."""
    for table, named in find_named(extraction, cell):
        met = table.cells_of(span)
        # Its row first: a span over a whole sheet is told by the first cell of another row.
        if all(each.row in _rows_of(named) or named.row in _rows_of(each) for each in met) and any(
            each == named for each in met
        ):
            return True
    return False


def _rows_of(cell: TableCell) -> range:
    return range(cell.row, cell.row + cell.rows)


def describe_cell(extraction: Extraction, table: Table, cell: TableCell) -> CellPlace:
    """A cell with the words of its headers and of its table's caption."""
    text = extraction.text
    return CellPlace(
        table=table,
        cell=cell,
        text=cell.words(text),
        column_headers=tuple(head.words(text) for head in table.column_headers(cell)),
        row_headers=tuple(head.words(text) for head in table.row_headers(cell)),
        caption=None if table.caption is None else " ".join(text.slice(table.caption).split()),
    )


def _from_blocks(extraction: Extraction) -> list[Table]:
    """The tables in the order in which they begin; cells of inner tables are only theirs."""
    blocks = Blocks.of(extraction.blocks)
    tables = np.flatnonzero(blocks.is_kind("table"))
    # The number of the innermost table that each block stands in: inner ones come later.
    owners = np.full(len(blocks), -1, np.int32)
    for number, at in enumerate(tables.tolist()):
        later = slice(at + 1, blocks.count_before(int(blocks.end[at])))
        owners[later][blocks.end[later] <= blocks.end[at]] = number
    order = np.argsort(owners, kind="stable")
    edges = np.searchsorted(owners[order], np.arange(len(tables) + 1))
    captions = blocks.of_kind("caption")
    found = []
    for number, at in enumerate(tables.tolist()):
        inside = blocks.take(order[edges[number] : edges[number + 1]])
        found.append(_to_table(extraction, number + 1, blocks[at], inside, captions))
    return found


def _to_table(
    extraction: Extraction, number: int, table: Block, inside: Blocks, captions: Blocks
) -> Table:
    placed = _Placed.of(inside.of_kind("cell"))
    heads = _find_heads(extraction, placed)
    own = inside.of_kind("caption")
    page = extraction.page_at(table.span.start).number
    return Table(
        number=number,
        cells=placed.to_cells(),
        parts=(TablePart(page=page, first_row=1, last_row=max(placed.last_row, 1)),),
        header_rows=heads,
        header_columns=_count_header_columns(placed, heads),
        caption=own[0].span if own else _find_caption(captions, table),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """The blocks that are cells with a place, and the row and column of each, from 1."""

    blocks: Blocks
    row: Ints
    column: Ints
    is_head: Mask

    @classmethod
    def of(cls, cells: Blocks) -> _Placed:
        row, column = cells.addresses()
        # An address that is written in another way (``B04``) is one for those who read it.
        for at in np.flatnonzero((row == 0) & (cells.row >= 0)).tolist():
            place = cells[at].place
            read = read_address((place and place.cell) or "")
            row[at], column[at] = read or (0, 0)
        kept = (row > 0) & (column > 0) & (row <= _LAST_ROW) & (column <= _LAST_COLUMN)
        blocks = cells if kept.all() else cells.take(kept)
        return cls(
            blocks=blocks, row=row[kept], column=column[kept], is_head=blocks.header == _IS_HEADER
        )

    @property
    def last_row(self) -> int:
        return int(self.row.max(initial=0))

    def to_cells(self) -> CellColumns:
        """The cells row by row; none takes rows or columns that the table has not."""
        rows, columns = (np.maximum(each, 1) for each in (self.blocks.rows, self.blocks.columns))
        rows = np.minimum(rows, self.last_row - self.row + 1)
        columns = np.minimum(columns, int(self.column.max(initial=0)) - self.column + 1)
        wide = rows.astype(np.int64) * columns > _MOST_PLACES
        rows[wide], columns[wide] = 1, 1
        order = np.lexsort((self.column, self.row))
        return CellColumns(
            row=self.row[order],
            column=self.column[order],
            rows=rows[order],
            columns=columns[order],
            first=np.arange(len(order) + 1),
            start=self.blocks.start[order],
            end=self.blocks.end[order],
        )

    @property
    def row_count(self) -> int:
        """How many rows have a cell."""
        return int(np.count_nonzero(np.bincount(self.row)))

    def rows(self) -> Iterator[Indexes]:
        """Where the cells of each row are, in the order in which the rows begin."""
        order = np.argsort(self.row, kind="stable")
        begins = np.flatnonzero(np.diff(self.row[order], prepend=np.int32(0)))
        ends = np.append(begins[1:], len(order))
        for at in np.argsort(order[begins], kind="stable"):
            yield order[begins[at] : ends[at]]


def _find_heads(extraction: Extraction, placed: _Placed) -> tuple[int, ...]:
    """The rows at the top that the document calls headers, or that hold no value."""
    heads = list(takewhile(lambda cells: placed.is_head[cells].all(), placed.rows()))
    if not heads:
        words = (
            [
                (int(placed.column[at]), extraction.text.slice(placed.blocks[at].span))
                for at in cells.tolist()
            ]
            for cells in placed.rows()
        )
        count = count_heads(words, placed.row_count)
        # One row alone is no header of others, nor is none.
        heads = list(islice(placed.rows(), max(count, 0)))
    return tuple(int(placed.row[cells[0]]) for cells in heads)


def _count_header_columns(placed: _Placed, heads: tuple[int, ...]) -> int:
    """How many columns at the left the document calls headers; else the first one names rows."""
    if not placed.is_head.any():
        return 1
    is_body = ~np.isin(placed.row, heads)
    named = set(placed.column[is_body & placed.is_head].tolist())
    others = set(placed.column[is_body & ~placed.is_head].tolist())
    count = 0
    while count + 1 in named - others:
        count += 1
    return max(count, 1)


def _find_caption(captions: Blocks, table: Block) -> Span | None:
    """A caption that stands right before or behind a table, outside of it."""
    before, behind = table.span.start - captions.end, captions.start - table.span.end
    near = ((before >= 0) & (before <= _CAPTION_APART)) | (
        (behind >= 0) & (behind <= _CAPTION_APART)
    )
    return next((block.span for block in captions.take(near)), None)
