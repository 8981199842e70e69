"""Polarity: statements that only one of claim and source denies, and opposite words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from spanproof.verifier.language.lexicon import lexicon_of, stem
from spanproof.verifier.slots.negations import find_negations, is_negated
from spanproof.verifier.slots.roles.converses import is_converse
from spanproof.verifier.slots.words import Likeness, to_veto

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.words import Words

#: (place, total) that what is denied on one side and stated on the other must reach. Where only
#: some words are shared the model sees a negation better than a rule does.
_ADDED = (0.7, 1.45)
_DROPPED = (0.6, 1.3)
_OPPOSED = (0.7, 1.4)
#: The same where the premise never has the claim's side of the pair.
_OPPOSED_ALONE = (0.5, 1.05)
#: A place that is nearly as like as the best one may be the one that is meant.
_NEARLY = 0.15
#: How far around a word anything may turn what is said.
_AROUND = 14
#: How far around an opposite the claim's own word may stand: who else is there, and what else.
_WIDE = 30
#: How many words after a negation the word that it denies may stand.
_FOCUS_REACH = 6
#: Negations that deny no statement by themselves ("none in the second", "without a permit").
_NO_DENIAL = frozenset({"non", "none", "nor", "neither", "nothing", "nobody", "nowhere", "without"})
#: A word with more places than this says nothing.
_MAX_PLACES = 60
#: Behind one of these stands the contrary of what is said before.
EXCEPTING = frozenset({"except", "excepting", "unless"})


@dataclass(frozen=True, slots=True)
class _Place:
    """A place of a claim's word in the premise, and how like it is."""

    index: int
    alike: Likeness


def compare_negations(claim: Words, premise: Words, locale: Locale) -> list[Veto]:
    """A veto for each word that one side denies and the other, in the likest place, does not."""
    ours = find_negations(claim.text, locale)
    vetoes = [
        veto
        for negation in ours
        if (veto := _compare_added(claim, premise, negation, locale)) is not None
    ]
    if not vetoes:
        dropped = (
            _compare_dropped(claim, premise, negation, locale)
            for negation in find_negations(premise.text, locale)
        )
        vetoes.extend([veto for veto in dropped if veto is not None][:1])
    return vetoes


def _compare_added(claim: Words, premise: Words, negation: int, locale: Locale) -> Veto | None:
    """The claim denies a word that the premise states where it speaks of the same."""
    if claim.words[negation].text in _NO_DENIAL:
        return None
    focus = _focus_of(claim, negation)
    if focus is None or not is_negated(claim, focus, locale):
        return None
    if _counts(claim.words[focus].text, locale):
        return None
    best = _best_place(claim, focus, premise, locale)
    if best is None or best.alike.place < _ADDED[0] or best.alike.total < _ADDED[1]:
        return None
    if is_negated(premise, best.index, locale):
        return None
    if _is_denied_alike(claim, negation, premise, best.index, locale):
        return None
    return to_veto(
        "negation", claim, claim.words[negation].span, premise, premise.words[best.index].span
    )


def _compare_dropped(claim: Words, premise: Words, negation: int, locale: Locale) -> Veto | None:
    """The premise denies a word that the claim states where it speaks of the same."""
    focus = _focus_of(premise, negation)
    if focus is None or premise.words[negation].text in _NO_DENIAL:
        return None
    if not is_negated(premise, focus, locale):
        return None
    for index in claim.places.get(premise.words[focus].stem, ()):
        best = _best_place(claim, index, premise, locale)
        if best is None or best.alike.place < _DROPPED[0] or best.alike.total < _DROPPED[1]:
            continue
        if (
            is_negated(premise, best.index, locale)
            and not is_negated(claim, index, locale)
            and not _is_denied_alike(premise, negation, claim, index, locale)
        ):
            return to_veto(
                "negation", claim, claim.words[index].span, premise, premise.words[negation].span
            )
    return None


def _focus_of(words: Words, negation: int) -> int | None:
    """The first content word that a negation reaches: the word that it denies."""
    for index in range(negation + 1, min(len(words.words), negation + 1 + _FOCUS_REACH)):
        word = words.words[index]
        if word.sentence != words.words[negation].sentence:
            return None
        if word.content and not word.text[0].isdigit():
            return index
    return None


