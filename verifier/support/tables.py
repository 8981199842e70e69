"""A cited cell with the headers of its row and column, as blocks of the extraction give them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.verifier.support.premise import CELL_END, cut_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Block
    from spanproof.core.span import Span
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
    tables = [b for b in blocks if b.kind == "table" and b.span.contains(span)]
    return tables[-1] if tables else None


def lay_out(extraction: Extraction, table: Block, span: Span, citation: int) -> list[Slice | str]:
    """Title, then for each cited row its first cell, then each cited cell after its column's name.

    Empty if the blocks do not account for every word of the span.
    """
    rows = list(read_rows(extraction, table))
    cited = [index for index, row in enumerate(rows) if row.span.overlaps(span)]
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


def read_rows(extraction: Extraction, table: Block) -> Iterator[Row]:
    """The rows of a table, without those of tables in its cells."""
    inside = [b for b in extraction.blocks if b is not table and table.span.contains(b.span)]
    nested = [b.span for b in inside if b.kind == "table"]
    own = [b for b in inside if not any(n.contains(b.span) and n != b.span for n in nested)]
    cells = sorted((b for b in own if b.kind == "cell"), key=lambda cell: cell.span.start)
    starts = [cell.span.start for cell in cells]
    for row in own:
        if row.kind != "row" or any(n == row.span for n in nested):
            continue
        near = cells[bisect_left(starts, row.span.start) : bisect_right(starts, row.span.end)]
        held = [cell for cell in near if row.span.contains(cell.span)]
        yield Row(
            span=row.span,
            cells={_column(cell, index): cell.span for index, cell in enumerate(held)},
        )


def _column(cell: Block, index: int) -> str:
    address = cell.place.cell if cell.place else None
    found = _COLUMN.match(address or "")
    return found.group() if found else str(index)


def find_header(extraction: Extraction, rows: Sequence[Row], cited: int) -> int | None:
    """The nearest row above that begins a part of the table and holds names, not values."""
    for index in range(cited - 1, -1, -1):
        begins = index == 0 or len(rows[index - 1].cells) < _MIN_HEADERS
        if not begins or len(rows[index].cells) < _MIN_HEADERS:
            continue
        words = [extraction.text.slice(cell) for cell in rows[index].cells.values()]
        if not any(_is_value(word) for word in words):
            return index
    return None


def _find_titles(rows: Sequence[Row], below: int) -> list[Span]:
    titles: list[Span] = []
    for row in reversed(rows[:below]):
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
