"""An extraction and the shapes that its pages draw → its tables.

A page is looked at only where lines cross on it or values stand below each other: a cheap test.
The canonical text stays as it is; a table names places in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.documents.cell_columns import TableCell
from spanproof.core.documents.table import Table, TablePart, count_heads
from spanproof.core.geometry import Rect
from spanproof.core.span import Span
from spanproof.ingest.tables.aligned import find_aligned
from spanproof.ingest.tables.page_marks import (
    find_turn,
    read_lines,
    read_marks,
    turn_points,
    turned,
)
from spanproof.ingest.tables.ruled import find_ruled
from spanproof.ingest.tables.rules import find_groups, read_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.geometry import PageFrame, Rotation
    from spanproof.ingest.tables.grid import Grid
    from spanproof.ingest.tables.page_marks import Line
    from spanproof.ingest.tables.rules import Boxes

#: Fewer lines of text in columns are no table; runs on one base line, in quanta; a value's length.
_FEW, _BASE, _LONGEST = 3, 150, 40
_MOST_BOXES = 5_000
#: Lines above and below a table among which its caption is looked for, and their farthest.
_CAPTION_LINES, _CAPTION_APART = 5, 60.0
_CAPTION = re.compile(
    r"(?:table|tab\.|exhibit|figure|box|chart|schedule|tableau|tabelle|tabla|quadro|表)\s*"
    r"[A-Z]?[\d.IVX-]*",
    re.IGNORECASE,
)
#: Columns of a table that goes on stand at most so far (points) from where they stood.
_SAME_COLUMN = 6.0
#: The shares of a page in which a table ends that goes on, and in which the rest begins.
_LOW, _HIGH = 0.6, 0.35


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A table of one page, not yet joined with those of others."""

    page: int
    grid: Grid
    bbox: Rect
    height: float
    caption: Span | None


def find_tables(
    extraction: Extraction, shapes: Mapping[int, Boxes] | None = None
) -> tuple[Table, ...]:
    """The tables of all pages that have a layout, in order.

    ``shapes`` are by page number what each page draws, rows of x0, y0, x1, y1 in user space.
    """
    groups: list[list[_Found]] = []
    for page in extraction.pages:
        for one in _find_on_page(extraction, page, (shapes or {}).get(page.number)):
            if groups and _goes_on(groups[-1][-1], one):
                groups[-1].append(one)
            else:
                groups.append([one])
    text = extraction.text.text
    return tuple(_to_table(text, number, group) for number, group in enumerate(groups, start=1))


def _find_on_page(extraction: Extraction, page: Page, boxes: Boxes | None) -> list[_Found]:
    layout, frame = extraction.layout, page.frame
    if layout is None or frame is None or not len(page.span):
        return []
    turn = find_turn(layout, page.span)
    shown = _turn_boxes(turned(frame, turn), boxes)
    crossing = find_groups(shown)
    if not crossing and not _has_columns(extraction, page, turn):
        return []
    marks = read_marks(extraction, page, turn)
    if marks is None:
        return []
    lines = read_lines(marks)
    grids = find_ruled(crossing, marks, lines)
    level, _ = read_rules(shown)
    grids += find_aligned(lines.lines, level, [grid.box for grid in grids])
    grids.sort(key=lambda grid: (grid.box[1], grid.box[0]))
    return [
        _Found(
            page=page.number,
            grid=grid,
            bbox=_to_display(marks.frame, frame, grid.box),
            height=marks.frame.display_size[1],
            caption=_find_caption(lines.lines, grid),
        )
        for grid in grids
    ]


#: White space or dots before a figure, in one line.
_PARTED = re.compile(r"\S(?:[ \u00a0]{2,}|\.{4,})[^\n]*\d")


