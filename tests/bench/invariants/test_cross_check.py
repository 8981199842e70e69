from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.invariants.cross_check import check_i16
from spanproof.ingest.engine.choice import load_engine
from spanproof.ingest.extraction import extract
from tests.bench.invariants.broken import LIMITS, THREE_PAGES, forge, with_column
from tests.ingest.drawn_pdf import show, write_pdf
from tests.ingest.pdf_bytes import PageSpec

if TYPE_CHECKING:
    from spanproof.ingest.limits import EngineName


@pytest.mark.parametrize("engine", ["mupdf", "pdfium"])
def test_two_engines_put_the_glyphs_at_the_same_places(engine: EngineName) -> None:
    extraction = extract(THREE_PAGES, engine=engine)
    finding = check_i16(extraction, THREE_PAGES, load_engine(engine), LIMITS)
    assert finding.holds
    assert finding.counts["elsewhere"] == 0
    assert finding.counts["same"] > 40


@pytest.mark.parametrize("column", ["run_x", "run_y"])
def test_glyphs_half_a_unit_and_more_away_are_told(column: str) -> None:
    engine = load_engine("mupdf")
    sound = extract(THREE_PAGES)
    near = with_column(sound, column, lambda values: values + 40)
    far = with_column(sound, column, lambda values: values + 60)
    assert check_i16(near, THREE_PAGES, engine, LIMITS).violated == 0
    finding = check_i16(far, THREE_PAGES, engine, LIMITS)
    assert finding.violated == finding.checked > 40
    assert finding.violations[0].page == 1


def test_a_character_that_the_other_does_not_read_is_no_case() -> None:
    extraction = extract(THREE_PAGES)
    other = write_pdf(PageSpec(content=show("QQQQ", 400, 50)), PageSpec(), PageSpec())
    finding = check_i16(extraction, other, load_engine("mupdf"), LIMITS)
    assert finding.checked == 0
    assert finding.counts["not read"] > 40


def test_what_an_annotation_paints_is_left_out() -> None:
    note = (
        b"<</Type/Annot/Subtype/FreeText/Rect[100 100 200 150]/Contents(a note)"
        b"/DA(/Helv 12 Tf 0 g)>>"
    )
    data = write_pdf(PageSpec(content=show("words", 72, 700), entries=b"/Annots[%s]" % note))
    finding = check_i16(extract(data), data, load_engine("mupdf"), LIMITS)
    assert finding.counts == {"same": 5, "other code": 0, "elsewhere": 0, "not read": 0}


def test_a_reading_without_geometry_has_no_case() -> None:
    extraction = forge(extract(THREE_PAGES), layout=None)
    assert check_i16(extraction, THREE_PAGES, load_engine("mupdf"), LIMITS).checked == 0
