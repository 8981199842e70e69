"""What a claim changes although it has every word of a sentence: owners, parts, numbers, time.

"The hotel has rooms with a bath" does not say that the rooms have one; "one of the engines failed",
not that the engines did.
"""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.verifier.claims.verb_forms import BE, HAVE, PASTS, THIRD_PERSONS
from spanproof.verifier.language.plain_words import DENIALS
from spanproof.verifier.slots.roles.lines import is_participle
from spanproof.verifier.slots.taken.beginnings import read_sentence
from spanproof.verifier.slots.taken.small_words import (
    CONDITIONS,
    DETERMINERS,
    LIMITING,
    NUMERALS,
    PARTS,
    PREPOSITIONS,
    REFLEXIVES,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.coverage import Term
    from spanproof.verifier.slots.words import Word

_ON_CONDITION = frozenset(
    {"after", "before", "upon", "on", "by", "following", "for", "in", "without"}
)
#: How far before a participle its auxiliary may stand; "get paid" has one, too.
_AUXILIARY, _PASSIVE = 3, frozenset({"get", "gets", "got", "which", "that"})
#: Verbs with an "of" of their own: notified the owner of the breach.
_TAKES_OF = frozenset(
    f"{verb}{end}"
    for verb in ("notif", "inform", "accus", "convict", "depriv", "remind", "warn")
    for end in ("", "y", "e", "ies", "ied", "es", "s", "ed", "ing")
)
#: What follows a limit may stand in another order (each claim for theft, each theft claim): so many
#: of its words are read.
_MOST_TOLD = 3
_DOING = MappingProxyType({"do": "present", "does": "present", "did": "past"})
#: Words of a share before its last number ("three out of"); a longer number is a year.
_BEFORE, _MOST_DIGITS = 3, 3


def tells_twice(terms: Sequence[Term], claim: Content) -> bool:
    """Whether two words, joined by "and" or "or", stand for one: "wrote and composed", wrote."""
    words = claim.words.words
    for one, other in pairwise(terms):
        _, end = claim.words.within(one.span)
        start, _ = claim.words.within(other.span)
        joined = any(word.text in {"and", "or"} for word in words[end:start])
        if joined and len(one.places) == 1 and one.places == other.places:
            return True
    return False


def swaps_numbers(terms: Sequence[Term], claim: Content, source: Content) -> bool:
    """Whether two numbers stand in another order, and one of them beside other words.

    "Nine of the two wells" says "two of the nine wells" with each number in the other's place.
    """
    # Shares and counts are not taken for each other.
    numbers: dict[bool, list[tuple[int, int]]] = {False: [], True: []}
    for term in terms:
        first, _ = claim.words.within(term.span)
        keys = [key for key in claim.same[first] if key.startswith("#")]
        if keys and term.places:
            numbers[keys[0].endswith("%")].append((first, term.places[0]))
    return any(
        [place for _, place in pairs] != sorted(place for _, place in pairs)
        and any(not _find_beside(claim, one) & _find_beside(source, other) for one, other in pairs)
        for pairs in numbers.values()
    )


def _find_beside(content: Content, index: int) -> set[str]:
    """What stands at a number: the word before it, and the keys of the next that says something."""
    words = content.words.words
    found = {f"before {words[index - 1].text}"} if index else set()
    for place in range(index + 1, len(words)):
        if not content.empty[place]:
            return found | content.same[place]
    return found


def changes_owner(terms: Sequence[Term], claim: Content, source: Content) -> bool:
    """Whether somebody "has" something in another order than in the source, or it is another's."""
    words = claim.words.words
    has = any(
        word.text in HAVE and not is_participle(words[place].text)
        for place, word in enumerate(words[:-1], start=1)
    )
    places = [term.places[0] for term in terms if term.places]
    return (has and not claim.amounts and places != sorted(places)) or any(
        _names_owner(claim, claim.words.within(term.span)[0])
        and bool(term.places)
        and all(_is_led(source, place) for place in term.places)
        for term in terms
    )


def hangs_elsewhere(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """Whether what "of" leads hangs on another word: the council of the town, its plan."""
    ours = claim.words.words
    if not _TAKES_OF.isdisjoint(word.text for word in source.words.words[first:last]):
        return False
    for term in terms:
        index, _ = claim.words.within(term.span)
        places = term.within(first, last)
        head, their_head = (
            _find_head(claim, index),
            _find_head(source, places[0]) if places else None,
        )
        if head is None or their_head is None or len(places) > 1:
            continue
        said = next((t for t in terms if claim.words.within(t.span)[0] == head), None)
        if said is not None and their_head not in said.places and ours[head].text != "of":
            return True
    return False


def _find_head(content: Content, index: int) -> int | None:
    """The word before the "of" that leads a word, articles left out; None without one."""
    words = content.words.words
    place = index - 1
    while place > 0 and words[place].text in DETERMINERS:
        place -= 1
    if place <= 0 or words[place].text != "of":
        return None
    place -= 1
    # "80 per cent of the salary": the number.
    while place > 0 and content.empty[place]:
        place -= 1
    return place


def _names_owner(content: Content, index: int) -> bool:
    return content.words.words[index].text.endswith(("'s", "’s"))


def _is_led(source: Content, place: int) -> bool:
    """To China, from China; but of China and in China may be China's."""
    words = source.words.words
    if _names_owner(source, place):
        return False
    while place and words[place - 1].text in DETERMINERS:
        place -= 1
    return bool(place) and words[place - 1].text in PREPOSITIONS - {"of", "in"}


def moves_limit(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """Whether "only" or "no" goes with another word: no witness saw her, she saw no witness."""
    ours, theirs = claim.words.words, source.words.words
    low, _ = claim.words.within(terms[0].span)
    for place, word in enumerate(ours):
        if word.text not in LIMITING or claim.sentences[place] != claim.sentences[low]:
            continue
        held = [at for at in range(first, last) if theirs[at].text == word.text]
        behind = [term for term in terms if claim.words.within(term.span)[0] > place]
        most = 1 if word.text in DENIALS else _MOST_TOLD
        if behind and held and not any(_goes_with(source, at, last, behind, most) for at in held):
            return True
    return False


def _goes_with(source: Content, place: int, last: int, terms: Sequence[Term], most: int) -> bool:
    """Whether the next words that say something are the terms': "after the trip ends", its end.

    What ends a sentence ("the others do not") goes with what was said before.
    """
    following = [at for at in range(place + 1, last) if not source.empty[at]]
    return not following or any(
        all(not {*following[:count]}.isdisjoint(term.places) for term in terms[:count])
        for count in range(1, 1 + min(most, len(following), len(terms)))
    )


def adds_future(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """Whether the claim foretells what the sentence does not."""
    foretold = {"will", "would"} & {word.text for word in read_sentence(terms, claim)}
    return bool(foretold) and foretold.isdisjoint(
        word.text for word in source.words.words[first:last]
    )


def changes_tense(
    terms: Sequence[Term], path: Sequence[int], claim: Content, source: Content
) -> bool:
    """Whether a verb tells as past what the source tells as present, or the other way round.

    "Enters into force once ratified" is not "entered"; "invested until 2015" is not "invests".
    """
    for term, place in zip(terms, path, strict=False):
        first, last = claim.words.within(term.span)
        ours, theirs = _read_tense(claim, first), _read_tense(source, place)
        if last == first + 1 and ours and theirs and ours != theirs:
            return True
    return False


def _read_tense(content: Content, place: int) -> str | None:
    """The tense of a word that may be a verb by itself; None of a participle and other words."""
    words = content.words.words
    word = words[place].text
    before = words[place - 1].text if place else ""
    if before in _DOING:
        return _DOING[before]
    if before in DETERMINERS | PREPOSITIONS:
        return None
    if word in THIRD_PERSONS:
        return "present"
    near = {before.text for before in words[max(0, place - _AUXILIARY) : place]}
    is_past = word in PASTS or word.endswith("ed")
    return "past" if is_past and near.isdisjoint(BE | HAVE | _PASSIVE) else None


def exchanges_likes(
    terms: Sequence[Term], path: Sequence[int], claim: Content, source: Content
) -> bool:
    """Whether a word stands for a like one of a sentence that has both: clinic and hospital."""
    for term, place in zip(terms, path, strict=False):
        first, last = claim.words.within(term.span)
        stem = claim.words.words[first].stem
        if last != first + 1 or source.words.words[place].stem == stem:
            continue
        others = source.words.places.get(stem, ())
        # "Is permitted" may stand for "permitted" as one: its two words are no two things.
        apart = [other for other in others if abs(other - place) > 1]
        if any(source.sentences[other] == source.sentences[place] for other in apart):
            return True
    return False


def drops_condition(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """Whether the sentence says when or where it is so in words that say nothing by themselves."""
    told = {word.text for word in source.words.words[first:last]}
    said = {word.text for word in read_sentence(terms, claim)}
    return not told.isdisjoint(CONDITIONS) and said.isdisjoint(CONDITIONS | _ON_CONDITION)


def loses_part(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """Whether the claim leaves out that it was a part, or the doer: one of the engines, himself."""
    words = source.words.words
    said = {word.text for word in read_sentence(terms, claim)}
    doers = REFLEXIVES.intersection(word.text for word in words[first:last])
    if _find_shares(words, max(0, first - _BEFORE), last) - said:
        return True
    # "Per child and month": of each child, too.
    if any(
        words[place].text == "per"
        and words[place + 1].text != "cent"
        and not any(place + 1 in term.places for term in terms)
        for place in range(first, last - 1)
    ):
        return True
    return not doers <= said or any(
        words[place].text in PARTS
        and words[place + 1].text == "of"
        and words[place].text not in said
        for place in range(first, last - 1)
    )


def _find_shares(words: Sequence[Word], first: int, last: int) -> set[str]:
    """The first numbers of shares: "one" of "one in four", "3" of "3 out of 10"."""
    found = set()
    for place in range(first, last - 2):
        one, middle = words[place].text, words[place + 1].text
        is_long = middle == "out" and words[place + 2].text == "of"
        at = place + 3 if is_long else place + 2
        if (is_long or middle == "in") and at < last:
            found |= {one} if _is_count(one) and _is_count(words[at].text) else set()
    return found


def _is_count(word: str) -> bool:
    return word in NUMERALS or (word.isdigit() and len(word) <= _MOST_DIGITS)
