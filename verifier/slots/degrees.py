"""Degrees: how many (all, some, few) and how binding (must, may, will) a claim says it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.slots.negations import is_negated
from spanproof.verifier.slots.words import Likeness, to_veto

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.words import VetoKind, Words

#: (claim's degree, source's degree) and the (place, total) that the sentences must reach. Where
#: the claim says less than its source (some for all, may for must) they must be nearly the same.
_CONFLICTS = {
    ("all", "some"): (0.5, 1.1),
    ("all", "most"): (0.5, 1.1),
    ("all", "many"): (0.5, 1.1),
    ("all", "few"): (0.5, 1.0),
    ("most", "some"): (0.5, 1.1),
    ("most", "few"): (0.5, 1.0),
    ("most", "many"): (0.75, 1.6),
    ("many", "few"): (0.5, 1.0),
    ("some", "few"): (0.75, 1.6),
    ("few", "many"): (0.5, 1.0),
    ("few", "most"): (0.5, 1.0),
    ("few", "all"): (0.5, 1.0),
    ("few", "some"): (0.6, 1.2),
    ("some", "all"): (0.85, 1.75),
    ("most", "all"): (0.75, 1.6),
    ("many", "all"): (0.75, 1.6),
    ("always", "sometimes"): (0.5, 1.0),
    ("always", "rarely"): (0.5, 1.0),
    ("sometimes", "always"): (0.75, 1.5),
    ("rarely", "always"): (0.5, 1.0),
    ("rarely", "sometimes"): (0.5, 1.1),
    ("sometimes", "rarely"): (0.6, 1.3),
    ("must", "may"): (0.5, 1.1),
    ("must", "will"): (0.75, 1.6),
    ("will", "may"): (0.5, 1.1),
    ("may", "must"): (0.75, 1.6),
    ("may", "will"): (0.75, 1.65),
    ("will", "should"): (0.6, 1.3),
    ("must", "should"): (0.5, 1.1),
    ("should", "may"): (0.5, 1.1),
    ("should", "must"): (0.75, 1.6),
    ("should", "will"): (0.75, 1.6),
    ("may", "should"): (0.75, 1.6),
}
#: A conflict that needs this likeness is one of tone: the source may not say much besides.
_NEARLY_SAME = 1.5
_MAX_MORE = 2
#: How many words before the word that it governs a degree may stand.
_REACH = 4
#: What need not be done may be; what must not be done may not.
_DUTY = re.compile(
    r"\b(?P<said>(?P<free>need(?:s)?\s+not|needn['’]t"
    r"|(?:do|does|did|will|would)(?:\s+not|n['’]t)\s+(?:need|have)\s+to"
    r"|(?:is|are|was|were)(?:\s+not|n['’]t)\s+(?:required|obliged|bound)\s+to)"
    r"|(?:must|may|shall|can|could|should)\s*(?:not|n['’]t)|cannot|can['’]t|mustn['’]t)\s+\w",
    re.IGNORECASE,
)
#: A word with more places than this says nothing.
_MAX_PLACES = 60


def compare_quantifiers(claim: Words, premise: Words, locale: Locale) -> list[Veto]:
    """A veto for each quantifier before a word that the source quantifies otherwise."""
    return _compare(claim, premise, lexicon_of(locale).degrees, "quantifier", locale)


def compare_modals(claim: Words, premise: Words, locale: Locale) -> list[Veto]:
    """A veto for each modal before a word that the source puts under another one."""
    return _compare(claim, premise, lexicon_of(locale).bindings, "modality", locale)


def compare_duties(claim: Words, premise: Words, locale: Locale) -> list[Veto]:  # noqa: ARG001
    """A veto where one side forbids what the other leaves free: must not, need not."""
    vetoes = []
    ours, theirs = (list(_find_duties(words)) for words in (claim, premise))
    for is_free, span, governed in ours:
        same = [one for one in theirs if one[2] == governed]
        if same and all(one[0] != is_free for one in same):
            vetoes.append(to_veto("modality", claim, span, premise, same[0][1]))
    return vetoes


def _find_duties(words: Words) -> Iterator[tuple[bool, Span, str]]:
    """Whether it is free and not forbidden, where that is said, and the stem of what is."""
    for found in _DUTY.finditer(words.text):
        said = Span(*found.span("said"))
        _, behind = words.within(said)
        if behind < len(words.words):
            yield found["free"] is not None, said, words.words[behind].stem


def _compare(
    claim: Words, premise: Words, degrees: Mapping[str, str], kind: VetoKind, locale: Locale
) -> list[Veto]:
    vetoes = []
    for index, word in enumerate(claim.words):
        degree = degrees.get(word.text)
        governed = _governed_by(claim, index, degrees) if degree is not None else None
        if degree is None or governed is None:
            continue
        if word.text == "may" and word.capital and index > 0:
            continue
        found = _find_other(claim, governed, premise, degrees, own=degree)
        if found is None:
            continue
        other, place, alike = found
        needed = _CONFLICTS.get((degree, degrees[premise.words[other].text]))
        denied = is_negated(claim, governed, locale) == is_negated(premise, place, locale)
        if needed and needed[1] >= _NEARLY_SAME and _says_more(premise, place, claim, governed):
            continue
        if needed and denied and alike.place >= needed[0] and alike.total >= needed[1]:
            vetoes.append(to_veto(kind, claim, word.span, premise, premise.words[other].span))
    return vetoes


def _says_more(premise: Words, place: int, claim: Words, governed: int) -> bool:
    """Whether the source's sentence has several content words more than the claim's."""
    theirs, ours = premise.sentence(place), claim.sentence(governed)
    more = sum(word.content for word in premise.words[slice(*theirs)])
    return more > sum(word.content for word in claim.words[slice(*ours)]) + _MAX_MORE


def _governed_by(words: Words, index: int, degrees: Mapping[str, str]) -> int | None:
    """The first content word after a degree, if it is near and in the same sentence."""
    for place in range(index + 1, min(len(words.words), index + 1 + _REACH)):
        word = words.words[place]
        if word.sentence != words.words[index].sentence:
            return None
        if word.content and word.text not in degrees:
            return place
    return None


def _find_other(
    claim: Words, governed: int, premise: Words, degrees: Mapping[str, str], *, own: str
) -> tuple[int, int, Likeness] | None:
    """The degree that governs the same word in its likest place: degree, word, likeness.

    None if the claim's own stands there too ("several, but not all").
    """
    word = claim.words[governed]
    places = premise.places.get(word.stem, ())
    if not places or len(places) > _MAX_PLACES:
        return None
    alike, place = max(
        (
            (Likeness.of(claim, word.span, premise, premise.words[place].span), place)
            for place in places
        ),
        key=lambda found: (found[0].total, -found[1]),
    )
    first, _ = premise.sentence(place)
    before = range(place - 1, max(first, place - 2 * _REACH) - 1, -1)
    others = [other for other in before if premise.words[other].text in degrees]
    if any(degrees[premise.words[other].text] == own for other in others):
        return None
    if not others or others[0] < place - _REACH:
        return None
    return others[0], place, alike
