"""Operators of a source that a claim drops: "plans to open" told as "opened".

What is dropped is read from one sentence of the source: the one that shares most words with the
claim's sentence. An operator counts if it governs most of the shared words and the claim has
no operator of its kind and no other words for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.verifier.scope.asides import find_limit
from spanproof.verifier.scope.complements import find_complements
from spanproof.verifier.scope.operators import Operator, find_operators
from spanproof.verifier.scope.sentence import ClaimSentence, Dropped
from spanproof.verifier.slots.alignment import Alignment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.language.operators import OperatorKind
    from spanproof.verifier.slots.words import Words


def find_dropped(claim: Words, premise: Words, locale: Locale = "en") -> Iterator[Dropped]:
    """The operators of each sentence's best place; none if another place is as good without one."""
    operators = find_operators(premise.text, locale)
    if not operators:
        return
    inside = _by_sentence(premise, operators)
    alignment = Alignment(claim, premise)
    for begin in claim.opens:
        sentence = ClaimSentence(claim, *claim.sentence(begin), locale)
        found = [
            list(sentence.compare(premise, each.first, each.last, inside.get(each.first, [])))
            for each in alignment.best(begin)
            if each.share
        ]
        if found and all(found):
            yield from found[0]


def find_cut(
    claim: Words, source: Words, span: tuple[int, int], locale: Locale = "en"
) -> Iterator[Dropped]:
    """The operators around a span of the source's words that govern it and that the claim drops.

    What stands in the span whole is not cut off, and is left to ``find_dropped``.
    """
    first, last = span
    known = find_operators(source.text, locale)
    held = [operator for operator in known if _is_held(operator, first, last)]
    around = [
        replace(
            operator,
            own=tuple(at for at in operator.own if not first <= at < last),
            # Whenever it was so: the span hides that it was so for a time.
            reach="sentence" if operator.reach == "clause" else operator.reach,
        )
        for operator in known
        if operator not in held and operator.low < last and first < operator.high
    ]
    inside = _by_sentence(source, (*around, *_find_open_clauses(source, first, locale)))
    for begin in claim.opens:
        sentence = ClaimSentence(claim, *claim.sentence(begin), locale)
        for start, operators in inside.items():
            _, end = source.sentence(start)
            yield from sentence.compare_cut(
                source, (start, end), (max(start, first), min(end, last)), operators, held
            )


def _is_held(operator: Operator, first: int, last: int) -> bool:
    """Whether a span has an operator's own words; of a question, the mark and more behind it."""
    if operator.own:
        return first <= operator.first and operator.last <= last
    return first <= operator.low and operator.high < last


def _find_open_clauses(source: Words, first: int, locale: Locale) -> Iterator[Operator]:
    """What opens the clause that a span begins, if nothing vouches for it, or limits it."""
    limit = find_limit(source, first, locale)
    if limit is not None:
        _, end = source.sentence(first)
        yield Operator(
            kind="condition",
            level="likely",
            reach="sentence",
            own=tuple(range(*limit)),
            first=limit[0],
            last=limit[1],
            low=first,
            high=end,
        )
    for own, (low, high) in find_complements(source, locale):
        if low == first:
            yield Operator(
                kind="attribution",
                level="likely",
                reach="after",
                own=own,
                first=own[0],
                last=low,
                low=low,
                high=high,
            )


def carries_kind(claim: Words, kind: OperatorKind, word: str, locale: Locale = "en") -> bool:
    """Whether any sentence of the claim has an operator of a kind, or the word itself."""
    return any(
        ClaimSentence(claim, *claim.sentence(begin), locale).has_kind(kind, word)
        for begin in claim.opens
    )


def _by_sentence(words: Words, operators: Iterable[Operator]) -> dict[int, list[Operator]]:
    """Operators by the first word of the sentence that they govern."""
    inside: dict[int, list[Operator]] = {}
    for operator in operators:
        if operator.high > operator.low:
            first, _ = words.sentence(operator.low)
            inside.setdefault(first, []).append(operator)
    return inside
