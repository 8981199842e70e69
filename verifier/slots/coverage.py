"""How much of a claim its premise accounts for, and how far in the claim's own order."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.language.plain_words import STRICT
from spanproof.verifier.slots.content import find_initials, find_phrases, read_content
from spanproof.verifier.slots.numbers import agrees, is_comparable

if TYPE_CHECKING:
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.content import Content

#: Amounts that round or convert to each other are looked for among so many.
_MAX_AMOUNTS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What a premise accounts for of a claim.

    ``ordered`` is the share of the claim's content words that stand in the same order within two
    neighbouring sentences of the premise, ``accounted`` the share of those that anything in the
    premise accounts for; both are in [0, 1]. ``leftover`` are the words (offsets in the hypothesis)
    that nothing accounts for.
    """

    ordered: float
    accounted: float
    leftover: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    """A content word or phrase of the claim, and the words of the premise that say it, in order."""

    span: Span
    places: tuple[int, ...]
    strict: bool


def measure_coverage(hypothesis: str, premise: str, *, locale: Locale = "en") -> Coverage:
    """Measure each sentence of the hypothesis in the neighbouring sentences that say most of it."""
    claim, source = read_content(hypothesis, locale), read_content(premise, locale)
    known = _find_amounts(claim, source)
    total = ordered = held = 0
    leftover: list[Span] = []
    for first, last in claim.list_sentences():
        terms = _list_terms(claim, source, first, last, known)
        windows = _Windows(source, last - first)
        length, low, high = windows.best(terms)
        aligned = {
            source.sentences[place]
            for term in terms
            if not term.strict
            for place in term.places[bisect_left(term.places, low) : bisect_left(term.places, high)]
        }
        total += len(terms)
        ordered += length
        for term in terms:
            if not term.places or (
                term.strict and aligned.isdisjoint(source.sentences[p] for p in term.places)
            ):
                leftover.append(term.span)
            else:
                held += 1
    if not total:
        return Coverage(ordered=0.0, accounted=0.0, leftover=())
    return Coverage(ordered=ordered / total, accounted=held / total, leftover=tuple(leftover))


def _find_amounts(claim: Content, source: Content) -> dict[int, tuple[int, ...]]:
    """For the words of each amount of the claim: those of amounts that round or convert to it."""
    known: dict[int, tuple[int, ...]] = {}
    for quantity, words in claim.amounts:
        found = [
            place
            for other, places in source.amounts[:_MAX_AMOUNTS]
            if is_comparable(quantity, other)
            and quantity.plain
            and other.plain
            and agrees(quantity, other)
            for place in places
        ]
        for word in words:
            known[word] = tuple(found)
    return known


def _list_terms(
    claim: Content, source: Content, first: int, last: int, known: dict[int, tuple[int, ...]]
) -> list[_Term]:
    terms: list[_Term] = []
    index = first
    every = all(claim.empty[first:last])
    while index < last:
        joined = _join(claim, source, index, last)
        if joined is not None:
            length, key = joined
            span = Span(claim.words.words[index].start, claim.words.words[index + length - 1].end)
            terms.append(_Term(span=span, places=source.places[key], strict=False))
            index += length
            continue
        if every or not claim.empty[index]:
            places = {place for key in _ask(claim, index) for place in source.places.get(key, ())}
            places.update(known.get(index, ()))
            word = claim.words.words[index]
            strict = word.text in STRICT or _is_superlative(word.text)
            terms.append(_Term(span=word.span, places=tuple(sorted(places)), strict=strict))
        index += 1
    return terms


def _ask(claim: Content, index: int) -> set[str]:
    same = claim.same[index]
    return {*same, *(f">{key}" for key in same if key[0].isalpha())}


def _is_superlative(word: str) -> bool:
    return len(word) > 5 and word.endswith(("est", "iest"))


def _join(claim: Content, source: Content, index: int, last: int) -> tuple[int, str] | None:
    """A phrase or a name whose other form the premise has, where it lacks one of the words."""
    options = find_phrases(claim.words, index)
    run = find_initials(claim.words, index)
    if run is not None:
        options.append((run[0], f"ab:{run[1]}"))
    for length, key in options:
        if index + length > last or key not in source.places:
            continue
        if any(
            not claim.empty[place] and not any(k in source.places for k in claim.same[place])
            for place in range(index, index + length)
        ):
            return length, key
    return None


class _Windows:
    """Neighbouring sentences of a premise, in which the terms of a claim's sentence are sought."""

    def __init__(self, source: Content, length: int) -> None:
        self._bounds = source.list_sentences()
        self._source = source
        self._length = length

    def best(self, terms: list[_Term]) -> tuple[int, int, int]:
        """How many terms stand in order in the best window, and its half-open range of words."""
        counts = [0] * len(self._bounds)
        numbers = self._source.sentences
        for term in terms:
            for sentence in {numbers[place] for place in term.places}:
                counts[sentence] += 1
        windows = sorted(
            ((self._bound(start, counts), start) for start in range(len(counts))),
            key=lambda window: (-window[0], window[1]),
        )
        best = (0, 0, 0)
        for bound, start in windows:
            if min(bound, len(terms)) <= best[0]:
                break
            low, high = self._bounds[start][0], self._bounds[self._end(start)][1]
            length = _count_ordered(terms, low, high)
            if length > best[0]:
                best = (length, low, high)
        return best

    def _end(self, start: int) -> int:
        """The last sentence of the window: the next one, or as many as hold the claim's words."""
        end = min(start + 1, len(self._bounds) - 1)
        first = self._bounds[start][1]
        while end + 1 < len(self._bounds) and self._bounds[end][1] - first < self._length:
            end += 1
        return end

    def _bound(self, start: int, counts: list[int]) -> int:
        return sum(counts[start : self._end(start) + 1])


def _count_ordered(terms: list[_Term], low: int, high: int) -> int:
    """The most terms whose words stand in one order on both sides (Hunt and Szymanski)."""
    tails: list[int] = []
    for term in terms:
        begin, end = bisect_left(term.places, low), bisect_left(term.places, high)
        for place in reversed(term.places[begin:end]):
            position = bisect_left(tails, place)
            if position == len(tails):
                tails.append(place)
            else:
                tails[position] = place
    return len(tails)
