"""Opposites that say the same once their two sides change places: bought from, sold to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.language.opposites import CONVERSES
from spanproof.verifier.slots.roles.lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.roles.lines import Line
    from spanproof.verifier.slots.words import Words

_CONVERSES = frozenset(CONVERSES.split())
#: How many steps around a word its two sides reach.
_REACH = 7


def is_converse(claim: Words, index: int, premise: Words, place: int, locale: Locale) -> bool:
    """Whether "Venus is smaller than Earth" meets "Earth is larger than Venus".

    A word of either side at least must have changed to the other.
    """
    if claim.words[index].text not in _CONVERSES:
        return False
    theirs = list(_sides(premise, place, locale))
    return any(
        (left & their_right) - right - their_left and (right & their_left) - left - their_right
        for left, right in _sides(claim, index, locale)
        for their_left, their_right in theirs
    )


def _sides(words: Words, place: int, locale: Locale) -> Iterator[tuple[set[str], set[str]]]:
    for line in read_lines(words.text, *words.sentence(place), locale):
        for index, step in enumerate(line):
            if step.place == place:
                middle = _than(line, index)
                yield _names(line[max(0, middle - _REACH) : middle]), _names(line[middle + 1 :])


def _than(line: Line, index: int) -> int:
    """Where the two sides of a comparison meet ("fewer men than women"); else the word itself."""
    near = range(index, min(len(line), index + _REACH))
    return next((place for place in near if line[place].key == "than"), index)


def _names(line: Line) -> set[str]:
    return {step.key for step in line[:_REACH] if step.content}
