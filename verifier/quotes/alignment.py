"""The region of a text that comes nearest to a quote, where its words keep their order.

A quote is ALTERED where at least ``KEPT_SHARE`` of its words stand, in order, within
``STRETCH`` times its length. The search is exact: the count of common words in every window bounds
what an alignment can keep, and the best windows are aligned word by word.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.budget import checkpoint
from spanproof.core.span import Span
from spanproof.verifier.quotes.token_index import TokenIndex, index_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from spanproof.core.documents.document import Extraction

KEPT_SHARE = 0.6
STRETCH = 1.5
#: A longer quote is not aligned (code QUOTE_TOO_LONG); the rungs above have no such limit.
MAX_ALIGNED_CHARACTERS = 20_000
#: Windows that are aligned; their common words come first, so the best is among the first.
_MAX_WINDOWS = 12
#: Words times words that are aligned in all: a long quote gets fewer windows, never less than one.
_MAX_CELLS = 200_000_000
#: Words beside the outermost kept ones that are shown as standing in place of the quote's.
_MAX_EDGE_WORDS = 3
_SENTENCE_ENDS = frozenset(".!?…")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Window:
    kept: int
    first: int
    last: int


def find_region(quote: str, extraction: Extraction) -> Span | None:
    """The best aligned region of the text; None if no region keeps enough of the quote's words."""
    index, wanted = index_of(extraction), TokenIndex.of(quote)
    count = len(wanted)
    if not count or not len(index):
        return None
    need = math.ceil(KEPT_SHARE * count)
    width = max(count, math.floor(STRETCH * count))
    text = extraction.text.text
    words = _words_of(quote, wanted, 0, count)
    best: _Window | None = None
    for start, shared in _crowded_windows(index, wanted, width, need):
        # What a window shares bounds what it can keep, and the most crowded come first.
        if best is not None and shared < best.kept:
            break
        checkpoint()
        # The words around a window belong to its best alignment where that is still short enough.
        margin = width // 4
        low, high = max(0, start - margin), min(len(index), start + width + margin)
        found = _align(words, text, index, low, high)
        if found.last - found.first >= width:
            found = _align(words, text, index, start, min(len(index), start + width))
        if found.kept >= need and (best is None or _rank(found) > _rank(best)):
            best = found
    if best is None:
        return None
    return _widen(quote, words, extraction, index, best)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How many words two texts have, and how many of them stand in both in the same order."""

    kept: int
    quoted: int
    standing: int


def measure_overlap(quote: str, extraction: Extraction, span: Span) -> Overlap:
    """How much of the quote's words a place of the text keeps, letter case apart."""
    theirs, source = TokenIndex.of(quote), extraction.text.slice(span)
    ours = TokenIndex.of(source)
    words = _words_of(quote, theirs, 0, len(theirs))
    rows = lcs_rows(words, _words_of(source, ours, 0, len(ours)))
    return Overlap(kept=len(words) - rows[-1].bit_count(), quoted=len(theirs), standing=len(ours))


