"""Ruling lines: what a page draws → level and upright lines, and the groups that cross each other.

A box draws its four edges. Lines at one height that touch are one line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Boxes = np.ndarray[Any, np.dtype[np.float64]]
#: A line is at most so thick, and a box at least so wide and high (points).
_THIN, _WIDE, _HIGH = 3.0, 8.0, 6.0
#: Lines so near to each other are one; they cross if they end so near to each other.
_SNAP, REACH = 2.5, 4.0
#: Shorter lines rule nothing.
_SHORTEST = 5.0
_MOST_LINES = 3000


@dataclass(slots=True)
class Rule:
    """A line: where it stands across, and from where to where it runs."""

    at: float
    start: float
    end: float


def read_rules(boxes: Boxes) -> tuple[list[Rule], list[Rule]]:
    """The level and the upright lines that boxes (x0, y0, x1, y1) draw, each once."""
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    level: list[Rule] = []
    upright: list[Rule] = []
    is_level = (height <= _THIN) & (width >= _SHORTEST)
    is_upright = (width <= _THIN) & (height >= _SHORTEST) & ~is_level
    is_box = (width >= _WIDE) & (height >= _HIGH) & ~is_level & ~is_upright
    for x0, y0, x1, y1 in boxes[is_level | is_box].tolist():
        at = ((y0 + y1) / 2,) if y1 - y0 <= _THIN else (y0, y1)
        level += [Rule(y, x0, x1) for y in at]
    for x0, y0, x1, y1 in boxes[is_upright | is_box].tolist():
        at = ((x0 + x1) / 2,) if x1 - x0 <= _THIN else (x0, x1)
        upright += [Rule(x, y0, y1) for x in at]
    return _join(level), _join(upright)


def _join(rules: list[Rule]) -> list[Rule]:
    """Lines at one height as one, where they touch."""
    rules.sort(key=lambda rule: rule.at)
    bands: list[list[Rule]] = []
    for rule in rules:
        if bands and rule.at - bands[-1][0].at <= _SNAP:
            bands[-1].append(rule)
        else:
            bands.append([rule])
    found = []
    for band in bands:
        at = sum(rule.at for rule in band) / len(band)
        band.sort(key=lambda rule: rule.start)
        joined: list[Rule] = []
        for rule in band:
            if joined and rule.start <= joined[-1].end + _SNAP:
                joined[-1].end = max(joined[-1].end, rule.end)
            else:
                joined.append(Rule(at, rule.start, rule.end))
        found += [rule for rule in joined if rule.end - rule.start >= _SHORTEST]
    return found


def find_groups(boxes: Boxes) -> list[tuple[list[Rule], list[Rule]]]:
    """The level and the upright lines of each group that cross each other."""
    level, upright = read_rules(boxes)
    if len(level) < 2 or len(upright) < 1 or len(level) + len(upright) > _MOST_LINES:
        return []
    return _gather(level, upright)


def _gather(level: list[Rule], upright: list[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """The lines that cross each other, group by group."""
    at = np.array([rule.at for rule in upright])
    low = np.array([rule.start for rule in upright]) - REACH
    high = np.array([rule.end for rule in upright]) + REACH
    parent = list(range(len(level) + len(upright)))

    def find(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for index, rule in enumerate(level):
        met = (at >= rule.start - REACH) & (at <= rule.end + REACH)
        met &= (low <= rule.at) & (high >= rule.at)
        for other in np.flatnonzero(met).tolist():
            parent[find(len(level) + other)] = find(index)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index, rule in enumerate([*level, *upright]):
        groups.setdefault(find(index), ([], []))[index >= len(level)].append(rule)
    return [group for group in groups.values() if _has_columns(*group)]


def _has_columns(level: list[Rule], upright: list[Rule]) -> bool:
    """Whether the lines can make two columns: a frame or a chart's axes do not."""
    if len(level) < 2 or not upright:
        return False
    return len(find_edges(level, upright)[1]) > 2


def find_edges(level: list[Rule], upright: list[Rule]) -> tuple[list[float], list[float]]:
    """The heights and the widths between which cells may lie."""
    ys = _edges([r.at for r in level], [p for r in upright for p in (r.start, r.end)])
    return ys, _edges([r.at for r in upright], [p for r in level for p in (r.start, r.end)])


def _edges(own: list[float], ends: list[float]) -> list[float]:
    """The distinct places of lines, and the outermost ends of those that cross them."""
    found = sorted(set(own))
    if min(ends) < found[0] - 2 * REACH:
        found.insert(0, min(ends))
    if max(ends) > found[-1] + 2 * REACH:
        found.append(max(ends))
    kept = found[:1]
    for place in found[1:]:
        if place - kept[-1] > REACH:
            kept.append(place)
    return kept
