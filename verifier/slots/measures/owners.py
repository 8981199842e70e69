"""Whose amount it is: "Alpha paid 300 and Beta paid 500" says nothing of Alpha and 500."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.verifier.slots.numbers import MAX_RIVALS, find_numbers, is_comparable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.alignment import Alignment, Doubt
    from spanproof.verifier.slots.quantities import Quantity
    from spanproof.verifier.slots.words import Word, Words

#: Words that join clauses or members which tell of one thing each.
_JOINTS = frozenset({"and", "but", "while", "whereas", "whilst", "against", "compared", "versus"})
#: How "respectively" is cut, and how many words one thing of its list takes.
_RESPECTIVELY, _ITEM, _TWO = "respectiv", 2, 2
_YEAR = re.compile(r"(?:19|20)\d\d")
_DETERMINERS = frozenset(
    {"the", "a", "an", "its", "his", "her", "their", "for", "in", "by", "of", "from", "to", "on"}
)
#: More amounts of one kind in a text are a table or a list of figures.
_MAX_AMOUNTS = 8
#: How many content words a clause may have that leaves out its verb ("and Beta 500").
_ELLIPTIC = 4
#: A smaller number that counts nothing may be of anything.
_MANY = 100
_COUNTED = "count:"
#: How many words behind a number its noun stands.
_BESIDE = 3
#: The two clauses must have this share of the claim's words.
_LEAST_SHARE = 0.6
#: How many sentences apart they may stand.
_NEAR = 1


@dataclass(frozen=True, slots=True)
class _Clause:
    """An amount with its words: half-open ranges before and after it."""

    amount: Quantity
    before: tuple[int, int]
    after: tuple[int, int]


def doubt_owners(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Amounts that the source gives for another than the claim names, which has its own there."""
    claim, premise = alignment.claim, alignment.premise
    ours = find_numbers(claim, locale).quantities
    if not ours:
        return
    known = find_numbers(premise, locale).quantities[:MAX_RIVALS]
    for quantity in ours:
        told = _told_of(claim, quantity)
        paired = _find_respective(premise, told, quantity, known)
        if paired is not None:
            yield alignment.doubt("likely", "unconfirmed_number", quantity.span, paired.span)
            continue
        bare = quantity.group == "number" and quantity.values[0] < _MANY
        if bare or quantity.group.startswith("ordinal"):
            continue
        alike = [other for other in known if is_comparable(quantity, other)]
        own = [other for other in alike if other.values[0] == quantity.values[0]]
        if len(own) != 1 or not 2 <= len(alike) <= _MAX_AMOUNTS:
            continue
        clauses = _cut_clauses(premise, alike)
        mine = next((clause for clause in clauses if clause.amount is own[0]), None)
        if mine is None:
            continue
        rival = next(
            (
                clause.amount
                for clause in clauses
                if clause is not mine
                and _is_near(premise, mine, clause)
                and _is_of_another(claim, premise, told, mine, clause)
            ),
            None,
        )
        if rival is not None:
            yield alignment.doubt("likely", "unconfirmed_number", quantity.span, rival.span)


