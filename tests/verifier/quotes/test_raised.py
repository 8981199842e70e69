"""10³ on a real page: its digits are in the text beside those of the base."""

from __future__ import annotations

import pytest

from spanproof.core.citation import Quote
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest.engine.mupdf.library import load_pymupdf
from spanproof.ingest.extraction import extract
from spanproof.verifier.quotes.existence import check_existence


def draw(*, raised: bool) -> bytes:
    """A line with "10" and "3", the latter higher and smaller or a digit like the others."""
    pymupdf = load_pymupdf()
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 100), "The bridge bears a load of 10", fontsize=12)
        end = 72 + pymupdf.get_text_length("The bridge bears a load of 10", fontsize=12)
        page.insert_text((end, 95 if raised else 100), "3", fontsize=7 if raised else 12)
        page.insert_text((end + (4 if raised else 7), 100), " tonnes in all.", fontsize=12)
        made: bytes = document.tobytes()
    return made


def test_digits_of_two_baselines_have_a_code_and_those_of_one_have_none() -> None:
    quote = Quote(text="a load of 103 tonnes")
    existence, codes = check_existence(quote, extract(draw(raised=True)), ())
    assert existence.status is ExistenceStatus.EXACT
    assert "RAISED_DIGITS" in codes
    existence, codes = check_existence(quote, extract(draw(raised=False)), ())
    assert existence.status is ExistenceStatus.EXACT
    assert "RAISED_DIGITS" not in codes


def test_a_base_without_its_raised_digit_has_the_code_too() -> None:
    _, codes = check_existence(Quote(text="a load of 10"), extract(draw(raised=True)), ())
    assert "RAISED_DIGITS" in codes


@pytest.mark.parametrize(
    "quote", ["a load of 10^3 tonnes", "a load of 10³ tonnes", "a load of 10^{3} tonnes"]
)
def test_a_power_is_found_where_the_digit_is_raised_and_only_there(quote: str) -> None:
    existence, codes = check_existence(Quote(text=quote), extract(draw(raised=True)), ())
    assert (existence.status, existence.folds) == (ExistenceStatus.FOLD_EQUAL, ("raised",))
    assert "RAISED_DIGITS" in codes
    plain, _ = check_existence(Quote(text=quote), extract(draw(raised=False)), ())
    assert plain.status is ExistenceStatus.ALTERED
    other = quote.replace("3", "4").replace("³", "⁴")
    changed, _ = check_existence(Quote(text=other), extract(draw(raised=True)), ())
    assert changed.status is ExistenceStatus.ALTERED
