"""Quotes of a whole table row, cell by cell: ``2019, 4,512, Berlin`` or ``1 | Field | yes``.

Programs that read tables write a row as its filled cells with a mark between them. Such a quote is
the row: every filled cell of it, each whole, in order, parted by one and the same mark, and one of
them at least with a letter. A value of a workbook may be told in any of its forms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanproof.core.documents.tables_of import tables_of
from spanproof.verifier.quotes.cell_values import CELL_VALUE, forms_of
from spanproof.verifier.quotes.edited.row_joined import MOST_CHARACTERS, RowQuote, to_quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.table import TableCell

_MARKS = (" | ", "|", ", ", "; ")
#: Rows that begin alike, and places of one quote, that are looked at.
_MOST_ROWS, _MOST_WAYS = 256, 16

_Row = tuple[tuple["TableCell", tuple[str, ...]], ...]
_ROWS: WeakKeyDictionary[Extraction, dict[str, list[_Row]]] = WeakKeyDictionary()


def find_whole_rows(quote: str, extraction: Extraction) -> tuple[RowQuote, ...]:
    """The rows whose filled cells the quote tells, all of them; empty where it tells anything else.

    Several rows that read alike are several places.
    """
    if len(quote) > MOST_CHARACTERS:
        return ()
    found: dict[object, RowQuote] = {}
    for mark in _MARKS:
        told = [" ".join(part.split()) for part in quote.strip().split(mark)]
        if len(told) == 1 or not any(map(str.isalpha, quote)):
            continue
        for row in _rows_of(extraction).get(told[0], ())[:_MOST_ROWS]:
            way = _read(told, row, quote, extraction)
            if way is not None:
                found.setdefault(way.pieces, way)
                if len(found) == _MOST_WAYS:
                    return tuple(found.values())
    return tuple(found.values())


def _read(told: list[str], row: _Row, quote: str, extraction: Extraction) -> RowQuote | None:
    if len(told) != len(row) or not all(
        words in forms for words, (_, forms) in zip(told, row, strict=True)
    ):
        return None
    cells = [cell for cell, _ in row]
    way = to_quote(cells, quote, extraction, cells)
    is_other = any(words != forms[0] for words, (_, forms) in zip(told, row, strict=True))
    return way and replace(way, folds=(CELL_VALUE,) if is_other else ())


def _rows_of(extraction: Extraction) -> dict[str, list[_Row]]:
    """The rows of all tables by each form of their first cell; made once."""
    rows = _ROWS.get(extraction)
    if rows is None:
        rows = _ROWS[extraction] = {}
        for row in _list_rows(extraction):
            for words in dict.fromkeys(row[0][1]):
                rows.setdefault(words, []).append(row)
    return rows


def _list_rows(extraction: Extraction) -> Iterator[_Row]:
    text, forms = extraction.text, forms_of(extraction)
    for table in tables_of(extraction):
        rows: dict[int, list[TableCell]] = {}
        for cell in table.cells:
            if cell.spans:
                rows.setdefault(cell.row, []).append(cell)
        for cells in rows.values():
            if len(cells) > 1:
                yield tuple(
                    (cell, (cell.words(text), *forms.get(cell.spans[0].start, ())))
                    for cell in cells
                )
