from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.support.elsewhere import (
    MAX_PASSAGES,
    PASSAGE_CHARACTERS,
    _cut,
    find_passages,
)
from tests.builders import make_extraction, make_library

FILLER = "Nothing of the kind is said in this paragraph about other matters. " * 40
TARGET = "The tenant repairs the roof at its own cost every spring."


def test_the_passage_that_holds_the_claims_words_is_found_among_much_else() -> None:
    extraction = make_extraction(FILLER + TARGET + FILLER)
    found = find_passages("The tenant repairs the roof every spring.", make_library(extraction))
    assert found
    assert TARGET in extraction.text.slice(found[0].span)
    assert len(found) <= MAX_PASSAGES


def test_no_words_no_passage() -> None:
    assert find_passages("?!", make_library(make_extraction(TARGET))) == ()
    assert find_passages("Bees may be kept.", make_library(make_extraction(FILLER))) == ()


@given(st.text(alphabet="ab \n", max_size=5000))
def test_passages_cover_every_character(text: str) -> None:
    spans = _cut(make_extraction(text))
    assert {i for span in spans for i in range(span.start, span.end)} == set(range(len(text)))
    if " " in text[PASSAGE_CHARACTERS:]:
        assert len(spans) > 1
