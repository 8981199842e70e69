"""Polarity: what a claim denies and its source states, or the other way; and opposite words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from verifier.lexicon import lexicon_of, stem
from verifier.slots.negations import find_negations, is_negated
from verifier.slots.words import Likeness, to_veto

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from core.verdict import Veto
    from verifier.lexicon import Locale
    from verifier.slots.words import Words

#: (place, total) that what is denied on one side and stated on the other must reach.
_ADDED = (0.4, 0.85)
#: The same where the word that is denied is not the source's, those after it are.
_ADDED_BESIDE = (0.6, 1.2)
_DROPPED = (0.5, 1.1)
_OPPOSED = (0.6, 1.2)
#: The same where the premise never has the claim's side of the pair.
_OPPOSED_ALONE = (0.4, 0.75)
#: A place that is nearly as like as the best one may be the one that is meant.
_NEARLY = 0.15
#: How far around a word anything may turn what is said.
_AROUND = 14
#: How many content words after a negation may be what it denies.
_MAX_FOCUSES = 3
#: Negations that deny no statement of their own: a claim may leave them out.
_NO_STATEMENT = frozenset({"without", "nor", "neither"})
#: More places of one word than this: the word tells nothing.
_MAX_PLACES = 60


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
    if claim.words[negation].text == "non":
        return None
    focuses = [f for f in _focuses_of(claim, negation) if is_negated(claim, f, locale)]
    if not focuses or _counts(claim.words[focuses[0]].text, locale):
        return None
    places = [_best_place(claim, focus, premise, locale) for focus in focuses]
    found = [place for place in places if place is not None]
    best = max(found, key=lambda place: place.alike.total, default=None)
    # A verb that is denied may have another word for it in the source; "no fee" may not.
    sure = places[0] is not None and claim.words[negation].text != "no"
    needed = _ADDED if sure else _ADDED_BESIDE
    if best is None or best.alike.place < needed[0] or best.alike.total < needed[1]:
        return None
    if places[0] is None and not _follows_auxiliary(claim, negation, locale):
        return None
    if any(_is_denied_alike(claim, negation, premise, p.index, locale) for p in found):
        return None
    return to_veto(
        "negation", claim, claim.words[negation].span, premise, premise.words[best.index].span
    )


def _compare_dropped(claim: Words, premise: Words, negation: int, locale: Locale) -> Veto | None:
    """The premise denies a word that the claim states where it speaks of the same."""
    focus = next(iter(_focuses_of(premise, negation)), None)
    if focus is None or premise.words[negation].text in _NO_STATEMENT:
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


def _focuses_of(words: Words, negation: int) -> list[int]:
    """The first content words that a negation reaches."""
    found: list[int] = []
    for index in range(negation + 1, min(len(words.words), negation + 7)):
        word = words.words[index]
        if word.sentence != words.words[negation].sentence or len(found) == _MAX_FOCUSES:
            break
        if word.content and not word.text[0].isdigit():
            found.append(index)
    return found


def _counts(word: str, locale: Locale) -> bool:
    """Whether "not" before this word denies how many or which: "not both", "not the first"."""
    lexicon = lexicon_of(locale)
    return word in lexicon.quantifiers or word in lexicon.ordinals or word in lexicon.cardinals


def _follows_auxiliary(words: Words, negation: int, locale: Locale) -> bool:
    if words.words[negation].text not in {"not", "never"}:
        return words.words[negation].text != "no"
    before = words.words[negation - 1].text if negation else ""
    return before in lexicon_of(locale).auxiliaries


def _best_place(claim: Words, index: int, premise: Words, locale: Locale) -> _Place | None:
    """The likest place of a claim's word in the premise; None where two differ in polarity."""
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
    """A veto for each word whose opposite stands in its place, both denied or neither."""
    table = _opposites(locale)
    vetoes = []
    for index, word in enumerate(claim.words):
        sides = table.get(word.text)
        if sides is None:
            continue
        place = _opposed_place(claim, index, premise, sides, locale)
        if place is not None:
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
    alone = next(_places_of(premise, own), None) is None
    needed = _OPPOSED_ALONE if alone else _OPPOSED
    for place in _places_of(premise, opposite):
        alike = Likeness.of(claim, word.span, premise, premise.words[place].span)
        if alike.place < needed[0] or alike.total < needed[1]:
            continue
        low, high = premise.sentence(place)
        if any(other.text in own for other in premise.words[low:high]):
            return None
        if is_negated(claim, index, locale) == is_negated(premise, place, locale) and (
            best is None or alike.total > best[0]
        ):
            best = alike.total, place
    return best and best[1]


def _places_of(premise: Words, texts: frozenset[str]) -> Iterator[int]:
    for root in {stem(text) for text in texts}:
        places = premise.places.get(root, ())
        yield from (p for p in places[:_MAX_PLACES] if premise.words[p].text in texts)


@cache
def _opposites(locale: Locale) -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """Every word of the antonym table with its own side and the other one, rows joined."""
    own: dict[str, set[str]] = {}
    other: dict[str, set[str]] = {}
    for left, right in lexicon_of(locale).antonyms:
        for mine, theirs in ((left, right), (right, left)):
            for word in mine:
                own.setdefault(word, set()).update(mine)
                other.setdefault(word, set()).update(theirs)
    return {word: (frozenset(own[word]), frozenset(other[word])) for word in own}
