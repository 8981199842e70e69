"""Values of a claim against the cells of a cited table: the row and the column that it names.

A premise that is one row of a table says nothing of its columns, and the model knows no table at
all. Where the claim names a column or a row of the table, its value must stand in that one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Veto
from spanproof.verifier.slots.numbers import find_numbers
from spanproof.verifier.slots.words import read_words
from spanproof.verifier.support.tables import find_header, find_table, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from decimal import Decimal

    from spanproof.core.documents.document import Extraction
    from spanproof.verifier.slots.quantities import Quantity
    from spanproof.verifier.slots.words import Words

#: Lines of a plain text that are read above and below a row, and characters of them.
_MAX_LINES, _MAX_CHARACTERS = 200, 20_000
#: Rows and cells of a table that are compared.
_MAX_ROWS, _MAX_CELLS = 2_000, 20_000
_MIN_COLUMNS = 2
#: What parts the cells of a line in plain text, and the line below a header.
_CELL_MARKS = ("\t", "|")
_YEAR = re.compile(r"\s*(?:19|20)\d\d\b")
_RULE = re.compile(r"[\s|:+-]+")
#: Words that agree in so many letters name the same (recoveries, recovered).
_ROOT = 6


@dataclass(frozen=True, slots=True)
class Grid:
    """The header and the rows of a table below it, each cell by its column."""

    header: dict[str, Span]
    rows: list[dict[str, Span]]


@dataclass(frozen=True, slots=True)
class _Mention:
    """Where a claim names a column or states a value."""

    at: int
    column: str | None
    value: Quantity | None


def compare_cells(extraction: Extraction, span: Span, hypothesis: str) -> tuple[Veto, ...]:
    """A veto for each value that stands in the table, but not where the claim names it."""
    grid = read_grid(extraction, span)
    if grid is None or not grid.header:
        return ()
    text = extraction.text.text
    claim = read_words(hypothesis)
    if not claim.words:
        return ()
    columns = _find_columns(claim, grid, text)
    rows = [row for row in grid.rows if _is_named(claim, text, next(iter(row.values())))]
    if not columns and not rows:
        return ()
    wanted = _pair_up(claim, columns)
    vetoes = []
    for quantity in find_numbers(claim, "en").quantities:
        places = list(_find_value(quantity, grid, text))
        named = wanted.get(quantity.span.start, set(columns))
        held = [
            (row, column)
            for row, column in places
            if (not rows or row in rows) and (not named or column in named)
        ]
        if not places or held:
            continue
        row, column = places[0]
        right = (rows or [row])[0].get(next(iter(named), column)) or row[column]
        vetoes.append(
            Veto(
                kind="number",
                claim=quantity.text,
                claim_span=quantity.span,
                source=text[right.start : right.end],
                source_span=right,
            )
        )
    return tuple(vetoes)


def read_grid(extraction: Extraction, span: Span) -> Grid | None:
    """The header of the table that holds a span, and its rows; None if there is none to compare."""
    table = find_table(extraction.blocks, span)
    if table is None:
        return None if extraction.blocks else _read_lines(extraction.text.text, span)
    rows = read_rows(extraction, table)
    if not 1 < len(rows) <= _MAX_ROWS or rows.cell_count > _MAX_CELLS:
        return None
    cited = next(iter(rows.touched(span)), None)
    header = None if cited is None else find_header(extraction, rows, max(cited, 1))
    if header is None:
        return None
    return Grid(rows[header].cells, [row.cells for row in rows[header + 1 :] if row.cells])


def _read_lines(text: str, span: Span) -> Grid | None:
    """Lines of plain text around a span with equally many tabs or bars: a table without blocks."""
    mark = next((each for each in _CELL_MARKS if each in text[span.start : span.end]), None)
    if mark is None:
        return None
    # The span may begin with the line above the table.
    cited = text.index(mark, span.start)
    first = text.rfind("\n", 0, cited) + 1
    low = max(0, first - _MAX_CHARACTERS)
    opens = text[low:first].split("\n")[-_MAX_LINES - 1 : -1]
    start = first - sum(len(line) + 1 for line in opens)
    lines, at = [], start
    for line in text[start : span.end + _MAX_CHARACTERS].split("\n")[: 2 * _MAX_LINES]:
        lines.append((at, line))
        at += len(line) + 1
    for marks, group in groupby(lines, key=lambda each: each[1].count(mark)):
        held = list(group)
        end = held[-1][0] + len(held[-1][1])
        if marks and held[0][0] <= cited <= end and len(held) > 1:
            cells = [_cut_cells(*line, mark) for line in held if not _RULE.fullmatch(line[1])]
            names = [text[cell.start : cell.end] for cell in list(cells[0].values())[1:]]
            if any(name.strip()[:1].isdigit() and not _YEAR.match(name) for name in names):
                return None
            return Grid(cells[0], cells[1:])
    return None


def _cut_cells(start: int, line: str, mark: str) -> dict[str, Span]:
    """The cells of a line; the bars that frame it are not cells."""
    parts = line.split(mark)
    is_framed = mark == "|" and line.startswith(mark)
    cells = {}
    for column, cell in enumerate(parts):
        is_edge = is_framed and not cell.strip() and column in {0, len(parts) - 1}
        if not is_edge:
            cells[str(column)] = Span(start, start + len(cell))
        start += len(cell) + 1
    return cells


def _find_columns(claim: Words, grid: Grid, text: str) -> dict[str, list[int]]:
    """The columns, but for the rows' names, that the claim names by a word of theirs alone."""
    stems: dict[str, set[str]] = {}
    for column, cell in list(grid.header.items())[1:]:
        words = read_words(text[cell.start : cell.end]).words
        stems[column] = {word.stem for word in words if word.content}
    found: dict[str, list[int]] = {}
    for column, own in stems.items():
        others = {stem for other, theirs in stems.items() if other != column for stem in theirs}
        places = [
            index
            for index, word in enumerate(claim.words)
            if word.content and any(_is_same(word.stem, stem) for stem in own - others)
        ]
        if places:
            found[column] = places
    return found


