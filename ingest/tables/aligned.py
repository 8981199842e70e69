"""Tables without lines between their cells: values that stand in columns, row below row.

Rows with a value behind their first fragment begin it; what no fragment of them crosses are the
gaps between the columns. Lines close above that stand over the columns are its head.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.core.documents.table import is_value, is_year
from spanproof.ingest.tables.grid import CellLine, Grid, GridCell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.ingest.tables.page_marks import Fragment, Line, Word
    from spanproof.ingest.tables.rules import Rule

#: Heights of a line: the widest gap between rows, and between a head and what is below it.
_ROW_GAP, _HEAD_GAP = 2.2, 1.6
#: And the least one above the head of another table.
_APART = 0.4
_HEAD_LINES, _BETWEEN = 6, 3
#: A name stands in the middle of the columns below it; a line as wide as a table is under no name.
_CENTRED, _WHOLE = 0.2, 0.9
#: A gap between columns is at least so wide (heights), and so few rows may cross it.
_GUTTER, _CROSSED = 0.3, 0.05
_MIN_ROWS, _MIN_VALUES = 3, 0.5
_MOST_ROWS, _MOST_COLUMNS = 400, 60
#: Of so many rows one may cross a gap.
_MANY_ROWS = 8
#: Words longer than this are a paragraph's.
_PROSE = 90
#: A sign that stands apart is at most so far (heights) from its value.
_SIGN_GAP = 3.0
#: A line drawn with letters.
_DASHES = re.compile(r"[-=_\u2013\u2014\s]{6,}")
_BEFORE_VALUE = frozenset("$€£¥")
_BEHIND_VALUE = frozenset({"%", ")", "%)", "*", "**", "***", "†", "‡", "pp"})


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns' own edges, from left to right."""

    edges: tuple[tuple[float, float], ...]

    def of(self, fragment: Fragment) -> tuple[int, int]:
        """The first column of a fragment, and how many it takes."""
        met = [
            index
            for index, (x0, x1) in enumerate(self.edges)
            if min(x1, fragment.x1) - max(x0, fragment.x0) > 0
        ]
        if met:
            return met[0], met[-1] - met[0] + 1
        middle = (fragment.x0 + fragment.x1) / 2
        near = [abs((x0 + x1) / 2 - middle) for x0, x1 in self.edges]
        return near.index(min(near)), 1


def find_aligned(
    lines: Sequence[Line],
    level: Sequence[Rule],
    taken: Sequence[tuple[float, float, float, float]],
) -> list[Grid]:
    """The tables among the lines, from the top; not within the boxes that are ``taken``."""
    numbered = [
        (index, kept) for index, line in enumerate(lines) if (kept := _outside(line, taken))
    ]
    grids = []
    for start, end in _find_stretches([line for _, line in numbered]):
        grid = _lay_grid(numbered[start:end], numbered[max(0, start - _HEAD_LINES) : start], level)
        if grid is not None:
            grids.append(grid)
    return grids


def _outside(line: Line, taken: Sequence[tuple[float, float, float, float]]) -> Line | None:
    def is_free(fragment: Fragment) -> bool:
        x, y = (fragment.x0 + fragment.x1) / 2, (fragment.y0 + fragment.y1) / 2
        return not any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in taken)

    own = [f for f in line.fragments if is_free(f) and not _DASHES.fullmatch(f.text)]
    kept = tuple(_join_signs(own))
    if not kept:
        return None
    return replace(line, fragments=kept)


def _join_signs(fragments: list[Fragment]) -> Iterator[Fragment]:
    """A currency sign that stands apart belongs to the value behind it, a per cent before it."""
    waiting: Fragment | None = None
    for fragment in fragments:
        if waiting is not None:
            text = waiting.text
            near = fragment.x0 - waiting.x1 < _SIGN_GAP * waiting.height
            if near and text.strip() in _BEFORE_VALUE and is_value(fragment.text):
                waiting = _join(waiting, fragment)
                continue
            if near and fragment.text.strip() in _BEHIND_VALUE and is_value(text):
                waiting = _join(waiting, fragment)
                continue
            yield waiting
        waiting = fragment
    if waiting is not None:
        yield waiting


def _join(one: Fragment, other: Fragment) -> Fragment:
    return replace(
        one,
        words=one.words + other.words,
        offsets=one.offsets + other.offsets,
        text=f"{one.text} {other.text}",
        x1=max(one.x1, other.x1),
        y0=min(one.y0, other.y0),
        y1=max(one.y1, other.y1),
    )


