"""I6: from user space to the displayed page and back, a point comes home."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from bench.invariants.finding import Finding, Violation

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.geometry import PageFrame, Point, Rotation

#: The farthest that a point may come home from where it started, in user units.
MOST_ERROR = 1e-3
_ROTATIONS: tuple[Rotation, ...] = (0, 90, 180, 270)
_UNITS = (0.5, 2.0, 7.5)
# Points of the page as shares of its view box: corners, middle, and well outside.
_SHARES = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.5, 0.5), (0.123, 0.987), (-2.0, 3.0))


def check_i6(extraction: Extraction) -> Finding:
    """Every page's frame brings points back, at every rotation and user unit.

    The displayed page is the view box: its corners are the corners shown.
    """
    broken = []
    checked = 0
    seen: set[PageFrame] = set()
    for page in extraction.pages:
        if page.frame is None or page.frame in seen:
            continue
        seen.add(page.frame)
        for rotation, unit in product(_ROTATIONS, (page.frame.user_unit, *_UNITS)):
            frame = replace(page.frame, rotation=rotation, user_unit=unit)
            checked += len(_SHARES)
            detail = _strays(frame)
            if detail is not None:
                broken.append(Violation(invariant="I6", detail=detail, page=page.number))
    return Finding.of("points", checked, broken, invariant="I6")


def _strays(frame: PageFrame) -> str | None:
    box = frame.view_box
    width, height = frame.display_size
    for across, up in _SHARES:
        point = (box.x0 + across * (box.x1 - box.x0), box.y0 + up * (box.y1 - box.y0))
        shown = frame.user_to_display(point)
        error = _distance(frame.display_to_user(shown), point)
        if not error < MOST_ERROR:
            return f"{point} comes home {error:.6f} away ({frame})"
        inside = 0 <= across <= 1 and 0 <= up <= 1
        margin = MOST_ERROR * frame.user_unit
        is_shown = -margin <= shown[0] <= width + margin and -margin <= shown[1] <= height + margin
        if inside != is_shown and box.area > 0:
            return f"{point} is shown at {shown} on a page of {width} x {height} ({frame})"
    return None


def _distance(one: Point, other: Point) -> float:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
