from __future__ import annotations

import io
import math
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from spanproof.core.documents.locate import locate_span
from spanproof.core.errors import ExtractionError, PageNotFoundError
from spanproof.core.geometry import PageFrame, Rect
from spanproof.core.span import Span
from spanproof.ingest import extract
from spanproof.ingest.engine.protocol import to_png
from spanproof.ingest.render import (
    COLOURS,
    MAX_PIXELS,
    Highlight,
    _scale,
    annotate_pdf,
    render_page,
)
from tests.engines import ENGINES
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

if TYPE_CHECKING:
    from spanproof.ingest.engine.protocol import Pixels
    from spanproof.ingest.limits import EngineName

FRAMES = [
    b"",
    b"/Rotate 90",
    b"/Rotate 180/UserUnit 2",
    b"/Rotate 270/CropBox[120 230 500 700]",
    b"/Rotate 90/CropBox[120 230 500 700]/UserUnit 1.5",
]

by_engine = pytest.mark.parametrize("engine", ENGINES)


def _document(entries: bytes) -> bytes:
    return build_pdf(
        PageSpec(content=text_at(150, 300, "MMMMMM") + text_at(150, 500, "below"), entries=entries),
        inherited=b"/MediaBox[100 200 700 1000]",
    )


def _pixels(png: bytes) -> Pixels:
    with Image.open(io.BytesIO(png)) as picture:
        return np.asarray(picture.convert("RGB"))


def _numbers(pdf: bytes, key: bytes) -> list[float]:
    found = re.search(rb"/%s\s*\[([^\]]*)\]" % key, pdf)
    assert found is not None
    return [float(part) for part in found.group(1).split()]


@by_engine
@pytest.mark.parametrize("entries", FRAMES)
def test_the_highlight_lies_on_the_ink_that_it_names(entries: bytes, engine: EngineName) -> None:
    data = _document(entries)
    (locator,) = locate_span(extract(data, engine=engine), Span(0, 6))
    marks = [Highlight(quads=locator.quads, outcome="fail")]
    plain = _pixels(render_page(data, 1, engine=engine))
    drawn = _pixels(render_page(data, 1, marks, engine=engine))
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


@pytest.mark.skipif(len(ENGINES) == 1, reason="this run has one engine")
@pytest.mark.parametrize("entries", FRAMES)
def test_the_engines_draw_the_same_page(entries: bytes) -> None:
    data = _document(entries)
    one, other = (_pixels(render_page(data, 1, engine=engine)) < 128 for engine in ENGINES)
    assert one.shape == pytest.approx(other.shape, abs=2)
    for axis in (0, 1):
        ours, theirs = (np.flatnonzero(ink.any(axis=(1 - axis, 2))) for ink in (one, other))
        assert (ours.min(), ours.max()) == pytest.approx((theirs.min(), theirs.max()), abs=3)


@pytest.mark.parametrize("outcome", sorted(COLOURS))
def test_the_colour_says_the_outcome(outcome: str) -> None:
    data = _document(b"")
    (locator,) = locate_span(extract(data), Span(0, 6))
    drawn = _pixels(render_page(data, 1, [Highlight(quads=locator.quads, outcome=outcome)]))
    assert (drawn == COLOURS[outcome]).all(axis=2).any()


@by_engine
@pytest.mark.parametrize("entries", FRAMES)
def test_a_strip_is_the_band_of_the_page_around_the_highlights(
    entries: bytes, engine: EngineName
) -> None:
    data = _document(entries)
    (locator,) = locate_span(extract(data, engine=engine), Span(0, 6))
    marks = [Highlight(quads=locator.quads, outcome="fail")]
    whole = _pixels(render_page(data, 1, marks, engine=engine))
    strip = _pixels(render_page(data, 1, marks, strip=12.0, engine=engine))
    high = locator.frame.display_size[1]
    scale = whole.shape[0] / high
    top = max(0.0, locator.bbox.y0 - 12.0) * scale
    bottom = min(high, locator.bbox.y1 + 12.0) * scale
    assert strip.shape[1] == whole.shape[1]
    assert strip.shape[0] == pytest.approx(bottom - top, abs=2)
    first = max(0, math.floor(top))
    assert (strip == whole[first : first + len(strip)]).all()


def test_a_strip_without_highlights_is_the_page() -> None:
    data = _document(b"")
    assert render_page(data, 1, strip=12.0) == render_page(data, 1)


def test_an_unknown_outcome_is_drawn_as_an_error() -> None:
    assert Highlight(quads=(), outcome="shiny").colour == COLOURS["error"]


@pytest.mark.parametrize("side", [600.0, 20_000.0, 20_000_000.0])
def test_no_page_becomes_more_pixels_than_the_cap(side: float) -> None:
    frame = PageFrame(view_box=Rect(0, 0, side, 900), media_box=Rect(0, 0, side, 900))
    scale = _scale(frame, 600)
    assert side * scale * 900 * scale <= MAX_PIXELS * 1.001


@by_engine
def test_a_huge_page_is_drawn_small(engine: EngineName) -> None:
    data = build_pdf(PageSpec(), inherited=b"/MediaBox[0 0 14400 14400]")
    height, width = _pixels(render_page(data, 1, dpi=300, engine=engine)).shape[:2]
    assert height * width <= MAX_PIXELS * 1.01


@by_engine
@pytest.mark.parametrize("entries", FRAMES)
def test_annotations_stand_in_user_space_and_carry_the_outcome(
    entries: bytes, engine: EngineName
) -> None:
    data = _document(entries)
    (locator,) = locate_span(extract(data, engine=engine), Span(0, 6))
    marks = {1: [Highlight(quads=locator.quads, outcome="review")]}
    copy = annotate_pdf(data, marks, engine=engine)
    assert b"/Contents(outcome: review)" in copy
    assert b"/T(Spanproof)" in copy
    assert _numbers(copy, b"C") == pytest.approx([c / 255 for c in COLOURS["review"]], abs=0.01)
    (quad,) = locator.quads
    expected = [value for corner in (quad.ul, quad.ur, quad.ll, quad.lr) for value in corner]
    assert _numbers(copy, b"QuadPoints") == pytest.approx(expected, abs=0.02)
    # Every engine reads the copy: the same page with the note as one more line.
    for reader in ENGINES:
        again = extract(copy, engine=reader)
        assert again.text.text == "MMMMMM\nbelow\noutcome: review\f"
        assert again.pages[0].frame == extract(data, engine=reader).pages[0].frame
    assert (_pixels(render_page(copy, 1, engine=engine)) == COLOURS["review"]).all(axis=2).any()


@by_engine
def test_only_pages_of_a_pdf_are_drawn(engine: EngineName) -> None:
    with pytest.raises(ExtractionError):
        render_page(b"just text", 1, engine=engine)
    for page in (0, 2):
        with pytest.raises(PageNotFoundError):
            render_page(_document(b""), page, engine=engine)
        with pytest.raises(PageNotFoundError):
            annotate_pdf(_document(b""), {page: []}, engine=engine)


@given(
    size=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=50, deadline=None)
def test_a_png_holds_the_very_pixels(size: tuple[int, int], seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (*size, 3), np.uint8)
    with Image.open(io.BytesIO(to_png(pixels))) as picture:
        assert picture.format == "PNG"
        assert picture.mode == "RGB"
        assert np.array_equal(np.asarray(picture), pixels)
