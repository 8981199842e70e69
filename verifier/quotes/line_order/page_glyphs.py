"""The glyphs of a page as boxes of the displayed page, in canonical order.

A character without a box (the second letter of an expanded ligature) goes with the one before it.
Synthetic spaces and separators have no place and are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanproof.core.documents.layout import QUANTUM
from spanproof.core.documents.match_views import WHITE_SPACE

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.documents.layout import Layout
    from spanproof.core.geometry import PageFrame


class Glyph(NamedTuple):
    """One glyph: its canonical start and end, its box in points (y downwards), its baseline."""

    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    is_level: bool
    is_blank: bool

    @property
    def width(self) -> float:
        """Points from its left to its right."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Points from its top to its bottom."""
        return self.y1 - self.y0


def glyphs_of(extraction: Extraction, page: Page) -> list[Glyph]:
    """The glyphs of a page; none where it has no layout."""
    layout, frame = extraction.layout, page.frame
    if layout is None or frame is None:
        return []
    text = extraction.text.text
    found: list[Glyph] = []
    for run in layout.runs_of(page.span):
        start = max(int(layout.run_start[run]), page.span.start)
        end = min(int(layout.run_end[run]), page.span.end)
        place = _RunPlace.of(layout, frame, run)
        lefts, rights = layout.left[start:end].tolist(), layout.right[start:end].tolist()
        for at, left, right in zip(range(start, end), lefts, rights, strict=True):
            character = text[at]
            if left != right:
                box = place.box(left, right)
                blank = character in WHITE_SPACE
                found.append(Glyph(at, at + 1, *box, place.height(left), place.is_level, blank))
            elif found and found[-1].end == at and character not in WHITE_SPACE:
                found[-1] = found[-1]._replace(end=at + 1)
    return found


class _RunPlace(NamedTuple):
    """Where a run stands on the displayed page: its origin, and the steps along and across it."""

    x: float
    y: float
    along: tuple[float, float]
    up: tuple[float, float]
    down: tuple[float, float]

    @classmethod
    def of(cls, layout: Layout, frame: PageFrame, run: int) -> _RunPlace:
        cos, sin = float(layout.run_cos[run]), float(layout.run_sin[run])
        x, y = float(layout.run_x[run]) * QUANTUM, float(layout.run_y[run]) * QUANTUM
        origin = frame.user_to_display((x, y))

        def step(dx: float, dy: float) -> tuple[float, float]:
            there = frame.user_to_display((x + dx * QUANTUM, y + dy * QUANTUM))
            return there[0] - origin[0], there[1] - origin[1]

        ascent, descent = float(layout.run_ascent[run]), float(layout.run_descent[run])
        return cls(
            *origin,
            along=step(cos, sin),
            up=step(-ascent * sin, ascent * cos),
            down=step(-descent * sin, descent * cos),
        )

    @property
    def is_level(self) -> bool:
        return abs(self.along[1]) < abs(self.along[0])

    def height(self, left: int) -> float:
        return self.y + left * self.along[1]

    def box(self, left: int, right: int) -> tuple[float, float, float, float]:
        ax, ay = self.along
        one_x, one_y = self.x + left * ax + self.up[0], self.y + left * ay + self.up[1]
        other_x, other_y = self.x + right * ax + self.down[0], self.y + right * ay + self.down[1]
        return min(one_x, other_x), min(one_y, other_y), max(one_x, other_x), max(one_y, other_y)
