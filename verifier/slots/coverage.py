"""How much of a claim its premise accounts for, and how far in the claim's own order.

Each sentence of the claim is sought in the neighbouring sentences of the premise that have most of
its words in order. What the premise says there and the claim leaves out may turn its meaning ("did
not", "seems"): such words lower the order, too.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.core.budget import checkpoint
from spanproof.core.span import Span
from spanproof.verifier.language.plain_words import OPERATORS, STRICT
from spanproof.verifier.language.word_forms import is_plural
from spanproof.verifier.slots.content import find_initials, find_phrases, read_content
from spanproof.verifier.slots.numbers import agrees, is_comparable
from spanproof.verifier.slots.taken.openings import skip_opening
from spanproof.verifier.slots.taken.small_words import NUMERALS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.quantities import Quantity

#: Amounts that round or convert to each other are looked for among so many.
_MAX_AMOUNTS = 2_000
#: A claim of more amounts says them as they are, or not at all.
_MAX_CLAIM_AMOUNTS = 200
#: Words of a claim times words of a premise that say them: what is beyond says nothing.
_MOST_MATCHES = 1_000_000
#: "From Rome" does not say "to Rome".
_OPPOSED = MappingProxyType({"from": {"to", "into"}, "to": {"from"}, "into": {"from"}})
#: Verbs with a plainer one that says the same; the words beside it say the rest.
_LIGHT_VERBS = MappingProxyType(
    {
        **dict.fromkeys(("last", "lasts", "lasted", "lies", "located", "situated"), ("be",)),
        **dict.fromkeys(("contains", "contain", "contained", "comprises", "features"), ("hav",)),
    }
)
#: An operator before one of these does not reach the words after it.
_CLAUSE = frozenset({"and", "but", "that"})
_LEAST_SUPERLATIVE = 6
#: Before a plural: some of a kind, not the kind.
_SEVERAL = frozenset(
    {"some", "several", "many", "few", "other", "various", "the", "these", "those"}
)
#: Amounts that no unit distinguishes, and how far a rough one may lie from its source's.
_COUNTS, _ABOUT_SHARE = ("number", "count:"), Decimal("0.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What a premise accounts for of a claim.

    ``ordered`` is the share of the claim's content words that stand in the same order within two
    neighbouring sentences of the premise, ``accounted`` the share of those that anything in the
    premise accounts for; both are in [0, 1]. ``leftover`` are the words (offsets in the hypothesis)
    that nothing accounts for. ``words`` counts the claim's content words.
    """

    ordered: float
    accounted: float
    leftover: tuple[Span, ...]
    words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A content word or phrase of the claim, and the words of the premise that say it, in order."""

    span: Span
    places: tuple[int, ...]
    strict: bool

    def within(self, low: int, high: int) -> tuple[int, ...]:
        """The places in a half-open range of words."""
        return self.places[bisect_left(self.places, low) : bisect_left(self.places, high)]


def find_terms(claim: Content, source: Content) -> list[list[Term]]:
    """The content words and phrases of each sentence of a claim, with their places in a source."""
    known = _find_amounts(claim, source)
    return [_list_terms(claim, source, range(first, last), known) for first, last in claim.bounds]


def measure_coverage(hypothesis: str, premise: str, *, locale: Locale = "en") -> Coverage:
    """Measure each sentence of the hypothesis in the neighbouring sentences that say most of it."""
    claim, source = read_content(hypothesis, locale), read_content(premise, locale)
    words = asked = ordered = 0
    leftover: list[Span] = []
    sentences = zip(claim.bounds, find_terms(claim, source), strict=True)
    for (first, last), terms in sentences:
        window = _find_window(terms, source, last - first)
        path = _find_path(terms, window)
        aligned = _find_aligned(terms, source, window)
        words += len(terms)
        ordered += len(path)
        asked += len(terms) + _count_skipped(claim, source, range(first, last), terms, path)
        leftover += [
            term.span
            for term in terms
            if not term.places
            or (term.strict and aligned.isdisjoint(source.sentences[p] for p in term.places))
        ]
    if not words:
        return Coverage(ordered=0.0, accounted=0.0, leftover=(), words=0)
    return Coverage(
        ordered=ordered / asked,
        accounted=1 - len(leftover) / words,
        leftover=tuple(leftover),
        words=words,
    )


def _find_amounts(claim: Content, source: Content) -> dict[int, tuple[int, ...]]:
    """For the words of each amount of the claim: those of amounts that round or convert to it."""
    found: dict[int, tuple[int, ...]] = {}
    for quantity, words in claim.amounts[:_MAX_CLAIM_AMOUNTS]:
        checkpoint()
        said = tuple(
            place
            for other, places in source.amounts[:_MAX_AMOUNTS]
            if _equals(quantity, other)
            for place in places
        )
        found |= dict.fromkeys(words, said)
    return found


def _equals(quantity: Quantity, other: Quantity) -> bool:
    if (quantity.low is None, quantity.high is None) != (other.low is None, other.high is None):
        return False
    if not quantity.plain or not other.plain:
        # Within 7 days, within a week: the same bound in another unit.
        return (
            quantity.scaled is not None
            and quantity.group != other.group
            and agrees(quantity, other)
        )
    if is_comparable(quantity, other):
        return agrees(quantity, other)
    # About 400 employees and 412 people: the words beside a rough number are sought by themselves.
    counts = quantity.group.startswith(_COUNTS) and other.group.startswith(_COUNTS)
    apart = abs(quantity.values[0] - other.values[0])
    return counts and quantity.about and apart <= _ABOUT_SHARE * abs(other.values[0])


def _list_terms(
    claim: Content, source: Content, sentence: range, known: dict[int, tuple[int, ...]]
) -> list[Term]:
    terms: list[Term] = []
    words = claim.words.words
    # A claim without any content ("It is.") is taken word for word.
    is_empty = all(claim.empty)
    # "The only son" is not the only child, and "no dogs" not no animals.
    bounds = any(_is_strict(word.text) for word in words[sentence.start : sentence.stop])
    index = skip_opening(claim, source, sentence)
    most = max(1, _MOST_MATCHES // max(1, len(words)))
    while index < sentence.stop:
        checkpoint()
        joined = _join(claim, source, index, sentence.stop)
        if joined is not None:
            length, key = joined
            span = Span(words[index].start, words[index + length - 1].end)
            terms.append(Term(span=span, places=source.places[key][:most], strict=False))
            index += length
            continue
        if is_empty or not claim.empty[index]:
            kinds = not bounds and not _is_general(claim, index)
            places = _find_places(claim, source, index, kinds=kinds) | {*known.get(index, ())}
            if not places and _is_light(words[index].text, source):
                index += 1
                continue
            strict = _is_strict(words[index].text)
            span = words[index].span
            terms.append(Term(span=span, places=tuple(sorted(places)[:most]), strict=strict))
        index += 1
    return terms


def _is_general(claim: Content, index: int) -> bool:
    """Whether a word stands for all of a kind: buses are no vehicles where vehicles are banned."""
    words = claim.words.words
    if not is_plural(words[index].text):
        return False
    before = words[index - 1].text if index else ""
    return not (before[:1].isdigit() or before in NUMERALS | _SEVERAL)


def _is_light(word: str, source: Content) -> bool:
    """Whether a verb says what a plainer one of the source says (lasts: is; contains: has)."""
    return any(root in source.places for root in _LIGHT_VERBS.get(word, ()))


def _find_places(claim: Content, source: Content, index: int, *, kinds: bool) -> set[int]:
    """The words of the premise that say a word of the claim; with ``kinds``, its kinds, too."""
    same = claim.same[index]
    # The general word of the claim for a particular one of the premise.
    asked = {*same, *(f">{key}" for key in same if kinds and key[0].isalpha())}
    places = {place for key in asked for place in source.places.get(key, ())}
    words = claim.words.words
    against = _OPPOSED.get(words[index - 1].text) if index else None
    # "Prohibited from taking", "not allowed to take": no directions.
    if against is None or words[index].text.endswith("ing"):
        return places
    words = source.words.words
    return {place for place in places if not place or words[place - 1].text not in against}


def _is_strict(word: str) -> bool:
    return word in STRICT or (len(word) >= _LEAST_SUPERLATIVE and word.endswith("est"))


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


def _find_aligned(terms: list[Term], source: Content, window: range) -> set[int]:
    """The sentences of the window that say something of the claim besides words of degree."""
    if not window:
        return set()
    _, last = source.bounds[source.sentences[window[-1]]]
    return {
        source.sentences[place]
        for term in terms
        if not term.strict
        for place in term.within(window.start, last)
    }


def _find_window(terms: list[Term], source: Content, length: int) -> range:
    """The words of the neighbouring sentences that have the most terms in order, up to the last."""
    bounds = source.bounds
    counts = [0] * len(bounds)
    for term in terms:
        for sentence in {source.sentences[place] for place in term.places}:
            counts[sentence] += 1
    windows = []
    for start, count in enumerate(counts):
        # A window whose first word is not in the claim holds nothing that the next one lacks.
        if not count:
            continue
        end = _find_end(bounds, start, length)
        bound = min(len(terms), sum(counts[start : end + 1]))
        windows.append((-bound, start, range(bounds[start][0], bounds[end][1])))
    most, best = 0, range(0)
    for bound, _, window in sorted(windows, key=lambda found: found[:2]):
        if -bound <= most:
            break
        found, last = _order(terms, window)
        if found > most:
            most, best = found, range(window.start, last + 1)
    return best


def _find_end(bounds: Sequence[tuple[int, int]], start: int, length: int) -> int:
    """The last sentence of the window: the next one, or as many as hold the claim's words."""
    end = min(start + 1, len(bounds) - 1)
    while end + 1 < len(bounds) and bounds[end][1] - bounds[start][1] < length:
        end += 1
    return end


