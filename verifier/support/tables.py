"""A cited cell with the headers of its row and column, as blocks of the extraction give them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from spanproof.core.documents.blocks import Blocks
from spanproof.core.documents.cell_address import number_column
from spanproof.core.span import Span
from spanproof.verifier.support.premise import CELL_END, cut_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.blocks import Mask
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Block
    from spanproof.verifier.support.premise import Slice

#: Rows of one cell (titles of the table) that are read above a header row.
MAX_TITLE_ROWS = 2
#: A header row needs so many cells; one cell alone is a title.
_MIN_HEADERS = 2
_VALUE = re.compile(r"[^\w\s]*\s*[-+−(]?[\d.,\s]*\d[\d.,]*\)?\s*(?:%|[^\W\d_]{0,4})")
_YEAR = re.compile(r"(?:19|20)\d\d")
_COLUMN = re.compile(r"[A-Z]+(?=\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table: where it stands, and its cells by their columns."""

    span: Span
    cells: dict[str, Span]


def find_table(blocks: Sequence[Block], span: Span) -> Block | None:
    """The innermost table that contains the whole span."""
    # Outer blocks come first.
    tables = Blocks.of(blocks).of_kind("table").holding(span)
    return tables[-1] if tables else None


def lay_out(extraction: Extraction, table: Block, span: Span, citation: int) -> list[Slice | str]:
    """Title, then for each cited row its first cell, then each cited cell after its column's name.

    Empty if the blocks do not account for every word of the span.
    """
    rows = read_rows(extraction, table)
    cited = rows.touched(span)
    if not cited or not _is_covered(extraction, span, [rows[index] for index in cited]):
        return []
    header = find_header(extraction, rows, cited[0])
    parts: list[Slice | str] = []
    for title in _find_titles(rows, cited[0] if header is None else header):
        parts += [cut_words(extraction, title), ". "]
    names = {} if header is None else rows[header].cells
    for index in cited:
        cells = rows[index].cells
        first = next(iter(cells))
        read = [c for c, cell in cells.items() if c == first or cell.overlaps(span)]
        for place, column in enumerate(read):
            name = names.get(column)
            if name is not None and len(name):
                parts += [cut_words(extraction, name), ": "]
            inside = cells[column].intersection(span)
            if inside:
                parts.append(cut_words(extraction, inside, citation=citation))
            else:
                parts.append(cut_words(extraction, cells[column]))
            is_end = column == first or place == len(read) - 1
            parts.append(". " if is_end else CELL_END)
    return parts[:-1]


def read_rows(extraction: Extraction, table: Block) -> Rows:
    """The rows of a table, without those of tables in its cells."""
    blocks = Blocks.of(extraction.blocks)
    inside = blocks[blocks.count_before(table.span.start) : blocks.count_before(table.span.end + 1)]
    own = inside.end <= table.span.end
    nested = [b.span for b in inside.take(own & inside.is_kind("table"))]
    # The table itself stands among them.
    nested.remove(table.span)
    rows = inside.is_kind("row")
    for span in nested:
        same = (inside.start == span.start) & (inside.end == span.end)
        own &= same | (inside.start < span.start) | (inside.end > span.end)
        rows &= ~same
    return Rows(inside, own & rows, own & inside.is_kind("cell"))


class Rows(Sequence[Row]):
    """The rows of a table, each made when it is asked for."""

    def __init__(self, blocks: Blocks, rows: Mask, cells: Mask) -> None:
        self._blocks = blocks
        self._start, self._end = blocks.start[rows], blocks.end[rows]
        self._cells = np.flatnonzero(cells)
        self._cell_start = blocks.start[cells]

    def __len__(self) -> int:
        return len(self._start)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        row = Span(int(self._start[index]), int(self._end[index]))
        first = bisect_left(self._cell_start.data, row.start)
        last = bisect_right(self._cell_start.data, row.end)
        near = self._blocks.take(self._cells[first:last])
        held = [cell for cell in near if row.contains(cell.span)]
        return Row(
            span=row, cells={_column(cell, index): cell.span for index, cell in enumerate(held)}
        )

    @property
    def cell_count(self) -> int:
        """How many cells all of them have."""
        return len(self._cells)

    def touched(self, span: Span) -> list[int]:
        """The places of the rows that a span touches."""
        touched: list[int]
        touched = np.flatnonzero((self._start < span.end) & (span.start < self._end)).tolist()
        return touched

    def openers(self, below: int) -> Iterator[int]:
        """The rows above one, from below, that have columns and follow one that has not."""
        several = self._have_columns[:below]
        opens = several.copy()
        opens[1:] &= ~several[:-1]
        yield from np.flatnonzero(opens)[::-1].tolist()

    @cached_property
    def _have_columns(self) -> Mask:
        """Which rows have cells in two columns or more."""
        cells = self._blocks.take(self._cells)
        column = np.where(cells.row > 0, cells.column, -1 - np.arange(len(cells)))
        for at in np.flatnonzero(cells.row == 0).tolist():
            letters = _column(cells[at], -1 - at)
            column[at] = number_column(letters) if letters.isalpha() else int(letters)
        changes = np.concatenate([[0, 0], np.cumsum(column[1:] != column[:-1])])
        first = np.searchsorted(cells.start, self._start)
        last = np.searchsorted(cells.start, self._end)
        several: Mask = (last - first >= _MIN_HEADERS) & (changes[last] > changes[first + 1])
        return several


def _column(cell: Block, index: int) -> str:
    address = cell.place.cell if cell.place else None
    found = _COLUMN.match(address or "")
    return found.group() if found else str(index)


def find_header(extraction: Extraction, rows: Rows, cited: int) -> int | None:
    """The nearest row above that begins a part of the table and holds names, not values."""
    for index in rows.openers(cited):
        words = [extraction.text.slice(cell) for cell in rows[index].cells.values()]
        if not any(_is_value(word) for word in words):
            return index
    return None


def _find_titles(rows: Rows, below: int) -> list[Span]:
    titles: list[Span] = []
    for row in map(rows.__getitem__, range(below - 1, -1, -1)):
        if len(row.cells) != 1 or len(titles) == MAX_TITLE_ROWS:
            break
        titles.append(next(iter(row.cells.values())))
    return titles[::-1]


def _is_value(words: str) -> bool:
    words = words.strip()
    return bool(_VALUE.fullmatch(words)) and not _YEAR.fullmatch(words)


def _is_covered(extraction: Extraction, span: Span, rows: Sequence[Row]) -> bool:
    cells = [cell.intersection(span) for row in rows for cell in row.cells.values()]
    held = sum(len("".join(extraction.text.slice(cell).split())) for cell in cells)
    return held == len("".join(extraction.text.slice(span).split())) > 0
