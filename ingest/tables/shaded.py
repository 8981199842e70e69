"""Rows that a shade marks and no line: cut where the other rows of their table have columns."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.documents.table import is_value
from spanproof.ingest.tables.grid import CellLine, GridCell
from spanproof.ingest.tables.page_marks import GAP, WORD_GAP

if TYPE_CHECKING:
    from spanproof.ingest.tables.page_marks import PageMarks


def part_columns(cells: list[GridCell], marks: PageMarks) -> list[GridCell]:
    """Rows that only a shade marks, cut where the other rows have their columns.

    A wide cell is cut if several columns hold words of it, one of them a value, and none of its
    words stands in two.
    """
    extents = _find_extents(cells, marks)
    found: list[GridCell] = []
    for cell in cells:
        parts = None if cell.columns == 1 or not cell.lines else _cut(cell, extents, marks)
        found += parts or [cell]
    return found


def _find_extents(cells: list[GridCell], marks: PageMarks) -> dict[int, tuple[float, float]]:
    """From where to where the words of each column stand, by its narrow cells."""
    found: dict[int, tuple[float, float]] = {}
    for cell in cells:
        if cell.columns == 1 and cell.lines:
            x0, x1 = _extent(marks, [o for line in cell.lines for o in line.offsets])
            low, high = found.get(cell.column, (x0, x1))
            found[cell.column] = (min(low, x0), max(high, x1))
    return found


def _extent(marks: PageMarks, offsets: list[int]) -> tuple[float, float]:
    own = np.searchsorted(marks.offsets, offsets)
    return float(marks.x0[own].min()), float(marks.x1[own].max())


def _cut(
    cell: GridCell, extents: dict[int, tuple[float, float]], marks: PageMarks
) -> list[GridCell] | None:
    columns = range(cell.column, cell.column + cell.columns)
    if any(column not in extents for column in columns):
        return None
    middles = [sum(extents[c]) / 2 for c in columns]
    if middles != sorted(middles):
        return None
    held: dict[int, list[CellLine]] = {}
    for line in cell.lines:
        for piece in cut_line(line, marks):
            x0, x1 = _extent(marks, list(piece.offsets))
            met = [c for c in columns if min(extents[c][1], x1) - max(extents[c][0], x0) > 0]
            if len(met) > 1:
                return None
            near = min(columns, key=lambda c: abs(sum(extents[c]) - x0 - x1))
            held.setdefault(met[0] if met else near, []).append(piece)
    told = [all(is_value(piece.text) for piece in pieces) for pieces in held.values()]
    if len(held) < 2 or not any(told):
        return None
    return [
        replace(cell, column=column, columns=1, lines=tuple(held.get(column, ())))
        for column in columns
    ]


def cut_line(line: CellLine, marks: PageMarks) -> list[CellLine]:
    """The pieces of a line between gaps as wide as its letters are high."""
    own = np.searchsorted(marks.offsets, line.offsets).tolist()
    pieces: list[list[int]] = [[own[0]]]
    for before, index in pairwise(own):
        gap = marks.x0[index] - marks.x1[before]
        if gap > GAP * (marks.y1[index] - marks.y0[index]):
            pieces.append([])
        pieces[-1].append(index)
    return [
        CellLine(
            line=line.line,
            offsets=tuple(int(marks.offsets[index]) for index in piece),
            text=write_words(marks, piece),
        )
        for piece in pieces
    ]


def write_words(marks: PageMarks, own: list[int]) -> str:
    """The words of characters that stand from left to right."""
    parts = [marks.text[own[0]]]
    for before, index in pairwise(own):
        gap = marks.x0[index] - marks.x1[before]
        parts.append(" " if gap > WORD_GAP * (marks.y1[index] - marks.y0[index]) else "")
        parts.append(marks.text[index])
    return "".join(parts)
