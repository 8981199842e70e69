"""The order of a reader that groups lines to boxes, and boxes by the room between them.

After pdfminer.six (MIT), ``pdfminer/layout.py``, with its own settings: glyphs that follow each
other in a row are a line, lines near and aligned are a box, and the two boxes with the least room
between them are joined, until all are one group. Groups are read from the top left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

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


def _group(boxes: list[_Box]) -> _Box:
    alive: dict[int, _Box] = dict(enumerate(boxes))
    heap = [
        (False, _room(boxes[i], boxes[j]), i, j)
        for i in range(len(boxes))
        for j in range(i + 1, len(boxes))
    ]
    heapify(heap)
    number = len(boxes)
    while heap and len(alive) > 1:
        asked, room, i, j = heappop(heap)
        if i not in alive or j not in alive:
            continue
        if not asked and _has_between(alive, i, j):
            heappush(heap, (True, room, i, j))
            continue
        group = _hull([alive.pop(i), alive.pop(j)])
        # From the top left, as the y axis of a page goes up.
        group.parts.sort(key=_flow)
        for other, each in alive.items():
            heappush(heap, (False, _room(group, each), number, other))
        alive[number] = group
        number += 1
    return next(iter(alive.values()))


def _flow(box: _Box) -> float:
    return (1 - _BOXES_FLOW) * box.x0 + (1 + _BOXES_FLOW) * (box.y0 + box.y1)


def _room(one: _Box, other: _Box) -> float:
    width = max(one.x1, other.x1) - min(one.x0, other.x0)
    height = max(one.y1, other.y1) - min(one.y0, other.y0)
    return width * height - one.area - other.area


def _has_between(alive: dict[int, _Box], i: int, j: int) -> bool:
    one, other = alive[i], alive[j]
    x0, x1 = min(one.x0, other.x0), max(one.x1, other.x1)
    y0, y1 = min(one.y0, other.y0), max(one.y1, other.y1)
    return any(
        each.x0 < x1 and x0 < each.x1 and each.y0 < y1 and y0 < each.y1
        for number, each in alive.items()
        if number not in (i, j)
    )


def _read(box: _Box, found: list[Glyph]) -> None:
    found += box.glyphs
    for part in box.parts:
        _read(part, found)