def lcs_rows(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[int]:
    """Bit rows of the longest common subsequence, one for each prefix of ``right`` (Hyyrö, 2004).

    The zeros of a row count the subsequence's length with that prefix.
    """
    masks: dict[Hashable, int] = {}
    for position, item in enumerate(left):
        masks[item] = masks.get(item, 0) | (1 << position)
    full = (1 << len(left)) - 1
    row, rows = full, [full]
    for item in right:
        common = row & masks.get(item, 0)
        row = ((row + common) | (row - common)) & full
        rows.append(row)
    return rows


def _rank(window: _Window) -> tuple[int, int, int]:
    # Most words kept, then the tightest, then the first.
    return window.kept, window.first - window.last, -window.first


def _crowded_windows(
    index: TokenIndex, wanted: TokenIndex, width: int, need: int
) -> list[tuple[int, int]]:
    """Starts of the windows that share most words with the quote, apart from each other.

    With each how many words it shares, those that share most first.
    """
    numbers, multiplicity = np.unique(wanted.numbers, return_counts=True)
    slot = np.searchsorted(numbers, index.numbers)
    slot[slot == len(numbers)] = 0
    hits = np.flatnonzero(numbers[slot] == index.numbers)
    if len(hits) < need:
        return []
    which = slot[hits]
    order = np.argsort(which, kind="stable")
    places, groups = hits[order], which[order]
    # A word counts in a window as often as the quote has it: the occurrence counts from just after
    # the one that lies its multiplicity before it.
    earlier = np.arange(len(places)) - multiplicity[groups]
    same = (earlier >= 0) & (groups[np.maximum(earlier, 0)] == groups)
    opens = np.maximum(places - width + 1, 0)
    opens = np.maximum(opens, np.where(same, places[np.maximum(earlier, 0)] + 1, 0))
    size = len(index) + 1
    change = np.bincount(opens, minlength=size) - np.bincount(places + 1, minlength=size)
    shared = np.cumsum(change)[: len(index)]
    candidates = np.flatnonzero(shared >= need)
    candidates = candidates[np.argsort(-shared[candidates], kind="stable")]
    allowed = max(1, min(_MAX_WINDOWS, _MAX_CELLS // (len(wanted) * width)))
    starts = _apart(candidates, width, allowed)
    return [(start, int(shared[start])) for start in starts]


def _apart(candidates: np.ndarray[Any, Any], width: int, allowed: int) -> list[int]:
    chosen: list[int] = []
    while len(candidates) and len(chosen) < allowed:
        start = int(candidates[0])
        chosen.append(start)
        # Windows that begin within a quarter of this one hold nearly the same words.
        candidates = candidates[np.abs(candidates - start) > max(1, width // 4)]
    return chosen


def _align(words: list[str], text: str, index: TokenIndex, low: int, high: int) -> _Window:
    """The shortest stretch of ``[low, high)`` that keeps as many of the words as the whole does."""
    window = _words_of(text, index, low, high)
    rows = lcs_rows(words, window)
    kept = len(words) - rows[-1].bit_count()
    if kept == 0:
        return _Window(kept=0, first=low, last=low)
    last = next(i for i, row in enumerate(rows) if len(words) - row.bit_count() == kept) - 1
    back = lcs_rows(words[::-1], window[last::-1])
    steps = next(i for i, row in enumerate(back) if len(words) - row.bit_count() == kept)
    return _Window(kept=kept, first=low + last - steps + 1, last=low + last)


def _words_of(text: str, index: TokenIndex, low: int, high: int) -> list[str]:
    spans = zip(index.starts[low:high].tolist(), index.ends[low:high].tolist(), strict=True)
    return [text[start:end].lower() for start, end in spans]


def _widen(
    quote: str, words: list[str], extraction: Extraction, index: TokenIndex, window: _Window
) -> Span:
    """Take in what stands in place of the quote's own outermost words and marks."""
    text = extraction.text.text
    inside = _words_of(text, index, window.first, window.last + 1)
    lead = words.index(inside[0]) if inside[0] in words else 0
    trail = words[::-1].index(inside[-1]) if inside[-1] in words else 0
    first, last = window.first, window.last
    for _ in range(min(lead, _MAX_EDGE_WORDS)):
        if first == 0 or _breaks(text[int(index.ends[first - 1]) : int(index.starts[first])]):
            break
        first -= 1
    for _ in range(min(trail, _MAX_EDGE_WORDS)):
        if last + 1 == len(index) or _breaks(
            text[int(index.ends[last]) : int(index.starts[last + 1])]
        ):
            break
        last += 1
    start, end = int(index.starts[first]), int(index.ends[last])
    for _ in range(_edge_marks(quote)):
        if start and _is_mark(text[start - 1]):
            start -= 1
    for _ in range(_edge_marks(quote[::-1])):
        if end < len(text) and _is_mark(text[end]):
            end += 1
    return Span(start, end)


def _breaks(gap: str) -> bool:
    return not _SENTENCE_ENDS.isdisjoint(gap) or gap.count("\n") > 1


def _is_mark(character: str) -> bool:
    return not character.isalnum() and not character.isspace()


def _edge_marks(quote: str) -> int:
    """How many marks (no white space) stand before the quote's first word."""
    return sum(map(_is_mark, takewhile(lambda character: not character.isalnum(), quote)))
