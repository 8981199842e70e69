"""What stands right before the words that a claim takes out of a sentence.

"Apple resigned" stands word for word in "the founder of Apple resigned", "nurses may prescribe" in
"registered nurses may prescribe": what is left out there says of whom they speak.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.verifier.claims.verb_forms import FINITE, HAVE
from spanproof.verifier.language.word_forms import is_plural
from spanproof.verifier.slots.negations import find_negations
from spanproof.verifier.slots.taken.openings import skip_opening
from spanproof.verifier.slots.taken.shortened import tells_past
from spanproof.verifier.slots.taken.small_words import (
    ALTERNATIVES,
    ASIDE,
    AT,
    CONDITIONING,
    CONDITIONS,
    DATING,
    DETERMINERS,
    GRANTED,
    INSTITUTIONS,
    KINDS_IN_LY,
    LABELS,
    LIMITS,
    NAMED_AFTER,
    NEARLY,
    NUMERALS,
    OTHERWISE,
    PREPOSITIONS,
    QUANTIFIERS,
    TELLING,
    TIMES,
    TITLES,
    TOGETHER,
    UNITS,
    UNIVERSAL,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.coverage import Term
    from spanproof.verifier.slots.words import Word


_MARK = re.compile(r"[^\s\w'’/%€$£°-]")
_LEAST_SUPERLATIVE = 6
#: How words end that tell the nation of somebody.
_NATIONS = ("an", "ese", "ish", "ch", "ic", "ean")
#: How many words of the other member of a coordination are read.
_MAX_MEMBER = 6


def begins_alone(terms: Sequence[Term], claim: Content, source: Content, first: int) -> bool:
    """Whether nothing right before a source's word makes it part of something else."""
    words = source.words.words
    before = first - 1
    while is_joined(source, before) and words[before].text in DETERMINERS:
        before -= 1
    if not is_joined(source, before):
        is_past = tells_past({word.text for word in read_sentence(terms, claim)})
        return not _is_conditioned(source, before + 1, is_past=is_past)
    word = words[before].text
    if word in ALTERNATIVES or word in OTHERWISE:
        return False
    said = _read_before(terms, claim, source)
    if word not in said and (
        word in QUANTIFIERS or (word in NEARLY and _is_amount(words[first].text))
    ):
        return False
    if _is_kind_left_out(terms, claim, source, first, before) or _is_name_cut(source, first):
        return False
    if words[first].capital:
        # "The widow of painter Emil Horn": what stands before the title counts.
        while is_joined(source, before - 1) and words[before].text in TITLES:
            before -= 1
            while is_joined(source, before - 1) and _tells_kind(source, before):
                before -= 1
        word = words[before].text
    if word in PREPOSITIONS:
        return word in said or (word == "with" and not said.isdisjoint(HAVE))
    return word != "and" or _is_member_alone(terms, claim, source, before)


def _is_conditioned(source: Content, start: int, *, is_past: bool) -> bool:
    """Whether a phrase before a comma says when or of what the words behind it are so.

    "With her consent, he may sublet", "in Germany, the rate is 19 %", "in mice, it reduced pain";
    what happened in 2015 or in Rome happened.
    """
    words = source.words.words
    gap = source.words.text[words[start - 1].end : words[start].start].strip() if start else ""
    if gap.startswith(":"):
        return words[start - 1].text in LABELS
    if gap != ",":
        return False
    opening = start - 1
    while opening and source.sentences[opening - 1] == source.sentences[start]:
        opening -= 1
    if words[opening].text in CONDITIONS | CONDITIONING:
        return True
    if words[opening].text not in PREPOSITIONS | LIMITS:
        return False
    led = words[opening + 1]
    is_set = led.capital or led.text[0].isdigit() or led.text in TIMES | DETERMINERS
    return not (is_past and is_set)


def _is_amount(word: str) -> bool:
    return word[0].isdigit() or word in NUMERALS or word in UNIVERSAL


def _is_member_alone(terms: Sequence[Term], claim: Content, source: Content, joint: int) -> bool:
    """Whether what stands behind an "and" is not meant with what stands before it.

    "The merger of Alpha and Beta": what holds of both says nothing of one.
    """
    words = source.words.words
    if not TOGETHER.isdisjoint(word.text for word in read_sentence(terms, claim)):
        return False
    if words[joint + 1].text in DETERMINERS:
        return True
    place = joint - 1
    while is_joined(source, place) and place >= joint - _MAX_MEMBER:
        if words[place].text in FINITE:
            return True
        if words[place].text in PREPOSITIONS:
            return words[place].text in _read_before(terms, claim, source)
        place -= 1
    return True


