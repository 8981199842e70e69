"""Blocks in the order of a reader that finds tables among them and reads each table by its rows.

It is the order of Poppler's pdftotext; none of its code is here. A block, the nearest one to its
right, the nearest one below it and the one that stands below and to the right are cells of a table
if they are aligned both ways. A table stands among the other blocks as a whole. A block that is no
cell is taken to be as wide as what stands below it, but not into a block beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Relation = np.ndarray[Any, np.dtype[np.bool_]]

#: In heights of the smallest of four blocks: how far cells of a column, and of a row, may be apart.
_IN_COLUMN, _IN_ROW = 0.7, 0.5


class _Box(Protocol):
    """A block: its sides in points, y downwards, and the height of its words."""

    x0: float
    y0: float
    x1: float
    y1: float
    size: float


_Block = TypeVar("_Block", bound=_Box)


@dataclass(slots=True, eq=False)
class _Place:
    """Where a block stands among the others: its own sides and those of its table."""

    box: _Box
    x0: float
    y0: float
    x1: float
    table: int | None = None


def order_with_tables(blocks: Sequence[_Block]) -> list[_Block]:
    """Each block behind all that come before it."""
    blocks = sorted(blocks, key=lambda block: (block.x0, block.y0))
    places = [_Place(block, block.x0, block.y0, block.x1) for block in blocks]
    _find_tables(places)
    _spread(places)
    return [blocks[at] for at in sort_by(_relate_places(places))]


def _find_tables(places: Sequence[_Place]) -> None:
    tables = 0
    for place in places:
        cells = _find_cells(place, places)
        if not cells or not _are_aligned(cells):
            continue
        known = [cell.table for cell in cells if cell.table is not None]
        table = max(known, default=tables)
        tables = max(tables, table + 1)
        for cell in cells:
            cell.table = table
    for table in range(tables):
        members = [place for place in places if place.table == table]
        x0 = min((each.box.x0 for each in members), default=0.0)
        y0 = min((each.box.y0 for each in members), default=0.0)
        x1 = max((each.box.x1 for each in members), default=0.0)
        for each in members:
            each.x0, each.y0, each.x1 = x0, y0, x1


def _find_cells(place: _Place, places: Sequence[_Place]) -> tuple[_Place, ...]:
    """A block and three others, if they may be the corners of a table; else none."""
    box = place.box
    right: _Place | None = None
    below: _Place | None = None
    corner: _Place | None = None
    for other in places:
        its = other.box
        if other is place:
            continue
        if _share_y(its, box) and its.x0 > box.x1:
            right = other if right is None or its.x0 < right.box.x0 else right
        elif _share_x(its, box) and its.y0 > box.y1:
            below = other if below is None or its.y0 < below.box.y0 else below
        elif its.x0 > box.x1 and its.y0 > box.y1:
            nearer = corner is None or (its.x0 <= corner.box.x0 and its.y0 <= corner.box.y0)
            corner = other if nearer else corner
    if right is None or below is None or corner is None:
        return ()
    apart = not (
        _share_x(below.box, corner.box)
        or _share_y(right.box, corner.box)
        or _share_x(right.box, below.box)
        or _share_y(right.box, below.box)
    )
    meets = _share_x(corner.box, right.box) and _share_y(corner.box, below.box)
    return (place, right, below, corner) if apart and meets else ()


def _are_aligned(cells: Sequence[_Place]) -> bool:
    one, right, below, corner = (cell.box for cell in cells)
    size = min(cell.box.size for cell in cells)

    def level(pairs: tuple[tuple[float, float], ...], far: float) -> bool:
        return all(abs(a - b) <= far for a, b in pairs)

    columns = ((one, below), (right, corner))
    rows = ((one, right), (below, corner))
    in_columns = (
        tuple((a.x0, b.x0) for a, b in columns),
        tuple((a.x1, b.x1) for a, b in columns),
        tuple(((a.x0 + a.x1) / 2, (b.x0 + b.x1) / 2) for a, b in columns),
    )
    in_rows = (
        tuple((a.y0, b.y0) for a, b in rows),
        tuple((a.y1, b.y1) for a, b in rows),
        tuple(((a.y0 + a.y1) / 2, (b.y0 + b.y1) / 2) for a, b in rows),
    )
    return any(level(pairs, _IN_COLUMN * size) for pairs in in_columns) and any(
        level(pairs, _IN_ROW * size) for pairs in in_rows
    )


def _spread(places: Sequence[_Place]) -> None:
    for place in places:
        if place.table is not None:
            continue
        box = place.box
        others = [other.box for other in places if other is not place]
        beside = [other for other in others if _share_y(box, other)]
        most = min((other.x0 for other in beside if other.x0 > box.x1), default=inf)
        least = max((other.x1 for other in beside if other.x1 < box.x0), default=-inf)
        for other in others:
            if other.y0 >= box.y1:
                if place.x1 < other.x1 <= most:
                    place.x1 = other.x1
                if least <= other.x0 < place.x0:
                    place.x0 = other.x0


def sort_by(comes_before: Relation) -> list[int]:
    """Each number behind all that come before it, else as they are."""
    unseen = np.ones(len(comes_before), bool)
    found: list[int] = []
    for first in range(len(comes_before)):
        stack = [first] if unseen[first] else []
        unseen[first] = False
        while stack:
            earlier = comes_before[:, stack[-1]] & unseen
            at = int(earlier.argmax())
            if earlier[at]:
                unseen[at] = False
                stack.append(at)
            else:
                found.append(stack.pop())
    return found


def relate(x0: Numbers, y0: Numbers, x1: Numbers) -> Relation:
    """Whether each of the boxes (rows) comes before each other one (columns).

    It is above it, or to its left with no third one that is below the one and above the other.
    """
    above = (x0[:, None] <= x1) & (x0 <= x1[:, None]) & (y0[:, None] < y0)
    steps = above.astype(np.float32)
    between = (steps @ steps).T > 0
    related: Relation = above | ((x1[:, None] <= x0) & ~between)
    return related


def _relate_places(places: Sequence[_Place]) -> Relation:
    numbers = np.array([(p.x0, p.y0, p.x1) for p in places]).reshape(-1, 3)
    before = relate(*numbers.T)
    tables: dict[int, list[int]] = {}
    for at, place in enumerate(places):
        if place.table is not None:
            tables.setdefault(place.table, []).append(at)
    for cells in tables.values():
        for at in cells:
            for other in cells:
                one, two = places[at].box, places[other].box
                beside = one.x1 <= two.x0 and _share_y(one, two)
                before[at, other] = beside or one.y1 <= two.y0
    return before


def _share_x(one: _Box, other: _Box) -> bool:
    return one.x0 <= other.x1 and one.x1 >= other.x0


def _share_y(one: _Box, other: _Box) -> bool:
    return one.y0 <= other.y1 and one.y1 >= other.y0
