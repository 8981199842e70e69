from __future__ import annotations

import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import InputError
from spanproof.core.geometry import PageFrame, Quad, Rect, Rotation

COORDINATES = st.floats(-5000, 5000)
ROTATIONS: st.SearchStrategy[Rotation] = st.sampled_from(get_args(Rotation))


@st.composite
def _frames(draw: st.DrawFn) -> PageFrame:
    x0, y0 = draw(COORDINATES), draw(COORDINATES)
    box = Rect(x0, y0, x0 + draw(st.floats(1, 3000)), y0 + draw(st.floats(1, 3000)))
    rotation: Rotation = draw(ROTATIONS)
    return PageFrame(
        view_box=box, media_box=box, rotation=rotation, user_unit=draw(st.floats(0.1, 10))
    )


@given(frame=_frames(), point=st.tuples(COORDINATES, COORDINATES))
def test_user_to_display_and_back_is_the_same_point(
    frame: PageFrame, point: tuple[float, float]
) -> None:
    """INGEST.md I6."""
    there = frame.user_to_display(point)
    back = frame.display_to_user(there)
    assert math.dist(back, point) < 1e-3


@given(frame=_frames())
def test_the_view_box_fills_the_displayed_page(frame: PageFrame) -> None:
    box = frame.view_box
    corners = Quad(
        ul=(box.x0, box.y1), ur=(box.x1, box.y1), lr=(box.x1, box.y0), ll=(box.x0, box.y0)
    )
    width, height = frame.display_size
    hull = frame.display_box([corners])
    assert hull.to_list(digits=1) == pytest.approx(
        [0, 0, round(width, 1), round(height, 1)], abs=0.2
    )


@given(frame=_frames(), data=st.data())
def test_the_displayed_hull_is_that_of_every_corner_to_the_bit(
    frame: PageFrame, data: st.DataObject
) -> None:
    point = st.tuples(COORDINATES, COORDINATES)
    quads = data.draw(st.lists(st.builds(Quad, point, point, point, point), min_size=1, max_size=5))
    corners = [frame.user_to_display(corner) for quad in quads for corner in quad.corners]
    assert frame.display_box(quads) == Rect.around(corners)


@pytest.mark.parametrize(
    ("rotation", "shown"), [(0, (10, 20)), (90, (780, 10)), (180, (590, 780)), (270, (20, 590))]
)
def test_rotation_is_clockwise(rotation: Rotation, shown: tuple[float, float]) -> None:
    box = Rect(0, 0, 600, 800)
    frame = PageFrame(view_box=box, media_box=box, rotation=rotation)
    assert frame.user_to_display((10, 780)) == shown


@pytest.mark.parametrize(
    "corners", [(1, 0, 0, 1), (0, 1, 1, 0), (0, 0, math.nan, 1), (0, 0, math.inf, 1)]
)
def test_a_rectangle_has_its_smaller_corner_first(corners: tuple[float, ...]) -> None:
    with pytest.raises(InputError):
        Rect(*corners)


def test_overlap_is_intersection_over_union() -> None:
    one = Rect(0, 0, 2, 2)
    assert one.iou(one) == 1
    assert one.iou(Rect(1, 0, 3, 2)) == pytest.approx(1 / 3)
    assert one.iou(Rect(5, 5, 6, 6)) == 0
    assert Rect(0, 0, 0, 0).iou(Rect(0, 0, 0, 0)) == 0


def test_a_point_on_the_margin_is_inside() -> None:
    assert Rect(0, 0, 1, 1).contains((3, 1), margin=2)
    assert not Rect(0, 0, 1, 1).contains((3.1, 1), margin=2)
