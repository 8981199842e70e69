"""Whether a claim that has all words of a sentence says it in an order that keeps its meaning.

"Born in Bonn, she died in Kiel" has every word of "born in Kiel, she died in Bonn". One part that
moves keeps the meaning ("in May the work begins"), and so do a list in another order and a passive
with its agent. Two parts that change places may exchange who does what to whom.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.verifier.claims.verb_forms import BE
from spanproof.verifier.language.plain_words import DENIALS
from spanproof.verifier.slots.roles.lines import is_participle
from spanproof.verifier.slots.taken.markers import find_marker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.coverage import Term

_NO = frozenset({"no", "none", "nobody", "neither", "nothing"})
#: Words of a sentence that is short.
_MAX_TOLD_ANEW = 7
#: Two parts and what stands between them.
_EXCHANGED = 3
_PIECE = re.compile(r"\w+|[^\s\w]")
_NEW_STATEMENT = frozenset({"and", "but", "or", "while", "whereas"})
#: What stands between the items of a list, and what else may stand between words of one.
_NEW_ITEM = frozenset({",", ";", "&", "and", "or"})
_WITHIN = frozenset({"the", "a", "an", '"', "“", "”", "'"})


def counts_alike(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """Whether no word stands more often on one side than on the other.

    "All but Ferris left" holds "all left" and a second Ferris.
    """
    ours: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for term in terms:
        text = claim.words.text[term.span.start : term.span.end].lower()
        # "Neither written nor" is not what one "not" elsewhere says.
        ours["not" if text in DENIALS else text, term.within(first, last)] += 1
    if any(count > len(places) for (_, places), count in ours.items()):
        return False
    words = source.words.words
    given: dict[str, list[int]] = {}
    for place in range(first, last):
        if not source.empty[place]:
            given.setdefault(words[place].text, []).append(place)
    return all(
        len(places) == 1
        or sum(not set(places).isdisjoint(term.places) for term in terms) >= len(places)
        for places in given.values()
    )


def keeps_order(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """Whether the terms stand in such an order in a sentence of the source (a range of words).

    Words that stand there more than once tell no order.
    """
    placed = [
        (number, places[0])
        for number, term in enumerate(terms)
        if (places := term.within(first, last)) and places[-1] - places[0] == len(places) - 1
    ]
    order = [place for _, place in placed]
    if _is_moved_once(order) or _is_list_turned(order, source):
        return True
    marked = _find_marked(terms, placed, claim, source)
    if _is_shared_out(order, marked, source):
        return False
    rest = [one for one in placed if one[1] not in marked]
    bare = [place for _, place in rest]
    return (
        (_is_moved_once(bare) and _keeps_named(bare, source))
        or any(_is_voice_turned(terms, some, claim, source) for some in (placed, rest))
        or (_count_amounts(order, source) <= 1 and _is_told_anew(bare, source))
    )


def _is_shared_out(order: Sequence[int], marked: set[int], source: Content) -> bool:
    """Whether two phrases change places between two statements.

    "Breeds on lakes and winters at coasts" is not "breeds at coasts and winters on lakes".
    """
    words = source.words.words
    return any(
        other < one and any(words[place].text in _NEW_STATEMENT for place in range(other, one))
        for one, other in pairwise([place for place in order if place in marked])
    )


def _count_amounts(order: Sequence[int], source: Content) -> int:
    """How many numbers there are: each of two is one of something."""
    return sum(source.words.words[place].text[0].isdigit() for place in order)


def _is_told_anew(order: Sequence[int], source: Content) -> bool:
    """Whether a short sentence is told in other words, without names or numbers to exchange.

    Its roles are compared by themselves (``roles.swaps``).
    """
    if len(order) > _MAX_TOLD_ANEW or not _keeps_named(order, source):
        return False
    if any(source.words.words[place].text in _NO for place in order):
        # "No witness saw her" is not "she saw no witness".
        return False
    return not _is_exchange_within(order)


def _keeps_named(order: Sequence[int], source: Content) -> bool:
    """Whether names stand in the order of the source, and so do numbers."""
    words = source.words.words
    names = [place for place in order if words[place].capital and place]
    numbers = [place for place in order if words[place].text[0].isdigit()]
    return names == sorted(names) and numbers == sorted(numbers)


def _is_exchange_within(order: Sequence[int]) -> bool:
    """Whether two parts changed places in a sentence that else stands as it stood: A D C B E."""
    kept = sorted(order)
    wrong = [index for index, place in enumerate(order) if place != kept[index]]
    low, high = wrong[0], wrong[-1] + 1
    ranks = [kept.index(place) for place in order[low:high]]
    parts = 1 + sum(other != one + 1 for one, other in pairwise(ranks))
    return parts <= _EXCHANGED and high - low < len(order)


def _find_marked(
    terms: Sequence[Term], placed: Sequence[tuple[int, int]], claim: Content, source: Content
) -> set[int]:
    """The places of what the same preposition tells on both sides, and nothing else there."""
    ours, theirs = [], []
    for number, place in placed:
        index, _ = claim.words.within(terms[number].span)
        ours.append(find_marker(claim, index))
        theirs.append(find_marker(source, place))
    counts = Counter(ours), Counter(theirs)
    found: set[int] = set()
    for at, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        place = placed[at][1]
        if one and one == other and counts[0][one] == counts[1][other] == 1:
            found.add(place)
        elif not one and not other and at and place - 1 in found:
            # The rest of a name: "by Anna Berg".
            found.add(place)
    return found


def _is_moved_once(order: Sequence[int]) -> bool:
    """Whether one part at most stands elsewhere: A C B D for A B C D."""
    falls = [index for index in range(1, len(order)) if order[index] < order[index - 1]]
    if not falls:
        return True
    if len(falls) > 1:
        return False
    before, behind = order[: falls[0]], order[falls[0] :]
    passed = [place for place in before if place > behind[0]]
    moved = [place for place in behind if place < before[-1]]
    return moved[-1] < passed[0]


def _is_list_turned(order: Sequence[int], source: Content) -> bool:
    """Whether only items of one list stand in another order, each with its own words."""
    kept = sorted(order)
    wrong = [index for index, place in enumerate(order) if place != kept[index]]
    items: list[tuple[int, ...]] = [()]
    low, high = wrong[0], wrong[-1] + 1
    # The first and the last item begin and end where the list does, in the order of the source.
    for one, other in zip(kept[low : high - 1], kept[low + 1 : high], strict=True):
        between = _read_between(source, one, other)
        if not between <= _NEW_ITEM | _WITHIN:
            return False
        items[-1] += (one,)
        if not between.isdisjoint(_NEW_ITEM):
            items.append(())
    items[-1] += (kept[high - 1],)
    told = list(order[low:high])
    while told:
        found = next((item for item in items if told[: len(item)] == list(item)), None)
        if found is None:
            return False
        told = told[len(found) :]
    return True


def _read_between(source: Content, one: int, other: int) -> set[str]:
    words = source.words.words
    text = source.words.text[words[one].end : words[other].start]
    return {piece.lower() for piece in _PIECE.findall(text)}


def _is_voice_turned(
    terms: Sequence[Term], placed: Sequence[tuple[int, int]], claim: Content, source: Content
) -> bool:
    """Whether one side says in the passive, with its agent, what the other does not."""
    for at, (number, place) in enumerate(placed):
        ours, _ = claim.words.within(terms[number].span)
        if _is_passive(claim, ours) == _is_passive(source, place):
            continue
        before = [known for _, known in placed[:at]]
        behind = [known for _, known in placed[at + 1 :]]
        for end in range(1, len(behind) + 1):
            turned = [*behind[:end], place, *before, *behind[end:]]
            if before and turned == sorted(turned):
                return True
    return False


def _is_passive(content: Content, index: int) -> bool:
    """Whether a verb stands in the passive and its sentence names who does it."""
    words = content.words.words
    if not index or not is_participle(words[index].text):
        return False
    if words[index - 1].text not in BE | {"be", "been", "being"}:
        return False
    return any(
        words[place].text == "by"
        for place in range(index, len(words))
        if content.sentences[place] == content.sentences[index]
    )