def _is_kind_left_out(
    terms: Sequence[Term], claim: Content, source: Content, first: int, before: int
) -> bool:
    """Whether a kind of what the claim begins with is told as all of it.

    "Registered nurses may prescribe" says it of no other nurse.
    """
    words = source.words.words
    if before != first - 1 or words[first].capital or not _narrows(source, before):
        return False
    while is_joined(source, before) and _narrows(source, before):
        before -= 1
    if not is_joined(source, before) or words[before].text in {"a", "an"}:
        return True
    said = read_sentence(terms, claim)
    return words[before].text in DETERMINERS and (
        is_plural(words[first].text)
        or words[first - 1].text in TELLING
        or any(word.text in GRANTED and not word.capital for word in said)
        or says_more(said, claim)
    )


def _is_name_cut(source: Content, first: int) -> bool:
    """Whether a name begins before the word: the Queen in Queen Elizabeth Hospital, South Sudan."""
    words = source.words.words
    before = words[first - 1]
    if not (words[first].capital and before.capital and is_joined(source, first - 1)):
        return False
    last = first
    while is_joined(source, last) and words[last + 1].capital:
        last += 1
    named = {word.text for word in words[first : last + 1]}
    if before.text in NAMED_AFTER or not named.isdisjoint(INSTITUTIONS):
        return True
    called = before.text in TITLES or before.text.endswith(_NATIONS) or source.empty[first - 1]
    return last > first and not called


def _tells_kind(source: Content, index: int) -> bool:
    """Whether a word may go with a title: [the] Dutch [painter]."""
    return not source.empty[index] and source.words.words[index].text not in PREPOSITIONS | FINITE


def _narrows(source: Content, index: int) -> bool:
    """Whether a word may tell which ones of those that the next word names."""
    word = source.words.words[index]
    opens = not index or source.sentences[index - 1] != source.sentences[index]
    return not (
        source.empty[index]
        or (word.capital and not opens)
        or not word.text.isalpha()
        or word.text in FINITE | ASIDE | PREPOSITIONS
        or (word.text.endswith("ly") and word.text not in KINDS_IN_LY)
    )


def _read_before(terms: Sequence[Term], claim: Content, source: Content) -> set[str]:
    """The claim's own words before its first one that says something, without its opening."""
    words = claim.words.words
    first, _ = claim.words.within(terms[0].span)
    place = first
    while place and claim.sentences[place - 1] == claim.sentences[first]:
        place -= 1
    place = skip_opening(claim, source, range(place, first + 1))
    return {word.text for word in words[place:first]}


def is_joined(source: Content, index: int) -> bool:
    """Whether a word and the next one stand in one sentence without a mark between them."""
    words = source.words.words
    if index < 0 or index + 1 == len(words):
        return False
    if source.sentences[index] != source.sentences[index + 1]:
        return False
    return not _MARK.search(source.words.text, words[index].end, words[index + 1].start)


def read_sentence(terms: Sequence[Term], claim: Content) -> list[Word]:
    """The words of the claim's sentence that has the terms."""
    first, _ = claim.words.within(terms[0].span)
    return [
        word
        for word, sentence in zip(claim.words.words, claim.sentences, strict=True)
        if sentence == claim.sentences[first]
    ]


def says_more(said: Sequence[Word], claim: Content) -> bool:
    """Whether a sentence says more if a limit is left out: it has "none", "all", "the largest"."""
    negations = find_negations(claim.words.text)
    denied = {claim.words.words[index].start for index in negations}
    told = ["", *(word.text for word in said), "", ""]
    return any(
        word.start in denied
        or (word.text in UNIVERSAL and not _is_dating(told[at : at + 4]))
        or (word.text.endswith("est") and len(word.text) >= _LEAST_SUPERLATIVE and not word.capital)
        for at, word in enumerate(said)
    )


def _is_dating(told: Sequence[str]) -> bool:
    """Whether a word between the one before and two behind dates or counts: at least, each week."""
    before, word, *behind = told
    if word in AT:
        return before == "at"
    return word in DATING and not (TIMES | UNITS).isdisjoint(behind)
