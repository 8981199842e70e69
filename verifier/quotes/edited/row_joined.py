"""Quotes of one table row: its name and one or more of its values, with the names of columns.

"Revenue 2019: 4,512" is the name of a row, a header of a column, and the cell where both meet. Each
piece is a whole cell, in the order of the row; a header must be one of its own value's, and may
have "for" or "in" before it. A value of a workbook may be told in any of its forms
(``cell_value``). Pieces are parted by white space, a bar, a colon or comma with white space behind
it, or an ellipsis, which leaves out no cell that denies or limits. Cells of two rows are never one
quote. Between the first and the last piece the text holds nothing but cells of the row.

Any filled cell of the columns that name rows is a name. Behind one without letters ("2021") stands
a colon, an ellipsis or a column's header: else it may be a number of a list.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from spanproof.core.documents.cell_columns import CellColumns
from spanproof.core.documents.table import is_value
from spanproof.core.documents.tables_of import tables_of
from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Difference, Edit
from spanproof.verifier.quotes.cell_values import CELL_VALUE, forms_of
from spanproof.verifier.quotes.edited.cells_by_words import CellsByWords
from spanproof.verifier.quotes.edited.left_out import denies_or_limits
from spanproof.verifier.quotes.edited.marks import RemovedMarks, count_letters, strip_marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.cell_columns import Indexes, TableCell
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.table import Table

#: The kind of edit that joins two cells.
ROW_JOINED = "row_joined"
#: A longer quote is no row; nobody reads a wider one as a row.
MOST_CHARACTERS, _MOST_HULL = 500, 2_000
#: Rows by one name, and ways to read a quote, that are looked at.
_MOST_ROWS, _MOST_WAYS = 64, 16
_ELLIPSIS = r"(?:\[\s*(?:…|\.{3})\s*\]|…|\.{3}(?!\.))"
_SEPARATOR = re.compile(rf"\s*[:,]?\s*{_ELLIPSIS}\s*|\s*\|\s*|\s*[:,]\s+|\s+")
_PARTING = re.compile(rf":|{_ELLIPSIS}")
_LEAVES_OUT = re.compile(_ELLIPSIS)
#: What may stand before a column's header.
_BEFORE_HEADER = re.compile(r"(?:for|in) ")
#: White space between these may stand inside one number.
_FEW_DIGITS, _THOUSANDS = re.compile(r"(?<!\d)\d{1,3}$"), re.compile(r"\d{3}(?!\d)")
_FILLED = re.compile(r"[^\s.\u2026]")
_WORD_END = re.compile(rf"(?<=\S)(?=\s|[:,|]|$|{_ELLIPSIS})")

_NAMES: WeakKeyDictionary[Extraction, CellsByWords] = WeakKeyDictionary()


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
    found = _find(_Quote(words=_fold_blanks(quote)), extraction)
    if found:
        return found
    plain, removed = strip_marks(quote)
    quoted = _Quote(words=_fold_blanks(plain), removed=tuple(removed))
    return _find(quoted, extraction) if removed else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quote:
    """The words of a quote, and the marks that went."""

    words: str
    removed: tuple[RemovedMarks, ...] = ()


def _fold_blanks(quote: str) -> str:
    return re.sub(r"[^\S\t]+", " ", quote).strip()


def _find(quote: _Quote, extraction: Extraction) -> tuple[RowQuote, ...]:
    words = quote.words
    names = _names_of(extraction)
    found: dict[tuple[Span, ...], RowQuote] = {}
    for end in (match.start() for match in _WORD_END.finditer(words)):
        said = _plain(words[:end])
        if not any(map(str.isalnum, said)):
            continue
        for table, name in map(names.get, names.find(said, most=_MOST_ROWS)):
            for way in _read_row(quote, end, extraction, table, name):
                found.setdefault(way.pieces, way)
                if len(found) == _MOST_WAYS:
                    return tuple(found.values())
    return tuple(found.values())


def _names_of(extraction: Extraction) -> CellsByWords:
    """The cells that name rows of tables; made once while the extraction lives."""
    names = _NAMES.get(extraction)
    if names is None:
        chosen = [(table, _naming(table)) for table in tables_of(extraction)]
        names = _NAMES[extraction] = CellsByWords(extraction, chosen)
    return names


def _naming(table: Table) -> Indexes:
    cells = CellColumns.of(table.cells)
    names = (cells.column <= table.header_columns) & (np.diff(cells.first) > 0)
    return np.flatnonzero(names & ~np.isin(cells.row, table.header_rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """A value that the quote tells: ``left`` characters are the quote's from there on.

    ``other`` where it is told in another form than the text's.
    """

    cell: TableCell
    left: int
    other: bool = False


def _read_row(
    quote: _Quote, end: int, extraction: Extraction, table: Table, name: TableCell
) -> Iterator[RowQuote]:
    """Each way to read the rest of a quote as cells of one row behind its name."""
    words = quote.words
    rest = words[end:]
    cells = [cell for cell in table.row_cells(name.row) if cell.spans]
    values = [c for c in cells if c.column > table.header_columns and c.row == name.row]
    for told in _match(rest, extraction, table, values, behind=words[:end]):
        way = to_quote([name, *(each.cell for each in told)], rest, extraction, cells)
        if way is None:
            continue
        begins = [0, *(count_letters(words[: len(words) - each.left]) for each in told)]
        marks = [_place(mark, begins, way.pieces, extraction) for mark in quote.removed]
        edits = sorted((*marks, *way.difference.edits), key=lambda edit: edit.span)
        yield replace(
            way,
            folds=(CELL_VALUE,) if any(each.other for each in told) else (),
            difference=replace(way.difference, edits=tuple(edits)),
        )


def _place(
    mark: RemovedMarks, begins: list[int], pieces: Sequence[Span], extraction: Extraction
) -> Edit:
    """A mark left out, at the letter of a cell that it stands before, or behind the cell."""
    number = bisect_right(begins, mark.letters) - 1
    piece, before = pieces[number], mark.letters - begins[number]
    text = extraction.text.text
    letters = [at for at in range(piece.start, piece.end) if text[at].isalnum()]
    at = letters[before] if before < len(letters) else piece.end
    return Edit(kind=mark.kind, quote=mark.marks, source="", span=Span(at, at), protected=False)


def _match(
    rest: str,
    extraction: Extraction,
    table: Table,
    values: list[TableCell],
    behind: str = "",
) -> Iterator[list[_Told]]:
    """The values that the rest tells, in their order, each after a header of its own or none.

    ``behind`` is the row's name where the rest begins with its first value.
    """
    parted = _SEPARATOR.match(rest)
    if parted is None or parted.end() == len(rest):
        return
    text = rest[parted.end() :]
    counts = not behind or (is_value(behind) and _FEW_DIGITS.search(behind))
    if counts and not parted[0].strip() and _THOUSANDS.match(text):
        return  # "1 200" is one number, not the cells 1 and 200.
    bare = behind and not any(map(str.isalpha, behind)) and not _PARTING.search(parted[0])
    for index, cell in enumerate(_within_reach(parted[0], values, extraction)):
        forms = forms_of(extraction).get(cell.spans[0].start, ())
        for number, words in enumerate((cell.words(extraction.text), *forms)):
            for told in _without_header(text, extraction, table, cell):
                if not told.startswith(words):
                    continue
                if bare and told == text:
                    continue
                here = _Told(cell=cell, left=len(told), other=number > 0)
                left = told[len(words) :]
                if not left.strip():
                    yield [here]
                    continue
                more = values[index + 1 :]
                for others in _match(left, extraction, table, more):
                    yield [here, *others]


def _within_reach(
    parting: str, values: list[TableCell], extraction: Extraction
) -> Iterator[TableCell]:
    """The values that may come next: an ellipsis leaves out no cell that denies or limits."""
    for cell in values:
        yield cell
        if _LEAVES_OUT.search(parting) and denies_or_limits(cell.words(extraction.text)):
            return


def _without_header(
    text: str, extraction: Extraction, table: Table, cell: TableCell
) -> Iterator[str]:
    """The text, and what follows where it begins with a header of the cell's column."""
    yield text
    before = _BEFORE_HEADER.match(text)
    begins = (0, before.end()) if before else (0,)
    heads = [head.words(extraction.text) for head in table.column_headers(cell)]
    for words in dict.fromkeys((*heads, " ".join(heads))):
        for said, begin in product((words, f"({words})"), begins):
            if words and text.startswith(said, begin):
                parted = _SEPARATOR.match(text, begin + len(said))
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
