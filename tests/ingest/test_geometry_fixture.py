"""One glyph, seven answers: the frames on which engines disagree, and PDF's own as the truth.

What holds of user space holds for every engine.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.locate import locate_span
from spanproof.core.geometry import PageFrame, Quad, Rect
from spanproof.core.span import Span
from spanproof.ingest import extract
from spanproof.ingest.engine.mupdf.frames import to_library_quad
from spanproof.ingest.engine.mupdf.library import load_pymupdf
from tests.engines import ENGINES, needs_mupdf
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at, turned_text

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.ingest.limits import EngineName

by_engine = pytest.mark.parametrize("engine", ENGINES)

BOXES = b"/MediaBox[100 200 700 1000]/CropBox[120 230 500 700]"
# F1 and F0 first; then the other rotations, with and without a user unit, and other boxes.
COMBINATIONS = [
    b"",
    b"/Rotate 90/UserUnit 2",
    b"/Rotate 180",
    b"/Rotate -90",
    b"/Rotate 270/UserUnit 0.5",
    b"/MediaBox[-50 -60 550 740]/CropBox[-50 -60 550 740]",
    b"/MediaBox[0 0 612 792]/CropBox[140 240 1000 400]/Rotate 90",
]
# Helvetica's "A" is 667/1000 em wide (Adobe's metrics of the standard 14 fonts).
ADVANCE = 0.667 * 20


def _read(
    entries: bytes,
    engine: EngineName,
    *,
    inherited: bytes = BOXES,
    content: bytes | None = None,
) -> Extraction:
    shown = text_at(150, 250, "A") if content is None else content
    data = build_pdf(PageSpec(content=shown, entries=entries), inherited=inherited)
    return extract(data, engine=engine)


def _quad(extraction: Extraction, start: int, end: int) -> Quad:
    (locator,) = locate_span(extraction, Span(start, end))
    (quad,) = locator.quads
    return quad


@by_engine
@pytest.mark.parametrize("entries", COMBINATIONS)
def test_the_fixture_glyph_stands_at_its_origin_in_user_space(
    entries: bytes, engine: EngineName
) -> None:
    quad = _quad(_read(entries, engine), 0, 1)
    assert quad.ll[0] == pytest.approx(150, abs=0.02)
    assert quad.lr[0] == pytest.approx(150 + ADVANCE, abs=0.02)
    assert quad.ll[1] < 250 < quad.ul[1]
    assert quad.ul[1] - quad.ll[1] < 2 * 20


@by_engine
def test_inherited_boxes_and_rotation_make_the_frame(engine: EngineName) -> None:
    extraction = _read(b"/UserUnit 2", engine, inherited=BOXES + b"/Rotate 450")
    assert extraction.pages[0].frame == PageFrame(
        view_box=Rect(120, 230, 500, 700),
        media_box=Rect(100, 200, 700, 1000),
        rotation=90,
        user_unit=2.0,
    )


@by_engine
def test_a_crop_box_beyond_the_media_box_is_cut_to_it(engine: EngineName) -> None:
    boxes = b"/MediaBox[100 200 700 1000]/CropBox[0 0 500 700]"
    extraction = _read(b"", engine, inherited=boxes)
    frame = extraction.pages[0].frame
    assert frame is not None
    assert frame.view_box == Rect(100, 200, 500, 700)


@pytest.mark.parametrize(
    ("entries", "point"),
    [(b"", (30.0, 450.0)), (b"/Rotate 90/UserUnit 2", (40.0, 60.0))],
)
@by_engine
def test_the_displayed_point_is_the_one_that_pdf_js_gives(
    entries: bytes, point: tuple[float, float], engine: EngineName
) -> None:
    frame = _read(entries, engine).pages[0].frame
    assert frame is not None
    assert frame.user_to_display((150, 250)) == pytest.approx(point)


@needs_mupdf
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("unit", [b"", b"/UserUnit 2"])
def test_quads_are_what_a_highlight_annotation_writes(rotation: int, unit: bytes) -> None:
    """MuPDF turns a highlight on its own glyph box into /QuadPoints by its own path."""
    pymupdf = load_pymupdf()
    data = build_pdf(
        PageSpec(content=text_at(150, 250, "A"), entries=b"/Rotate %d" % rotation + unit),
        inherited=BOXES,
    )
    with pymupdf.open(stream=data, filetype="pdf") as opened:
        page = opened[0]
        char = page.get_text("rawdict")["blocks"][0]["lines"][0]["spans"][0]["chars"][0]
        mark = page.add_highlight_annot(quads=[pymupdf.Rect(char["bbox"]).quad])
        _, written = opened.xref_get_key(mark.xref, "QuadPoints")
    ulx, uly, urx, ury, llx, lly, lrx, lry = (float(part) for part in written.strip("[]").split())
    ours = _quad(extract(data), 0, 1)
    assert ours.to_list() == pytest.approx([ulx, uly, urx, ury, lrx, lry, llx, lly], abs=0.02)


@needs_mupdf
def test_our_quads_go_back_to_the_library_and_come_out_unchanged() -> None:
    pymupdf = load_pymupdf()
    data = build_pdf(
        PageSpec(content=text_at(150, 250, "A"), entries=b"/Rotate 270/UserUnit 2"), inherited=BOXES
    )
    extraction = extract(data)
    quad, frame = _quad(extraction, 0, 1), extraction.pages[0].frame
    assert frame is not None
    with pymupdf.open(stream=data, filetype="pdf") as opened:
        mark = opened[0].add_highlight_annot(quads=[to_library_quad(frame, quad)])
        _, written = opened.xref_get_key(mark.xref, "QuadPoints")
    ul, ur, ll, lr = quad.ul, quad.ur, quad.ll, quad.lr
    expected = [value for corner in (ul, ur, ll, lr) for value in corner]
    assert [float(part) for part in written.strip("[]").split()] == pytest.approx(
        expected, abs=0.01
    )


@given(
    rotation=st.sampled_from([0, 90, 180, 270]),
    unit=st.sampled_from([1, 2, 0.5]),
    origin=st.tuples(st.integers(-500, 140), st.integers(-500, 200)),
    engine=st.sampled_from(ENGINES),
)
@settings(max_examples=40, deadline=None)
def test_rotation_origin_and_unit_leave_text_and_quads_unchanged(
    rotation: int, unit: float, origin: tuple[int, int], engine: EngineName
) -> None:
    """INGEST.md I12: user space knows nothing of how a page is shown."""
    content = text_at(150, 250, "Ninety days") + text_at(150, 300, "of notice")
    x, y = origin
    plain = _read(b"", engine, inherited=b"/MediaBox[0 0 600 800]", content=content)
    moved = _read(
        b"/Rotate %d/UserUnit %s" % (rotation, str(unit).encode()),
        engine,
        inherited=b"/MediaBox[%d %d %d %d]" % (x, y, x + 1200, y + 1200),
        content=content,
    )
    assert moved.text.text == plain.text.text
    for start, end in ((0, 6), (3, 15), (12, 21)):
        (ours,), (theirs,) = (locate_span(e, Span(start, end)) for e in (moved, plain))
        assert len(ours.quads) == len(theirs.quads)
        for one, other in zip(ours.quads, theirs.quads, strict=True):
            assert one.to_list() == pytest.approx(other.to_list(), abs=0.03)


@by_engine
def test_a_crop_leaves_text_and_quads_unchanged_and_flags_what_it_hides(
    engine: EngineName,
) -> None:
    content = text_at(150, 250, "inside") + text_at(150, 750, "beyond")
    cropped, whole = (
        _read(b"", engine, content=content),
        _read(b"", engine, inherited=b"/MediaBox[0 0 900 900]", content=content),
    )
    assert cropped.text.text == whole.text.text == "inside\nbeyond\f"
    assert cropped.layout is not None
    assert whole.layout is not None
    assert cropped.layout.any_flag(Span(7, 13), CharFlag.OFFPAGE)
    assert not cropped.layout.any_flag(Span(0, 6), CharFlag.OFFPAGE)
    assert not whole.layout.any_flag(Span(0, 14), CharFlag.OFFPAGE)
    assert cropped.pages[0].counts.offpage == 6
    assert _quad(cropped, 7, 13).to_list() == pytest.approx(_quad(whole, 7, 13).to_list(), abs=0.02)


@by_engine
@pytest.mark.parametrize("degrees", [90, 180, 270, 30, -10])
def test_a_turned_run_has_a_quad_along_its_own_direction(degrees: int, engine: EngineName) -> None:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    shown = turned_text(f"{cos:.6f} {sin:.6f} {-sin:.6f} {cos:.6f} 300 400", "AAAA")
    read = _read(b"", engine, inherited=b"/MediaBox[0 0 600 800]", content=shown)
    quad = _quad(read, 0, 4)
    width = 4 * ADVANCE
    along = (quad.lr[0] - quad.ll[0], quad.lr[1] - quad.ll[1])
    assert along == pytest.approx((width * cos, width * sin), abs=0.05)
    # The base line's start lies on the quad's left edge, above its lower end.
    up = (quad.ul[0] - quad.ll[0], quad.ul[1] - quad.ll[1])
    offset = (300 - quad.ll[0], 400 - quad.ll[1])
    assert up[0] * offset[1] - up[1] * offset[0] == pytest.approx(0, abs=1)
    assert up[0] * offset[0] + up[1] * offset[1] > 0


@by_engine
def test_a_line_of_two_sizes_is_two_runs(engine: EngineName) -> None:
    content = b"BT /F1 20 Tf 100 400 Td (Big) Tj /F1 10 Tf (small) Tj ET"
    extraction = _read(b"", engine, inherited=b"/MediaBox[0 0 600 800]", content=content)
    (locator,) = locate_span(extraction, Span(0, 8))
    tall, short = (quad.ul[1] - quad.ll[1] for quad in locator.quads)
    assert tall == pytest.approx(2 * short, abs=0.03)


@needs_mupdf
@pytest.mark.parametrize("entries", COMBINATIONS)
def test_the_engines_agree_on_frame_origin_and_advance(entries: bytes) -> None:
    ours, theirs = (_read(entries, engine) for engine in ENGINES)
    assert ours.pages[0].frame == theirs.pages[0].frame
    for one, other in zip(_quad(ours, 0, 1).ll, _quad(theirs, 0, 1).ll, strict=True):
        # Their fonts' descents differ, and nothing else.
        assert one == pytest.approx(other, abs=1.5)
    assert _quad(ours, 0, 1).ll[0] == pytest.approx(_quad(theirs, 0, 1).ll[0], abs=0.02)
    assert _quad(ours, 0, 1).lr[0] == pytest.approx(_quad(theirs, 0, 1).lr[0], abs=0.02)
