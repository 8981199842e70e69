"""What a claim changes although it has every word of a sentence: owners, parts, numbers, time.

"The hotel has rooms with a bath" does not say that the rooms have one; "one of the engines failed",
not that the engines did.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.verifier.claims.verb_forms import HAVE
from spanproof.verifier.slots.roles.lines import is_participle
from spanproof.verifier.slots.taken.beginnings import read_sentence
from spanproof.verifier.slots.taken.small_words import PARTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.coverage import Term


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


def changes_owner(terms: Sequence[Term], claim: Content) -> bool:
    """Whether somebody "has" something, and the words stand in another order than in the source."""
    words = claim.words.words
    has = any(
        word.text in HAVE and not is_participle(words[place].text)
        for place, word in enumerate(words[:-1], start=1)
    )
    places = [term.places[0] for term in terms if term.places]
    return has and not claim.amounts and places != sorted(places)


def adds_future(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """Whether the claim foretells what the sentence does not."""
    foretold = {"will", "would"} & {word.text for word in read_sentence(terms, claim)}
    return bool(foretold) and foretold.isdisjoint(
        word.text for word in source.words.words[first:last]
    )


def loses_part(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """Whether the claim tells of a whole what the sentence tells of a part: one of the engines."""
    words = source.words.words
    said = {word.text for word in read_sentence(terms, claim)}
    return any(
        words[place].text in PARTS
        and words[place + 1].text == "of"
        and words[place].text not in said
        for place in range(first, last - 1)
    )
