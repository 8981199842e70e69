"""The words of a text that make what they govern less than a statement, and what they govern."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from spanproof.verifier.language.kept import keep_last
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.language.operators import operators_of
from spanproof.verifier.scope.asides import find_asides
from spanproof.verifier.scope.references import find_references
from spanproof.verifier.slots.words import read_words

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.language.operators import Level, OperatorKind, Reach
    from spanproof.verifier.slots.words import Words

#: Up to how many words ``~`` stands for.
_GAP = 3
_TURNS = frozenset({"but", "while", "whereas", "although", "though", "however", "yet"})
_JOINS = frozenset(
    {"and", "or", "which", "who", "whose", "where", "because", "so", "as", "since", "otherwise"}
)
_OPENS = frozenset({"which", "who", "whose"})
_SUBORDINATES = frozenset(
    {"although", "though", "because", "while", "whilst", "after", "when", "whenever", "since", "as"}
    | {"once", "despite", "if", "unless", "where", "until", "before", "given", "whereas", "even"}
    | {"to", "by", "instead", "rather", "unlike"}
)
_STRONG, _WEAK = 2, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """The ``own`` words, from ``first`` to before ``last``, govern ``low`` to before ``high``."""

    kind: OperatorKind
    level: Level
    reach: Reach
    own: tuple[int, ...]
    first: int
    last: int
    low: int
    high: int

    def governs(self, index: int) -> bool:
        """Whether a word is governed; the operator's own words are not."""
        return self.low <= index < self.high and index not in self.own


@keep_last
def find_operators(text: str, locale: Locale = "en") -> tuple[Operator, ...]:
    """Every operator, in order; the longest phrase counts where several begin at a word."""
    words = read_words(text, locale)
    table, numbers = _phrases(locale), lexicon_of(locale).cardinals
    breaks: dict[int, _Breaks] = {}
    found: list[Operator] = []
    done = 0
    for index, word in enumerate(words.words):
        if index < done:
            continue
        key = "n't" if word.text.endswith("n't") else word.text
        best: tuple[tuple[int, ...], _Phrase] | None = None
        for phrase in table.get(key, ()):
            own = _match(words, index, phrase, numbers)
            if own and (best is None or (own[-1], phrase.opens) > (best[0][-1], best[1].opens)):
                best = own, phrase
        if best is not None:
            own, phrase = best
            done = own[-1] + 1
            if phrase.kind != "idle":
                low, high = words.sentence(index)
                if low not in breaks:
                    breaks[low] = _Breaks(words, low, high)
                found.append(_place(words, own, phrase, breaks[low]))
    found += _find_questions(words)
    found += [
        Operator(
            kind=kind,
            level="likely",
            reach="sentence",
            own=(at,),
            first=at,
            last=at + 1,
            low=low,
            high=high,
        )
        for kind, at, low, high in (
            *find_references(words, locale),
            *find_asides(words, locale),
        )
    ]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Phrase:
    kind: OperatorKind
    reach: Reach
    level: Level
    opens: bool
    ends: bool
    parts: tuple[frozenset[str] | None, ...]


@cache
def _phrases(locale: Locale) -> Mapping[str, tuple[_Phrase, ...]]:
    """Every phrase by each word that it may begin with."""
    table: dict[str, list[_Phrase]] = {}
    for kind, reach, level, text in operators_of(locale):
        for phrase in text.split("|"):
            parts = tuple(
                None if part == "~" else frozenset(part.split("/"))
                for part in phrase.removeprefix("^").removesuffix("$").split()
            )
            for word in parts[0] or ():
                table.setdefault(word, []).append(
                    _Phrase(kind, reach, level, phrase.startswith("^"), phrase.endswith("$"), parts)
                )
    return {word: tuple(phrases) for word, phrases in table.items()}


def _match(words: Words, index: int, phrase: _Phrase, numbers: Container[str]) -> tuple[int, ...]:
    """The words of a phrase that begins at an index; none if it does not stand there."""
    first, last = words.sentence(index)
    if phrase.opens and index != first:
        return ()
    place, gap = index, 0
    own: list[int] = []
    for part in phrase.parts:
        if part is None:
            gap = _GAP
            continue
        for at in range(place, min(last, place + gap + 1)):
            if at > place and words.is_cut_after(at - 1):
                return ()
            word = words.words[at].text
            if word in part or ("n't" in part and word.endswith("n't")):
                own.append(at)
            elif not ("*ing" in part and word.endswith("ing")) and not (
                "#" in part and (word[0].isdigit() or word in numbers)
            ):
                continue
            # A number, or a word with an ending of its own, is what is governed.
            place, gap = at + 1, 0
            break
        else:
            return ()
    return () if phrase.ends and place < last else tuple(own)


class _Breaks:
    """Where clauses of a sentence begin: all of them, and those that turn against the one before.

    Both begin with the sentence's start and end with its end.
    """

    def __init__(self, words: Words, low: int, high: int) -> None:
        found = list(_find_breaks(words, low, high))
        self._weak = [low, *(index for index, _ in found), high]
        self._strong = [low, *(index for index, how in found if how == _STRONG), high]

    def around(self, first: int, last: int, reach: Reach) -> tuple[int, int]:
        """The clause, or for the reach of a sentence the clauses, that hold a range of words."""
        edges = self._strong if reach == "sentence" else self._weak
        return edges[bisect_right(edges, first) - 1], edges[bisect_left(edges, last)]


def _place(words: Words, own: tuple[int, ...], phrase: _Phrase, breaks: _Breaks) -> Operator:
    first, last = own[0], own[-1] + 1
    low, high = breaks.around(first, last, phrase.reach)
    if phrase.reach == "near":
        low, high = last, min(last + _GAP, high)
    elif phrase.reach == "after":
        # ", she claimed." and ", according to a neighbour" speak of what is before them too.
        is_aside = first > low and (
            last >= high or words.is_cut_after(last - 1) or words.is_cut_after(first - 1)
        )
        has_gap = len(own) < last - first
        if not (is_aside and phrase.kind == "attribution"):
            low = first if has_gap else last
    return Operator(
        kind=phrase.kind,
        level=phrase.level,
        reach=phrase.reach,
        own=own,
        first=first,
        last=last,
        low=low,
        high=high,
    )


def _find_breaks(words: Words, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The words at which another clause begins, and whether it turns against what is before."""
    # The comma that ends a clause before the main one.
    is_open = words.words[first].text in _SUBORDINATES
    for index in range(first + 1, last):
        word = words.words[index].text
        gap = words.text[words.words[index - 1].end : words.words[index].start]
        is_cut = "," in gap
        if ";" in gap or (word in _TURNS and (is_cut or word != "yet")):
            yield index, _STRONG
            is_open = False
        elif (is_cut and (is_open or word in _JOINS)) or any(mark in gap for mark in "()—–:"):
            yield index, _WEAK
            is_open = is_cut and word in _OPENS
        elif word in _OPENS or word == "because":
            yield index, _WEAK


def _find_questions(words: Words) -> list[Operator]:
    """Sentences that ask."""
    found = []
    ends = (*words.opens[1:], len(words.words)) if words.opens else ()
    for first, last in zip(words.opens, ends, strict=True):
        after = words.words[last].start if last < len(words.words) else len(words.text)
        if "?" in words.text[words.words[last - 1].end : after]:
            found.append(
                Operator(
                    kind="question",
                    level="likely",
                    reach="sentence",
                    own=(),
                    first=last,
                    last=last,
                    low=first,
                    high=last,
                )
            )
    return found
