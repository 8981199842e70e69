"""What a claim may leave out between two words of a sentence without changing what it says.

"Solaris is a 1972 Russian film" says that Solaris is a film; "joined the Dutch club Ajax", that
somebody joined Ajax; "was quickly sold", that it was sold. Such words only add to what the claim
says. They are left out where less said is said of the same: not under a denial ("is not a Russian
film"), of all or of the first of a kind, of what is allowed, nor of a number of things.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.verifier.claims.verb_forms import ALL_BASES, BE, FINITE, HAVE, MODALS, PASTS
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.language.plain_words import DENIALS, OPERATORS, STRICT
from spanproof.verifier.slots.roles.lines import is_participle
from spanproof.verifier.slots.taken.small_words import (
    ADDING,
    ALLOWED,
    ALTERNATIVES,
    AMONG,
    DETERMINERS,
    KINDS_OF_PLACE,
    LESSENING,
    NOT_THE_THING,
    OTHERWISE,
    PREPOSITIONS,
    TIMES,
    TITLES,
    UNIVERSAL,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.coverage import Term

#: Said with one of these, less is not said of the same.
_TURNING = DENIALS | UNIVERSAL | ALLOWED | OPERATORS | STRICT | LESSENING | ALTERNATIVES
_ORDINAL = re.compile(
    r"(?:\d+(?:st|nd|rd|th)|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)"
)
_LEAST_SUPERLATIVE = 5
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_MONTHS = frozenset(lexicon_of("en").months) - {"may"}
_INSERTION = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_MARK = re.compile(r"[^\s\w'’/-]")
_BECOMING = BE | frozenset({"became", "becomes", "remains", "remained", "be", "been"})
#: Behind one of these stands a thing that is there, not one of a kind of things.
_PLACING = _BECOMING | HAVE | AMONG
_UNSURE = frozenset({"should", "would", "could", "might", "may", "can", "will"})
_MODAL = (
    MODALS
    | ALLOWED
    | frozenset({"able", "possible", "possibly", "perhaps", "need", "needs", "ought", "supposed"})
)
_PAST = frozenset({"was", "were", "had", "did"})
_PRESENT = frozenset({"is", "are", "be", "been", "being"})
#: A noun has at most so many words before it.
_MAX_BEFORE = 8


def may_shorten(claim: Content, index: int) -> bool:
    """Whether the claim's sentence with a word says no less of the same if it is shortened."""
    sentence = claim.sentences[index]
    dated = {
        place
        for place, word in enumerate(claim.words.words)
        if _YEAR.fullmatch(word.text) or any(key.startswith("d:") for key in claim.same[place])
    }
    if any(
        claim.sentences[places[0]] == sentence and not dated.issuperset(places)
        for _, places in claim.amounts
    ):
        return False
    said = [
        word for place, word in enumerate(claim.words.words) if claim.sentences[place] == sentence
    ]
    if sum(word.text == "as" for word in said) > 1:
        return False
    return "?" not in claim.words.text and not any(
        (word.text in _TURNING and not (word.text == "may" and word.capital))
        or word.text.endswith("n't")
        or _ORDINAL.fullmatch(word.text)
        or (word.text.endswith("est") and len(word.text) >= _LEAST_SUPERLATIVE and not word.capital)
        for word in said
    )


def keeps_modals(claim: Content, index: int, source: Content, path: Sequence[int]) -> bool:
    """Whether a claim that leaves out "should" or "may" between its words says as much elsewhere.

    The claim's sentence is that of a word; ``path`` are the source's words that it takes.
    """
    told = {
        word.text
        for word, sentence in zip(claim.words.words, claim.sentences, strict=True)
        if sentence == claim.sentences[index] and not (word.text == "may" and word.capital)
    }
    left_out = any(
        word.text in _UNSURE and not word.capital
        for word in source.words.words[path[0] : path[-1] + 1]
    )
    # "Was to play in Vienna" does not say that it played.
    words = source.words.words[max(0, path[0] - 1) : path[-1] + 1]
    left_out |= "to" not in told and any(
        one.text in BE and other.text == "to" for one, other in pairwise(words)
    )
    return not left_out or not told.isdisjoint(_MODAL)


def tells_past(told: set[str]) -> bool:
    """Whether a sentence with such words tells what has happened: opened, was opened."""
    if not told.isdisjoint(_PRESENT):
        return False
    return any(word in PASTS or word in _PAST or word.endswith("ed") for word in told)


