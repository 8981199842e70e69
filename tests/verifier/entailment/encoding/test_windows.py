from __future__ import annotations

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.entailment.encoding.windows import plan_windows

TEXTS = st.lists(
    st.sampled_from(["the", "cat", "4,500", "x", "end.", "Then", "\n", "a" * 40, "é", "日本"]),
    max_size=120,
).map(" ".join)


def split_tokens(text: str, length: int) -> list[tuple[int, int]]:
    """Tokens of at most ``length`` characters, as a sub-word tokenizer would cut them."""
    return [
        (start, min(start + length, match.end()))
        for match in re.finditer(r"\S+", text)
        for start in range(match.start(), match.end(), length)
    ]


@given(text=TEXTS, length=st.integers(1, 5), size=st.integers(4, 60), share=st.integers(4, 8))
def test_every_token_lies_in_a_window_and_neighbours_overlap(
    text: str, length: int, size: int, share: int
) -> None:
    offsets = split_tokens(text, length)
    overlap = size // share
    windows = plan_windows(text, offsets, size=size, overlap=overlap)
    held = {token for start, end in windows for token in range(start, end)}
    assert held == set(range(len(offsets)))
    assert all(0 < end - start <= size for start, end in windows)
    for (start, end), (next_start, next_end) in itertools.pairwise(windows):
        assert start < next_start <= end - overlap
        assert next_end > end


def test_what_fits_is_one_window() -> None:
    assert plan_windows("a b c", [(0, 1), (2, 3), (4, 5)], size=3, overlap=0) == [(0, 3)]


def test_no_tokens_give_no_window() -> None:
    assert plan_windows("   ", [], size=8, overlap=2) == []


def test_windows_never_cut_a_number_of_ordinary_text() -> None:
    text = " ".join(f"Item {n} costs 1,{n:03}.50 dollars." for n in range(120))
    offsets = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
    for start, end in plan_windows(text, offsets, size=64, overlap=16):
        first, last = offsets[start][0], offsets[end - 1][1]
        assert first == 0 or text[first - 1] == " "
        assert last == len(text) or text[last] == " "


def test_a_next_window_prefers_to_begin_with_a_sentence() -> None:
    text = " ".join("One two three four five six seven." for _ in range(40))
    offsets = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
    windows = plan_windows(text, offsets, size=64, overlap=16)
    assert len(windows) > 3
    assert all(text[offsets[start][0] :].startswith("One") for start, _ in windows)


@given(text=TEXTS, length=st.integers(1, 3), size=st.integers(4, 24))
def test_any_run_of_tokens_within_the_overlap_stands_whole_in_a_window(
    text: str, length: int, size: int
) -> None:
    offsets = split_tokens(text, length)
    overlap = size // 4
    windows = plan_windows(text, offsets, size=size, overlap=overlap)
    for first in range(len(offsets) - overlap):
        assert any(start <= first and first + overlap <= end for start, end in windows)
