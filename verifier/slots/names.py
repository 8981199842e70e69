"""Names of a claim that are unknown to the source, which has another name in their place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.language.kept import keep_last
from spanproof.verifier.language.lexicon import lexicon_of, stem
from spanproof.verifier.slots.words import Likeness, count_beside, read_words, to_veto

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.words import Words

#: (place, total) for a name that the premise does not hold.
_ABSENT = (0.5, 1.3)
#: For one that it holds elsewhere: how close the rival is, and how much closer than the name.
_CLOSE, _CLOSER = 0.8, 0.7
_BESIDE = 0.15
#: Fewer other content words than this say too little of a name.
_MIN_KNOWN = 3
#: Words of the claim further from a name than this do not describe its place.
_AROUND = 6
#: Letters in which a name and its adjective agree (Canada, Canadian).
ROOT = 4
MAX_RIVALS = 2_000
#: Names of the claim times names of the premise that are compared.
_MAX_PAIRS = 20_000
#: Places of one name's words that are compared with its rivals'.
_MAX_PLACES = 300
#: The text between two words of one name: a hyphen, or white space within a line.
_JOINS = re.compile(r"-|[^\S\n]+")
#: A single word of so few letters is a title or an abbreviation.
_SHORT = 2
#: Initials have at most so many letters; a word that is cut short has so many left.
_INITIALS, _CUT = 5, 3
_OF_THE = frozenset({"of", "the"})


@dataclass(frozen=True, slots=True)
class Name:
    """A run of capitalised words: half-open word range and where it stands."""

    first: int
    last: int
    span: Span


def compare_names(claim: Words, premise: Words, locale: Locale) -> list[Veto]:
    """A veto for each name of the claim in whose place the premise has another."""
    ours = find_names(claim.text, locale)
    if not ours:
        return []
    theirs = find_names(premise.text, locale)
    if not theirs:
        return []
    roots = roots_of(premise.text, locale)
    claimed = {word.stem for word in claim.words}
    vetoes = []
    for name in ours:
        if is_title(claim, name) or len(claim.words) - (name.last - name.first) < 2:
            continue
        stems = [word.stem for word in claim.words[name.first : name.last]]
        absent = not any(stem in premise.places or stem[:ROOT] in roots for stem in stems)
        if absent and is_short_form(claim, name, premise, locale):
            continue
        rivals = [
            rival
            for rival in theirs[: count_rivals(len(ours))]
            if not all(w.stem in claimed for w in premise.words[rival.first : rival.last])
        ]
        found = (
            _find_absent(claim, name, premise, rivals)
            if absent
            else _find_elsewhere(claim, name, premise, rivals, locale)
        )
        if found is not None:
            vetoes.append(to_veto("name", claim, name.span, premise, found.span))
    return vetoes


def count_rivals(names: int) -> int:
    """How many names of the premise each of the claim's is compared with."""
    return min(MAX_RIVALS, _MAX_PAIRS // max(1, names))


def _find_absent(claim: Words, name: Name, premise: Words, rivals: list[Name]) -> Name | None:
    best: tuple[float, Name] | None = None
    claimed = {word.stem for word in claim.words}
    for rival in rivals:
        if any(word.stem in claimed for word in premise.words[rival.first : rival.last]):
            continue
        alike = Likeness.of(claim, name.span, premise, rival.span)
        if alike.place >= _ABSENT[0] and alike.total >= _ABSENT[1]:
            beside = count_beside(claim, name.span, premise, rival.span)
            score = alike.total + beside
            if beside and (best is None or score > best[0]):
                best = score, rival
    return best and best[1]


def _find_elsewhere(
    claim: Words, name: Name, premise: Words, rivals: list[Name], locale: Locale
) -> Name | None:
    """The premise has the name, but far from what the claim says of it; a rival is close by."""
    begin, end = claim.sentence(name.first)
    told = sum(word.content for word in claim.words[begin:end]) - (name.last - name.first)
    if told < _MIN_KNOWN:
        return None
    stems = {word.stem for word in claim.words[name.first : name.last]}
    places = [
        Name(place, place + 1, premise.words[place].span)
        for stem in stems
        for place in roots_of(premise.text, locale).get(stem[:ROOT], ())[:_MAX_PLACES]
    ]
    own = max((closeness(claim, name, premise, place) for place in places), default=0.0)
    best: tuple[float, Name] | None = None
    for rival in rivals:
        if not count_beside(claim, name.span, premise, rival.span):
            continue
        if any(has_more_words(premise, place, rival) for place in places):
            continue
        close = closeness(claim, name, premise, rival)
        if close >= _CLOSE and close - own >= _CLOSER and (best is None or close > best[0]):
            best = close, rival
    return best and best[1]


def closeness(claim: Words, name: Name, premise: Words, place: Name) -> float:
    """How near the words around a name stand to a place, 1 where as near as in the claim.

    Words on both sides that are the very same add a little.
    """
    begin, end = claim.sentence(name.first)
    total = held = 0.0
    for index in range(max(begin, name.first - _AROUND), min(end, name.last + _AROUND)):
        word = claim.words[index]
        if name.first <= index < name.last or not word.content:
            continue
        apart = name.first - index if index < name.first else index - name.last + 1
        weight = 1.0 / (1 + apart)
        total += weight
        distance = premise.distance(word.stem, place.first, place.last)
        if distance is not None:
            held += weight / (1 + max(0, distance - apart) / 4)
    share = held / total if total else 0.0
    return share + _BESIDE * count_beside(claim, name.span, premise, place.span)


def has_more_words(words: Words, name: Name, other: Name) -> bool:
    """Whether another name only adds to the one right before it.

    "The Supreme Court of the United States ruled"; "Anna Schmidt, who came from Berlin, ruled".
    """
    between = words.words[name.last : other.first]
    if not between or between[0].sentence != words.words[name.first].sentence:
        return False
    if between[-1].sentence != words.words[other.first].sentence:
        return False
    if between[0].text == "of":
        return all(word.text in _OF_THE for word in between)
    return words.is_cut_after(name.last - 1) and words.is_cut_after(other.last - 1)


def is_title(claim: Words, name: Name) -> bool:
    """``Mr``, ``TV``: alone not a name."""
    return name.last - name.first == 1 and len(claim.words[name.first].text) <= _SHORT


def is_short_form(claim: Words, name: Name, premise: Words, locale: Locale) -> bool:
    """Whether the premise knows a name by its initials, cut short, or as its locale also says it.

    Each the other way round, too.
    """
    words = [word.text.removesuffix("'s") for word in claim.words[name.first : name.last]]
    text, own = "".join(words), "".join(word[0] for word in words)
    capitals = [word for word in premise.words[:MAX_RIVALS] if word.capital]
    initials = "".join(word.text[0] for word in capitals)
    if (len(text) <= _INITIALS and text in initials) or (
        len(own) > 1 and _contains_words(premise, own)
    ):
        return True
    runs = zip(*(capitals[start:] for start in range(len(words))), strict=False)
    if any(all(map(_is_cut, words, (word.text for word in run))) for run in runs):
        return True
    spoken = " ".join(words)
    return any(
        spoken in row and any(_contains_words(premise, other) for other in row)
        for row in lexicon_of(locale).same_names
    )


def _is_cut(one: str, other: str) -> bool:
    """``lib`` and ``liberal``: of three letters, which begin the other."""
    if one[:_CUT] != other[:_CUT]:
        return False
    return one == other or min(len(one.rstrip("s")), len(other.rstrip("s"))) == _CUT


def _contains_words(premise: Words, phrase: str) -> bool:
    """Whether every word stands somewhere as in a name: ``WHO``, ``US``, not "who" and "us"."""
    return all(
        any(premise.words[place].capital for place in premise.places.get(stem(word), ()))
        for word in phrase.lower().split()
        if word != "of"
    )


@keep_last
def find_names(text: str, locale: Locale) -> tuple[Name, ...]:
    """Runs of capitalised words that do not begin a sentence, or that others write so within."""
    lexicon = lexicon_of(locale)
    read = read_words(text, locale)
    words = read.words
    within = find_capitalised(read)
    names = []
    index = 0
    while index < len(words):
        first = index
        while (
            index < len(words)
            and words[index].capital
            and words[index].content
            and words[index].text not in lexicon.openers
            and words[index].text not in lexicon.currencies
            and words[index].text[:3] not in lexicon.month_roots
            and (index == first or _JOINS.fullmatch(text, words[index - 1].end, words[index].start))
        ):
            index += 1
        if index == first:
            index += 1
            continue
        opens = first == 0 or words[first - 1].sentence != words[first].sentence
        if not opens or index - first > 1 or words[first].text in within:
            names.append(Name(first, index, Span(words[first].start, words[index - 1].end)))
    return tuple(names)


@keep_last
def find_capitalised(words: Words) -> frozenset[str]:
    """The words that are capitalised within a sentence, and nowhere written otherwise."""
    every = words.words
    return frozenset(
        word.text
        for before, word in pairwise(every)
        if word.capital and word.sentence == before.sentence
    ) - {word.text for word in every if not word.capital}


@keep_last
def roots_of(text: str, locale: Locale) -> Mapping[str, tuple[int, ...]]:
    """The places of words by their first letters."""
    roots: dict[str, list[int]] = {}
    for index, word in enumerate(read_words(text, locale).words):
        roots.setdefault(word.stem[:ROOT], []).append(index)
    return {root: tuple(places) for root, places in roots.items()}
