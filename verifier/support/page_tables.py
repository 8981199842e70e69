"""A cited cell of a page's table, with its caption and headers in words.

A page draws its tables; nothing in it says what a cell is. They are found when the page is read
(``Extraction.tables``). A cell may stand in the text in several pieces.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from spanproof.verifier.support.premise import CELL_END, Slice, cut_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.cell_columns import TableCell
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.table import Table
    from spanproof.core.span import Span

#: A span over more cells is a table, not a place in one.
_MAX_CELLS = 20


def lay_out_cells(extraction: Extraction, span: Span, citation: int) -> list[Slice | str]:
    """Caption, then for each cited row what names it, then each cited cell after its column's name.

    Empty if no table of a page has every word of the span.
    """
    for table in reversed(extraction.tables):
        cells = table.cells_of(span)
        if not cells:
            continue
        if len(cells) > _MAX_CELLS or not _is_covered(extraction, span, cells):
            return []
        return list(_write(extraction, table, cells, span, citation))
    return []


def _write(
    extraction: Extraction, table: Table, cells: Sequence[TableCell], span: Span, citation: int
) -> Iterator[Slice | str]:
    if table.caption is not None and not table.caption.overlaps(span):
        yield cut_words(extraction, table.caption)
        yield ". "
    for index, (_, row) in enumerate(groupby(cells, key=lambda cell: cell.row)):
        cited = list(row)
        if index:
            yield ". "
        for name in table.row_headers(cited[0]):
            if name not in cited:
                yield from _name(extraction, table, name)
                yield from _pieces(extraction, name.spans, None)
                yield ". "
        for place, cell in enumerate(cited):
            if place:
                yield CELL_END
            yield from _name(extraction, table, cell)
            inside = [part for each in cell.spans if (part := each.intersection(span))]
            yield from _pieces(extraction, inside, citation)


def _name(extraction: Extraction, table: Table, cell: TableCell) -> Iterator[Slice | str]:
    for header in table.column_headers(cell):
        yield from _pieces(extraction, header.spans, None)
        yield ": "


def _pieces(
    extraction: Extraction, spans: Sequence[Span], citation: int | None
) -> Iterator[Slice | str]:
    for index, each in enumerate(spans):
        if index:
            yield " "
        yield cut_words(extraction, each, citation=citation)


def _is_covered(extraction: Extraction, span: Span, cells: Sequence[TableCell]) -> bool:
    """Whether the cells hold every word of the span."""
    inside = (part for cell in cells for each in cell.spans if (part := each.intersection(span)))
    held = sum(len("".join(extraction.text.slice(part).split())) for part in inside)
    return held == len("".join(extraction.text.slice(span).split())) > 0
