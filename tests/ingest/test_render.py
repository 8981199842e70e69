from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.errors import ExtractionError, PageNotFoundError
from core.geometry import PageFrame, Rect
from core.locate import locate_span
from core.span import Span
from ingest import extract
from ingest.engine.library import load_pymupdf
from ingest.render import COLOURS, MAX_PIXELS, Highlight, _scale, annotate_pdf, render_page
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

if TYPE_CHECKING:
    from ingest.engine.pictures import Pixels

FRAMES = [
    b"",
    b"/Rotate 90",
    b"/Rotate 180/UserUnit 2",
    b"/Rotate 270/CropBox[120 230 500 700]",
    b"/Rotate 90/CropBox[120 230 500 700]/UserUnit 1.5",
]


def _document(entries: bytes) -> bytes:
    return build_pdf(
        PageSpec(content=text_at(150, 300, "MMMMMM") + text_at(150, 500, "below"), entries=entries),
        inherited=b"/MediaBox[100 200 700 1000]",
    )


def _pixels(png: bytes) -> Pixels:
    picture = load_pymupdf().Pixmap(png)
    return np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.width, -1)


@pytest.mark.parametrize("entries", FRAMES)
def test_the_highlight_lies_on_the_ink_that_it_names(entries: bytes) -> None:
    data = _document(entries)
    (locator,) = locate_span(extract(data), Span(0, 6))
    plain = _pixels(render_page(data, 1))
    drawn = _pixels(render_page(data, 1, [Highlight(quads=locator.quads, outcome="fail")]))
    changed = (plain != drawn).any(axis=2)
    ys, xs = np.nonzero(changed)
    window = plain[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
    ink = (window < 128).all(axis=2)
    assert 0.05 < ink.mean() < 0.6
    # And none of that line's ink lies outside the box.
    wide, high = locator.frame.display_size
    shown = locator.bbox
    scale = plain.shape[1] / wide
    assert plain.shape[0] / high == pytest.approx(scale, rel=0.01)
    assert (xs.min(), ys.min()) == pytest.approx((shown.x0 * scale, shown.y0 * scale), abs=3)
    assert (xs.max(), ys.max()) == pytest.approx((shown.x1 * scale, shown.y1 * scale), abs=3)


@pytest.mark.parametrize("outcome", sorted(COLOURS))
def test_the_colour_says_the_outcome(outcome: str) -> None:
    data = _document(b"")
    (locator,) = locate_span(extract(data), Span(0, 6))
    drawn = _pixels(render_page(data, 1, [Highlight(quads=locator.quads, outcome=outcome)]))
    assert (drawn == COLOURS[outcome]).all(axis=2).any()


def test_an_unknown_outcome_is_drawn_as_an_error() -> None:
    assert Highlight(quads=(), outcome="shiny").colour == COLOURS["error"]


@pytest.mark.parametrize("side", [600.0, 20_000.0, 20_000_000.0])
def test_no_page_becomes_more_pixels_than_the_cap(side: float) -> None:
    frame = PageFrame(view_box=Rect(0, 0, side, 900), media_box=Rect(0, 0, side, 900))
    scale = _scale(frame, 600)
    assert side * scale * 900 * scale <= MAX_PIXELS * 1.001


def test_a_huge_page_is_drawn_small() -> None:
    data = build_pdf(PageSpec(), inherited=b"/MediaBox[0 0 14400 14400]")
    height, width = _pixels(render_page(data, 1, dpi=300)).shape[:2]
    assert height * width <= MAX_PIXELS * 1.01


@pytest.mark.parametrize("entries", FRAMES)
def test_annotations_stand_in_user_space_and_carry_the_outcome(entries: bytes) -> None:
    data = _document(entries)
    (locator,) = locate_span(extract(data), Span(0, 6))
    copy = annotate_pdf(data, {1: [Highlight(quads=locator.quads, outcome="review")]})
    with load_pymupdf().open(stream=copy, filetype="pdf") as opened:
        mark = next(opened[0].annots())
        _, written = opened.xref_get_key(mark.xref, "QuadPoints")
        assert mark.info["content"] == "outcome: review"
        assert mark.colors["stroke"] == pytest.approx(
            [c / 255 for c in COLOURS["review"]], abs=0.01
        )
        assert opened[0].rotation == int((re.findall(rb"Rotate (\d+)", entries) or [b"0"])[0])
    (quad,) = locator.quads
    expected = [value for corner in (quad.ul, quad.ur, quad.ll, quad.lr) for value in corner]
    assert [float(part) for part in written.strip("[]").split()] == pytest.approx(
        expected, abs=0.02
    )
    assert extract(copy).text == extract(data).text


def test_only_pages_of_a_pdf_are_drawn() -> None:
    with pytest.raises(ExtractionError):
        render_page(b"just text", 1)
    for page in (0, 2):
        with pytest.raises(PageNotFoundError):
            render_page(_document(b""), page)
        with pytest.raises(PageNotFoundError):
            annotate_pdf(_document(b""), {page: []})
