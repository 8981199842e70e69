"""The tables of an extraction: those found on its pages, or those that its blocks mark.

A workbook, a web page or a text document says itself what its rows and cells are: its tables are
read from its blocks, also of extractions that were stored before tables were kept. A place of such
a table without a cell is blank. A sheet's rows keep their own numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from spanproof.core.documents.table import Table, TableCell, TablePart, count_heads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.citation import ClaimedCell
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Block
    from spanproof.core.span import Span

_ADDRESS = re.compile(r"([A-Z]{1,4})(\d{1,7})")
#: A cell that claims more places than these is one place.
_MOST_PLACES = 10_000
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
        if named in met and all(
            each.row in _rows_of(named) or named.row in _rows_of(each) for each in met
        ):
            return True
    return False


def read_address(address: str) -> tuple[int, int] | None:
    """Row and column, from 1, of a cell of a sheet: (4, 2) for ``B4``."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(found[2]), column


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
    found: list[tuple[Block, list[Block], list[Block]]] = []
    open_: list[int] = []
    for block in extraction.blocks:
        while open_ and not found[open_[-1]][0].span.contains(block.span):
            open_.pop()
        if block.kind == "table":
            open_.append(len(found))
            found.append((block, [], []))
        elif open_ and block.kind in {"cell", "caption"}:
            _, cells, captions = found[open_[-1]]
            (cells if block.kind == "cell" else captions).append(block)
    return [
        _to_table(extraction, number, block, cells, captions)
        for number, (block, cells, captions) in enumerate(found, start=1)
    ]


def _to_table(
    extraction: Extraction,
    number: int,
    block: Block,
    blocks: Sequence[Block],
    captions: Sequence[Block],
) -> Table:
    placed = [(cell, at) for cell in blocks if (at := _place_of(cell)) is not None]
    last_row = max((row for _, (row, _) in placed), default=0)
    last_column = max((column for _, (_, column) in placed), default=0)
    cells = []
    for cell, (row, column) in placed:
        rows, columns = _extent(cell, last_row - row + 1, last_column - column + 1)
        cells.append(
            TableCell(row=row, column=column, rows=rows, columns=columns, spans=(cell.span,))
        )
    heads = _find_heads(extraction, placed)
    caption = captions[0].span if captions else _find_caption(extraction, block)
    page = extraction.page_at(block.span.start).number
    return Table(
        number=number,
        cells=tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))),
        parts=(TablePart(page=page, first_row=1, last_row=max(last_row, 1)),),
        header_rows=heads,
        header_columns=_count_header_columns(placed, heads),
        caption=caption,
    )


def _place_of(block: Block) -> tuple[int, int] | None:
    """Row and column of a cell, from 1."""
    return read_address((block.place and block.place.cell) or "")


def _extent(block: Block, rows: int, columns: int) -> tuple[int, int]:
    """How many rows and columns a cell takes of those that the table has."""
    place = block.place
    rows = min((place and place.rows) or 1, rows)
    columns = min((place and place.columns) or 1, columns)
    return (rows, columns) if rows * columns <= _MOST_PLACES else (1, 1)


def _find_heads(
    extraction: Extraction, placed: Sequence[tuple[Block, tuple[int, int]]]
) -> tuple[int, ...]:
    """The rows at the top that the document calls headers, or that hold no value."""
    rows: dict[int, list[tuple[Block, int]]] = {}
    for block, (row, column) in placed:
        rows.setdefault(row, []).append((block, column))
    heads: list[int] = []
    for row, cells in rows.items():
        if not all(block.place and block.place.header for block, _ in cells):
            break
        heads.append(row)
    if heads:
        return tuple(heads)
    words = (
        [(column, extraction.text.slice(block.span)) for block, column in cells]
        for cells in rows.values()
    )
    count = count_heads(words, len(rows))
    return tuple(row for row, _ in zip(rows, range(count), strict=False))


def _count_header_columns(
    placed: Sequence[tuple[Block, tuple[int, int]]], heads: tuple[int, ...]
) -> int:
    """How many columns at the left the document calls headers; else the first one names rows."""
    body = [(block, column) for block, (row, column) in placed if row not in heads]
    named = {column for block, column in body if block.place and block.place.header}
    others = {column for block, column in body if not (block.place and block.place.header)}
    count = 0
    while count + 1 in named - others:
        count += 1
    return max(count, 1)


def _find_caption(extraction: Extraction, table: Block) -> Span | None:
    """A caption that stands right before or behind a table, outside of it."""
    near = (
        block.span
        for block in extraction.blocks
        if block.kind == "caption"
        and (
            0 <= table.span.start - block.span.end <= _CAPTION_APART
            or 0 <= block.span.start - table.span.end <= _CAPTION_APART
        )
    )
    return next(near, None)
