"""Readings held against each other: one page by two engines, and pages that differ by a bit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.documents.layout import CharFlag
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.ingest import extract
from spanproof.ingest.cross_check import check_span, compare
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at, turned_text

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction
    from spanproof.core.ports import CrossCheckReading

FIRST = "Interest of 3.5 per cent is due on late payments."
SECOND = "Complaints are answered within two weeks."


def read(*lines: bytes, engine: str = "mupdf", entries: bytes = b"") -> Extraction:
    """One page with these lines on it."""
    page = PageSpec(content=b"".join(lines), entries=entries)
    return extract(build_pdf(page), engine="pdfium" if engine == "pdfium" else "mupdf")


def hold(ours: Extraction, theirs: Extraction, words: str = FIRST) -> CrossCheckReading:
    """What one says of the span of these words in the other."""
    start = ours.text.text.index(words)
    return check_span(ours, Span(start, start + len(words)), theirs)


def rewrite(extraction: Extraction, at: int, character: str) -> Extraction:
    """The same reading with another character at one offset."""
    text = extraction.text.text
    return replace(extraction, text=CanonicalText.of(text[:at] + character + text[at + 1 :]))


def add_flag(extraction: Extraction, span: Span, flag: CharFlag) -> Extraction:
    """The same reading with a flag on some characters."""
    layout = extraction.layout
    assert layout is not None
    flags = layout.flags.copy()
    flags[span.start : span.end] |= np.uint16(flag)
    return replace(extraction, layout=replace(layout, flags=flags))


@pytest.mark.parametrize(
    "entries",
    [b"", b"/Rotate 90/UserUnit 2", b"/MediaBox[-50 -80 550 720]/CropBox[0 0 550 700]/Rotate 270"],
)
def test_two_engines_agree_on_a_plain_page(entries: bytes) -> None:
    lines = (text_at(60, 400, FIRST, size=11), text_at(60, 380, SECOND, size=11))
    ours, theirs = read(*lines, entries=entries), read(*lines, engine="pdfium", entries=entries)
    for words in (FIRST, SECOND, "3.5 per cent", f"payments.\n{SECOND[:10]}"):
        reading = hold(ours, theirs, words)
        assert (reading.status, reading.moved) == ("AGREES", 0.0)
        assert reading.engine == theirs.pipeline.name
        assert reading.read is None
    whole = compare(ours, theirs)
    assert whole.characters == whole.agreeing == len("".join((FIRST + SECOND).split()))
    assert whole.disagreements == whole.unread == ()


def test_letters_and_spaces_that_only_the_other_engine_has_are_counted() -> None:
    ours = read(text_at(60, 400, FIRST))
    theirs = read(text_at(60, 400, FIRST), text_at(60, 380, SECOND))
    whole = compare(ours, theirs)
    # All of our own line agrees; what we lack is said beside it.
    assert whole.characters == whole.agreeing == len("".join(FIRST.split()))
    assert whole.extra == len("".join(SECOND.split()))
    assert (whole.extra_pages, whole.extra_spaces) == ((1,), 0)
    assert compare(theirs, ours).extra == 0
    # Where we read nothing at all, everything is extra.
    nothing = compare(read(b""), theirs)
    assert (nothing.characters, nothing.extra) == (0, len("".join((FIRST + SECOND).split())))


def test_a_line_that_stands_elsewhere_is_no_extra_one() -> None:
    whole = compare(read(text_at(60, 400, FIRST)), read(text_at(60, 600, FIRST)))
    assert (whole.agreeing, whole.extra, whole.extra_pages) == (0, 0, ())


def test_a_space_that_only_the_other_engine_has_is_counted() -> None:
    ours = read(text_at(60, 400, "beforenoon"))
    theirs = read(text_at(60, 400, "before "), text_at(116.7, 400, "noon"))
    assert theirs.text.text.split() == ["before", "noon"]
    whole = compare(ours, theirs)
    assert (whole.agreeing, whole.extra, whole.extra_spaces) == (10, 0, 1)
    assert compare(theirs, ours).extra_spaces == 0


def test_another_digit_at_the_same_place_disagrees_and_is_shown() -> None:
    ours = read(text_at(60, 400, FIRST))
    theirs = read(text_at(60, 400, FIRST.replace("3.5", "5.5")))
    reading = hold(ours, theirs)
    assert (reading.status, reading.moved) == ("DISAGREES", 0.0)
    assert reading.read == FIRST.replace("3.5", "5.5")
    assert hold(ours, theirs, "is due on late").status == "AGREES"


@pytest.mark.parametrize(("shift", "status"), [(0.4, "AGREES"), (0.6, "DISAGREES")])
def test_half_a_unit_is_the_same_place(shift: float, status: str) -> None:
    ours, theirs = read(text_at(60, 400, FIRST)), read(text_at(60, 400 + shift, FIRST))
    reading = hold(ours, theirs)
    assert reading.status == status
    assert reading.moved == (0.0 if status == "AGREES" else 1.0)


def test_the_same_words_elsewhere_disagree() -> None:
    reading = hold(read(text_at(60, 400, FIRST)), read(text_at(60, 600, FIRST)))
    assert (reading.status, reading.read, reading.moved) == ("DISAGREES", "", 1.0)


@pytest.mark.parametrize("change", ["-3.5", "3.", "not 3.5"])
def test_words_lost_or_added_disagree(change: str) -> None:
    head, tail = FIRST.split("3.5")
    pieces = (text_at(60, 400, head), text_at(220, 400, "3.5"), text_at(300, 400, tail))
    ours = read(*pieces)
    theirs = read(pieces[0], text_at(205, 400, change), pieces[2])
    words = "".join(ours.text.text.split("\f"))
    assert check_span(ours, Span(0, len(words)), theirs).status == "DISAGREES"


def test_reading_order_is_no_fact_of_a_page() -> None:
    columns = (text_at(60, 400, SECOND, size=8), text_at(320, 400, FIRST, size=8))
    ours, theirs = read(*columns), read(*reversed(columns))
    assert ours.text.text != theirs.text.text
    assert compare(ours, theirs).disagreements == ()


def test_order_within_a_run_is() -> None:
    ours = read(text_at(60, 400, "17 496"))
    turned = rewrite(rewrite(ours, 0, "7"), 1, "1")
    assert hold(ours, turned, "17 496").status == "DISAGREES"


def test_lines_that_overlap_do_not_count_as_each_others() -> None:
    lines = (text_at(60, 400, FIRST, size=20), text_at(60, 391, SECOND, size=20))
    ours, theirs = read(*lines), read(*lines, engine="pdfium")
    assert hold(ours, theirs, FIRST).status == "AGREES"
    assert hold(ours, theirs, SECOND).status == "AGREES"


@pytest.mark.parametrize("doubled", ["ours", "theirs"])
def test_a_line_printed_twice_at_one_place_is_one_line(doubled: str) -> None:
    once = read(text_at(60, 400, FIRST))
    # Far apart in the file, so that no engine takes them for one.
    twice = read(
        text_at(60, 400, FIRST), text_at(60, 100, SECOND), text_at(60.2, 400, FIRST, mode=2)
    )
    ours, theirs = (twice, once) if doubled == "ours" else (once, twice)
    assert hold(ours, theirs, FIRST).status == "AGREES"


def test_a_page_on_which_the_witness_reads_nothing_disagrees() -> None:
    reading = hold(read(text_at(60, 400, FIRST)), read(b""))
    assert (reading.status, reading.read, reading.moved) == ("DISAGREES", "", 1.0)


def test_text_of_our_ocr_is_not_held_against_a_witness_without_ocr() -> None:
    ours = read(text_at(60, 400, FIRST))
    recognised = add_flag(ours, Span(0, len(FIRST)), CharFlag.OCR)
    reading = hold(recognised, read(b""))
    assert (reading.status, reading.reason) == ("NOT_RUN", "ocr_page")
    whole = compare(recognised, read(b""))
    assert (whole.characters, whole.unread) == (0, (Span(0, len(FIRST)),))


def test_glyphs_that_the_witness_cannot_name_are_no_contradiction() -> None:
    ours = read(text_at(60, 400, FIRST))
    few = rewrite(ours, 3, "\ufffd")
    assert hold(ours, add_flag(few, Span(3, 4), CharFlag.UNMAPPED)).status == "AGREES"
    blank = replace(ours, text=CanonicalText.of("\ufffd" * (len(ours.text) - 1) + "\f"))
    blank = add_flag(blank, Span(0, len(FIRST)), CharFlag.UNMAPPED)
    reading = hold(ours, blank)
    assert (reading.status, reading.reason) == ("NOT_RUN", "unmapped")


@pytest.mark.parametrize(
    "flag", [CharFlag.ACTUALTEXT, CharFlag.OFFPAGE, CharFlag.UNMAPPED, CharFlag.SYNTHETIC]
)
def test_what_is_flagged_already_is_left_out(flag: CharFlag) -> None:
    ours = add_flag(read(text_at(60, 400, FIRST)), Span(0, 8), flag)
    theirs = read(text_at(60, 400, FIRST.replace("Interest", "tnterest")))
    assert hold(ours, theirs).status == "AGREES"
    reading = hold(ours, theirs, "Interest")
    assert (reading.status, reading.reason) == ("NOT_RUN", "nothing_to_compare")


def test_white_space_alone_is_nothing_to_compare() -> None:
    ours = read(text_at(60, 400, FIRST))
    reading = check_span(ours, Span(8, 9), ours)
    assert (reading.status, reading.reason) == ("NOT_RUN", "nothing_to_compare")


def test_a_ligature_and_its_letters_are_the_same_words() -> None:
    ours = read(text_at(60, 400, "office"))
    layout = ours.layout
    assert layout is not None
    left, right = layout.left.copy(), layout.right.copy()
    left[3], right[3] = left[2], right[3]
    spelled = replace(ours, layout=replace(layout, left=left, right=right))
    joined = replace(ours, text=CanonicalText.of("of\ufb01\u200bce\f"))
    assert hold(joined, spelled, joined.text.text[:-1]).status == "AGREES"
    assert hold(spelled, joined, "office").status == "AGREES"


def test_turned_lines_are_compared_along_their_own_direction() -> None:
    line = turned_text("0.866025 0.5 -0.5 0.866025 100 200", SECOND, size=10)
    ours, theirs = read(line), read(line, engine="pdfium")
    assert hold(ours, theirs, SECOND).status == "AGREES"


def test_a_span_over_two_pages_is_one_question() -> None:
    pages = tuple(PageSpec(content=text_at(60, 400, words)) for words in (FIRST, SECOND))
    data = build_pdf(*pages)
    ours, theirs = extract(data), extract(data, engine="pdfium")
    span = Span(len(FIRST) - 9, len(FIRST) + 10)
    assert check_span(ours, span, theirs).status == "AGREES"
    at = theirs.text.text.index("payments")
    assert check_span(ours, span, rewrite(theirs, at, "q")).status == "DISAGREES"


@given(at=st.integers(0, len(FIRST) + len(SECOND)), letter=st.sampled_from("qxz7"))
@settings(max_examples=40, deadline=None)
def test_one_wrong_letter_is_found_by_its_line_alone(at: int, letter: str) -> None:
    ours = read(text_at(40, 400, FIRST), text_at(40, 300, SECOND))
    theirs = rewrite(ours, at, letter)
    whole = compare(ours, theirs)
    if ours.text.text[at].isspace():
        # A letter where a line ends or a space stands: in the space's place, so in the line.
        assert len(whole.disagreements) == (ours.text.text[at] == " ")
        return
    (line,) = whole.disagreements
    assert line.start <= at < line.end
    assert whole.characters - whole.agreeing == len("".join(ours.text.slice(line).split()))
    assert check_span(ours, Span(at, at + 1), theirs).status == "DISAGREES"


def test_a_heap_of_glyphs_at_one_place_costs_no_square() -> None:
    heap = b"".join(text_at(60, 400, "a") for _ in range(2000))
    ours = read(heap)
    assert compare(ours, ours).disagreements == ()


@pytest.mark.parametrize(
    "name", ["camelot/us-017.pdf", "tika/testPDF_rotated.pdf", "docling/normal_4pages.pdf"]
)
def test_two_engines_agree_on_most_of_a_real_document(test_data: Path, name: str) -> None:
    data = (test_data / "documents" / "pdf" / name).read_bytes()
    whole = compare(extract(data), extract(data, engine="pdfium"))
    assert whole.characters > 500
    assert whole.agreeing >= 0.95 * whole.characters
