"""Quotes of a whole table row, cell by cell: ``2019, 4,512, Berlin`` or ``1 | Field | yes``.

Programs that read tables write a row as its filled cells with a mark between them. Such a quote is
the row: every filled cell of it, each whole, in order, parted by one and the same mark, and one of
them at least with a letter. A value of a workbook may be told in any of its forms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from spanproof.core.documents.cell_columns import CellColumns
from spanproof.core.documents.tables_of import tables_of
from spanproof.verifier.quotes.cell_values import CELL_VALUE, forms_of
from spanproof.verifier.quotes.edited.cells_by_words import CellsByWords
from spanproof.verifier.quotes.edited.row_joined import MOST_CHARACTERS, RowQuote, to_quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.documents.cell_columns import TableCell
    from spanproof.core.documents.document import Extraction

_MARKS = (" | ", "|", ", ", "; ")
#: Rows that begin alike, and places of one quote, that are looked at.
_MOST_ROWS, _MOST_WAYS = 256, 16

_Row = tuple[tuple["TableCell", tuple[str, ...]], ...]


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
        for row in _rows_of(extraction).find(told[0], extraction):
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


class _Rows:
    """The rows of all tables that have several filled cells, found by any form of the first."""

    def __init__(self, extraction: Extraction) -> None:
        chosen, self._cells = [], []
        for table in tables_of(extraction):
            cells = CellColumns.of(table.cells)
            filled = np.flatnonzero(np.diff(cells.first) > 0)
            rows = filled[np.argsort(cells.row[filled], kind="stable")]
            _, begins, held = np.unique(cells.row[rows], return_index=True, return_counts=True)
            # In the order in which the rows begin.
            order = np.argsort(rows[begins], kind="stable")
            order = order[held[order] > 1]
            chosen.append((table, rows[begins[order]]))
            self._cells.append((table, rows, begins[order], held[order]))
        self._forms = forms_of(extraction)
        self._first = CellsByWords(extraction, chosen, self._forms)

    def find(self, words: str, extraction: Extraction) -> Iterator[_Row]:
        """The rows whose first cell says this."""
        for number in self._first.find(words, most=_MOST_ROWS):
            at, place = self._first.place(number)
            table, rows, begins, held = self._cells[at]
            own = slice(int(begins[place]), int(begins[place] + held[place]))
            cells = [table.cells[at] for at in rows[own].tolist()]
            yield tuple(
                (cell, (cell.words(extraction.text), *self._forms.get(cell.spans[0].start, ())))
                for cell in cells
            )


_ROWS: WeakKeyDictionary[Extraction, _Rows] = WeakKeyDictionary()


def _rows_of(extraction: Extraction) -> _Rows:
    """The rows of an extraction; made once while it lives."""
    rows = _ROWS.get(extraction)
    if rows is None:
        rows = _ROWS[extraction] = _Rows(extraction)
    return rows
