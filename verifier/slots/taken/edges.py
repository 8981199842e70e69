"""What stands right before and behind the words that a claim takes out of a sentence.

"Apple resigned" stands word for word in "the founder of Apple resigned", "the office" in "the
office furniture", "may" in "in May or June". Such words do not stand alone: what they leave out
beside them says of whom they speak, or how far they reach. So they are not taken for the claim.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.verifier.claims.statements import has_clause
from spanproof.verifier.claims.verb_forms import ALL_BASES, BE, FINITE
from spanproof.verifier.language.word_forms import is_plural
from spanproof.verifier.slots.roles.lines import is_participle
from spanproof.verifier.slots.taken.beginnings import (
    begins_alone,
    is_joined,
    read_sentence,
    says_more,
)
from spanproof.verifier.slots.taken.shortened import tells_past
from spanproof.verifier.slots.taken.small_words import (
    ALTERNATIVES,
    ASIDE,
    BOUNDS,
    CLAIMING,
    CONDITIONS,
    CURRENCIES,
    DETERMINERS,
    ELSEWHERE,
    GOES_ON,
    GRANTED,
    LIMITS,
    NUMERALS,
    PREPOSITIONS,
    QUANTIFIERS,
    RELATIONAL,
    RESTRICTING,
    TIMES,
    UNITS,
    WHILE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.coverage import Term
    from spanproof.verifier.slots.words import Word

#: A noun has at most so many words before it.
_MAX_NOUN = 9
_PRESENT = frozenset({"is", "are", "be", "remains", "remain"})
#: Before a name or a time: where or when it was.
_PLACING = frozenset({"in", "on", "at"})
#: Behind an amount: it is one of each.
_RATES = frozenset({"a", "an", "per", "each", "every"})
#: Behind what somebody or something was: of whom or of what it was so.
_OF_WHOM = frozenset({"against", "for", "among"})
#: "In 85 % of cases", "in three of the villages": not in all of them.
_IN_SOME = re.compile(
    r"\s*(?:in|on|at) (?:about |only |some |just )?"
    r"(?:\d[\d.,]*\s*(?:%|per ?cent)|(?:\d+|most|some|many|few|half|parts?|one|two|three|four|five|"
    r"six|seven|eight|nine|ten) (?:out )?of\b)"
)
#: Behind "for the": only so long, or so many of them.
_TURNS = frozenset({"first", "last", "next", "initial", "remaining"})
#: For whom it is so: what is so in general is not so of others.
_WIDE = frozenset({"for", "without", "among"})
#: A fragment has so many words at most.
_MAX_FRAGMENT = 6


def is_taken_whole(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """Whether nothing beside a stretch of a source's words changes what the claim takes of it.

    A claim without a clause ("Four business days.") states nothing, so nothing can change it.
    """
    is_fragment = _is_fragment(read_sentence(terms, claim), claim)
    # What opens a sentence may be all of it, with a verb that no list has: "the test finds cracks".
    return (is_fragment and not _opens_sentence(source, first)) or (
        begins_alone(terms, claim, source, first)
        and ends_alone(terms, claim, source, last)
        and is_undivided(claim, source, first)
    )


def ends_alone(terms: Sequence[Term], claim: Content, source: Content, last: int) -> bool:
    """Whether nothing right behind a source's word belongs to it or bounds what is said."""
    words = source.words.words
    # "Is permitted" may stand for "permitted": its last word counts.
    while any(last in term.places and last + 1 in term.places for term in terms):
        last += 1
    while last + 1 < len(words) and (
        words[last].end == words[last + 1].start
        or (words[last].text[0].isdigit() and words[last + 1].text in CURRENCIES)
    ):
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
    told = {word.text for word in said if not word.capital}
    if following in GOES_ON:
        return _adds_a_part(source, last, told)
    if says_more(said, claim) or (following in BOUNDS and not _bounds_nothing(source, behind)):
        return False
    if _is_restricted(source, last, told):
        return False
    if following in LIMITS and not told.isdisjoint(GRANTED):
        return False
    return source.empty[behind] or not _is_noun(source, behind)


def _adds_a_part(source: Content, last: int, told: set[str]) -> bool:
    """Whether a word that goes on only adds another part to what was said."""
    following = source.words.words[last + 1].text
    if following in WHILE:
        # "Must not be opened while the motor runs": of what is so in general, when it is.
        return tells_past(told)
    return following != "and" or not _is_counted_with(source, last)


def _is_placed(source: Content, behind: int, told: set[str]) -> bool:
    """Whether a place bounds what is counted or allowed: [holds 60 %] in Spain."""
    words = source.words.words
    if words[behind].text not in _PLACING:
        return False
    led = words[behind + 1 : behind + 2]
    counts = bool(led) and not led[0].text[0].isdigit() and any(word[0].isdigit() for word in told)
    return counts or not told.isdisjoint(GRANTED)


