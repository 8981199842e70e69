"""Our frame against a real viewer's: the same glyph, and a highlight that lands on ink."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import pytest

from bench.documents.frames import (
    CASES,
    GLYPH,
    Case,
    ask_all,
    ask_spanproof,
    build_page,
    furthest,
    quads_of,
    to_table,
)
from bench.documents.pdfjs import find_missing, open_viewer
from spanproof.core.geometry import Quad
from tests.pages import find_page
from tests.spread import thin_out

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.documents.pdfjs import Viewer

#: What numbers of a file lose on the way: hundredths of a unit.
CLOSE = 0.01
#: Real pages that are turned, cropped, or do not begin at the origin.
REAL = (
    "camelot/column_separators.pdf",
    "camelot/row_span.pdf",
    "camelot/superscript.pdf",
    "docling/odf_presentation_01.odp.pdf",
    "pdfbox/PDFBOX-3110-poems-beads-cropbox.pdf",
    "tika/testPDF_rotated.pdf",
)


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    """PDF.js in Chromium; skipped by name without it, failed where it must be."""
    missing = find_missing()
    if missing is not None:
        if os.environ.get("CI") or os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(missing)
        pytest.skip(missing)
    with open_viewer() as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_one_glyph_has_one_origin_in_every_engine(viewer: Viewer, case: Case) -> None:
    answer = ask_all(viewer, case)
    assert math.dist(answer.pdfjs, GLYPH) <= CLOSE
    assert furthest(answer) <= CLOSE


def test_the_documented_table_is_what_the_engines_say(viewer: Viewer) -> None:
    page = find_page("frames.md")
    table = to_table([ask_all(viewer, case) for case in CASES])
    assert table in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_displayed_page_has_the_viewers_size(viewer: Viewer, case: Case) -> None:
    data = build_page(case)
    viewer.open(data)
    _, frame = ask_spanproof(data)
    assert frame.display_size == pytest.approx(viewer.view_size(), abs=CLOSE)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_highlight_holds_all_the_ink_of_its_glyph(viewer: Viewer, case: Case) -> None:
    data = build_page(case)
    viewer.open(data)
    ((_, quad),) = quads_of(data)
    painting = viewer.paint([quad, _beside(quad)], scale=4)
    on, off = painting.highlights
    assert painting.total_ink > 0
    # Pixels on the very edge may fall on either side.
    assert on.ink >= 0.98 * painting.total_ink
    assert off.ink <= 0.02 * painting.total_ink


def _beside(quad: Quad) -> Quad:
    """The same quad, its own width further on."""
    dx, dy = quad.ur[0] - quad.ul[0], quad.ur[1] - quad.ul[1]
    return Quad(*((x + dx, y + dy) for x, y in quad.corners))


@pytest.mark.parametrize("name", thin_out(REAL, every=3))
def test_highlights_on_real_pages_land_on_ink(viewer: Viewer, test_data: Path, name: str) -> None:
    data = (test_data / "documents" / "pdf" / name).read_bytes()
    quads = [quad for number, quad in quads_of(data) if number == 1]
    assert len(quads) > 5
    viewer.open(data)
    painting = viewer.paint(quads)
    inked = [one.ink > 0 for one in painting.highlights]
    assert sum(inked) >= 0.99 * len(inked)
