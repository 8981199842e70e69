"""Where in the sources a claim may stand: windows of sentences that share its rare words.

Cheap and deterministic; it only chooses what the entailment model reads. A word weighs more if
fewer sentences of the sources contain it; a window's score is the share of the claim's weight that
it contains, a little less for each further sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.budget import checkpoint
from spanproof.core.span import Span
from spanproof.verifier.claims.claims import split_sentences
from spanproof.verifier.language.lexicon import lexicon_of, stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from spanproof.verifier.attribute.sources import Region

#: Windows that are read for one claim, and the share of its weight that one must hold.
MAX_CANDIDATES = 8
MIN_SCORE = 0.2
#: Sentences of one window, and its characters: more is another passage.
MAX_SENTENCES, MAX_WINDOW_CHARACTERS = 3, 1200
#: A stretch without a stop (a table, a list) is cut here.
MAX_PIECE_CHARACTERS = 600
#: Longer regions are not searched, and the report says so.
MAX_SEARCHED_CHARACTERS = 2_000_000
_SENTENCE_COST = 0.04
_WORD = re.compile(r"[^\W_]+")
_BLANK = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Some sentences of a region; ``score`` in [0, 1]. ``first`` and ``last`` number its pieces."""

    region: int
    span: Span
    score: float
    first: int
    last: int


class SpanIndex:
    """The sentences of all regions by their words."""

    def __init__(self, regions: Sequence[Region]) -> None:
        self.unsearched: list[int] = []
        self._regions: list[int] = []
        self._spans: list[Span] = []
        vocabulary: dict[str, int] = {}
        words: list[int] = []
        places: list[int] = []
        for number, region in enumerate(regions):
            checkpoint()
            if _is_covered(regions, number):
                continue
            if len(region.span) > MAX_SEARCHED_CHARACTERS:
                self.unsearched.append(number)
                continue
            text = region.extraction.text.text
            for span in _cut(text, region.span):
                for word in find_words(text[span.start : span.end]):
                    words.append(vocabulary.setdefault(word, len(vocabulary)))
                    places.append(len(self._spans))
                self._regions.append(number)
                self._spans.append(span)
        self._vocabulary = vocabulary
        order = np.argsort(np.array(words, dtype=np.int64), kind="stable")
        self._places = np.array(places, dtype=np.int64)[order]
        self._starts = np.searchsorted(
            np.array(words, dtype=np.int64)[order], np.arange(len(vocabulary) + 1)
        )
        self._region_of = np.array(self._regions, dtype=np.int64)
        self._start = np.array([span.start for span in self._spans], dtype=np.int64)
        self._end = np.array([span.end for span in self._spans], dtype=np.int64)

    def find(self, hypothesis: str) -> tuple[Window, ...]:
        """The best windows, best first; no two share a sentence."""
        held, weights = self._weigh(hypothesis)
        if not weights.size or not self._spans:
            return ()
        scored: list[tuple[float, int, int]] = []
        total = float(weights.sum())
        for size in range(1, min(MAX_SENTENCES, len(self._spans)) + 1):
            whole = self._union(held, size)
            shares = np.round(weights @ whole / total * (1 - _SENTENCE_COST * (size - 1)), 9)
            last = np.arange(size - 1, len(self._spans))
            first = last - (size - 1)
            fits = self._region_of[first] == self._region_of[last]
            if size > 1:
                fits &= self._end[last] - self._start[first] <= MAX_WINDOW_CHARACTERS
            good = np.flatnonzero(fits & (shares >= MIN_SCORE))
            scored.extend((-float(shares[at]), size, int(at)) for at in good)
        return tuple(self._choose(sorted(scored)))

    def widen(self, window: Window, by: int, most: int) -> Window:
        """The window with up to ``by`` neighbours on each side, of ``most`` characters at most."""
        wide = window
        for _ in range(by):
            first, last = wide.first, wide.last
            if first > 0 and self._regions[first - 1] == window.region:
                first -= 1
            if last + 1 < len(self._spans) and self._regions[last + 1] == window.region:
                last += 1
            wider = self._window(first, last, window.score)
            if wider == wide or len(wider.span) > most:
                break
            wide = wider
        return wide

    def split(self, window: Window) -> tuple[Window, ...]:
        """Each sentence of the window by itself."""
        return tuple(
            self._window(at, at, window.score) for at in range(window.first, window.last + 1)
        )

    def _weigh(self, hypothesis: str) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        count = len(self._spans)
        rows: list[NDArray[np.bool_]] = []
        weights: list[float] = []
        for word in sorted(find_words(hypothesis)):
            row = np.zeros(count, dtype=np.bool_)
            number = self._vocabulary.get(word)
            if number is not None:
                row[self._places[self._starts[number] : self._starts[number + 1]]] = True
            rows.append(row)
            weights.append(float(np.log1p(count / (int(row.sum()) or 1))))
        held = np.array(rows, dtype=np.bool_).reshape(len(rows), count)
        return held, np.array(weights, dtype=np.float64)

    @staticmethod
    def _union(held: NDArray[np.bool_], size: int) -> NDArray[np.float64]:
        count = held.shape[1] - size + 1
        whole = held[:, :count].copy()
        for shift in range(1, size):
            whole |= held[:, shift : shift + count]
        return whole.astype(np.float64)

    def _choose(self, scored: list[tuple[float, int, int]]) -> Iterator[Window]:
        taken: set[int] = set()
        found = 0
        for score, size, first in scored:
            pieces = range(first, first + size)
            if found == MAX_CANDIDATES or not taken.isdisjoint(pieces):
                continue
            taken.update(pieces)
            found += 1
            yield self._window(first, first + size - 1, -score)

    def _window(self, first: int, last: int, score: float) -> Window:
        span = Span(self._spans[first].start, self._spans[last].end)
        return Window(region=self._regions[first], span=span, score=score, first=first, last=last)


def find_words(text: str) -> frozenset[str]:
    """The words that identify a place, without case and without the commonest endings."""
    words = (word.casefold() for word in _WORD.findall(text))
    empty = lexicon_of("en").function_words
    return frozenset(stem(word) for word in words if word not in empty)


def _is_covered(regions: Sequence[Region], number: int) -> bool:
    """Whether another region of the same text holds it, so that it is searched there."""
    own = regions[number]
    for other, region in enumerate(regions):
        if other == number or region.extraction.extraction_id != own.extraction.extraction_id:
            continue
        # Of two that are equal the first is searched.
        if region.span.contains(own.span) and (region.span != own.span or other < number):
            return True
    return False


def _cut(text: str, region: Span) -> Iterator[Span]:
    stretch = text[region.start : region.end]
    for sentence in split_sentences(stretch):
        yield from _cut_long(text, sentence.span.shift(region.start))


def _cut_long(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    while span.end - start > MAX_PIECE_CHARACTERS:
        blank = _BLANK.search(text, start + MAX_PIECE_CHARACTERS, span.end)
        if blank is None:
            break
        yield Span(start, blank.start())
        start = blank.end()
    if start < span.end:
        yield Span(start, span.end)
