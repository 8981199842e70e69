"""10³ on a real page: its digits are in the text beside those of the base."""

from __future__ import annotations

import pytest

from spanproof.core.citation import Quote
from spanproof.core.verdicts.status import ExistenceStatus, Outcome
from spanproof.ingest.engine.mupdf.library import load_pymupdf
from spanproof.ingest.extraction import extract
from spanproof.verifier.quotes.existence import check_existence, find_quote
from tests.builders import make_library
from tests.verifier.checking import check, cite


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


def draw_note(*, raised: bool, before: str = "It is held in two databases.") -> bytes:
    """A sentence with "34" behind it, higher and smaller or as large, and more text."""
    pymupdf = load_pymupdf()
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 100), before, fontsize=12)
        end = 72 + pymupdf.get_text_length(before, fontsize=12)
        size = 7 if raised else 12
        page.insert_text((end, 95 if raised else 100), "34", fontsize=size)
        end += pymupdf.get_text_length("34", fontsize=size)
        page.insert_text((end, 100), "Across the states it is not.", fontsize=12)
        made: bytes = document.tobytes()
    return made


@pytest.mark.parametrize(
    "quote",
    [
        "in two databases. 34Across the states",
        "in two databases.34\nAcross the states",
        "in two databases.\n34 Across the states",
    ],
)
def test_a_raised_note_may_be_set_apart_and_a_figure_of_the_line_not(quote: str) -> None:
    found, _ = check_existence(Quote(text=quote), extract(draw_note(raised=True)), ())
    assert (found.status, found.folds) == (ExistenceStatus.FOLD_EQUAL, ("spacing",))
    level, _ = check_existence(Quote(text=quote), extract(draw_note(raised=False)), ())
    assert level.status is ExistenceStatus.ALTERED
    split = quote.replace("34", "3 4")
    cut, _ = check_existence(Quote(text=split), extract(draw_note(raised=True)), ())
    assert cut.status is ExistenceStatus.ALTERED


@pytest.mark.parametrize("before", ["It is held in 12", "It is held in 12.", "It is worth $"])
def test_a_raised_figure_is_not_parted_from_a_number(before: str) -> None:
    document = extract(draw_note(raised=True, before=before))
    whole = f"{before}34"
    assert find_quote(whole, document).status is ExistenceStatus.EXACT
    assert find_quote(f"{before} 34", document).status is not ExistenceStatus.FOLD_EQUAL


@pytest.mark.parametrize(
    ("before", "quote"),
    [
        ("We assume that you invest EUR 10,000", "you invest EUR 10,000"),
        ("It was held in 2019.", "was held in 2019"),
        ("It was held in 2019.", "was held in 2019."),
        ("It was held in 2019,", "It was held in 2019"),
    ],
)
def test_a_raised_mark_behind_a_number_is_no_part_of_it(before: str, quote: str) -> None:
    raised = extract(draw_note(raised=True, before=before))
    existence, codes = check_existence(Quote(text=quote), raised, ())
    assert existence.status is ExistenceStatus.EXACT
    assert codes == ("OFFSETS_NOT_GIVEN", "RAISED_DIGITS")
    _, codes = check_existence(
        Quote(text=quote), extract(draw_note(raised=False, before=before)), ()
    )
    assert {"SPAN_CUTS_TOKEN", "SPAN_CUTS_MEANING"} <= set(codes)
    assert "RAISED_DIGITS" not in codes
    # A digit less is cut from the number itself.
    shorter = quote.rstrip(".")[:-1]
    _, codes = check_existence(Quote(text=shorter), raised, ())
    assert "SPAN_CUTS_MEANING" in codes


def test_what_stands_behind_a_raised_mark_is_not_cut_from_it() -> None:
    document = extract(draw_note(raised=True, before="It was held in 2019."))
    _, codes = check_existence(Quote(text="34Across the states"), document, ())
    assert codes == ("OFFSETS_NOT_GIVEN", "RAISED_DIGITS")
    _, codes = check_existence(Quote(text="4Across the states"), document, ())
    assert "SPAN_CUTS_MEANING" in codes


def test_a_number_that_goes_on_behind_its_stop_in_a_raised_digit_has_the_code() -> None:
    whole = Quote(text="held in 2019.34Across")
    for raised in (True, False):
        document = extract(draw_note(raised=raised, before="It was held in 2019."))
        _, codes = check_existence(whole, document, ())
        assert ("RAISED_DIGITS" in codes) is raised


def test_an_edited_quote_may_end_before_a_raised_mark() -> None:
    before = "We assume that you invest EUR 10,000"
    quote = Quote(text="You invest EUR 10,000.")
    existence, codes = check_existence(quote, extract(draw_note(raised=True, before=before)), ())
    assert existence.status is ExistenceStatus.EDITORIAL
    assert "RAISED_DIGITS" in codes
    level = extract(draw_note(raised=False, before=before))
    assert check_existence(quote, level, ())[0].status is ExistenceStatus.ALTERED


@pytest.mark.parametrize("policy", ["balanced", "review", "strict"])
def test_a_number_before_a_raised_mark_goes_to_a_person(policy: str) -> None:
    document = extract(draw_note(raised=True, before="We assume that you invest EUR 10,000"))
    cited = cite("We assume that you invest EUR 10,000", document=document)
    library = make_library(document)
    answer = "We assume that you invest EUR 10,000 [1]."
    (verdict,) = check(answer, cited, library=library, policy=policy).verdicts
    assert verdict.outcome is Outcome.REVIEW
    quoted = 'It says that "you invest EUR 10,000" [1].'
    (verdict,) = check(quoted, cited, library=library, policy=policy).verdicts
    assert "QUOTATION_ALTERED" in verdict.codes
