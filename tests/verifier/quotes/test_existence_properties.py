from __future__ import annotations

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spanproof.core.citation import Quote
from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.quotes.existence import check_existence
from tests.builders import make_extraction
from tests.strategies import (
    PLAIN_WORDS,
    plain_sentences,
    sentences_with_protected,
    texts_with_spans,
    unhurried,
)

MATCHES = frozenset({ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL, ExistenceStatus.MOVED})
LOOK_ALIKES = str.maketrans("aeopcxyi", "аеорсхуі")


def status_of(
    quote: str, text: str, start: int | None, end: int | None
) -> tuple[ExistenceStatus, tuple[str, ...]]:
    existence, _ = check_existence(
        Quote(text=quote, start=start, end=end), make_extraction(text), ()
    )
    return existence.status, existence.folds


@unhurried
@given(texts_with_spans())
def test_a_quote_cut_from_a_text_is_exact_at_its_offsets(case: tuple[str, int, int]) -> None:
    text, start, end = case
    existence, _ = check_existence(
        Quote(text=text[start:end], start=start, end=end), make_extraction(text), ()
    )
    assert existence.status is ExistenceStatus.EXACT
    assert existence.span == Span(start, end)


@unhurried
@given(texts_with_spans())
def test_without_offsets_it_is_exact_or_ambiguous(case: tuple[str, int, int]) -> None:
    text, start, end = case
    status, _ = status_of(text[start:end], text, None, None)
    several = text.find(text[start:end], text.find(text[start:end]) + 1) >= 0
    assert status is (ExistenceStatus.AMBIGUOUS if several else ExistenceStatus.EXACT)


@unhurried
@given(plain_sentences, st.data())
def test_an_allowed_fold_is_fold_equal_and_listed(quote: str, data: st.DataObject) -> None:
    spaces = [i for i, c in enumerate(quote) if c == " "]
    letters = [i for i in range(1, len(quote)) if quote[i].isalpha() and quote[i - 1].isalpha()]
    fold, place, put, cut = data.draw(
        st.one_of(
            st.tuples(
                st.just("white_space"),
                st.sampled_from(spaces),
                st.sampled_from(["\n", "  ", "\u00a0", " \r\n"]),
                st.just(1),
            ),
            st.tuples(
                st.just("line_end_hyphen"), st.sampled_from(letters), st.just("-\n"), st.just(0)
            ),
            st.tuples(
                st.just("soft_hyphen"), st.sampled_from(letters), st.just("\xad"), st.just(0)
            ),
            st.tuples(
                st.just("ignorable"), st.sampled_from(letters), st.just("\u200b"), st.just(0)
            ),
        )
    )
    source = quote[:place] + put + quote[place + cut :]
    protected = {"no", "not", "can", "may", "will", "one", "ten", "six", "must", "until"}
    head = source[:place].split(" ")[-1]
    tail = quote[place:].split(" ", maxsplit=1)[0]
    assume(fold == "white_space" or not protected & {head, tail})
    text = f"Before it. {source} And after it."
    status, folds = status_of(quote, text, 11, 11 + len(source))
    assert (status, folds) == (ExistenceStatus.FOLD_EQUAL, (fold,))


@unhurried
@given(sentences_with_protected(), st.data())
def test_no_mutation_of_a_protected_token_matches(
    case: tuple[str, int, int], data: st.DataObject
) -> None:
    text, start, end = case
    token = text[start:end]
    place = data.draw(st.integers(0, len(token) - 1))
    mutated = data.draw(
        st.one_of(
            st.just(token[:place] + token[place + 1 :]),
            st.sampled_from("0123456789abcdefgxyz.,-+<%").map(
                lambda c: token[:place] + c + token[place + 1 :]
            ),
            st.sampled_from(["\u200b", "\xad", " ", "\u202e", "\ufe0f", "-", "-\n", "0", "n"]).map(
                lambda c: token[:place] + c + token[place:]
            ),
            st.just(""),
        )
    )
    assume(mutated != token)
    quote = text[:start] + mutated + text[end:]
    # A blank before or after the token only makes its white space wider.
    assume(" ".join(quote.split()) != " ".join(text.split()))
    assume(quote not in text)
    for offsets in ((0, len(text)), (None, None), (2, 5)):
        status, _ = status_of(quote, text, *offsets)
        assert status not in MATCHES


@unhurried
@given(
    sentences_with_protected(), st.sampled_from(["\u200b", "\xad", "-\n", "\n", "\u202e", "\ufe0f"])
)
def test_nothing_put_into_a_protected_token_of_the_source_folds(
    case: tuple[str, int, int], put: str
) -> None:
    text, start, end = case
    assume(end - start > 1 and text[start:end].isalnum())
    source = text[: start + 1] + put + text[start + 1 :]
    status, _ = status_of(text, source, 0, len(source))
    assert status not in MATCHES


@unhurried
@given(plain_sentences, st.integers(0, 40), st.sampled_from([" ", "\n", "\u00a0"]))
def test_two_places_are_never_moved(sentence: str, offset: int, space: str) -> None:
    twin = sentence.replace(" ", space)
    text = f"At first: {sentence}. And again: {twin}."
    assume(text[offset : offset + len(sentence)] != sentence)
    status, _ = status_of(sentence, text, offset, offset + len(sentence))
    assert status is ExistenceStatus.AMBIGUOUS


def mutations() -> list[tuple[str, str]]:
    """200 quotes, each with one invisible, look-alike or compatible character in it."""
    rng = random.Random(20261120)  # noqa: S311 - the same 200 every time
    made: list[tuple[str, str]] = []
    while len(made) < 200:
        text = " ".join(rng.sample(PLAIN_WORDS, 12)) + " on 14 May at 10² and 1⁄2 of it"
        place = rng.randrange(1, 60)
        kind = rng.randrange(6)
        if kind == 0:
            mark = rng.choice("\u200b\u200c\u200d\u2060\ufeff\u2062\u180e")
            quote = text[:place] + mark + text[place:]
        elif kind == 1:
            mark = rng.choice("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
            quote = text[:place] + mark + text[place:]
        elif kind == 2:
            quote = text[:place] + text[place:].translate(LOOK_ALIKES)
        elif kind == 3:
            mark = rng.choice("\ufe00\ufe0e\ufe0f\U000e0100\U000e0041")
            quote = text[:place] + mark + text[place:]
        elif kind == 4:
            quote = text.replace("10²", "102")
        else:
            quote = text.replace("14", rng.choice(["１４", "①④", "1\u200b4", "𝟏𝟒"]))
        if quote != text:
            made.append((text, quote))
    return made


@pytest.mark.parametrize("given_offsets", [True, False])
def test_no_invisible_or_look_alike_mutation_matches(*, given_offsets: bool) -> None:
    matched = []
    for text, quote in mutations():
        offsets = (0, len(text)) if given_offsets else (None, None)
        status, _ = status_of(quote, text, *offsets)
        if status in MATCHES:
            matched.append((text, quote))
    assert not matched
