from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bench.invariants import geometry
from bench.invariants.geometry import check_i7, check_i8
from bench.invariants.origins import OurGlyphs
from spanproof.core.documents.layout import Layout
from spanproof.core.documents.locate import locate_span
from spanproof.core.span import Span
from spanproof.ingest.extraction import extract
from tests.bench.invariants.broken import read_three_pages, with_column
from tests.ingest.drawn_pdf import show, write_pdf
from tests.ingest.pdf_bytes import PageSpec

if TYPE_CHECKING:
    import pytest


def test_quads_hold_the_glyphs_of_their_span_and_no_other() -> None:
    finding = check_i7(read_three_pages())
    assert finding.holds
    assert finding.counts == {"strict": finding.checked, "explained": 0}


def test_another_line_within_the_quads_is_explained() -> None:
    twice = write_pdf(
        PageSpec(content=show("One line of words", 72, 700) + show("another", 72, 701))
    )
    finding = check_i7(extract(twice))
    assert finding.holds
    assert finding.counts["explained"] > 0


def test_a_glyph_of_the_same_line_between_the_spans_own_is_told() -> None:
    # The first two letters change places: a span that begins at the second reaches over the first.
    def swap(edges: Any) -> Any:
        edges[[0, 1]] = edges[[1, 0]]
        return edges

    extraction = with_column(with_column(read_three_pages(), "left", swap), "right", swap)
    finding = check_i7(extraction, most=400)
    assert any("between" in violation.detail for violation in finding.violations)


def test_a_glyph_outside_its_quads_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    one, several = Layout.quad, Layout.quads

    def shorten(span: Span) -> Span:
        return Span(span.start, max(span.start + 1, span.end - 1))

    monkeypatch.setattr(Layout, "quad", lambda self, run, span: one(self, run, shorten(span)))
    monkeypatch.setattr(Layout, "quads", lambda self, span: several(self, shorten(span)))
    finding = check_i7(read_three_pages())
    assert any("outside its quads" in violation.detail for violation in finding.violations)
    assert check_i8(read_three_pages()).violated


def test_a_locator_of_another_span_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def shorter(extraction: Any, span: Span) -> Any:
        return locate_span(extraction, Span(span.start, max(span.start + 1, span.end - 1)))

    monkeypatch.setattr(geometry, "locate_span", shorter)
    finding = check_i7(read_three_pages())
    assert any("outside its quads" in violation.detail for violation in finding.violations)


def test_glyphs_without_quads_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(geometry, "locate_span", lambda *_: ())
    finding = check_i7(read_three_pages())
    assert finding.violated == finding.checked > 0


def test_a_longer_span_must_hold_what_a_shorter_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Layout.quad

    def last_only(self: Layout, run: int, span: Span) -> Any:
        return honest(self, run, Span(max(span.start, span.end - 1), span.end))

    monkeypatch.setattr(Layout, "quad", last_only)
    finding = check_i8(read_three_pages(), most=200)
    assert any("does not hold" in violation.detail for violation in finding.violations)


def test_a_separator_with_a_place_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    extraction = read_three_pages()
    real = locate_span(extraction, Span(0, 3))
    monkeypatch.setattr(geometry, "locate_span", lambda *_: real)
    finding = check_i8(extraction)
    assert any("separator" in violation.detail for violation in finding.violations)


def test_sound_quads_are_unions_and_grow() -> None:
    assert check_i8(read_three_pages()).holds


def test_what_has_no_geometry_has_no_case() -> None:
    plain = extract(b"words", filename="a.txt")
    assert check_i7(plain).checked == check_i8(plain).checked == 0


def test_the_middles_are_those_that_the_layout_gives() -> None:
    extraction = read_three_pages()
    layout = extraction.layout
    assert layout is not None
    span = extraction.pages[0].span
    glyphs = OurGlyphs.of(extraction, layout, span).glyphs
    ours = np.stack([glyphs.middle_x, glyphs.middle_y], axis=1)
    assert np.allclose(ours, np.array(layout.centres(span)))
