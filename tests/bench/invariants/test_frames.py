from __future__ import annotations

from dataclasses import replace

import pytest

from bench.invariants.frames import check_i6
from spanproof.core.geometry import PageFrame, Point, Rect
from spanproof.ingest.extraction import extract
from tests.bench.invariants.broken import forge, read_three_pages


def test_every_frame_brings_points_home() -> None:
    finding = check_i6(read_three_pages())
    assert finding.holds
    # Two kinds of page (the third has another unit), all rotations, four units, seven points.
    assert finding.checked % (4 * 4 * 7) == 0


def test_an_absurd_page_still_brings_points_home() -> None:
    extraction = read_three_pages()
    huge = PageFrame(view_box=Rect(-1e7, -1e7, 1e7, 1e7), media_box=Rect(-1e7, -1e7, 1e7, 1e7))
    page = replace(extraction.pages[0], frame=huge)
    assert check_i6(forge(extraction, pages=(page,))).holds


def test_a_text_has_no_frame_to_check() -> None:
    assert check_i6(extract(b"words", filename="a.txt")).checked == 0


def _without_unit(self: PageFrame, point: Point) -> Point:
    return self.view_box.x0 + point[0], self.view_box.y1 - point[1]


def _from_the_media_box(self: PageFrame, point: Point) -> Point:
    return point[0] - self.media_box.x0 + 40, self.media_box.y1 - point[1]


@pytest.mark.parametrize(
    ("way", "fault"),
    [("display_to_user", _without_unit), ("user_to_display", _from_the_media_box)],
)
def test_a_frame_that_forgets_unit_rotation_or_origin_is_told(
    monkeypatch: pytest.MonkeyPatch, way: str, fault: object
) -> None:
    extraction = read_three_pages()
    monkeypatch.setattr(PageFrame, way, fault)
    assert check_i6(extraction).violated
