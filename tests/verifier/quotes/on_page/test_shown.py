"""What a page shows of a span: other characters, words that the text has elsewhere, a disguise."""

from __future__ import annotations

import pytest

from spanproof.core.citation import Quote
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest import extract
from spanproof.verifier.quotes.existence import check_existence, find_quote
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

QUOTE = "The drug is safe for children."


def _codes(content: bytes, quote: str, extra: bytes = b"") -> tuple[str, ...]:
    data = build_pdf(PageSpec(content=content, entries=extra))
    return check_existence(Quote(text=quote), extract(data), ())[1]


def test_a_word_that_is_drawn_into_a_gap_of_the_line() -> None:
    apart = text_at(72, 700, "The drug is", size=11) + text_at(164, 700, "safe here.", size=11)
    word = text_at(132, 700, "NOT", size=11)
    assert "LOST_GLYPHS" in _codes(apart + word, "The drug is safe here.")
    assert "LOST_GLYPHS" not in _codes(apart, "The drug is safe here.")
    below = text_at(132, 680, "NOT", size=11)
    assert "LOST_GLYPHS" not in _codes(apart + below, "The drug is safe here.")


def test_a_word_in_a_gap_is_missed_by_the_spans_that_have_not_got_it() -> None:
    apart = text_at(72, 700, "The drug is", size=11) + text_at(164, 700, "safe here.", size=11)
    word = text_at(132, 700, "NOT", size=11)
    extraction = extract(build_pdf(PageSpec(content=apart + word)))
    found = {
        quote: "LOST_GLYPHS" in check_existence(Quote(text=quote), extraction, ())[1]
        for quote in ("The drug is", "is safe", "safe here.", "The drug is safe here.\nNOT")
    }
    assert found == {
        "The drug is": False,
        "is safe": True,
        "safe here.": False,
        "The drug is safe here.\nNOT": False,
    }


def test_a_span_of_more_lines_than_prose_has_is_judged_by_its_first_ones() -> None:
    above = b"".join(text_at(72, 780 - 5 * row, f"Row {row}", size=4) for row in range(119))
    apart = text_at(72, 120, "The drug is", size=11) + text_at(164, 120, "safe here.", size=11)
    extraction = extract(build_pdf(PageSpec(content=above + apart + text_at(132, 120, "NOT"))))
    text = extraction.text.text
    end = text.index("safe here.") + len("safe here.")
    found = {
        start: "LOST_GLYPHS" in check_existence(Quote(text=text[start:end]), extraction, ())[1]
        for start in (0, text.index("Row 1"))
    }
    assert found == {0: False, text.index("Row 1"): True}


def test_glyphs_that_an_actual_text_passes_over_are_text() -> None:
    said = b"/Span<</ActualText(The drug is safe.)>>BDC\n%sEMC\n"
    content = said % text_at(72, 700, "The drug is not safe.", size=11)
    extraction = extract(build_pdf(PageSpec(content=content)))
    assert find_quote("The drug is safe.", extraction).status is ExistenceStatus.ALTERED
    assert find_quote("The drug is not safe.", extraction).status is ExistenceStatus.EXACT


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (QUOTE, False),
        ("The drug is s\u0336a\u0336f\u0336e\u0336 for children.", True),
        ("The drug is \u202eefas\u202c for children.", True),
        ("\u202eThe drug is safe for children.", True),
        ("\u202eabc\u202c The drug is safe for children.", False),
        ("The drug is\U000e006e\U000e006f\U000e0074 safe for children.", True),
        ("The dr\u00fcg is safe for children\u2019s parents.", False),
    ],
)
def test_characters_that_disguise_a_text(text: str, *, hidden: bool) -> None:
    quote = QUOTE if QUOTE in text else text
    codes = check_existence(Quote(text=quote), extract(text.encode(), filename="a.txt"), ())[1]
    assert ("HIDDEN_TEXT" in codes) == hidden


def test_a_glyph_without_a_character_beside_the_span_may_be_its_sign() -> None:
    font = (
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding"
        b"/Differences[65/glyphone]>>>>"
    )
    content = text_at(72, 700, "A0.9393 in all of 2019 and A 12 more")
    extraction = extract(build_pdf(PageSpec(content=content), font=font))
    found = {
        quote: "LOST_GLYPHS" in check_existence(Quote(text=quote), extraction, ())[1]
        for quote in ("0.9393", "in all", "12 more")
    }
    assert found == {"0.9393": True, "in all": False, "12 more": False}
