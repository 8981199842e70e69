"""What stands right before and behind the words that a claim takes out of a sentence.

"Apple resigned" stands word for word in "the founder of Apple resigned", "the office" in "the
office furniture", "may" in "in May or June". Such words do not stand alone: what they leave out
beside them says of whom they speak, or how far they reach. So they are not taken for the claim.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.verifier.claims.statements import has_clause
from spanproof.verifier.claims.verb_forms import (
    ALL_BASES,
    AUXILIARIES,
    PASTS,
    THIRD_PERSONS,
    UNSURE_THIRD_PERSONS,
)
from spanproof.verifier.slots.taken.beginnings import (
    begins_alone,
    is_joined,
    read_sentence,
    says_more,
)
from spanproof.verifier.slots.taken.small_words import (
    ALLOWED,
    ALTERNATIVES,
    ASIDE,
    BOUNDS,
    DETERMINERS,
    GOES_ON,
    LIMITS,
    PREPOSITIONS,
    TIMES,
    UNITS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.coverage import Term
    from spanproof.verifier.slots.words import Word

_VERBS = AUXILIARIES | PASTS | THIRD_PERSONS | UNSURE_THIRD_PERSONS
_MARK = re.compile(r"[^\s\w'’/-]")
#: A fragment has so many words at most.
_MAX_FRAGMENT = 6


def is_taken_whole(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """Whether nothing beside a stretch of a source's words changes what the claim takes of it.

    A claim without a clause ("Four business days.") states nothing, so nothing can change it.
    """
    return _is_fragment(read_sentence(terms, claim), claim) or (
        begins_alone(terms, claim, source, first)
        and ends_alone(terms, claim, source, last)
        and is_undivided(claim, source, first)
    )


def ends_alone(terms: Sequence[Term], claim: Content, source: Content, last: int) -> bool:
    """Whether nothing right behind a source's word belongs to it or bounds what is said."""
    words = source.words.words
    while last + 1 < len(words) and words[last].end == words[last + 1].start:
        last += 1
    behind = last + 1
    if behind == len(words) or source.sentences[behind] != source.sentences[last]:
        return True
    following = words[behind].text
    if following in ALTERNATIVES:
        return False
    if not is_joined(source, last):
        return True
    said = read_sentence(terms, claim)
    if following in GOES_ON:
        return following != "and" or not _is_counted_with(source, last)
    if says_more(said, claim) or (following in BOUNDS and not _bounds_nothing(source, behind)):
        return False
    if following in LIMITS and any(w.text in ALLOWED and not w.capital for w in said):
        return False
    return source.empty[behind] or not _is_noun(source, behind)


def _is_fragment(said: Sequence[Word], claim: Content) -> bool:
    verbs = {word.text for word in said[1:]} & (ALL_BASES | _VERBS)
    is_short = len(said) <= _MAX_FRAGMENT and not verbs
    return is_short and not has_clause(claim.words.text[said[0].start : said[-1].end])


def is_one_amount(source: Content, first: int, last: int) -> bool:
    """Whether a number with its unit is the next part of an amount: 3 hours and 18 minutes."""
    words = source.words.words
    low, high = max(0, first - 1), min(len(words), last + 2)
    before = [word.text for word in words[low : first + 1]]
    behind = [word.text for word in words[last:high]]
    return (
        before[-1] in UNITS
        and before[0][0].isdigit()
        and behind[0][0].isdigit()
        and behind[-1] in UNITS
    )


def is_undivided(claim: Content, source: Content, place: int) -> bool:
    """Whether the sentence of a source's word does not give each of several things its own."""
    if "respectively" not in source.words.text:
        return True
    if any(word.text == "respectively" for word in claim.words.words):
        return True
    return all(
        word.text != "respectively" or number != source.sentences[place]
        for word, number in zip(source.words.words, source.sentences, strict=True)
    )


def _is_counted_with(source: Content, last: int) -> bool:
    """Whether "and" behind a word goes on with what is counted or measured: passengers and crew."""
    words, behind = source.words.words, last + 2
    if behind >= len(words):
        return False
    if is_one_amount(source, last, behind):
        return True
    following = words[behind]
    counted = any(word.text[0].isdigit() for word in words[max(0, last - 2) : last + 1])
    return counted and not (
        following.text[0].isdigit()
        or following.text in DETERMINERS | PREPOSITIONS | _VERBS | ASIDE
        or source.empty[behind]
        or following.capital
        or following.text.endswith(("ed", "ly", "ing"))
    )


def _bounds_nothing(source: Content, index: int) -> bool:
    """Whether the word limits nothing: "over" without a number, "of" behind a name or an amount."""
    words = source.words.words
    if words[index].text == "of":
        one = words[index - 1]
        return one.capital or one.text[0].isdigit() or one.text in UNITS | TIMES
    return not any(word.text[0].isdigit() for word in words[index + 1 : index + 3])


def _is_noun(source: Content, index: int) -> bool:
    """Whether a word may be the head of what stands before it: office furniture."""
    word = source.words.words[index]
    return not (
        word.capital
        or not word.text.isalpha()
        or word.text in _VERBS | ASIDE | PREPOSITIONS
        or word.text.endswith(("ly", "ing", "ed"))
    )
