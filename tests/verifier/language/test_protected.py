from __future__ import annotations

import time

import pytest
from hypothesis import given

from spanproof.verifier.language.protected import find_protected
from tests.strategies import any_texts, unhurried


@pytest.mark.parametrize(
    ("text", "kind", "token", "value"),
    [
        ("about 1,500 items", "number", "1,500", "1500"),
        ("costs $1,500.50 now", "currency", "$1,500.50", "1500.5 usd"),
        ("costs 20 euros now", "currency", "20 euros", "20 eur"),
        ("costs US$5 million", "currency", "US$5 million", "5000000 usd"),
        ("costs US€5 million", "currency", "US€5 million", "5000000 eur"),
        ("grew by 86 % then", "percent", "86 %", "86 %"),
        ("grew by 5 per cent then", "percent", "5 per cent", "5 %"),
        ("weighs -3.5 kg", "quantity", "-3.5 kg", "-3.5 kg"),
        ("at ≥ 7 now", "number", "≥ 7", "≥7"),
        ("a 2-day visit", "quantity", "2-day", "2 day"),
        ("on 5 May 2020 they", "date", "5 May 2020", "2020-5-may"),
        ("on May 5, 2020 they", "date", "May 5, 2020", "2020-5-may"),
        ("on 2020-05-06 they", "date", "2020-05-06", "2020-5-6"),
        ("back in 2014 they", "year", "2014", "2014"),
        ("the 12th floor", "ordinal", "12th", "12"),
        ("the third floor", "ordinal", "third", "3"),
        ("in twenty-five boxes", "number_word", "twenty-five", "25"),
        ("one hundred and five boxes", "number_word", "one hundred and five", "105"),
        ("they don’t agree", "negation", "don’t", "don't"),
        ("they cannot agree", "negation", "cannot", "cannot"),
        ("they must agree", "modal", "must", "must"),
        ("only if they agree", "modal", "only", "only"),
        ("every tenant", "quantifier", "every", "every"),
        ("the tenant Smith agreed", "name", "Smith", "smith"),
    ],
)
def test_each_kind_is_found(text: str, kind: str, token: str, value: str) -> None:
    found = [(t.kind, t.text, t.value) for t in find_protected(text)]
    assert (kind, token, value) in found


@pytest.mark.parametrize("text", ["notable tables", "Tenants agreed.", "canteen", "a seventh-hand"])
def test_parts_of_words_are_not_protected(text: str) -> None:
    assert not [t for t in find_protected(text) if t.kind in {"negation", "modal", "number_word"}]


@unhurried
@given(any_texts)
def test_tokens_are_slices_in_order_and_do_not_overlap(text: str) -> None:
    tokens = find_protected(text)
    assert all(text[t.span.start : t.span.end] == t.text for t in tokens)
    ends = [0, *(t.span.end for t in tokens)]
    assert all(t.span.start >= end for t, end in zip(tokens, ends, strict=False))


@pytest.mark.parametrize("piece", ["1,", "1 ", "-", "million ", "hundred ", "A ", "5 May ", "9"])
def test_time_is_linear_in_the_text(piece: str) -> None:
    started = time.process_time()
    find_protected(piece * (60_000 // len(piece)))
    assert time.process_time() - started < 10
