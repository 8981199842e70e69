from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.span import Span
from spanproof.verifier.support.readable import Readable


@pytest.mark.parametrize(
    ("sliced", "read"),
    [
        ("the Accounts O\ufb03ce", "the Accounts Office"),
        ("a com-\npetent person", "a competent person"),
        ("a com-  \npetent person", "a competent person"),
        ("four\nbusiness days", "four business days"),
        ("a sup\u00adplier\u200b pays", "a supplier pays"),
        ("page one\fpage two", "page one page two"),
        ("from 5-\n10 days, Smith-\nJones, a - b", "from 5- 10 days, Smith- Jones, a - b"),
        ("nothing to change", "nothing to change"),
        ("The drug is n\u043et safe", "The drug is not safe"),
        ("\u0441\u043e\u0440\u0443 that text", "copy that text"),
        ("Nike \u0438 \u043e\u043d\u0430, TNF\u03b1", "Nike \u0438 \u043e\u043d\u0430, TNF\u03b1"),
        ("it is \U0001d427\U0001d428\U0001d42d safe", "it is not safe"),
        ("it is \u0274\u1d0f\u1d1b safe, \u207f\u1d52\u1d57 sound", "it is not safe, not sound"),
        ("4\uff10 euros", "40 euros"),
        ("it is n o t safe; a b c", "it is not safe; a b c"),
        ("it is n-o-t safe, n0t new; a-b-c", "it is not safe, not new; a-b-c"),
        ("it was n3ver b4 h2o", "it was never b4 h2o"),
        ("a fee of 1,\n500 euros", "a fee of 1,500 euros"),
        ("on May 1,\n500 came; 12,\n5 or 2001,\n500", "on May 1, 500 came; 12, 5 or 2001, 500"),
        ("10\u00b2 and \u00bd stay", "10\u00b2 and \u00bd stay"),
    ],
)
def test_typesetting_goes_and_words_stay(sliced: str, read: str) -> None:
    assert Readable.of(sliced).text == read


@given(st.text(alphabet="ab1- \n\u00ad\ufb01\ufb03\u200b\f", max_size=60), st.data())
def test_every_character_leads_back_to_where_it_stands(sliced: str, data: st.DataObject) -> None:
    readable = Readable.of(sliced)
    assert len(readable.positions) == len(readable.text)
    assert list(readable.positions) == sorted(readable.positions)
    for character, position in zip(readable.text, readable.positions, strict=True):
        assert character == sliced[position] or sliced[position] in "\n\f\ufb01\ufb03"
    start = data.draw(st.integers(0, len(readable.text)))
    end = data.draw(st.integers(start, len(readable.text)))
    span = readable.to_slice(Span(start, end))
    assert span.end <= len(sliced)
    if end > start:
        assert Readable.of(sliced[span.start : span.end]).text.replace(" ", "") in (
            readable.text.replace(" ", "") + "\n"
        )
