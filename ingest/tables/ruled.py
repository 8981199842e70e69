"""Ruled tables: lines and boxes that a page draws → the cells between them.

Lines that cross each other are one table. Its distinct heights and widths make a grid, and places
between which no line is drawn are one cell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.table import is_value
from spanproof.ingest.tables.grid import CellLine, Grid, GridCell, split_rows
from spanproof.ingest.tables.rules import find_edges
from spanproof.ingest.tables.shaded import cut_line, part_columns, write_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.ingest.tables.page_marks import Ints, PageLines, PageMarks
    from spanproof.ingest.tables.rules import Rule

_MOST_ROWS, _MOST_COLUMNS = 400, 80
_MIN_FILLED = 0.2
#: The share of lines with several values from which on a grid is coarse.
_COARSE = 0.2
#: The share of the rows beside it that a column of names has a line for.
_NAMED = 0.6
#: The share of words from which on a grid cuts too many.
_CUT = 0.05
#: Letters of one word stand so near (heights).
_TOUCHING = 0.08
_LEAST_CHARACTERS = 4


def find_ruled(
    groups: Sequence[tuple[list[Rule], list[Rule]]], marks: PageMarks, lines: PageLines
) -> list[Grid]:
    """The tables that groups of lines rule, from the top."""
    grids = []
    for rows, columns in groups:
        grid = _lay_grid(rows, columns, marks, lines.line_of)
        if grid is not None and not _is_coarse(grid, marks):
            grids.append(split_rows(grid, lines.middles))
    return sorted(_outermost(grids), key=lambda grid: (grid.box[1], grid.box[0]))


def _lay_grid(
    level: list[Rule], upright: list[Rule], marks: PageMarks, line_of: Ints
) -> Grid | None:
    ys, xs = find_edges(level, upright)
    rows, columns = len(ys) - 1, len(xs) - 1
    if not 1 <= rows <= _MOST_ROWS or not 2 <= columns <= _MOST_COLUMNS:
        return None
    x, y = (marks.x0 + marks.x1) / 2, (marks.y0 + marks.y1) / 2
    column = np.searchsorted(xs, x) - 1
    row = np.searchsorted(ys, y) - 1
    inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
    # The dots that lead to a value belong to no line of text.
    own = np.flatnonzero(inside & (line_of >= 0))
    if len(own) < _LEAST_CHARACTERS:
        return None
    groups, places = _merge(rows, columns, _drawn(level, ys, xs), _drawn(upright, xs, ys))
    if _cuts_words(marks, own, groups[row[own], column[own]]):
        return None
    held: dict[int, list[int]] = {}
    for index, group in zip(own.tolist(), groups[row[own], column[own]].tolist(), strict=True):
        held.setdefault(group, []).append(index)
    cells = []
    for group, place in enumerate(places):
        lines = _read_cell(marks, held.get(group, []), line_of)
        cells += _part_names(replace(place, lines=lines), ys, marks)
    cells = part_columns(_drop_blank(cells), marks)
    grid = Grid(cells=tuple(cells), box=(xs[0], ys[0], xs[-1], ys[-1]))
    return grid if _is_table(grid) else None


def _cuts_words(marks: PageMarks, own: Ints, groups: Ints) -> bool:
    """Whether lines go through words, as those of a drawing do."""
    gap = marks.x0[own][1:] - marks.x1[own][:-1]
    height = (marks.y1 - marks.y0)[own][1:]
    beside = (np.diff(marks.run[own]) == 0) & (np.diff(own) == 1) & marks.level[own][1:]
    within = beside & (np.abs(gap) < _TOUCHING * height)
    cut = within & (np.diff(groups) != 0)
    words = len(own) - int(within.sum())
    return int(cut.sum()) > max(1, _CUT * words)


def _part_names(cell: GridCell, ys: list[float], marks: PageMarks) -> list[GridCell]:
    """A cell over many rows with a line of text in each, cut: no line is drawn by the names."""
    if cell.rows < 3 or len(cell.lines) < max(3, _NAMED * cell.rows):
        return [cell]
    by_row: dict[int, CellLine] = {}
    for line in cell.lines:
        first = np.searchsorted(marks.offsets, line.offsets[0])
        middle = float(marks.y0[first] + marks.y1[first]) / 2
        by_row[int(np.searchsorted(ys, middle)) - 1] = line
    if len(by_row) < len(cell.lines):
        return [cell]
    return [
        replace(cell, row=row, rows=1, lines=(by_row[row],) if row in by_row else ())
        for row in range(cell.row, cell.row + cell.rows)
    ]


def _is_coarse(grid: Grid, marks: PageMarks) -> bool:
    """Whether many of its cells hold several columns: their text then shows the table better."""
    lines = [line for cell in grid.cells for line in cell.lines]
    parted = [cut_line(line, marks) for line in lines]
    several = [p for p in parted if len(p) > 1 and any(is_value(each.text) for each in p[1:])]
    return len(several) > _COARSE * len(lines)


def _drawn(
    rules: list[Rule], at: list[float], along: list[float]
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether a line is drawn at each place, over the middle of each stretch."""
    found = np.zeros((len(at), len(along) - 1), bool)
    middles = (np.array(along[1:]) + np.array(along[:-1])) / 2
    places = np.array(at)
    for rule in rules:
        nearest = int(np.abs(places - rule.at).argmin())
        found[nearest] |= (middles >= rule.start) & (middles <= rule.end)
    return found


