from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.citation import Quote
from spanproof.core.span import OFFSET_UNITS, OffsetUnit, from_codepoint
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.quotes.existence import check_existence
from spanproof.verifier.span_check import check_length, convert_offsets, detect_unit
from tests.builders import make_extraction
from tests.strategies import texts_with_spans, unhurried

TEXT = "Zürich’s 😀 café served 1 200 guests. Prices rose 5 %."
PRICES = "Prices rose 5 %."
START = TEXT.index(PRICES)


def quote(unit: OffsetUnit | None, given: OffsetUnit, *, longer: int = 0) -> Quote:
    """The last sentence, its offsets counted in ``given`` and declared as ``unit``."""
    start = from_codepoint(TEXT, START, given)
    end = from_codepoint(TEXT, len(TEXT), given)
    return Quote(text=PRICES, start=start, end=end + longer, unit=unit)


@pytest.mark.parametrize("given", OFFSET_UNITS)
def test_an_undocumented_unit_is_found_by_slicing(given: OffsetUnit) -> None:
    extraction = make_extraction(TEXT)
    settled, codes = convert_offsets(quote(None, given), extraction)
    assert settled == Quote(text=PRICES, start=START, end=len(TEXT))
    assert codes == ()
    assert detect_unit(quote(None, given), extraction) == given


def test_inclusive_ends_and_trailing_blanks_are_told() -> None:
    extraction = make_extraction("The grass is green. The sky is blue.")
    given = Quote(text="The grass is green.", start=0, end=20, unit=None)
    assert convert_offsets(given, extraction) == (
        Quote(text=given.text, start=0, end=19),
        ("OFFSETS_TRIMMED",),
    )
    given = Quote(text="The grass is green.", start=0, end=18, unit=None)
    assert convert_offsets(given, extraction) == (
        Quote(text=given.text, start=0, end=19),
        ("OFFSETS_INCLUSIVE",),
    )


def test_offsets_that_fit_no_unit_are_kept_and_named() -> None:
    extraction = make_extraction(TEXT)
    given = Quote(text=PRICES, start=1, end=3, unit=None)
    settled, codes = convert_offsets(given, extraction)
    assert codes == ("OFFSET_UNIT_UNKNOWN",)
    existence, _ = check_existence(settled, extraction, ())
    assert existence.status is ExistenceStatus.MOVED


def test_two_units_that_name_two_places_leave_it_open_which_is_meant() -> None:
    # In code points the offsets name the second "ab", in UTF-16 the first one.
    text = "😀😀abab"
    extraction = make_extraction(text)
    given = Quote(text="ab", start=4, end=6, unit=None)
    settled, codes = convert_offsets(given, extraction)
    assert codes == ("OFFSET_UNIT_UNKNOWN",)
    existence, _ = check_existence(settled, extraction, ())
    assert existence.status is ExistenceStatus.AMBIGUOUS


def test_a_declared_unit_is_left_alone_and_compared() -> None:
    extraction = make_extraction(TEXT)
    given = quote("codepoint", "utf8")
    assert convert_offsets(given, extraction) == (given, ())
    observed = detect_unit(given, extraction)
    assert observed == "utf8"
    assert check_length(given, observed) == ("OFFSET_UNIT_MISMATCH",)
    assert check_length(quote("codepoint", "codepoint", longer=1), None) == (
        "SPAN_LENGTH_MISMATCH",
    )


def test_without_offsets_there_is_nothing_to_settle() -> None:
    extraction = make_extraction(TEXT)
    for bare in (None, Quote(text=PRICES), Quote(text=PRICES, unit=None)):
        assert convert_offsets(bare, extraction) == (bare, ())
        assert detect_unit(bare, extraction) is None
        assert check_length(bare, None) == ()


@unhurried
@given(texts_with_spans(), st.sampled_from(OFFSET_UNITS))
def test_settled_offsets_cut_out_the_quote_or_are_named(
    given: tuple[str, int, int], unit: OffsetUnit
) -> None:
    text, start, end = given
    words = text[start:end]
    offsets = (from_codepoint(text, index, unit) for index in (start, end))
    first, last = offsets
    extraction = make_extraction(text)
    settled, codes = convert_offsets(
        Quote(text=words, start=first, end=last, unit=None), extraction
    )
    assert settled is not None
    if "OFFSET_UNIT_UNKNOWN" in codes:
        # Only where the same words stand at another place too.
        assert text.count(words) > 1 or text.find(words, text.find(words) + 1) >= 0
    else:
        assert settled.start is not None
        assert settled.end is not None
        assert text[settled.start : settled.end].rstrip() == words.rstrip()
