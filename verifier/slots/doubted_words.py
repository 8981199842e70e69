"""Negations, opposites and degrees of a claim that its source does not confirm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.lexicon import lexicon_of
from verifier.slots.negations import find_negations
from verifier.slots.polarity import places_of, read_opposites
from verifier.slots.words import Likeness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verifier.lexicon import Lexicon, Locale
    from verifier.slots.alignment import Alignment, Doubt, DoubtKind
    from verifier.slots.words import Word, Words

#: The share of a claim's sentence that a sentence must hold whose denial the claim leaves out.
_DENIED_SHARE = 0.6
#: How many words after a negation may be what it denies.
_FOCUS_REACH = 6
#: How much liker the opposite's place must be than the word's own; where the source has the
#: opposite alone, how much of the claim any of its sentences must share.
_LIKER, _SHARED = 0.2, 0.2
#: More places of one word than this: the first are compared.
_MAX_PLACES = 60


def doubt_negations(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """What the claim denies where nothing does in the source, and what it leaves undenied."""
    claim, premise = alignment.claim, alignment.premise
    lexicon = lexicon_of(locale)
    for index in find_negations(claim.text, locale):
        sentences = alignment.best(index)
        around = (premise.words[each.first : each.last] for each in sentences)
        if not any(_denies(words, lexicon) for words in around):
            yield alignment.doubt("likely", "unconfirmed_negation", claim.words[index].span)
    if not _denies(claim.words, lexicon):
        yield from _doubt_undenied(alignment, locale)


def _denies(words: Iterable[Word], lexicon: Lexicon) -> bool:
    """Whether any word denies, if only in its own way (fail, few)."""
    return any(
        word.text in lexicon.negations
        or word.text.endswith("n't")
        or word.text in lexicon.negative_words
        for word in words
    )


def _doubt_undenied(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    claim, premise = alignment.claim, alignment.premise
    for negation in find_negations(premise.text, locale):
        _, last = premise.sentence(negation)
        reached = premise.words[negation + 1 : min(last, negation + 1 + _FOCUS_REACH)]
        focus = [word for word in reached if word.content]
        place = next((word for word in focus if word.stem in claim.places), None)
        if place is None:
            continue
        index = claim.places[place.stem][0]
        share = next(e.share for e in alignment.sentences(index) if e.first <= negation < e.last)
        likely = place is focus[0] and share >= _DENIED_SHARE
        yield alignment.doubt(
            "likely" if likely else "possible",
            "unconfirmed_negation",
            claim.words[index].span,
            premise.words[negation].span,
        )


def doubt_opposites(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Words of a pair of opposites: likely where the source has the other one, in its place."""
    claim, premise = alignment.claim, alignment.premise
    table = read_opposites(locale)
    for index, word in enumerate(claim.words):
        if word.text not in table:
            continue
        own, opposite = table[word.text]
        same = list(places_of(premise, own))[:_MAX_PLACES]
        other = list(places_of(premise, opposite))[:_MAX_PLACES]
        if not other:
            if not same:
                yield alignment.doubt("possible", "unconfirmed_antonym", word.span)
            continue
        nearest = max(other, key=lambda place: (_likeness(alignment, word, place), -place))
        if same:
            best = max(_likeness(alignment, word, place) for place in same)
            likely = _likeness(alignment, word, nearest) - best >= _LIKER
        else:
            likely = any(each.share >= _SHARED for each in alignment.sentences(index))
        if likely or not same:
            yield alignment.doubt(
                "likely" if likely else "possible",
                "unconfirmed_antonym",
                word.span,
                premise.words[nearest].span,
            )


def _likeness(alignment: Alignment, word: Word, place: int) -> float:
    other = alignment.premise.words[place].span
    return Likeness.of(alignment.claim, word.span, alignment.premise, other).total


def doubt_degrees(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """How many, how often and how binding, in words of which the source has none alike."""
    lexicon = lexicon_of(locale)
    bindings = {
        word: "chance" if word in lexicon.chances else rank
        for word, rank in lexicon.bindings.items()
    }
    tables: tuple[tuple[DoubtKind, dict[str, str]], ...] = (
        ("unconfirmed_quantifier", dict(lexicon.degrees)),
        ("unconfirmed_modality", bindings),
    )
    for kind, table in tables:
        known = _ranks(alignment.premise, table)
        for index, word in enumerate(alignment.claim.words):
            is_month = word.text == "may" and word.capital and index > 0
            if word.text in table and table[word.text] not in known and not is_month:
                yield alignment.doubt("possible", kind, word.span)


def _ranks(words: Words, table: dict[str, str]) -> set[str]:
    """The ranks of a table of which a text has a word."""
    return {table[word.text] for word in words.words if word.text in table}