def doubt_counted(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely where the source counts other things by the number, and the claim's by another one.

    "1,240 women" of "1,240 adults, of whom 610 were women".
    """
    claim, premise = alignment.claim, alignment.premise
    for quantity in find_numbers(claim, locale).quantities:
        if not quantity.group.startswith(_COUNTED):
            continue
        known = find_numbers(premise, locale).quantities[:MAX_RIVALS]
        same = [other for other in known if other.values[0] == quantity.values[0]]
        noun = quantity.group.removeprefix(_COUNTED)
        if not same or any(
            not other.group.startswith(_COUNTED)
            # The end of a range counts what stands behind the other end.
            or other.group == quantity.group
            or _stands_by(premise, noun, other)
            for other in same
        ):
            continue
        rival = next((q for q in known if q not in same and _stands_by(premise, noun, q)), None)
        if rival is not None:
            yield alignment.doubt("likely", "unconfirmed_number", quantity.span, rival.span)


def _stands_by(premise: Words, noun: str, amount: Quantity) -> bool:
    """Whether a noun stands just before an amount, or behind it in its clause."""
    first, last = premise.within(amount.span)
    if premise.is_near(noun, max(0, first - 1), last):
        return True
    for index in range(last, min(last + _BESIDE, len(premise.words))):
        if premise.is_cut_after(index - 1) or premise.words[index].text[0].isdigit():
            return False
        if premise.words[index].stem == noun:
            return True
    return False


def _told_of(claim: Words, quantity: Quantity) -> set[str]:
    """The content words of the amount's sentence, without the amount and its unit."""
    first, last = claim.within(quantity.span)
    begin, end = claim.sentence(first)
    return {
        word.stem
        for index, word in enumerate(claim.words[begin:end], begin)
        if not first <= index < last and _is_telling(word)
    }


def _cut_clauses(premise: Words, amounts: Sequence[Quantity]) -> list[_Clause]:
    """Each amount with the words up to the joint between it and the next one.

    Amounts without a joint between them (from 10 to 20) are no clauses of their own.
    """
    places = [premise.within(amount.span) for amount in amounts]
    clauses = []
    for index, (amount, (first, last)) in enumerate(zip(amounts, places, strict=True)):
        if first >= len(premise.words):
            continue
        begin, end = premise.sentence(first)
        low: int | None = begin
        high: int | None = end
        if index and places[index - 1][1] > begin:
            low = _find_joint(premise, places[index - 1][1], first)
        if index + 1 < len(places) and places[index + 1][0] < end:
            high = _find_joint(premise, last, places[index + 1][0])
        if low is not None and high is not None:
            clauses.append(_Clause(amount, (low, first), (last, high)))
    return clauses


def _find_joint(words: Words, first: int, last: int) -> int | None:
    """The last word that joins, or the word behind the last comma."""
    for index in range(last - 1, first - 1, -1):
        if words.words[index].text in _JOINTS:
            return index
    for index in range(last - 1, first - 2, -1):
        if index >= 0 and words.is_cut_after(index):
            return index + 1
    return None


def _find_respective(
    premise: Words, told: set[str], claimed: Quantity, known: Sequence[Quantity]
) -> Quantity | None:
    """The amount of the claim's one of two things: "men and women earned 5 and 4, respectively"."""
    for place in premise.places.get(_RESPECTIVELY, ()):
        begin, end = premise.sentence(place)
        held = [q for q in known if begin <= premise.within(q.span)[0] < end]
        values = [quantity.values[0] == claimed.values[0] for quantity in held]
        if len(held) != _TWO or sum(values) != 1:
            continue
        spans = [premise.within(quantity.span) for quantity in held]
        for index in range(begin, end):
            if premise.words[index].text != "and" or spans[0][0] <= index < spans[1][1]:
                continue
            left = _stems(premise, (max(begin, index - _ITEM), index))
            right = _stems(premise, (index + 1, min(end, index + 1 + _ITEM)))
            own, others = (left, right) if values[0] else (right, left)
            if told & (others - own) and not told & (own - others):
                return held[1] if values[0] else held[0]
    return None


def _is_of_another(
    claim: Words, premise: Words, told: set[str], mine: _Clause, other: _Clause
) -> bool:
    """Whether the claim's word stands beside the other amount, and a stranger in its place here."""
    in_mine = _stems(premise, mine.before) | _stems(premise, mine.after)
    in_other = _stems(premise, other.before) | _stems(premise, other.after)
    is_elliptic = _leaves_out(premise, mine, other, in_other)
    if len(told & in_other) <= len(told & in_mine) and not is_elliptic:
        return False
    if len(told & (in_mine | in_other)) < _LEAST_SHARE * len(told):
        return False
    if not in_mine & in_other & told and len(in_mine) > _ELLIPTIC and not is_elliptic:
        return False
    return any(
        told & _stems(premise, theirs) - in_mine and _has_stranger(claim, premise, ours)
        for ours, theirs in ((mine.before, other.before), (mine.after, other.after))
    )


def _leaves_out(premise: Words, mine: _Clause, other: _Clause, words: set[str]) -> bool:
    """Whether the other clause takes its verb from this one: "men earned 22, women 18"."""
    first, last = mine.amount.span, other.amount.span
    one = premise.words[mine.before[1]].sentence == premise.words[other.before[1]].sentence
    return one and first < last and len(words) <= _ELLIPTIC // 2


def _is_near(premise: Words, one: _Clause, other: _Clause) -> bool:
    sentences = [premise.words[clause.before[1]].sentence for clause in (one, other)]
    return abs(sentences[0] - sentences[1]) <= _NEAR


def _stems(words: Words, place: tuple[int, int]) -> set[str]:
    return {word.stem for word in words.words[slice(*place)] if _is_telling(word)}


def _is_telling(word: Word) -> bool:
    """Whether it is a content word, or a year."""
    return word.content and (not word.text[0].isdigit() or _YEAR.fullmatch(word.text) is not None)


def _has_stranger(claim: Words, premise: Words, place: tuple[int, int]) -> bool:
    """Whether a name or noun stands there that the claim does not know."""
    for index in range(*place):
        word = premise.words[index]
        if not _is_telling(word) or word.stem in claim.places:
            continue
        if word.text[0].isdigit():
            return True
        before = premise.words[index - 1].text if index else ""
        if word.capital or before in _DETERMINERS or before in _JOINTS:
            return True
    return False
