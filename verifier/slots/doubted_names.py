"""Names of a claim that its source does not have, or has far from what the claim says of them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.slots.names import (
    ROOT,
    Name,
    closeness,
    count_rivals,
    find_capitalised,
    find_names,
    has_more_words,
    is_short_form,
    is_title,
    roots_of,
)
from spanproof.verifier.slots.words import count_beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.verdicts.policy import ReviewLevel
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.alignment import Alignment, Doubt
    from spanproof.verifier.slots.words import Word, Words

#: How much nearer than the name another must stand to what the claim says of it: for a likely
#: doubt, and for a possible one.
_CLOSER, _AS_CLOSE = 0.5, 0.0
#: Places of a name, and of a word of it, that are compared.
_MAX_PLACES = 200
#: How far apart two words of one name may stand ("Anna (born 1956) Schmidt").
_TOGETHER = 3
_JOINTS = frozenset({"and", "or"})


def doubt_names(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely: another name stands nearer, or two were made one; possible: as near, or none."""
    claim, premise = alignment.claim, alignment.premise
    ours = _list_names(claim, premise, locale)
    if not ours:
        return
    theirs = find_names(premise.text, locale)[: count_rivals(len(ours))]
    roots = roots_of(premise.text, locale)
    claimed = {word.stem for word in claim.words}
    for name in ours:
        if is_title(claim, name) or len(claim.words) - (name.last - name.first) < 2:
            continue
        stems = [word.stem for word in claim.words[name.first : name.last]]
        stitched = _find_stitched(claim, name, premise, lexicon_of(locale).titles)
        if stitched is not None:
            yield alignment.doubt("likely", "unconfirmed_name", name.span, stitched)
        elif not any(stem in premise.places or stem[:ROOT] in roots for stem in stems):
            if not is_short_form(claim, name, premise, locale):
                yield alignment.doubt("possible", "unconfirmed_name", name.span)
        else:
            rivals = [
                rival
                for rival in theirs
                if not (held := _stems(premise, rival)) <= claimed and not held >= set(stems)
            ]
            found = _find_nearer(alignment, name, rivals, locale)
            if found is not None:
                gap, rival = found
                level: ReviewLevel = "likely" if gap >= _CLOSER else "possible"
                yield alignment.doubt(level, "unconfirmed_name", name.span, rival.span)


def _list_names(claim: Words, premise: Words, locale: Locale) -> list[Name]:
    """The names of the claim, and first words of its sentences that the premise writes as names."""
    names = list(find_names(claim.text, locale))
    openers = lexicon_of(locale).openers
    written = find_capitalised(premise)
    for index in claim.opens:
        word = claim.words[index]
        known = any(name.first <= index < name.last for name in names)
        if word.capital and word.content and not known and word.text in written - openers:
            names.append(Name(index, index + 1, word.span))
    return names


def _stems(words: Words, name: Name) -> set[str]:
    return {word.stem for word in words.words[name.first : name.last]}


def _find_nearer(
    alignment: Alignment, name: Name, rivals: list[Name], locale: Locale
) -> tuple[float, Name] | None:
    """The nearest rival beside a word that the claim has there, and how much nearer it is."""
    claim, premise = alignment.claim, alignment.premise
    beside = [r for r in rivals if count_beside(claim, name.span, premise, r.span)]
    places = _find_own(claim, name, premise, locale) if beside else []
    beside = [
        rival
        for rival in beside
        if not any(
            _are_listed(premise, rival, place) or has_more_words(premise, place, rival)
            for place in places
        )
    ]
    if not beside:
        return None
    own = max((closeness(claim, name, premise, place) for place in places), default=0.0)
    gaps = [closeness(claim, name, premise, rival) - own for rival in beside]
    best = max(range(len(gaps)), key=lambda index: (gaps[index], -index))
    return (gaps[best], beside[best]) if gaps[best] >= _AS_CLOSE else None


def _are_listed(words: Words, one: Name, other: Name) -> bool:
    """Whether two names stand in one list (Sydney, Darwin and Bowen), so that both are meant."""
    first, last = sorted((one, other), key=lambda name: name.first)
    between = words.words[first.last : last.first]
    return words.words[first.first].sentence == words.words[last.first].sentence and all(
        word.capital or word.text in _JOINTS for word in between
    )


def _find_own(claim: Words, name: Name, premise: Words, locale: Locale) -> list[Name]:
    """Where the premise has the whole name; where nowhere, the places of its words."""
    stems = _stems(claim, name)
    whole = [other for other in find_names(premise.text, locale) if _stems(premise, other) >= stems]
    if whole:
        return whole[:_MAX_PLACES]
    roots = roots_of(premise.text, locale)
    places = dict.fromkeys(place for stem in sorted(stems) for place in roots.get(stem[:ROOT], ()))
    return [
        Name(place, place + 1, premise.words[place].span) for place in list(places)[:_MAX_PLACES]
    ]


def _find_stitched(claim: Words, name: Name, premise: Words, titles: frozenset[str]) -> Span | None:
    """The premise's own name, if each place of a word of the claim's has another beside it."""
    for before, word in pairwise(claim.words[name.first : name.last]):
        seconds, firsts = premise.places.get(word.stem, ()), premise.places.get(before.stem, ())
        if min(len(before.text), len(word.text)) == 1 or any(
            premise.is_near(before.stem, place - _TOGETHER, place + _TOGETHER + 1)
            for place in seconds
        ):
            continue
        places, side = (seconds, -1) if seconds else (firsts, 1)
        others = [place + side for place in places]
        ours = before if side < 0 else word
        if ours.text in titles and not any(
            0 <= place < len(premise.words) and premise.words[place].text in titles
            for place in others
        ):
            # "Queen Victoria" of a source that says "Alexandrina Victoria": no name is exchanged.
            continue
        if others and all(_is_other_name(premise, p, p - side, ours) for p in others):
            low, high = sorted((others[0], places[0]))
            return Span(premise.words[low].start, premise.words[high].end)
    return None


def _is_other_name(words: Words, place: int, beside: int, ours: Word) -> bool:
    """Whether a word makes a name with the one beside it that differs from the claim's name."""
    if not 0 <= place < len(words.words):
        return False
    word = words.words[place]
    in_name = word.capital and word.content and word.sentence == words.words[beside].sentence
    return in_name and word.text[0] != ours.text[0]
