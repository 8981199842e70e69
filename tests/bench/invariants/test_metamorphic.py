from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.invariants.metamorphic import check_i12, check_i13
from bench.invariants.resave import (
    RESAVES,
    find_preserved,
    repeat_pages,
    rotate,
    scale,
    shift,
    without_annotations,
    write_anew,
)
from spanproof.core.errors import BrokenDocumentError
from spanproof.ingest.engine.choice import load_engine
from spanproof.ingest.extraction import extract
from tests.bench.invariants.broken import (
    LIMITS,
    THREE_PAGES,
    SpoiltEngine,
    read_three_pages,
    replaced_text,
    with_column,
)
from tests.ingest.drawn_pdf import show, write_pdf
from tests.ingest.pdf_bytes import PageSpec

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.geometry import PageFrame


def _frames() -> dict[int, PageFrame]:
    frames = {page.number: page.frame for page in read_three_pages().pages}
    return {number: frame for number, frame in frames.items() if frame is not None}


def _spoilt(extraction: Extraction, column: str, by: int) -> Extraction:
    return with_column(extraction, column, lambda values: values + by)


def test_how_a_page_is_shown_moves_nothing() -> None:
    finding = check_i12(read_three_pages(), THREE_PAGES, load_engine("mupdf"), LIMITS)
    assert finding.holds
    assert finding.checked == 3 * 3


def test_the_changed_copies_are_changed() -> None:
    frames = _frames()
    turned, shifted, scaled = (
        extract(change(THREE_PAGES, frames)) for change in (rotate, shift, scale)
    )
    for number, frame in frames.items():
        one, two, three = (e.pages[number - 1].frame for e in (turned, shifted, scaled))
        assert one is not None
        assert two is not None
        assert three is not None
        assert one.rotation == (frame.rotation + 90) % 360
        assert two.view_box.x0 == pytest.approx(frame.view_box.x0 - 37.25)
        assert two.view_box.y1 == pytest.approx(frame.view_box.y1 + 8.125)
        assert three.user_unit == 2 * frame.user_unit


@pytest.mark.parametrize(("column", "by"), [("run_x", 11), ("run_y", -11), ("right", 11)])
def test_glyphs_that_move_when_the_page_is_turned_are_told(column: str, by: int) -> None:
    engine = SpoiltEngine(
        engine=load_engine("mupdf"), spoil=lambda extraction, _: _spoilt(extraction, column, by)
    )
    finding = check_i12(read_three_pages(), THREE_PAGES, engine, LIMITS)
    # Both pages with text, at each of the three changes.
    assert finding.violated == 6
    assert "moved by" in finding.violations[0].detail


def test_text_that_changes_when_the_page_is_turned_is_told() -> None:
    engine = SpoiltEngine(
        engine=load_engine("mupdf"),
        spoil=lambda e, _: replaced_text(e, e.text.text.replace("Last", "lasT")),
    )
    finding = check_i12(read_three_pages(), THREE_PAGES, engine, LIMITS)
    assert {violation.page for violation in finding.violations} == {3}


def test_a_file_written_anew_has_the_same_text_and_another_hash() -> None:
    finding = check_i13(read_three_pages(), THREE_PAGES, load_engine("mupdf"), LIMITS)
    assert finding.holds
    assert finding.counts == {"pages": 3 * len(RESAVES), "not written as they were": 0}
    hashes = {extract(write_anew(THREE_PAGES, how)).document.doc_hash for how in RESAVES}
    assert read_three_pages().document.doc_hash not in hashes


def test_text_that_depends_on_how_the_file_is_written_is_told() -> None:
    engine = SpoiltEngine(
        engine=load_engine("mupdf"),
        spoil=lambda e, _: replaced_text(e, e.text.text.replace("Last", "lasT")),
    )
    finding = check_i13(read_three_pages(), THREE_PAGES, engine, LIMITS)
    assert finding.violated == len(RESAVES)
    assert {violation.page for violation in finding.violations} == {3}


def test_a_page_whose_content_the_writer_changed_is_no_case() -> None:
    other = write_pdf(
        PageSpec(content=show("One line of words", 72, 700)),
        PageSpec(),
        PageSpec(content=show("Last page", 72, 700)),
    )
    assert find_preserved(THREE_PAGES, other, [1, 2, 3]) == {2, 3}


def test_pages_are_repeated_in_order() -> None:
    once, many = read_three_pages(), extract(repeat_pages(THREE_PAGES, 4))
    assert many.text.text == 4 * once.text.text


def test_annotations_are_taken_off_and_nothing_else() -> None:
    note = (
        b"<</Type/Annot/Subtype/FreeText/Rect[100 100 200 150]/Contents(a note)"
        b"/DA(/Helv 12 Tf 0 g)>>"
    )
    data = write_pdf(PageSpec(content=show("words", 72, 700), entries=b"/Annots[%s]" % note))
    bare = without_annotations(data, [1])
    assert bare is not None
    assert "a note" in extract(data).text.text
    assert extract(bare).text.text == "words\f"
    assert without_annotations(THREE_PAGES, [1, 2, 3]) is None


def test_what_cannot_be_written_is_refused_by_name() -> None:
    with pytest.raises(BrokenDocumentError, match="cannot be opened"):
        write_anew(b"%PDF-1.7 nothing of a file", "plain")
