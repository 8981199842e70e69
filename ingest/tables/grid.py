"""What both ways of finding a table give: cells by row and column, each the text lines it holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from spanproof.core.documents.table import is_value


@dataclass(frozen=True, slots=True, kw_only=True)
class CellLine:
    """One line of text in a cell: which line of the page, its offsets and its words."""

    line: int
    offsets: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GridCell:
    """A cell, its rows and columns counted from 0."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1
    lines: tuple[CellLine, ...] = ()

    @property
    def text(self) -> str:
        """Its words in one line."""
        return " ".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of one page: its cells, and its box in the turned frame."""

    cells: tuple[GridCell, ...]
    box: tuple[float, float, float, float]

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return max((cell.row + cell.rows for cell in self.cells), default=0)

    @property
    def column_count(self) -> int:
        """How many columns there are."""
        return max((cell.column + cell.columns for cell in self.cells), default=0)


@dataclass(slots=True)
class RowSplit:
    """Cuts a row whose values stand below each other into one row for each of them."""

    middles: dict[int, float]
    cells: list[GridCell] = field(default_factory=list)
    shift: int = 0

    def add(self, row: int, cells: list[GridCell]) -> None:
        """Take the cells that begin in a row."""
        anchors = self._find_anchors(cells)
        if len(anchors) < 2 or any(cell.rows > 1 for cell in cells):
            self.cells += [replace(cell, row=row + self.shift) for cell in cells]
            return
        for cell in cells:
            held: dict[int, list[CellLine]] = {}
            for line in cell.lines:
                held.setdefault(self._nearest(anchors, line.line), []).append(line)
            for index in range(len(anchors)):
                at = row + self.shift + index
                lines = tuple(held.get(index, ()))
                self.cells.append(replace(cell, row=at, lines=lines))
        self.shift += len(anchors) - 1

    @staticmethod
    def _find_anchors(cells: list[GridCell]) -> list[int]:
        """The lines of the values that stand below each other in one cell; the longest list."""
        stacks = [
            [line.line for line in cell.lines]
            for cell in cells
            if len(cell.lines) > 1 and all(is_value(line.text) for line in cell.lines)
        ]
        return max(stacks, key=len, default=[])

    def _nearest(self, anchors: list[int], line: int) -> int:
        middle = self.middles[line]
        return min(range(len(anchors)), key=lambda i: abs(self.middles[anchors[i]] - middle))


def split_rows(grid: Grid, middles: dict[int, float]) -> Grid:
    """The grid with every row cut that holds several rows of values."""
    split = RowSplit(middles)
    spanning = {r for c in grid.cells if c.rows > 1 for r in range(c.row, c.row + c.rows)}
    if spanning:
        return grid
    for row in range(grid.row_count):
        split.add(row, [cell for cell in grid.cells if cell.row == row])
    return replace(grid, cells=tuple(split.cells))