def _has_columns(extraction: Extraction, page: Page, turn: Rotation) -> bool:
    """Whether some lines of the page have a figure behind a gap, as rows of values have."""
    layout, text = extraction.layout, extraction.text.text[page.span.start : page.span.end]
    if sum(1 for _ in islice(_PARTED.finditer(text), _FEW)) == _FEW:
        return True
    runs = range(0) if layout is None else layout.runs_of(page.span)
    if layout is None or len(runs) < 2 * _FEW:
        return False
    part = slice(runs[0], runs[-1] + 1)
    x, y = layout.run_x[part], layout.run_y[part]
    along, across = (x, y) if turn in {0, 180} else (y, x)
    # Runs that share their base line stand beside each other.
    order = np.lexsort((along, across // _BASE))
    beside = np.diff((across // _BASE)[order]) == 0
    points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    digits = np.concatenate([[0], np.cumsum((points >= 48) & (points <= 57))])
    start = layout.run_start[part] - page.span.start
    end = layout.run_end[part] - page.span.start
    told = (digits[end] > digits[start]) & (end - start <= _LONGEST)
    return int((beside & (told[order][1:] | told[order][:-1])).sum()) >= _FEW


def _turn_boxes(frame: PageFrame, boxes: Boxes | None) -> Boxes:
    if boxes is None or len(boxes) > _MOST_BOXES or not len(boxes):
        return np.zeros((0, 4))
    turn = frame.rotation
    xa, ya = turn_points(frame, turn, boxes[:, 0], boxes[:, 1])
    xb, yb = turn_points(frame, turn, boxes[:, 2], boxes[:, 3])
    width, height = frame.display_size
    shown = np.stack(
        [np.minimum(xa, xb), np.minimum(ya, yb), np.maximum(xa, xb), np.maximum(ya, yb)], axis=1
    )
    page_wide = (shown[:, 2] - shown[:, 0] > 0.97 * width) & (
        shown[:, 3] - shown[:, 1] > 0.97 * height
    )
    found: Boxes = shown[np.isfinite(shown).all(axis=1) & ~page_wide]
    return found


def _to_display(own: PageFrame, frame: PageFrame, box: tuple[float, ...]) -> Rect:
    corners = [own.display_to_user(point) for point in (box[:2], box[2:])]  # type: ignore[arg-type]
    return Rect.around([frame.user_to_display(corner) for corner in corners])


def _find_caption(lines: Sequence[Line], grid: Grid) -> Span | None:
    """The nearest line above, else below, that calls itself a table's name."""
    x0, y0, x1, y1 = grid.box
    near = [
        line.fragments for line in lines if line.y1 <= y0 + 2 and y0 - line.y1 < _CAPTION_APART
    ][-_CAPTION_LINES:][::-1]
    near += [
        line.fragments for line in lines if line.y0 >= y1 - 2 and line.y0 - y1 < _CAPTION_APART / 2
    ][:2]
    for fragments in near:
        own = [f for f in fragments if f.x1 > x0 and f.x0 < x1]
        if own and _CAPTION.match(own[0].text):
            offsets = sorted(offset for f in own for offset in f.offsets)
            if offsets[-1] - offsets[0] < 4 * len(offsets):
                return Span(offsets[0], offsets[-1] + 1)
    return None


def _goes_on(one: _Found, other: _Found) -> bool:
    """Whether a table at the top of a page is the rest of the one at the end of the page before."""
    if other.page != one.page + 1 or one.grid.column_count != other.grid.column_count:
        return False
    if one.grid.box[3] < _LOW * one.height or other.grid.box[1] > _HIGH * other.height:
        return False
    edges = zip((one.grid.box[0], one.grid.box[2]), (other.grid.box[0], other.grid.box[2]),
                strict=True)  # fmt: skip
    if any(abs(a - b) > _SAME_COLUMN for a, b in edges):
        return False
    if other.caption is not None and one.caption is None:
        return False
    heads = [_head_of(found.grid) for found in (one, other)]
    words = [
        [cell.text.strip() for cell in found.grid.cells if cell.row < head]
        for found, head in zip((one, other), heads, strict=True)
    ]
    return words[0] == words[1] or heads[1] == 0


def _head_of(grid: Grid) -> int:
    rows: dict[int, list[tuple[int, str]]] = {}
    for cell in grid.cells:
        if cell.lines:
            rows.setdefault(cell.row, []).append((cell.column + 1, cell.text))
    return count_heads((rows.get(row, []) for row in range(grid.row_count)), grid.row_count)


def _to_table(text: str, number: int, group: Sequence[_Found]) -> Table:
    cells: list[TableCell] = []
    parts: list[TablePart] = []
    heads: list[int] = []
    shift = 0
    for found in group:
        grid = found.grid
        heads += [shift + row for row in range(1, _head_of(grid) + 1)]
        cells += [
            TableCell(
                row=shift + cell.row + 1,
                column=cell.column + 1,
                rows=cell.rows,
                columns=cell.columns,
                spans=_to_spans(text, [o for line in cell.lines for o in line.offsets]),
            )
            for cell in sorted(grid.cells, key=lambda cell: (cell.row, cell.column))
        ]
        last = shift + grid.row_count
        parts.append(
            TablePart(page=found.page, first_row=shift + 1, last_row=last, bbox=found.bbox)
        )
        shift = last
    return Table(
        number=number,
        cells=tuple(cells),
        parts=tuple(parts),
        header_rows=tuple(heads),
        caption=group[0].caption,
    )


def _to_spans(text: str, offsets: list[int]) -> tuple[Span, ...]:
    """Stretches of the text that hold these characters, and besides them white space alone."""
    stretches: list[list[int]] = []
    for offset in sorted(offsets):
        end = stretches[-1][1] if stretches else -1
        if stretches and (offset == end or not text[end:offset].strip()):
            stretches[-1][1] = offset + 1
        else:
            stretches.append([offset, offset + 1])
    return tuple(Span(start, end) for start, end in stretches)
