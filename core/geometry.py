"""Rectangles, quads and page frames: PDF default user space and the displayed page.

User space is the only frame that PDF viewers, engines and annotations share (ISO 32000-2, 8.3.2.3):
y grows upwards, /Rotate and /UserUnit are not applied. The display frame is the page as shown:
cropped, rotated, points times UserUnit, origin at the top left, y downwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple

from spanproof.core.errors import InputError

Rotation = Literal[0, 90, 180, 270]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rect:
    """``x0 <= x1`` and ``y0 <= y1`` in the frame that its owner names."""

    x0: float
    y0: float
    x1: float
    y1: float

    def __post_init__(self) -> None:
        values = (self.x0, self.y0, self.x1, self.y1)
        if not all(map(math.isfinite, values)) or self.x1 < self.x0 or self.y1 < self.y0:
            msg = f"Expected finite x0 <= x1 and y0 <= y1, got {list(values)}."
            raise InputError(msg, hint="Give [x0, y0, x1, y1] with the smaller corner first.")

    @classmethod
    def around(cls, points: list[Point]) -> Rect:
        """The smallest rectangle around the points."""
        xs, ys = [x for x, _ in points], [y for _, y in points]
        return cls(min(xs), min(ys), max(xs), max(ys))

    def contains(self, point: Point, *, margin: float = 0.0) -> bool:
        """Whether the point lies inside, or at most ``margin`` outside."""
        x, y = point
        return (
            self.x0 - margin <= x <= self.x1 + margin and self.y0 - margin <= y <= self.y1 + margin
        )

    @property
    def area(self) -> float:
        """Width times height."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    def iou(self, other: Rect) -> float:
        """Intersection over union in [0, 1]; 0 where both are empty."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        shared = max(0.0, width) * max(0.0, height)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0

    def to_list(self, *, digits: int = 2) -> list[float]:
        """``[x0, y0, x1, y1]``, rounded."""
        return [round(value, digits) + 0.0 for value in (self.x0, self.y0, self.x1, self.y1)]


class Quad(NamedTuple):
    """Upper-left, upper-right, lower-right, lower-left of the text's own direction, user space."""

    ul: Point
    ur: Point
    lr: Point
    ll: Point

    @property
    def corners(self) -> list[Point]:
        """The four corners, clockwise from the text's own upper left."""
        return list(self)

    def to_list(self, *, digits: int = 3) -> list[float]:
        """The eight numbers in the order of the corners."""
        return [round(value, digits) + 0.0 for corner in self.corners for value in corner]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """What turns user space into the displayed page.

    ``view_box`` is CropBox ∩ MediaBox in user space, ``rotation`` clockwise degrees, ``user_unit``
    the size of one user unit in points (1.0 unless the page says otherwise).
    """

    view_box: Rect
    media_box: Rect
    rotation: Rotation = 0
    user_unit: float = 1.0

    @property
    def _size(self) -> Point:
        box = self.view_box
        return (box.x1 - box.x0) * self.user_unit, (box.y1 - box.y0) * self.user_unit

    @property
    def display_size(self) -> Point:
        """Width and height of the page as shown, in points."""
        width, height = self._size
        return (height, width) if self.rotation in (90, 270) else (width, height)

    def user_to_display(self, point: Point) -> Point:
        """User space → points from the top left of the page as shown."""
        width, height = self._size
        x = (point[0] - self.view_box.x0) * self.user_unit
        y = (self.view_box.y1 - point[1]) * self.user_unit
        if self.rotation == 90:
            return height - y, x
        if self.rotation == 180:
            return width - x, height - y
        if self.rotation == 270:
            return y, width - x
        return x, y

    def display_to_user(self, point: Point) -> Point:
        """Points from the top left of the page as shown → user space."""
        width, height = self._size
        x, y = point
        if self.rotation == 90:
            x, y = y, height - x
        elif self.rotation == 180:
            x, y = width - x, height - y
        elif self.rotation == 270:
            x, y = width - y, x
        return self.view_box.x0 + x / self.user_unit, self.view_box.y1 - y / self.user_unit

    def display_box(self, quads: list[Quad]) -> Rect:
        """The hull of the quads on the page as shown."""
        corners = list(chain.from_iterable(quads))
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        # Each axis keeps its order or turns it about, so the hull's corners stay the hull's.
        one = self.user_to_display((min(xs), min(ys)))
        return Rect.around([one, self.user_to_display((max(xs), max(ys)))])
