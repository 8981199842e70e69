"""Real files that users reported, each with what it should come to; none of them is kept here."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spanproof.core.citation import Quote
from spanproof.core.errors import EncryptedDocumentError
from spanproof.core.verdicts.status import ExistenceStatus, Outcome
from spanproof.ingest import extract
from spanproof.verifier.quotes.existence import check_existence
from tests.builders import make_library
from tests.engines import ENGINE, ENGINES, needs_mupdf
from tests.verifier.checking import check, cite

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.ingest.limits import EngineName

_DATA = os.environ.get("SPANPROOF_TEST_DATA")


@cache
def _read(name: str, engine: EngineName = ENGINE) -> Extraction:
    path = Path(_DATA or "", "documents", name)
    if _DATA is None or not path.is_file():
        pytest.skip(f"needs documents/{name} in SPANPROOF_TEST_DATA")
    return extract(path.read_bytes(), filename=path.name, engine=engine)


@needs_mupdf
@pytest.mark.parametrize(
    ("name", "page"),
    [
        pytest.param("reported/178360.pdf", 24, marks=pytest.mark.long),
        ("reported/427669.pdf", 17),
        ("reported/427669.pdf", 18),
        ("reported/455746.pdf", 19),
        pytest.param("reported/455746.pdf", 78, marks=pytest.mark.long),
    ],
)
def test_a_page_whose_stream_is_damaged_is_degraded(name: str, page: int) -> None:
    found = _read(name).pages[page - 1]
    assert found.status == "degraded"
    assert found.problem is not None
    assert "damaged or ends early" in found.problem


@needs_mupdf
def test_damage_is_told_of_its_own_pages_only() -> None:
    pages = _read("reported/455746.pdf").pages
    assert [page.number for page in pages if page.status != "ok"] == [5, 19, 23, 72, 78, 81]


def test_visible_text_under_an_empty_actualtext_is_text() -> None:
    extraction = _read("reported/test_4546.pdf")
    for shown in ("SINORICH TRANSPORT LIMITED", "WATER METERS/WATER METER PARTS", "OSTHYS24060771"):
        assert shown in extraction.text.text
    assert all(page.status == "ok" for page in extraction.pages)


@needs_mupdf
def test_an_actualtext_inside_a_line_does_not_break_it() -> None:
    text = _read("reported/7.2-t21-fail-a.pdf").text.text
    assert text.startswith("Replacement text\n")


@needs_mupdf
@pytest.mark.parametrize(
    ("name", "said", "shown"),
    [
        ("pdf/camelot/us-024.pdf", "he proportion of housing units", "Th"),
        ("pdf/camelot/us-025.pdf", "irst and third leading", "\ufb01"),
    ],
)
def test_a_ligature_told_as_one_letter_is_known_by_its_glyph(
    name: str, said: str, shown: str
) -> None:
    extraction = _read(name)
    start = extraction.text.text.index(said)
    glyphs = {one.span.start: one.glyphs for one in extraction.glyph_texts}
    assert glyphs[start] == shown


@needs_mupdf
def test_a_quote_of_what_the_page_shows_is_found_and_reviewed() -> None:
    extraction = _read("pdf/camelot/us-024.pdf")
    quote = "The proportion of housing units classified as inadequate in the"
    existence, codes = check_existence(Quote(text=quote), extraction, ())
    assert existence.status is ExistenceStatus.FOLD_EQUAL
    assert existence.folds == ("shown_glyphs",)
    assert "LOST_GLYPHS" in codes
    assert existence.span is not None
    assert extraction.text.slice(existence.span).startswith("he proportion of housing units")


@needs_mupdf
def test_another_word_than_the_page_shows_is_altered() -> None:
    quote = "The proportion of housing units classifies as"
    existence, _ = check_existence(Quote(text=quote), _read("pdf/camelot/us-024.pdf"), ())
    assert existence.status is ExistenceStatus.ALTERED


@needs_mupdf
@pytest.mark.parametrize(
    "sentence",
    [
        "Amounts represent the recorded investment in loans after recognizing the effects",
        "TDRs may have multiple types of concessions",
        "Charge-offs include write-downs of the investment in the loan in the period",
        "there may be cases where we have a charge-off/down with no legal principal modification.",
        "these loans continue to advance through delinquency status and accrue \ninterest",
    ],
)
def test_words_that_are_drawn_in_pieces_are_found(sentence: str) -> None:
    extraction = _read("reported/test_3725.pdf")
    assert "TDRs m\n \nay have m\n \nultiple t ypes" in extraction.text.text
    existence, _ = check_existence(Quote(text=sentence), extraction, ())
    assert existence.status is ExistenceStatus.FOLD_EQUAL
    assert "spacing" in existence.folds
    assert set(existence.folds) <= {"spacing", "white_space"}


@needs_mupdf
@pytest.mark.parametrize(
    "sentence",
    [
        "there may be cases where we have a charge-off/down with legal principal modification.",
        "The amount of charge-off will not differ from the modification terms",
    ],
)
def test_other_words_than_those_in_pieces_are_not_found(sentence: str) -> None:
    existence, _ = check_existence(Quote(text=sentence), _read("reported/test_3725.pdf"), ())
    assert existence.status is ExistenceStatus.ABSENT


@pytest.mark.parametrize("name", ["auth-event-ef-open.pdf", "encrypted-attachment.pdf"])
def test_a_pdf_that_encrypts_only_its_attachment_is_read(name: str) -> None:
    extraction = _read(f"reported/{name}")
    assert extraction.text.text == "Example\f"
    assert extraction.pipeline.name.startswith("pypdfium2@")


def test_a_pdf_with_a_password_is_refused() -> None:
    with pytest.raises(EncryptedDocumentError):
        _read("reported/r5-user-password.pdf")


@needs_mupdf
@pytest.mark.parametrize(("name", "page"), [("178360.pdf", 24), ("455746.pdf", 78)])
def test_a_quote_that_is_not_found_in_a_damaged_document_is_not_absent(
    name: str, page: int
) -> None:
    extraction = _read(f"reported/{name}")
    existence, codes = check_existence(Quote(text="zebras juggle quartz"), extraction, ())
    assert existence.status is ExistenceStatus.UNVERIFIABLE
    assert codes[-1] == "PAGE_DEGRADED"
    assert page in existence.degraded_pages


@needs_mupdf
def test_offsets_on_a_whole_page_leave_no_doubt() -> None:
    quote = Quote(text="zebras juggle quartz", start=0, end=20)
    existence, _ = check_existence(quote, _read("reported/455746.pdf"), ())
    assert existence.status is ExistenceStatus.ABSENT


@needs_mupdf
def test_a_quote_that_only_the_second_engine_reads_names_its_page() -> None:
    extraction = _read("reported/455746.pdf")
    quote = "[%, percent; µg/L, micrograms per liter; nd, not determined] \n Day 1 Day 7 Day 14"
    existence, codes = check_existence(Quote(text=quote), extraction, ())
    assert existence.status is ExistenceStatus.UNVERIFIABLE
    assert existence.degraded_pages == (78,)
    assert "SECOND_ENGINE_READS" in codes


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("mixed.rtf", "The auditor did not approve the accounts."),
        ("testRTFIgnoredControlWord.rtf", "The quick brown fox jumps over the lazy dog"),
        ("pg06442728.xml", "Methods and apparatus for turbo code"),
        ("pg06442728.xml", "I(j,k)=I(j,α\nj\nk+β\n"),
        ("ASCII_UTF-8_CP1252_LCID1031_HTML.msg", "\u00f6"),
        ("chinese-traditional.msg", "格式測試"),
    ],
)
def test_a_file_that_others_read_is_read(name: str, sentence: str) -> None:
    extraction = _read(f"reported/{name}")
    assert sentence in extraction.text.text
    assert "\ufffd" not in extraction.text.text
    assert [page.status for page in extraction.pages] == ["ok"]
    existence, _ = check_existence(Quote(text="zebras juggle quartz"), extraction, ())
    assert existence.status is ExistenceStatus.ABSENT


@needs_mupdf
def test_a_footnotes_mark_behind_an_amount_is_no_digit_of_it() -> None:
    extraction = _read("reported/prospectus_en.pdf")
    existence, codes = check_existence(Quote(text="that you invest EUR 10,000"), extraction, ())
    assert existence.status is ExistenceStatus.EXACT
    assert codes == ("OFFSETS_NOT_GIVEN", "RAISED_DIGITS")
    _, codes = check_existence(Quote(text="that you invest EUR 10,00"), extraction, ())
    assert "SPAN_CUTS_MEANING" in codes


@needs_mupdf
@pytest.mark.parametrize(
    ("name", "shown", "written"),
    [
        ("reported/0807.3577.pdf", "E(r) = 103 sin", ["E(r) = 10^3 sin", "E(r) = 10³ sin"]),
        (
            "reported/article.pdf",
            "security levels corresponding to 2120",
            ["security levels corresponding to 2^120", "security levels corresponding to 2¹²⁰"],
        ),
    ],
)
def test_raised_digits_are_no_digits_of_a_number(name: str, shown: str, written: list[str]) -> None:
    extraction = _read(name)
    existence, codes = check_existence(Quote(text=shown), extraction, ())
    assert existence.status in {ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL}
    assert "RAISED_DIGITS" in codes
    for quote in written:
        existence, codes = check_existence(Quote(text=quote), extraction, ())
        assert existence.status is ExistenceStatus.FOLD_EQUAL
        assert existence.folds == ("raised",)
    other = shown.replace("103", "104").replace("2120", "2121")
    existence, _ = check_existence(Quote(text=other), extraction, ())
    assert existence.status is ExistenceStatus.ALTERED


@needs_mupdf
@pytest.mark.parametrize(
    ("name", "quote", "other"),
    [
        ("test_4435", "A typical wind instrument has", "Atypical wind instrument has"),
        ("article", "as a typical example of", "as atypical example of"),
        ("mupdf_explored", "a typical strategy is to", "atypical strategy is to"),
    ],
)
def test_two_words_are_no_other_word_where_all_blanks_are_made(
    name: str, quote: str, other: str
) -> None:
    extraction = _read(f"reported/{name}.pdf")
    existence, _ = check_existence(Quote(text=quote), extraction, ())
    assert existence.status is ExistenceStatus.EXACT
    existence, _ = check_existence(Quote(text=other), extraction, ())
    assert existence.status is ExistenceStatus.ALTERED


_BORDERLESS = "reported/SPARSE-2024-INV-1234_borderless_table.pdf"


@pytest.mark.parametrize("engine", ENGINES)
def test_words_of_two_rows_are_no_quote(engine: EngineName) -> None:
    extraction = _read(_BORDERLESS, engine)
    existence, _ = check_existence(Quote(text="Verified SKU-4563 Software"), extraction, ())
    assert existence.status is ExistenceStatus.ALTERED


@pytest.mark.parametrize("engine", ENGINES)
def test_words_of_two_rows_as_they_stand_there_carry_no_claim(engine: EngineName) -> None:
    extraction = _read(_BORDERLESS, engine)
    text = extraction.text.text
    start = text.index("Verified")
    quote = text[start : text.index("Software", start) + len("Software")]
    citation = cite(quote, document=extraction)
    library = make_library(extraction)
    (verdict,) = check("Verified SKU-4563 Software [1].", citation, library=library).verdicts
    assert verdict.existence.status is ExistenceStatus.EXACT
    assert verdict.support.reason == "cells_joined"
    assert verdict.outcome is Outcome.REVIEW


@needs_mupdf
@pytest.mark.parametrize(
    ("name", "quote", "status"),
    [
        ("pdf/camelot/us-009.pdf", "141,000 799,750", ExistenceStatus.FOLD_EQUAL),
        ("pdf/camelot/us-009.pdf", "870,038 1,839,050", ExistenceStatus.ALTERED),
        ("pdf/camelot/eu-027.pdf", "50.8 15.9", ExistenceStatus.FOLD_EQUAL),
    ],
)
def test_cells_that_stand_close_are_told_apart(
    name: str, quote: str, status: ExistenceStatus
) -> None:
    extraction = _read(name)
    found = re.search(quote.replace(" ", r"\s+"), extraction.text.text)
    assert found is not None
    given = Quote(text=quote, start=found.start(), end=found.end())
    existence, codes = check_existence(given, extraction, ())
    assert existence.status is status
    assert ("ROW_JOINED" in codes) is (status is ExistenceStatus.FOLD_EQUAL)
