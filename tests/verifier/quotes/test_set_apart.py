"""Marks and capitals that a chunk sets apart, and figures and words that it must not."""

from __future__ import annotations

import pytest

from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.quotes.existence import find_quote
from spanproof.verifier.quotes.folds import judge_folds
from tests.builders import make_extraction
from tests.pdf_pages import read_lines


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("add(3 , 5) )", "add(3, 5))"),
        ("to T23,1 .", "to T23,1."),
        ("as x1 and x2 .)", "as x1 and x2.)"),
        ("of (q1, q2 ) it", "of (q1, q2) it"),
        ("if n > 2, then", "if n> 2, then"),
        ("A N N U A L   REPORT", "ANNUAL REPORT"),
    ],
)
def test_marks_and_capitals_may_stand_apart_for_review_alone(quote: str, source: str) -> None:
    extraction = make_extraction(source)
    whole = extraction.pages[0].span
    assert not judge_folds(quote, extraction, whole, spacing=True).equal
    assert judge_folds(quote, extraction, whole, for_review=True).equal
    # No short quote is found so.
    assert find_quote(quote, read_lines(source)).status in {
        ExistenceStatus.ALTERED,
        ExistenceStatus.ABSENT,
    }


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("pays 1 ,5 euros", "pays 1,5 euros"),
        ("pays 1 , 5 euros", "pays 1,5 euros"),
        ("pays 1 ,5 euros", "pays 1, 5 euros"),
        ("pays 1 .5 euros", "pays 1.5 euros"),
        ("rose by 5 %", "rose by 5%"),
        ("x - 5 units", "x -5 units"),
        ("is not > 2", "is not> 2"),
        ("if 1 > 2", "if 1> 2"),
        ("of A B C D", "of ABCD"),
        ("n o t a b l e", "notable"),
        ("N O T A BLE", "NOTABLE"),
        ("1 2 3 4 5 euros", "12345 euros"),
    ],
)
def test_figures_signs_and_words_stay_as_they_are(quote: str, source: str) -> None:
    extraction = make_extraction(source)
    assert not judge_folds(quote, extraction, extraction.pages[0].span, for_review=True).equal