def _is_restricted(source: Content, last: int, told: set[str]) -> bool:
    """Whether what follows says when it holds, or which ones of a thing without an article.

    "Covers damage caused by fire" says of no other damage that it is covered; "signed a contract
    with Alpha" and "sold shoes in Rome" say that somebody signed and sold.
    """
    words = source.words.words
    following = words[last + 1].text
    behind = words[last + 2 : last + 4]
    is_past = tells_past(told)
    is_placed = not is_past and _is_placed(source, last + 1, told)
    if is_placed or _IN_SOME.match(source.words.text, words[last].end):
        return True
    is_amount = any({last - 1, last} & {*places} for _, places in source.amounts)
    if (behind and behind[0].text == "than") or (is_amount and following in _RATES):
        return True
    if following in CONDITIONS | ELSEWHERE and not is_past:
        return True
    if _goes_on(words[last].text, following, {word.text for word in behind}):
        return True
    if following not in RESTRICTING and not is_participle(following):
        return False
    # "Runs for five years from 1 March 2024": since when, and not of which of them.
    is_dated = bool(behind) and (
        behind[0].text[0].isdigit() or (following == "from" and behind[-1].text == "date")
    )
    if not is_past and ((is_amount and not is_dated) or _is_general(source, last)):
        return True
    if not behind or not (behind[0].capital or behind[0].text[0].isdigit()):
        if following in _OF_WHOM and _is_predicate(source, last):
            return True
    elif following in _PLACING:
        return False
    return not (following in _PLACING and behind and behind[0].text in TIMES) and _is_bare(
        source, last
    )


def _goes_on(noun: str, following: str, behind: set[str]) -> bool:
    """Whether a noun goes on: damage to, a claim for; "for the first five years"; per user."""
    if following == "per":
        return "cent" not in behind
    if following == "for":
        return noun in CLAIMING or not _TURNS.isdisjoint(behind)
    return following == "to" and noun in RELATIONAL


def _is_general(source: Content, last: int) -> bool:
    """Whether what follows a word tells when, for whom or with what it is so in general."""
    words = source.words.words
    following, behind = words[last + 1].text, words[last + 2 : last + 4]
    if words[last - 1].text in _PRESENT:
        # "Is safe in adults", "is open on Sundays".
        return True
    if following in _WIDE:
        return not behind or not behind[0].text[0].isdigit()
    return following in _PLACING and any(word.text in TIMES | UNITS for word in behind)


def _is_predicate(source: Content, last: int) -> bool:
    """Whether a word tells what somebody or something was: [was 95 %] effective."""
    words = source.words.words
    near = range(max(0, last - 3), last)
    return any(words[at].text in BE for at in near) and not is_participle(words[last].text)


def _is_bare(source: Content, last: int) -> bool:
    """Whether a word is a noun without an article or a number, and no name."""
    words = source.words.words
    noun = words[last]
    if noun.capital or not noun.text.isalpha() or noun.text in FINITE | PREPOSITIONS | ASIDE:
        return False
    if noun.text in TIMES | UNITS or noun.text.endswith("ly") or is_participle(noun.text):
        return False
    place = last - 1
    while is_joined(source, place) and place > last - _MAX_NOUN:
        word = words[place]
        if word.text in DETERMINERS or word.capital or word.text[0].isdigit():
            return False
        if word.text.endswith(("'s", "’s")) or word.text in NUMERALS | QUANTIFIERS:
            return False
        if word.text in FINITE | PREPOSITIONS or source.empty[place] or is_plural(word.text):
            # A verb may look like a plural: "licenses pilots".
            return True
        place -= 1
    return True


def _opens_sentence(source: Content, first: int) -> bool:
    words = source.words.words
    while first and words[first - 1].text in DETERMINERS:
        first -= 1
    return not first or source.sentences[first - 1] != source.sentences[first]


def _is_fragment(said: Sequence[Word], claim: Content) -> bool:
    verbs = {word.text for word in said[1:]} & (ALL_BASES | FINITE)
    is_short = len(said) <= _MAX_FRAGMENT and not verbs
    # A verb that no list has: "exports go to China", "ships use diesel".
    is_short &= not any(
        is_plural(one.text)
        and not (one.capital and other.capital)
        and other.text not in PREPOSITIONS | {"and", "or"}
        for one, other in pairwise(said)
    )
    return is_short and not has_clause(claim.words.text[said[0].start : said[-1].end])


def is_one_amount(source: Content, first: int, last: int) -> bool:
    """Whether a number with its unit is the next part of an amount: 3 hours and 18 minutes."""
    words = source.words.words
    low, high = max(0, first - 1), min(len(words), last + 2)
    before = [word.text for word in words[low : first + 1]]
    behind = [word.text for word in words[last:high]]
    return (
        before[-1] in UNITS
        and (before[0][0].isdigit() or before[0] in NUMERALS)
        and (behind[0][0].isdigit() or behind[0] in NUMERALS)
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
        or following.text in DETERMINERS | PREPOSITIONS | FINITE | ASIDE
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
        or word.text in FINITE | ASIDE | PREPOSITIONS
        or word.text.endswith(("ly", "ing", "ed"))
    )
