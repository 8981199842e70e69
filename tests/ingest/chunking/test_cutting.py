from __future__ import annotations

import itertools
import time
import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.span import Span
from spanproof.ingest.chunking.cutting import cut_span
from tests.spread import thin_out
from tests.strategies import unhurried

PIECES = [
    "word",
    "a",
    "sentence.",
    "Really?",
    "(yes.)",
    "e\u0301",
    "x\u0301\u0302\u0303",
    "1\xa0200\u202f€",
    "pop-\nular",
    "👩‍👩‍👧‍👦",
    "🇮🇩🇩🇪",
    "क्षि",
    "각",
    "東京都は首都です。",
    "人口",
    "q" * 45,
    "n\u0303" * 30,
    " ",
    "  ",
    "\u0301",
    " \u0301",
    "\n",
    "\r\n",
    "\n\n",
    "\f",
    "\t",
    "\x1c",
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.just(" ")), max_size=80).map("".join)
limits = st.integers(20, 90)


def cut(text: str, limit: int, overlap: int = 0) -> list[Span]:
    return list(cut_span(text, Span(0, len(text)), limit=limit, overlap=overlap))


def find_boundaries(text: str) -> set[int]:
    """Where grapheme clusters begin, found from the beginning of the whole text."""
    return {0, *(match.end() for match in regex.finditer(r"\X", text))}


@given(texts, limits, st.integers(0, 10))
@unhurried
def test_pieces_cover_the_text_in_order_and_keep_the_limit(
    text: str, limit: int, overlap: int
) -> None:
    spans = cut(text, limit, overlap)
    ends = [0, *(span.end for span in spans)]
    assert ends == sorted(set(ends)) or not text
    assert ends[-1] == len(text)
    clusters = sorted(find_boundaries(text))
    longest = max((b - a for a, b in itertools.pairwise(clusters)), default=0)
    for span, end_before in zip(spans, ends, strict=False):
        assert end_before - overlap <= span.start <= end_before
        assert len(span) <= max(limit, longest)


@given(texts, limits, st.integers(0, 10))
@unhurried
def test_no_piece_begins_or_ends_inside_a_grapheme_cluster(
    text: str, limit: int, overlap: int
) -> None:
    boundaries = find_boundaries(text)
    for span in cut(text, limit, overlap):
        assert {span.start, span.end} <= boundaries
        mark = span.end < len(text) and unicodedata.combining(text[span.end])
        assert not mark or text[span.end - 1] in "\n\r\f\t\x1c"


@given(
    st.lists(st.sampled_from(["a", "word", "one-two", "1\xa0200", "e\u0301t\u0301"]), max_size=60),
    st.sampled_from([" ", "\n", "  ", ".\n\n", "! "]),
    limits,
    st.integers(0, 10),
)
@unhurried
def test_no_word_is_cut_that_is_shorter_than_the_limit(
    words: list[str], between: str, limit: int, overlap: int
) -> None:
    text = between.join(words)
    for span in cut(text, limit, overlap):
        for at in (span.start, span.end):
            inside = 0 < at < len(text) and not text[at - 1].isspace() and not text[at].isspace()
            assert not inside, text[at - 5 : at + 5]


def test_a_word_of_no_break_spaces_is_one() -> None:
    text = "It costs " + "1\xa0200\xa0000\u202f€ " * 5
    assert all(
        text[span.start : span.end].count("1") == text[span.start : span.end].count("€")
        for span in cut(text, 22)
    )


def test_a_word_hyphenated_at_a_line_end_stays_whole() -> None:
    text = "The languages are pop-\nular since they are expressive."
    assert [text[s.start : s.end] for s in cut(text, 25)][:2] == [
        "The languages are ",
        "pop-\nular since they are ",
    ]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One two three. Four five\nsix seven eight nine", "One two three. "),
        ("One two three. Four.\n\nFive six seven eight", "One two three. Four.\n\n"),
        ("One two three four five\nsix seven eight nine", "One two three four five\n"),
        ("One two three four five six seven eight", "One two three four five six "),
        ('He said "three four." Then five six seven', 'He said "three four." '),
        ("首都です。" * 9, "首都です。" * 5),
    ],
)
def test_the_best_break_of_the_second_half_wins(text: str, first: str) -> None:
    span = cut(text, 28)[0]
    assert text[span.start : span.end] == first


def test_a_word_longer_than_a_piece_is_cut_at_a_word_boundary_of_unicode() -> None:
    text = "https://example.com/" + "a" * 30 + "/" + "b" * 30
    ends = [span.end for span in cut(text, 40)]
    assert ends[0] == len("https://example.com/")


def test_a_cluster_longer_than_a_piece_is_a_piece() -> None:
    text = "a" * 50 + "e" + "\u0301" * 90 + "b" * 50
    assert Span(50, 141) in cut(text, 40)


def test_a_piece_repeats_whole_sentences_where_they_fit() -> None:
    text = "One two three four five six. Seven eight. Nine ten eleven twelve thirteen."
    spans = cut(text, 50, 20)
    assert [text[s.start : s.end] for s in spans] == [
        "One two three four five six. Seven eight. ",
        "Seven eight. Nine ten eleven twelve thirteen.",
    ]


@pytest.mark.parametrize(
    "unit", thin_out(["word and more. ", "東京都は首都です人口、", "x", "e\u0301"], every=4)
)
def test_the_work_is_linear_in_the_text(unit: str) -> None:
    def seconds(characters: int) -> float:
        text = (unit * (characters // len(unit) + 1))[:characters]
        times = []
        for _ in range(3):
            began = time.process_time()
            cut(text, 200, 40)
            times.append(time.process_time() - began)
        return min(times)

    seconds(2_000)
    small, large = seconds(20_000), seconds(200_000)
    assert large < 40 * small + 0.05