def _merge(
    rows: int,
    columns: int,
    across: np.ndarray[Any, np.dtype[np.bool_]],
    down: np.ndarray[Any, np.dtype[np.bool_]],
) -> tuple[Ints, list[GridCell]]:
    """The cells, which are rectangles, and for each place of the grid the number of its cell."""
    groups = np.full((rows, columns), -1, np.int64)
    places: list[GridCell] = []
    for row in range(rows):
        for column in range(columns):
            if groups[row, column] >= 0:
                continue
            right = column + 1
            while right < columns and not down[right, row] and groups[row, right] < 0:
                right += 1
            low = row + 1
            while (
                low < rows
                and not across[low, column:right].any()
                and not down[column + 1 : right, low].any()
                and (groups[low, column:right] < 0).all()
                and _closed(down, column, right, low, columns)
            ):
                low += 1
            groups[row:low, column:right] = len(places)
            places.append(GridCell(row=row, column=column, rows=low - row, columns=right - column))
    return groups, places


def _closed(
    down: np.ndarray[Any, np.dtype[np.bool_]], left: int, right: int, row: int, columns: int
) -> bool:
    """Whether a row of places has lines at both sides, as the place above it has."""
    return (left == 0 or bool(down[left, row])) and (right == columns or bool(down[right, row]))


def _read_cell(marks: PageMarks, indexes: list[int], line_of: Ints) -> tuple[CellLine, ...]:
    lines: dict[int, list[int]] = {}
    for index in indexes:
        lines.setdefault(int(line_of[index]), []).append(index)
    found = []
    for line, own in sorted(lines.items()):
        own.sort(key=lambda index: marks.x0[index])
        found.append(
            CellLine(
                line=line,
                offsets=tuple(int(marks.offsets[index]) for index in own),
                text=write_words(marks, own),
            )
        )
    return tuple(found)


def _drop_blank(cells: list[GridCell]) -> list[GridCell]:
    """Without rows and columns that hold no text at all: double lines, margins, colour bars."""
    for axis in ("row", "column"):
        extent = "rows" if axis == "row" else "columns"
        filled = {getattr(c, axis) for c in cells if c.lines and getattr(c, extent) == 1}
        wide = [c for c in cells if c.lines and getattr(c, extent) > 1]
        for cell in wide:
            own = range(getattr(cell, axis), getattr(cell, axis) + getattr(cell, extent))
            if not filled & set(own):
                filled.add(own[0])
        order = {place: new for new, place in enumerate(sorted(filled))}
        kept = []
        for cell in cells:
            start = getattr(cell, axis)
            own_places = [p for p in range(start, start + getattr(cell, extent)) if p in order]
            if own_places:
                kept.append(_move(cell, axis, order[own_places[0]], len(own_places)))
        cells = kept
    return cells


def _move(cell: GridCell, axis: str, start: int, extent: int) -> GridCell:
    if axis == "row":
        return replace(cell, row=start, rows=extent)
    return replace(cell, column=start, columns=extent)


def _is_table(grid: Grid) -> bool:
    """At least two rows or values below each other, two columns, and enough of it filled."""
    filled = [cell for cell in grid.cells if cell.lines]
    if len(filled) < max(3, _MIN_FILLED * len(grid.cells)):
        return False
    deep = max(len(cell.lines) for cell in filled)
    rows = {cell.row for cell in filled}
    columns = {cell.column for cell in filled}
    return len(columns) > 1 and (len(rows) > 1 or deep > 2)


def _outermost(grids: list[Grid]) -> list[Grid]:
    """Without grids that lie in a cell of another one."""

    def holds(outer: Grid, inner: Grid) -> bool:
        (a0, b0, a1, b1), (x0, y0, x1, y1) = outer.box, inner.box
        return outer is not inner and a0 <= x0 and b0 <= y0 and a1 >= x1 and b1 >= y1

    return [grid for grid in grids if not any(holds(other, grid) for other in grids)]
