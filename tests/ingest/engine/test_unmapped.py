"""Fonts that tell no character for their glyphs: what the page shows is kept beside the text."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from spanproof.core.citation import Quote
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest import extract
from spanproof.verifier.quotes.existence import check_existence
from tests.engines import import_pymupdf

pymupdf = import_pymupdf()

_DATA = os.environ.get("SPANPROOF_TEST_DATA")
UNREAD = "\ufffd\ufffd\ufffd"


def _draw(*, told: bool = False) -> bytes:
    """A page whose "not" is in a composite font, with ToUnicode or without."""
    with pymupdf.open() as document:
        page = document.new_page()
        x = 72 + pymupdf.get_text_length("The drug is ", fontname="helv", fontsize=11)
        page.insert_text((72, 100), "The drug is ", fontsize=11)
        page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("cjk").buffer)
        page.insert_text((x, 100), "not", fontname="F0", fontsize=11)
        page.insert_text((x + 30, 100), "safe for children.", fontsize=11)
        (font,) = (xref for xref, _, kind, *_ in page.get_fonts() if kind == "Type0")
        if not told:
            document.xref_set_key(font, "ToUnicode", "null")
        data: bytes = document.tobytes(deflate=True)
    return data


def _codes(quote: str, extraction: Any) -> tuple[ExistenceStatus, tuple[str, ...]]:
    existence, codes = check_existence(Quote(text=quote), extraction, ())
    return existence.status, codes


def test_what_the_page_shows_is_kept_and_found() -> None:
    extraction = extract(_draw(), filename="a.pdf")
    assert UNREAD in extraction.text.text
    assert [one.glyphs for one in extraction.glyph_texts] == ["not"]
    existence, codes = check_existence(
        Quote(text="The drug is not safe for children."), extraction, ()
    )
    assert existence.status is ExistenceStatus.FOLD_EQUAL
    assert existence.folds == ("shown_glyphs",)
    assert "LOST_GLYPHS" in codes


def test_a_span_with_glyphs_that_nothing_is_told_of_loses_them() -> None:
    extraction = extract(_draw(), filename="a.pdf")
    said = extraction.text.text.strip()
    status, codes = _codes(said, extraction)
    assert status is ExistenceStatus.EXACT
    assert "LOST_GLYPHS" in codes
    assert "LOST_GLYPHS" not in _codes("safe for children.", extraction)[1]


def test_without_what_it_shows_the_quote_is_altered() -> None:
    extraction = extract(_draw(), filename="a.pdf")
    assert _codes("The drug is safe for children.", extraction)[0] is ExistenceStatus.ALTERED


def test_a_font_that_tells_its_characters_is_read_as_before() -> None:
    extraction = extract(_draw(told=True), filename="a.pdf")
    assert "The drug is not" in extraction.text.text
    assert extraction.glyph_texts == ()
    assert "LOST_GLYPHS" not in _codes("The drug is not", extraction)[1]


def test_a_sign_for_an_unknown_character_is_what_a_text_without_pages_shows() -> None:
    extraction = extract(f"The drug is {UNREAD} safe.".encode(), filename="a.txt")
    assert "LOST_GLYPHS" not in _codes(extraction.text.text, extraction)[1]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("issue19802.pdf", "Àngel pidió a Änne"),
        # Symbols of a simple font: their numbers are codes, and say nothing of what they show.
        ("standard_fonts.pdf", None),
    ],
)
def test_only_the_map_of_a_composite_font_is_believed(name: str, shown: str | None) -> None:
    path = Path(_DATA or "", "documents", "pdf", "pdf.js", name)
    if _DATA is None or not path.is_file():
        pytest.skip(f"needs documents/pdf/pdf.js/{name} in SPANPROOF_TEST_DATA")
    extraction = extract(path.read_bytes(), filename=name)
    assert "\ufffd" in extraction.text.text
    found = " ".join(one.glyphs for one in extraction.glyph_texts)
    assert not found if shown is None else found.startswith(shown)
