"""Every invariant on PDFs drawn at random, and the truth that they were drawn with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from bench.invariants.document import PDF_FAMILIES, Family, check_document
from bench.invariants.origins import OurGlyphs
from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.match_views import ligatures
from spanproof.ingest.extraction import extract
from tests.bench.invariants.broken import LIMITS
from tests.ingest.drawn_pdf import DrawnPage, DrawnPdf, drawn_pdfs

if TYPE_CHECKING:
    from spanproof.core.geometry import Rect
    from spanproof.ingest.limits import EngineName

# Real engines read every example; the first of a process loads them.
drawn = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ENGINES = pytest.mark.parametrize("engine", ["mupdf", "pdfium"])
#: What rounding to hundredths and 32-bit floats may add up to, in user units.
NEAR = 0.05
#: No glyph of these pages is larger, in user units.
GLYPH = 17.5
_MADE_UP = np.uint16(CharFlag.SYNTHETIC | CharFlag.SEPARATOR)


def _truth(page: DrawnPage, engine: EngineName) -> list[tuple[str, tuple[float, float], float]]:
    """Each character drawn, its glyph's origin, and how far its box may lean away from that.

    pdfium expands ligatures itself, and takes a drawn space for one that it made up.
    """
    glyphs = [
        (letter, origin, text.slant)
        for text in page.texts
        for character, origin in zip(text.text, text.origins, strict=True)
        for letter in (ligatures().get(character, character) if engine == "pdfium" else character)
    ]
    return [glyph for glyph in glyphs if engine == "mupdf" or glyph[0] != " "]


@ENGINES
@given(pdf=drawn_pdfs())
@drawn
def test_the_text_is_what_was_drawn_where_it_was_drawn(engine: EngineName, pdf: DrawnPdf) -> None:
    extraction = extract(pdf.data, engine=engine)
    layout = extraction.layout
    assert layout is not None
    for page, truth in zip(extraction.pages, pdf.pages, strict=True):
        assert page.frame == truth.frame
        text = extraction.text.slice(page.span)
        real = np.flatnonzero((layout.flags[page.span.start : page.span.end] & _MADE_UP) == 0)
        offsets = [int(i) for i in real if engine == "mupdf" or text[i] != " "]
        expected = _truth(truth, engine)
        assert "".join(text[i] for i in offsets) == "".join(letter for letter, *_ in expected)
        glyphs = OurGlyphs.of(extraction, layout, page.span)
        places = dict(
            zip(
                (glyphs.offset - page.span.start).tolist(),
                zip(glyphs.glyphs.x.tolist(), glyphs.glyphs.y.tolist(), strict=True),
                strict=True,
            )
        )
        for offset, (letter, origin, slant) in zip(offsets, expected, strict=True):
            # MuPDF sets a combining mark over its letter, without a width of its own.
            if engine != "mupdf" or letter != "\u0301":
                assert math.dist(places[offset], origin) <= NEAR + slant, (letter, origin)


def _is_near_an_edge(box: Rect, origin: tuple[float, float]) -> bool:
    return box.contains(origin, margin=GLYPH) and not box.contains(origin, margin=-GLYPH)


@ENGINES
@given(pdf=drawn_pdfs())
@drawn
def test_what_nobody_sees_is_flagged(engine: EngineName, pdf: DrawnPdf) -> None:
    extraction = extract(pdf.data, engine=engine)
    layout = extraction.layout
    assert layout is not None
    for page, truth in zip(extraction.pages, pdf.pages, strict=True):
        inked = [t for t in truth.texts for c in t.text if not c.isspace()]
        hidden = sum(not text.visible for text in inked)
        box = truth.frame.view_box
        # A glyph of which the page's edge leaves a sliver is seen by nobody either.
        if any(_is_near_an_edge(box, origin) for text in truth.texts for origin in text.origins):
            assert page.counts.invisible >= (hidden if engine == "mupdf" else min(hidden, 1))
        else:
            if engine == "mupdf":
                assert page.counts.invisible == hidden
            assert (page.counts.invisible > 0) == (hidden > 0)
        if any(text.origins[0][0] < box.x0 - 200 for text in truth.texts):
            assert page.counts.offpage > 0
        elif all(box.contains(origin) for text in truth.texts for origin in text.origins):
            assert page.counts.offpage == 0


@pytest.mark.long
@ENGINES
@pytest.mark.parametrize("family", [f for f in PDF_FAMILIES if f != "cross_check"])
@given(pdf=drawn_pdfs())
@drawn
def test_every_invariant_holds(engine: EngineName, family: Family, pdf: DrawnPdf) -> None:
    for finding in check_document(pdf.data, [family], limits=LIMITS, engine=engine):
        assert finding.violated == 0, finding
        assert finding.skipped is None, finding


@given(pdf=drawn_pdfs(slanted=False))
@drawn
def test_pdfium_puts_every_glyph_where_it_was_drawn(pdf: DrawnPdf) -> None:
    (finding,) = check_document(pdf.data, ["cross_check"], limits=LIMITS)
    assert finding.violated == 0, finding
