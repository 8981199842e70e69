"""Quotes of one table row: its name and one or more of its values, with the names of columns.

"Revenue 2019: 4,512" is the name of a row, a header of a column, and the cell where both meet. Each
piece is a whole cell, in the order of the row; a header must be one of its own value's. A value of
a workbook may be told in any of its forms (``cell_value``). Pieces are parted by white space, a
bar, or a colon or comma with white space behind it. Cells of two rows are never one quote. Between
the first and the last piece the text holds nothing but cells of the row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanproof.core.documents.table import is_value
from spanproof.core.documents.tables_of import tables_of
from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Difference, Edit
from spanproof.verifier.quotes.cell_values import CELL_VALUE, forms_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.table import Table, TableCell

#: The kind of edit that joins two cells.
ROW_JOINED = "row_joined"
#: A longer quote is no row; nobody reads a wider one as a row.
MOST_CHARACTERS, _MOST_HULL = 500, 2_000
#: Rows by one name, and ways to read a quote, that are looked at.
_MOST_ROWS, _MOST_WAYS = 64, 16
_SEPARATOR = re.compile(r"\s*\|\s*|\s*[:,]\s+|\s+")
#: White space between these may stand inside one number.
_THOUSANDS = re.compile(r"\d{3}(?!\d)")
_FILLED = re.compile(r"[^\s.\u2026]")
_WORD_END = re.compile(r"(?<=\S)(?=\s|[:,|]|$)")

_Rows = dict[str, list[tuple["Table", int]]]
_ROWS: WeakKeyDictionary[Extraction, _Rows] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class RowQuote:
    """A place of the quote: the hull of its cells, the cells, and what joins them.

    ``folds`` say whether a cell is told by another form of its value.
    """

    span: Span
    pieces: tuple[Span, ...]
    difference: Difference
    folds: tuple[str, ...] = ()


def find_row_joined(quote: str, extraction: Extraction) -> tuple[RowQuote, ...]:
    """The rows of which the quote tells the name and values; empty where it tells more."""
    if len(quote) > MOST_CHARACTERS:
        return ()
    words = re.sub(r"[^\S\t]+", " ", quote).strip()
    rows = _rows_of(extraction)
    found: dict[tuple[Span, ...], RowQuote] = {}
    for end in (match.start() for match in _WORD_END.finditer(words)):
        for table, row in rows.get(_plain(words[:end]), ())[:_MOST_ROWS]:
            for way in _read_row(words[end:], extraction, table, row):
                found.setdefault(way.pieces, way)
                if len(found) == _MOST_WAYS:
                    return tuple(found.values())
    return tuple(found.values())


def _rows_of(extraction: Extraction) -> _Rows:
    """The rows of all tables by their names; made once while the extraction lives."""
    rows = _ROWS.get(extraction)
    if rows is None:
        rows = _ROWS[extraction] = {}
        for table in tables_of(extraction):
            heads = set(table.header_rows)
            for cell in table.cells:
                if cell.column > table.header_columns or not cell.spans or cell.row in heads:
                    continue
                name = cell.words(extraction.text)
                if any(map(str.isalpha, name)) and not is_value(name):
                    rows.setdefault(name, []).append((table, cell.row))
    return rows


def _read_row(rest: str, extraction: Extraction, table: Table, row: int) -> Iterator[RowQuote]:
    """Each way to read the rest of a quote as cells of one row behind its name."""
    cells = [cell for cell in table.row_cells(row) if cell.spans]
    names = [cell for cell in cells if cell.column <= table.header_columns]
    values = [cell for cell in cells if cell.column > table.header_columns and cell.row == row]
    if not names:
        return
    for told in _match(rest, extraction, table, values, after_value=False):
        way = to_quote([names[-1], *(cell for cell, _ in told)], rest, extraction, cells)
        if way is not None:
            yield replace(way, folds=(CELL_VALUE,) if any(folded for _, folded in told) else ())


def _match(
    rest: str,
    extraction: Extraction,
    table: Table,
    values: list[TableCell],
    *,
    after_value: bool,
) -> Iterator[list[tuple[TableCell, bool]]]:
    """The values that the rest tells, in their order, each after a header of its own or none.

    True for a value that is told in another form than the text's.
    """
    parted = _SEPARATOR.match(rest)
    if parted is None or parted.end() == len(rest):
        return
    text = rest[parted.end() :]
    if after_value and not parted[0].strip() and _THOUSANDS.match(text):
        return  # "1 200" is one number, not the cells 1 and 200.
    for index, cell in enumerate(values):
        forms = forms_of(extraction).get(cell.spans[0].start, ())
        for number, words in enumerate((cell.words(extraction.text), *forms)):
            for behind in _without_header(text, extraction, table, cell):
                if not behind.startswith(words):
                    continue
                left = behind[len(words) :]
                if not left.strip():
                    yield [(cell, number > 0)]
                    continue
                more = values[index + 1 :]
                for others in _match(left, extraction, table, more, after_value=True):
                    yield [(cell, number > 0), *others]


def _without_header(
    text: str, extraction: Extraction, table: Table, cell: TableCell
) -> Iterator[str]:
    """The text, and what follows where it begins with a header of the cell's column."""
    yield text
    heads = [head.words(extraction.text) for head in table.column_headers(cell)]
    for words in dict.fromkeys((*heads, " ".join(heads))):
        for said in (words, f"({words})"):
            if words and text.startswith(said):
                parted = _SEPARATOR.match(text, len(said))
                if parted is not None:
                    yield text[parted.end() :]


def to_quote(
    told: Sequence[TableCell], rest: str, extraction: Extraction, cells: Sequence[TableCell]
) -> RowQuote | None:
    """The place of the cells; None where other text than the row's stands between them."""
    pieces = [Span(cell.spans[0].start, cell.spans[-1].end) for cell in told]
    span = Span(min(p.start for p in pieces), max(p.end for p in pieces))
    text = extraction.text.text
    if len(span) > _MOST_HULL:
        return None
    own = sum(
        len(_FILLED.findall(extraction.text.slice(part.intersection(span))))
        for cell in cells
        for part in cell.spans
        if part.intersection(span)
    )
    if own != len(_FILLED.findall(text[span.start : span.end])):
        return None
    edits = tuple(
        Edit(
            kind=ROW_JOINED,
            quote=rest.strip() if number == 0 else "",
            source=text[one.end : other.start],
            span=Span(one.end, other.start),
            protected=False,
        )
        for number, (one, other) in enumerate(pairwise(pieces))
        if one.end <= other.start
    )
    if len(edits) < len(pieces) - 1:
        return None  # The text has the cells in another order than the page.
    source = text[span.start : span.end]
    return RowQuote(
        span=span, pieces=tuple(pieces), difference=Difference(source=source, edits=edits)
    )


def _plain(words: str) -> str:
    return " ".join(words.split())