def _order(terms: list[Term], window: range) -> tuple[int, int]:
    """How many terms stand in one order, and the first place at which so many end."""
    tails: list[int] = []
    for term in terms:
        for place in reversed(term.within(window.start, window.stop)):
            position = bisect_left(tails, place)
            tails[position : position + 1] = [place]
    return len(tails), tails[-1] if tails else -1


def _find_path(terms: list[Term], window: range) -> list[int]:
    """The places of the most terms that stand in one order (Hunt and Szymanski), the latest ones.

    It reads from the end: ``-tails[n]`` is the latest place at which n + 1 terms begin.
    """
    tails: list[int] = []
    nodes: list[tuple[int, int]] = []
    heads: list[int] = []
    for term in reversed(terms):
        for place in term.within(window.start, window.stop):
            position = bisect_left(tails, -place)
            nodes.append((place, heads[position - 1] if position else -1))
            if position == len(tails):
                tails.append(-place)
                heads.append(len(nodes) - 1)
            else:
                tails[position] = -place
                heads[position] = len(nodes) - 1
    path: list[int] = []
    node = heads[-1] if heads else -1
    while node >= 0:
        place, node = nodes[node]
        path.append(place)
    return path


def _find_held(terms: list[Term], path: list[int]) -> set[int]:
    """The words of the path, and those beside them that say the same term: a phrase's others."""
    held = set(path)
    for term in terms:
        runs: list[list[int]] = []
        for place in term.places:
            if runs and place == runs[-1][-1] + 1:
                runs[-1].append(place)
            else:
                runs.append([place])
        held.update(*(run for run in runs if not held.isdisjoint(run)))
    return held


def _count_skipped(
    claim: Content, source: Content, sentence: range, terms: list[Term], path: list[int]
) -> int:
    """How many words of the premise that turn a meaning the claim leaves out."""
    if not path:
        return 0
    words = source.words
    first = path[0]
    while (
        first
        and source.sentences[first - 1] == source.sentences[path[0]]
        and not words.is_cut_after(first - 1)
        and words.words[first - 1].text not in _CLAUSE
    ):
        first -= 1
    said = {key for index in sentence for key in claim.same[index]}
    held = _find_held(terms, path)
    return sum(
        words.words[index].text in OPERATORS or words.words[index].text.endswith("n't")
        for index in range(first, path[-1] + 1)
        if index not in held and said.isdisjoint(source.same[index])
    )
