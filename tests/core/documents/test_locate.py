from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.documents.locate import locate_span, share_inside
from spanproof.core.errors import SpanproofError
from spanproof.core.geometry import Rect
from spanproof.core.span import Span
from spanproof.ingest.extraction import extract
from tests.core.documents.layouts import two_pages

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction

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


def _locate_plainly(extraction: Extraction, span: Span) -> list[tuple[object, ...]]:
    """The same question, asked of every page, every run and every corner."""
    layout = extraction.layout
    assert layout is not None
    found: list[tuple[object, ...]] = []
    for page in extraction.pages:
        part = Span(*sorted((max(span.start, page.span.start), min(span.end, page.span.end))))
        if min(span.end, page.span.end) <= max(span.start, page.span.start) or page.frame is None:
            continue
        first = np.searchsorted(layout.run_end, part.start, side="right")
        last = np.searchsorted(layout.run_start, part.end, side="left")
        read = [layout.quad(run, part) for run in range(first, last)]
        quads = tuple(quad for quad in read if quad is not None)
        if quads:
            shown = [page.frame.user_to_display(c) for quad in quads for c in quad.corners]
            found.append((page.number, part, quads, Rect.around(shown)))
    return found


@pytest.mark.long
def test_real_documents_are_located_as_the_plain_way_does_to_the_bit(test_data: Path) -> None:
    paths = sorted((test_data / "documents").rglob("*.pdf"))
    small = [path for path in paths if 5_000 < path.stat().st_size < 150_000][::20][:8]
    rng, located = random.Random(20261122), 0  # noqa: S311 - repeatable spans, no secret
    for path in small:
        try:
            extraction = extract(path.read_bytes(), filename=path.name)
        except SpanproofError:
            continue
        for _ in range(150):
            start = rng.randrange(len(extraction.text) + 1)
            span = Span(start, min(len(extraction.text), start + rng.choice((0, 1, 30, 300, 9000))))
            ours = locate_span(extraction, span)
            assert [(o.page, o.span, o.quads, o.bbox) for o in ours] == _locate_plainly(
                extraction, span
            )
            located += len(ours)
    assert located > 500