def _is_body(line: Line) -> bool:
    """Whether a line tells a value, or several short things, of something."""
    fragments = line.fragments
    if len(fragments) < 2 or any(len(f.text) > _PROSE for f in fragments):
        return False
    return any(is_value(f.text) for f in fragments[1:])


def _find_stretches(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Where rows follow each other, a few lines without a value between them."""
    start = last = None
    for index, line in enumerate(lines):
        if not _is_body(line):
            continue
        if start is not None and last is not None and _goes_on(lines, last, index):
            last = index
            continue
        if start is not None and last is not None:
            yield start, last + 1
        start = last = index
    if start is not None and last is not None:
        yield start, last + 1


def _goes_on(lines: Sequence[Line], last: int, index: int) -> bool:
    between = lines[last : index + 1]
    if len(between) - 2 > _BETWEEN or any(
        len(f.text) > _PROSE for line in between for f in line.fragments
    ):
        return False
    if any(_begins_head(high, low, between[0]) for high, low in pairwise(between[:-1])):
        return False
    return all(
        low.y0 - high.y1 <= _ROW_GAP * min(high.height, low.height)
        for high, low in pairwise(between)
    )


def _begins_head(above: Line, line: Line, row: Line) -> bool:
    """Whether a line apart from the rows stands over their values alone: another table's head."""
    apart = line.y0 - above.y1 > _APART * line.height
    return apart and line.fragments[0].x0 > row.fragments[0].x1


def _lay_grid(
    numbered: Sequence[tuple[int, Line]],
    above: Sequence[tuple[int, Line]],
    level: Sequence[Rule],
) -> Grid | None:
    body = [line for _, line in numbered if _is_body(line)]
    if len(body) < _MIN_ROWS or len(numbered) > _MOST_ROWS:
        return None
    columns = _find_columns(body)
    if not 2 <= len(columns.edges) <= _MOST_COLUMNS:
        return None
    head = _widen(_find_head(above, numbered[0][1], columns), columns, level)
    rows = _join_rows([*head], columns, is_head=True)
    heads = len(rows)
    rows += _join_rows(list(numbered), columns, is_head=False)
    cells = _fill(rows, columns)
    values = [cell for cell in cells if cell.lines and cell.column and cell.row >= heads]
    told = sum(is_value(cell.text) for cell in values)
    if not values or told < _MIN_VALUES * len(values):
        return None
    fragments = [f for _, line in [*head, *numbered] for f in line.fragments]
    box = (
        min(f.x0 for f in fragments),
        min(f.y0 for f in fragments),
        max(f.x1 for f in fragments),
        max(f.y1 for f in fragments),
    )
    return Grid(cells=tuple(cells), box=box)


def _find_columns(body: Sequence[Line]) -> _Columns:
    """Where the rows have text, parted by gaps that next to none of them crosses."""
    changes: list[tuple[float, int]] = []
    for line in body:
        for fragment in line.fragments:
            # Values that stand close together may be those of two columns.
            told = all(is_value(word.text) for word in fragment.words)
            for part in fragment.words if told else (fragment,):
                changes += [(part.x0, 1), (part.x1, -1)]
    changes.sort()
    allowed = max(int(_CROSSED * len(body)), int(len(body) >= _MANY_ROWS))
    gutter = _GUTTER * sorted(line.height for line in body)[len(body) // 2]
    edges: list[tuple[float, float]] = []
    count, start = 0, 0.0
    for x, change in changes:
        before, count = count, count + change
        if before <= allowed < count:
            start = x
        elif count <= allowed < before:
            if edges and start - edges[-1][1] < gutter:
                edges[-1] = (edges[-1][0], x)
            else:
                edges.append((start, x))
    return _Columns(tuple(edges))


def _find_head(
    above: Sequence[tuple[int, Line]], first: Line, columns: _Columns
) -> list[tuple[int, Line]]:
    """The lines close above that stand over the columns."""
    head: list[tuple[int, Line]] = []
    below = first
    for index, line in reversed(above):
        gap = below.y0 - line.y1
        if gap > _HEAD_GAP * min(line.height, below.height):
            break
        places = [columns.of(f) for f in line.fragments]
        if any(len(f.text) > _PROSE for f in line.fragments):
            break
        apart = len({start for start, _ in places}) == len(places)
        if not apart or (len(places) == 1 and places[0][0] == 0):
            break
        head.insert(0, (index, line))
        below = line
    return head


def _widen(
    head: list[tuple[int, Line]], columns: _Columns, level: Sequence[Rule]
) -> list[tuple[int, Line]]:
    """Names over several columns as wide as these: as the line below them, or alone in theirs."""
    found = []
    low, high = columns.edges[min(1, len(columns.edges) - 1)][0], columns.edges[-1][1]
    for place, (index, line) in enumerate(head):
        width = high - columns.edges[0][0]
        fragments = [_reach(f, line, level, width) for f in line.fragments]
        is_last = place == len(head) - 1
        if len(fragments) == 1 and not is_last and len(head[place + 1][1].fragments) > 1:
            (one,) = fragments
            if abs(one.x0 + one.x1 - low - high) < _CENTRED * (high - low):
                fragments = [replace(one, x0=min(one.x0, low), x1=max(one.x1, high))]
        found.append((index, replace(line, fragments=tuple(fragments))))
    return found


def _reach(fragment: Fragment, line: Line, level: Sequence[Rule], width: float) -> Fragment:
    """A fragment as wide as the line drawn below it alone."""
    for rule in level:
        if any(f is not fragment and f.x1 > rule.start and f.x0 < rule.end for f in line.fragments):
            continue
        below = -3 < rule.at - fragment.y1 < fragment.height
        over = rule.start < fragment.x0 + 2 and rule.end > fragment.x1 - 2
        if below and over and rule.end - rule.start < _WHOLE * width:
            return replace(fragment, x0=rule.start + 1, x1=rule.end - 1)
    return fragment


def _join_rows(
    numbered: list[tuple[int, Line]], columns: _Columns, *, is_head: bool
) -> list[list[tuple[int, Line]]]:
    """Lines that go on with the row above are one row with it."""
    rows: list[list[tuple[int, Line]]] = []
    for index, line in numbered:
        if rows and _belongs(rows[-1][-1][1], line, columns, is_head=is_head):
            rows[-1].append((index, line))
        else:
            rows.append([(index, line)])
    return rows


def _belongs(above: Line, line: Line, columns: _Columns, *, is_head: bool) -> bool:
    places = [columns.of(f) for f in line.fragments]
    if is_head:
        wide = any(extent > 1 for _, extent in [*places, *(columns.of(f) for f in above.fragments)])
        years = all(is_year(f.text) for f in line.fragments)
        return not wide and not years
    if any(is_value(f.text) for f in line.fragments):
        return False
    if all(start > 0 for start, _ in places):
        return True
    first = line.fragments[0].text.lstrip()
    inside = above.fragments[0].x0 <= line.fragments[0].x0
    return len(places) == 1 and first[:1].islower() and inside


def _cut(fragment: Fragment, columns: _Columns) -> Iterator[Fragment]:
    """A fragment of values, one for each of the columns that it reaches over."""
    values = all(is_value(word.text) for word in fragment.words)
    if columns.of(fragment)[1] == 1 or not values:
        yield fragment
        return
    parts: dict[int, list[Word]] = {}
    for word in fragment.words:
        own = replace(fragment, words=(word,), x0=word.x0, x1=word.x1)
        parts.setdefault(columns.of(own)[0], []).append(word)
    for words in parts.values():
        yield replace(
            fragment,
            words=tuple(words),
            offsets=tuple(offset for word in words for offset in word.offsets),
            text=" ".join(word.text for word in words),
            x0=words[0].x0,
            x1=words[-1].x1,
        )


def _fill(rows: list[list[tuple[int, Line]]], columns: _Columns) -> list[GridCell]:
    cells: list[GridCell] = []
    for number, row in enumerate(rows):
        held: dict[tuple[int, int], list[CellLine]] = {}
        for index, line in row:
            for fragment in line.fragments:
                for part in _cut(fragment, columns):
                    held.setdefault(columns.of(part), []).append(
                        CellLine(line=index, offsets=part.offsets, text=part.text)
                    )
        taken: set[int] = set()
        for (start, extent), lines in sorted(held.items()):
            free = [c for c in range(start, start + extent) if c not in taken] or [start]
            if free[0] in taken:
                near = next(cell for cell in cells if cell.row == number and cell.column <= start
                            < cell.column + cell.columns)  # fmt: skip
                cells.remove(near)
                cells.append(replace(near, lines=near.lines + tuple(lines)))
                continue
            taken.update(free)
            cells.append(
                GridCell(row=number, column=free[0], columns=len(free), lines=tuple(lines))
            )
        cells += [
            GridCell(row=number, column=c) for c in range(len(columns.edges)) if c not in taken
        ]
    return sorted(cells, key=lambda cell: (cell.row, cell.column))
