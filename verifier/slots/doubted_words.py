"""Negations, opposites and degrees of a claim that its source does not confirm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.language.kept import keep_last
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.slots.negations import find_negations, is_negated
from spanproof.verifier.slots.polarity import EXCEPTING, places_of, read_opposites
from spanproof.verifier.slots.roles.converses import is_converse
from spanproof.verifier.slots.words import Likeness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanproof.verifier.language.lexicon import Lexicon, Locale
    from spanproof.verifier.slots.alignment import Alignment, Doubt, DoubtKind
    from spanproof.verifier.slots.words import Word, Words

#: How many words after a negation may be denied by it.
_FOCUS_REACH = 6
#: How much liker the opposite's place must be than the word's own; where the source has the
#: opposite alone, how like (``Likeness.total``).
_LIKER, _LIKE = 0.2, 0.5
#: "May" is a permission or a chance: beside one of the others it is taken for a permission.
_PERMITTING = frozenset({"allowed", "can", "may", "permitted"})
#: More places of one word than this: the first are compared.
_MAX_PLACES = 60


def doubt_negations(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Words that the claim denies and the source does not, and the other way round."""
    claim, premise = alignment.claim, alignment.premise
    lexicon = lexicon_of(locale)
    for index in find_negations(claim.text, locale):
        sentences = alignment.best(index)
        around = (premise.words[each.first : each.last] for each in sentences)
        if not any(_denies(words, lexicon) for words in around):
            yield alignment.doubt("possible", "unconfirmed_negation", claim.words[index].span)
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
        for word in reached:
            if word.content and word.stem in claim.places:
                ours = claim.words[claim.places[word.stem][0]].span
                theirs = premise.words[negation].span
                yield alignment.doubt("possible", "unconfirmed_negation", ours, theirs)
                break


def doubt_opposites(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Words of a pair of opposites: likely if the source has the other one in the same place."""
    claim, premise = alignment.claim, alignment.premise
    table = read_opposites(locale)
    for index, word in enumerate(claim.words):
        if word.text not in table:
            continue
        own, opposite = table[word.text]
        begin, end = claim.sentence(index)
        if any(other.text in opposite for other in claim.words[begin:end]):
            continue
        same = list(places_of(premise, own))[:_MAX_PLACES]
        other = list(places_of(premise, opposite))[:_MAX_PLACES]
        best = max((_likeness(alignment, word, place) for place in same), default=0.0)
        nearest = max(
            other, key=lambda place: (_likeness(alignment, word, place), -place), default=None
        )
        if nearest is not None:
            likeness = _likeness(alignment, word, nearest)
            if _is_turned(alignment, index, nearest, locale):
                continue
            if is_negated(claim, index, locale) != is_negated(premise, nearest, locale):
                # Prohibited, not allowed: what one denies the other says by its opposite.
                continue
            if likeness - best >= _LIKER and (same or likeness >= _LIKE):
                theirs = premise.words[nearest].span
                yield alignment.doubt("likely", "unconfirmed_antonym", word.span, theirs)
                continue
        if not same:
            yield alignment.doubt("possible", "unconfirmed_antonym", word.span)


def _is_turned(alignment: Alignment, index: int, place: int, locale: Locale) -> bool:
    """Whether the opposite says the same there: A before B, B after A; open except on Mondays."""
    _, last = alignment.premise.sentence(place)
    if any(word.text in EXCEPTING for word in alignment.premise.words[place:last]):
        return True
    return is_converse(alignment.claim, index, alignment.premise, place, locale)


def _likeness(alignment: Alignment, word: Word, place: int) -> float:
    other = alignment.premise.words[place].span
    return Likeness.of(alignment.claim, word.span, alignment.premise, other).total


def doubt_degrees(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Words for how many, how often and how binding, of which the source has no similar one."""
    lexicon = lexicon_of(locale)
    bindings = {
        word: "chance" if word in lexicon.chances else rank
        for word, rank in lexicon.bindings.items()
    }
    tables: tuple[tuple[DoubtKind, dict[str, str]], ...] = (
        ("unconfirmed_quantifier", dict(lexicon.degrees)),
        ("unconfirmed_modality", bindings),
    )
    texts = _read_forms(alignment.premise)
    for kind, table in tables:
        known = {table[text] for text in texts & table.keys()}
        for index, word in enumerate(alignment.claim.words):
            is_month = word.text == "may" and word.capital and index > 0
            if is_month or (word.text in _PERMITTING and not texts.isdisjoint(_PERMITTING)):
                continue
            if word.text in table and table[word.text] not in known:
                yield alignment.doubt("possible", kind, word.span)


@keep_last
def _read_forms(words: Words) -> frozenset[str]:
    """Every word of a text as it is written, in lower case."""
    return frozenset(word.text for word in words.words)