def _counts(word: str, locale: Locale) -> bool:
    """Whether "not" before this word denies how many or which: "not both", "not the first"."""
    lexicon = lexicon_of(locale)
    return word in lexicon.quantifiers or word in lexicon.ordinals or word in lexicon.cardinals


def _best_place(claim: Words, index: int, premise: Words, locale: Locale) -> _Place | None:
    """The likeliest place of a claim's word in the premise; None if two differ in polarity."""
    word = claim.words[index]
    places = premise.places.get(word.stem, ())
    if not places or len(places) > _MAX_PLACES:
        return None
    found = [
        _Place(place, Likeness.of(claim, word.span, premise, premise.words[place].span))
        for place in places
    ]
    best = max(found, key=lambda place: (place.alike.total, -place.index))
    near = [p for p in found if p.alike.total >= best.alike.total - _NEARLY]
    return best if len({is_negated(premise, p.index, locale) for p in near}) == 1 else None


def _is_denied_alike(one: Words, negation: int, other: Words, index: int, locale: Locale) -> bool:
    """Whether the other text denies as often around a place, or by a word that the one has not."""
    ours, theirs = _negatives_around(one, negation, locale), _negatives_around(other, index, locale)
    return len(theirs[0]) >= len(ours[0]) or bool(theirs[1] - ours[1])


def _negatives_around(words: Words, index: int, locale: Locale) -> tuple[list[str], set[str]]:
    """The negations, and the words that deny in their own way, in the sentence around a word."""
    lexicon = lexicon_of(locale)
    first, last = words.sentence(index)
    around = words.words[max(first, index - _AROUND) : min(last, index + _AROUND)]
    negations = [w.text for w in around if w.text in lexicon.negations or w.text.endswith("n't")]
    return negations, {w.stem for w in around if w.text in lexicon.negative_words}


def compare_antonyms(claim: Words, premise: Words, locale: Locale) -> list[Veto]:
    """A veto for each word whose opposite stands in its place, if both or neither are denied."""
    table = read_opposites(locale)
    vetoes = []
    for index, word in enumerate(claim.words):
        sides = table.get(word.text)
        if sides is None:
            continue
        place = _opposed_place(claim, index, premise, sides, locale)
        if place is not None and not is_converse(claim, index, premise, place, locale):
            vetoes.append(to_veto("antonym", claim, word.span, premise, premise.words[place].span))
    return vetoes


def _opposed_place(
    claim: Words,
    index: int,
    premise: Words,
    sides: tuple[frozenset[str], frozenset[str]],
    locale: Locale,
) -> int | None:
    own, opposite = sides
    word = claim.words[index]
    first, last = claim.sentence(index)
    if any(other.text in opposite for other in claim.words[first:last]):
        return None
    best: tuple[float, int] | None = None
    alone = next(places_of(premise, own), None) is None
    needed = _OPPOSED_ALONE if alone else _OPPOSED
    for place in places_of(premise, opposite):
        alike = Likeness.of(claim, word.span, premise, premise.words[place].span)
        if alike.place < needed[0] or alike.total < needed[1]:
            continue
        low, high = premise.sentence(place)
        around = premise.words[max(low, place - _WIDE) : min(high, place + _WIDE)]
        if any(other.text in own for other in around):
            return None
        if any(other.text in EXCEPTING for other in premise.words[place:high]):
            # Open daily except on Mondays: closed on Mondays.
            continue
        if is_negated(claim, index, locale) == is_negated(premise, place, locale) and (
            best is None or alike.total > best[0]
        ):
            best = alike.total, place
    return best and best[1]


def places_of(premise: Words, texts: frozenset[str]) -> Iterator[int]:
    """Where any of some words stands in a text."""
    for root in {stem(text) for text in texts}:
        places = premise.places.get(root, ())
        yield from (p for p in places[:_MAX_PLACES] if premise.words[p].text in texts)


@cache
def read_opposites(locale: Locale) -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """Every word of the antonym table with its own side and the other one, rows joined."""
    own: dict[str, set[str]] = {}
    other: dict[str, set[str]] = {}
    for left, right in lexicon_of(locale).antonyms:
        for mine, theirs in ((left, right), (right, left)):
            for word in mine:
                own.setdefault(word, set()).update(mine)
                other.setdefault(word, set()).update(theirs)
    return {word: (frozenset(own[word]), frozenset(other[word])) for word in own}