def _is_same(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= _ROOT and one[:_ROOT] == other[:_ROOT])


def _is_named(claim: Words, text: str, cell: Span) -> bool:
    """Whether the claim has every word of a row's name; a single letter only as a capital."""
    words = read_words(text[cell.start : cell.end]).words
    return bool(words) and all(
        any(
            word.content or (claim.words[place].capital and place)
            for place in claim.places.get(word.stem, ())
        )
        for word in words
    )


def _find_value(quantity: Quantity, grid: Grid, text: str) -> Iterator[tuple[dict[str, Span], str]]:
    for row in grid.rows:
        for column, cell in list(row.items())[1:]:
            if set(_read_values(text[cell.start : cell.end])) & set(quantity.values):
                yield row, column


def _read_values(cell: str) -> Sequence[Decimal]:
    if not any(letter.isdigit() for letter in cell):
        return ()
    return [q for each in find_numbers(read_words(cell), "en").quantities for q in each.values]


def _pair_up(claim: Words, columns: dict[str, list[int]]) -> dict[int, set[str]]:
    """Which column each value is told of, where a claim names several in a clear order.

    "The revenue was 45 and the loss 3", "revenue and loss were 45 and 3".
    """
    values = [
        _Mention(claim.index_at(quantity.span.start), None, quantity)
        for quantity in find_numbers(claim, "en").quantities
    ]
    if len(columns) < _MIN_COLUMNS or len(columns) != len(values):
        return {}
    named = [_Mention(places[0], column, None) for column, places in columns.items()]
    ordered = sorted((*named, *values), key=lambda mention: mention.at)
    shape = "".join("v" if mention.value else "n" for mention in ordered)
    count = len(values)
    if shape not in {"nv" * count, "vn" * count, "n" * count + "v" * count}:
        return {}
    pairs = zip(
        [mention.column for mention in ordered if mention.column],
        [mention.value for mention in ordered if mention.value],
        strict=True,
    )
    return {value.span.start: {column} for column, value in pairs}
