"""The order of a reader that groups lines to boxes, and boxes by the room between them.

After pdfminer.six (MIT), ``pdfminer/layout.py``, with its own settings: glyphs that follow each
other in a row are a line, lines near and aligned are a box, and the two boxes with the least room
between them are joined, until all are one group. Groups are read from the top left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.quotes.line_order.page_glyphs import Glyph

#: pdfminer's LAParams.
_LINE_OVERLAP, _CHAR_MARGIN, _LINE_MARGIN, _BOXES_FLOW = 0.5, 2.0, 0.5, 0.5
#: A page of more boxes is not read so: their pairs are too many.
_MOST_BOXES = 600


@dataclass(slots=True, eq=False)
class _Box:
    """A line, a box of lines, or a group of boxes; y downwards."""

    x0: float
    y0: float
    x1: float
    y1: float
    glyphs: list[Glyph] = field(default_factory=list)
    parts: list[_Box] = field(default_factory=list)

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        return (self.x1 - self.x0) * (self.y1 - self.y0)


def read_by_boxes(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """The glyphs in the order of boxes; none where there are too many of them."""
    lines = [line for line in _lines(glyphs) if not all(g.is_blank for g in line.glyphs)]
    boxes = _boxes(lines)
    if not 0 < len(boxes) <= _MOST_BOXES:
        return []
    found: list[Glyph] = []
    _read(_group(boxes), found)
    return found


def _lines(glyphs: Sequence[Glyph]) -> list[_Box]:
    lines: list[_Box] = []
    last: Glyph | None = None
    for glyph in glyphs:
        if last is not None and _goes_on(last, glyph):
            line = lines[-1]
            line.glyphs.append(glyph)
            line.x0, line.y0 = min(line.x0, glyph.x0), min(line.y0, glyph.y0)
            line.x1, line.y1 = max(line.x1, glyph.x1), max(line.y1, glyph.y1)
        else:
            lines.append(_Box(glyph.x0, glyph.y0, glyph.x1, glyph.y1, [glyph]))
        last = glyph
    return lines


def _goes_on(one: Glyph, other: Glyph) -> bool:
    if one.y1 < other.y0 or other.y1 < one.y0:
        return False
    overlap = min(abs(one.y0 - other.y1), abs(one.y1 - other.y0))
    apart = (
        0.0
        if one.x0 <= other.x1 and other.x0 <= one.x1
        else min(abs(one.x0 - other.x1), abs(one.x1 - other.x0))
    )
    return (
        min(one.height, other.height) * _LINE_OVERLAP < overlap
        and apart < max(one.width, other.width) * _CHAR_MARGIN
    )


def _boxes(lines: list[_Box]) -> list[_Box]:
    boxes: dict[int, list[_Box]] = {}
    for line in lines:
        members = [line]
        for other in _neighbours(line, lines):
            members.append(other)
            if id(other) in boxes:
                members += boxes.pop(id(other))
        box = list({id(each): each for each in members}.values())
        for each in box:
            boxes[id(each)] = box
    found: list[_Box] = []
    done: set[int] = set()
    for line in lines:
        box = boxes.get(id(line), [])
        if not box or id(box) in done:
            continue
        done.add(id(box))
        ordered = sorted(box, key=lambda each: each.y0)
        found.append(_hull(ordered))
    return found


def _neighbours(line: _Box, lines: list[_Box]) -> list[_Box]:
    far = _LINE_MARGIN * line.height
    return [
        each
        for each in lines
        if each.x0 < line.x1
        and line.x0 < each.x1
        and each.y0 < line.y1 + far
        and line.y0 - far < each.y1
        and abs(each.height - line.height) <= far
        and (
            abs(each.x0 - line.x0) <= far
            or abs(each.x1 - line.x1) <= far
            or abs((each.x0 + each.x1) - (line.x0 + line.x1)) / 2 <= far
        )
    ]


def _hull(parts: list[_Box]) -> _Box:
    return _Box(
        min(p.x0 for p in parts),
        min(p.y0 for p in parts),
        max(p.x1 for p in parts),
        max(p.y1 for p in parts),
        parts=parts,
    )


class _Plane:
    """Boxes and the groups that they are joined to, by number."""

    def __init__(self, boxes: Sequence[_Box]) -> None:
        self.alive: dict[int, _Box] = {}
        self._sides = np.full((4, 2 * len(boxes)), np.nan)
        for number, box in enumerate(boxes):
            self.add(number, box)

    def add(self, number: int, box: _Box) -> None:
        self.alive[number] = box
        self._sides[:, number] = box.x0, box.y0, box.x1, box.y1

    def take(self, number: int) -> _Box:
        self._sides[:, number] = np.nan
        return self.alive.pop(number)

    def rooms(self, box: _Box, numbers: Sequence[int]) -> list[float]:
        """The room that stays free when a box and each of the others are joined."""
        x0, y0, x1, y1 = self._sides[:, numbers]
        width = np.maximum(x1, box.x1) - np.minimum(x0, box.x0)
        height = np.maximum(y1, box.y1) - np.minimum(y0, box.y0)
        rooms: list[float] = (width * height - box.area - (x1 - x0) * (y1 - y0)).tolist()
        return rooms

    def has_between(self, i: int, j: int) -> bool:
        """Whether a third one stands in the hull of two."""
        hull = _hull([self.alive[i], self.alive[j]])
        x0, y0, x1, y1 = self._sides
        # What is gone is no number: it stands nowhere.
        inside = (x0 < hull.x1) & (hull.x0 < x1) & (y0 < hull.y1) & (hull.y0 < y1)
        inside[[i, j]] = False
        return bool(inside.any())


def _group(boxes: list[_Box]) -> _Box:
    plane = _Plane(boxes)
    heap: list[tuple[bool, float, int, int]] = []
    for i, box in enumerate(boxes):
        rest = range(i + 1, len(boxes))
        rooms = zip(plane.rooms(box, rest), rest, strict=True)
        heap += [(False, room, i, j) for room, j in rooms]
    heapify(heap)
    number = len(boxes)
    while heap and len(plane.alive) > 1:
        asked, room, i, j = heappop(heap)
        if i not in plane.alive or j not in plane.alive:
            continue
        if not asked and plane.has_between(i, j):
            heappush(heap, (True, room, i, j))
            continue
        group = _hull([plane.take(i), plane.take(j)])
        # From the top left, as the y axis of a page goes up.
        group.parts.sort(key=_flow)
        others = list(plane.alive)
        for room, other in zip(plane.rooms(group, others), others, strict=True):
            heappush(heap, (False, room, number, other))
        plane.add(number, group)
        number += 1
    return next(iter(plane.alive.values()))


def _flow(box: _Box) -> float:
    return (1 - _BOXES_FLOW) * box.x0 + (1 + _BOXES_FLOW) * (box.y0 + box.y1)


def _read(box: _Box, found: list[Glyph]) -> None:
    found += box.glyphs
    for part in box.parts:
        _read(part, found)