def is_left_out(
    terms: Sequence[Term],
    source: Content,
    path: Sequence[int],
    second: int,
    *,
    only_names: bool = False,
) -> bool:
    """Whether what stands between the last place of a path and a second place only adds to them.

    ``path`` are the places of the first terms. With ``only_names``, whether it tells no more
    than who or what a name behind it is.
    """
    start, first = path[0], path[-1]
    words, text = source.words.words, source.words.text
    low, high = words[first].end, words[second].start
    brackets = [found.span() for found in _INSERTION.finditer(text, low, high)]
    bare = text[low:high]
    for begin, end in reversed(brackets):
        bare = bare[: begin - low] + bare[end - low :]
    if _MARK.search(bare):
        return False
    gap = [
        place
        for place in range(first + 1, second)
        if not any(begin <= words[place].start < end for begin, end in brackets)
    ]
    if any(words[place].text in ALTERNATIVES | {"and", "but"} for place in gap):
        return False
    said = [place for place in gap if not source.empty[place]]
    if not said:
        return True
    core = [place for place in gap if said[0] <= place <= said[-1]]
    if _is_title(source, first, core, second) or _is_kind_of_place(source, core, second):
        return True
    return not only_names and (
        all(words[place].text in ADDING for place in core)
        or (_is_before_noun(source, start, core, second) and _is_head(terms, source, second))
        or _is_time(source, core)
    )


def _is_before_noun(source: Content, start: int, core: Sequence[int], noun: int) -> bool:
    """Whether they go with the noun behind them, one that "a" brings in: a [1972 Russian] film."""
    words = source.words.words
    if core[-1] + 1 != noun or (words[noun].capital and words[core[-1]].capital):
        return False
    if not all(_goes_with_noun(source, place) for place in core):
        return False
    article = core[0] - 1
    while article > start and _goes_with_noun(source, article) and core[0] - article < _MAX_BEFORE:
        article -= 1
    return (
        article > start + 1
        and words[article].text in {"a", "an"}
        and (words[article - 1].text in _PLACING | FINITE)
    )


def _goes_with_noun(source: Content, place: int) -> bool:
    word = source.words.words[place]
    return not (
        source.empty[place]
        or word.text in FINITE - {"set", "left"}
        or word.text in PREPOSITIONS | NOT_THE_THING | OTHERWISE | OPERATORS | STRICT | ALTERNATIVES
        or word.text.startswith(("non-", "ex-", "pseudo-", "would-be", "self-", "anti-", "un-"))
        or word.text.endswith(("'s", "’s"))
    )


def _is_head(terms: Sequence[Term], source: Content, place: int) -> bool:
    """Whether no noun behind the word is left out that it goes with: a film executive."""
    words = source.words.words
    if place + 1 == len(words) or source.sentences[place + 1] != source.sentences[place]:
        return True
    if _MARK.search(source.words.text, words[place].end, words[place + 1].start):
        return True
    following = words[place + 1]
    return (
        source.empty[place + 1]
        or following.text in FINITE | PREPOSITIONS | STRICT | DENIALS
        or following.text.endswith(("ed", "ing", "ly"))
        or is_participle(following.text)
        or following.text[0].isdigit()
        or any(place + 1 in term.places for term in terms)
    )


def _is_title(source: Content, first: int, core: Sequence[int], name: int) -> bool:
    """Whether they tell who the name behind them is: [the Dutch club] Ajax."""
    words = source.words.words
    if core[-1] + 1 != name or not words[name].capital or words[core[-1]].text not in TITLES:
        return False
    if not all(_goes_with_noun(source, place) or words[place].text == "former" for place in core):
        return False
    before = core[0] - 1
    return (before > first and words[before].text not in {"and", "but"}) or (
        before == first
        and (words[first].text in FINITE - ALL_BASES or is_participle(words[first].text))
    )


def _is_kind_of_place(source: Content, core: Sequence[int], name: int) -> bool:
    """Whether they tell what the name behind them is a name of: in [the city of] Graz."""
    words = source.words.words
    return (
        words[name].capital
        and core[-1] + 2 == name
        and words[core[-1]].text in KINDS_OF_PLACE
        and not words[core[-1]].capital
        and words[core[-1] + 1].text == "of"
        and words[core[0] - 1].text in DETERMINERS
        and len(core) == 1
    )


def _is_time(source: Content, core: Sequence[int]) -> bool:
    """Whether they only tell when: [on Monday], [last year], [in 1972]."""
    words = source.words.words
    times = TIMES - {"second"} | _MONTHS | {"yesterday", "today"}
    before = words[core[0] - 1].text
    if words[core[-1]].text in {"last", "earlier", "late", "early", "in", "on"}:
        return False
    return before not in {"by", "to", "from", "of", "for", "and", "while", "per", "a"} and all(
        words[place].text in times | {"last", "earlier", "late", "early", "in", "on"}
        or _YEAR.fullmatch(words[place].text)
        or (words[place].text == "may" and words[place].capital)
        for place in core
    )
