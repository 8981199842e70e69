from __future__ import annotations

from bench.invariants.ink import check_i15
from spanproof.ingest.engine.choice import load_engine
from spanproof.ingest.extraction import extract
from tests.bench.invariants.broken import THREE_PAGES, read_three_pages, replaced_text, with_column
from tests.ingest.drawn_pdf import show, write_pdf
from tests.ingest.pdf_bytes import PageSpec

ENGINE = load_engine("mupdf")


def test_there_is_ink_where_text_stands_and_pdfium_reads_it() -> None:
    finding = check_i15(read_three_pages(), THREE_PAGES, ENGINE, pages=3)
    assert finding.holds
    assert finding.counts == {
        "ink": 4,
        "pale": 0,
        "none": 0,
        "alike": 4,
        "otherwise": 0,
        "unread": 0,
    }


def test_a_quad_over_blank_paper_is_told() -> None:
    extraction = with_column(read_three_pages(), "run_y", lambda ys: ys + 8_000)
    finding = check_i15(extraction, THREE_PAGES, ENGINE, pages=3)
    assert finding.violated == 4
    assert finding.counts["unread"] == 4


def test_other_words_than_pdfium_reads_are_counted() -> None:
    sound = read_three_pages()
    changed = replaced_text(sound, sound.text.text.replace("Last", "Lost"))
    assert check_i15(changed, THREE_PAGES, ENGINE, pages=3).counts["otherwise"] == 1


def test_text_in_the_colour_of_its_ground_or_under_a_box_is_flagged_and_no_case() -> None:
    pale = b"1 g\n" + show("hidden by its colour", 72, 700)
    covered = show("covered", 72, 700) + b"1 g 60 690 200 30 re f\n"
    for content in (pale, covered):
        data = write_pdf(PageSpec(content=content))
        extraction = extract(data)
        assert "hidden" in extraction.text.text or "covered" in extraction.text.text
        assert check_i15(extraction, data, ENGINE).checked == 0


def test_invisible_and_off_page_text_is_no_case() -> None:
    hidden = show("off the page", -400, 700) + b"3 Tr\n" + show("never painted", 72, 600)
    data = write_pdf(PageSpec(content=hidden))
    assert check_i15(extract(data), data, ENGINE).checked == 0
