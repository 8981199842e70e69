from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geometry import Rect
from core.locate import locate_span, share_inside
from core.span import Span
from tests.core.layouts import two_pages

if TYPE_CHECKING:
    from core.document import Extraction

EXTRACTION = two_pages()


def test_one_locator_a_page_and_one_quad_a_run() -> None:
    first, second = locate_span(EXTRACTION, Span(3, 10))
    assert (first.page, first.page_label, first.span) == (1, "i", Span(3, 9))
    assert [quad.to_list() for quad in first.quads] == [
        [130, 708, 150, 708, 150, 698, 130, 698],
        [100, 608, 120, 608, 120, 598, 100, 598],
    ]
    assert first.bbox == Rect(100, 92, 150, 202)
    assert (second.page, second.span) == (2, Span(9, 10))


@pytest.mark.parametrize("span", [Span(5, 6), Span(8, 9), Span(3, 3), Span(12, 12)])
def test_separators_and_empty_spans_are_nowhere(span: Span) -> None:
    assert locate_span(EXTRACTION, span) == ()


def test_without_a_layout_there_is_no_place() -> None:
    bare = _without_layout()
    assert locate_span(bare, Span(0, 5)) == ()
    assert share_inside(bare, Span(0, 5), bare.pages[0], Rect(0, 0, 600, 800)) == 0


def _without_layout() -> Extraction:
    return replace(EXTRACTION, layout=None)


@given(start=st.integers(0, 11), middle=st.integers(0, 11), end=st.integers(0, 11))
def test_a_longer_span_covers_what_a_shorter_one_covers(start: int, middle: int, end: int) -> None:
    """INGEST.md I8."""
    start, middle, end = sorted((start, middle, end))
    short = {one.page: one.bbox for one in locate_span(EXTRACTION, Span(start, middle))}
    long = {one.page: one.bbox for one in locate_span(EXTRACTION, Span(start, end))}
    for page, box in short.items():
        assert long[page].contains((box.x0, box.y0))
        assert long[page].contains((box.x1, box.y1))


def test_the_share_counts_glyph_centres_within_two_points() -> None:
    page = EXTRACTION.pages[0]
    whole = locate_span(EXTRACTION, Span(0, 5))[0].bbox
    assert share_inside(EXTRACTION, Span(0, 5), page, whole) == 1
    # Centres at 105, 115, … 145: this box ends 2.9 points before the third.
    box = Rect(whole.x0, whole.y0, 122.1, whole.y1)
    assert share_inside(EXTRACTION, Span(0, 5), page, box) == pytest.approx(2 / 5)
    box = Rect(whole.x0, whole.y0, 123.1, whole.y1)
    assert share_inside(EXTRACTION, Span(0, 5), page, box) == pytest.approx(3 / 5)
    assert share_inside(EXTRACTION, Span(9, 11), page, whole) == 0
