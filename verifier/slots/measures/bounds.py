"""Bounds and ranges that a claim states as amounts: "up to 500" is not 500."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.verifier.slots.measures.units import name_periods
from spanproof.verifier.slots.numbers import MAX_RIVALS, find_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.alignment import Alignment, Doubt
    from spanproof.verifier.slots.quantities import Quantity

_FROM = re.compile(r"\bfrom\s+(?:[$€£]\s?)?$", re.IGNORECASE)
_UP_TO = re.compile(
    r"\b(?:up to|less than|fewer than|under|below|at most|almost|nearly)"
    r"\s+(?:the\s|an?\s)?(?-i:[A-Z]{3}\s)?$"
    r"|[<≤]\s?$",
    re.IGNORECASE,
)
_STRICTLY = re.compile(
    r"\b(?:(?:more|greater|less|fewer|higher|lower) than|over|under|above|below"
    r"|exceed(?:s|ed|ing)?)\s+(?:the\s|an?\s)?(?-i:[A-Z]{3}\s)?$|[<>]\s?$",
    re.IGNORECASE,
)
_OVER_TIME = re.compile(r"\bover\s+(?:the\s|an?\s)?$", re.IGNORECASE)
#: Around an amount of the source that is more than it seems: "4 years, 3 months", "surpassed 70".
_MORE_AFTER = re.compile(
    r"\s*(?:[a-z]+\s*)?(?:,|\(|and|plus)?\s*(?:\d|plus\b|or more|or so|some|odd|half|a half|\+)",
    re.IGNORECASE,
)
_MORE_BEFORE = re.compile(
    r"\b(?:surpass|top|pass|cross|break|beat|exceed|reach|past|beyond)(?:s|es|ed|ing)?"
    r"\s+(?:the\s)?(?-i:[A-Z]{3}\s)?$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:no|not|never|n['’]t)\s+(?:[a-z]+\s){0,2}$", re.IGNORECASE)
_BY = re.compile(r"\bby\s+(?:[a-z]+\s)?(?:[$€£]\s?)?$", re.IGNORECASE)
_TO = re.compile(r"\bto\s+(?:[a-z]+\s)?(?:[$€£]\s?)?$", re.IGNORECASE)
_RAISED = re.compile("[⁰¹²³⁴-⁹¼-¾⅐-⅞]")
#: Behind an amount: what makes it a bound, or a share of something that is not told.
_OPEN_AFTER = re.compile(
    r"\s*(?:or|and)\s+(?:less|fewer|under|below|lower|shorter|younger|earlier|more|over|above"
    r"|higher|longer|older|later)\b",
    re.IGNORECASE,
)
_SHARE_AFTER = re.compile(
    r"\s*(?:/|per\b)\s*(?:kg|kilo|pound|lb|square|cubic|m2|m²|capita|head\b|100\b|1,?000\b)",
    re.IGNORECASE,
)
_LESS_AFTER = re.compile(
    r"\s*(?:lower|higher|more|less|fewer|longer|shorter|older|younger|earlier|later|early|late"
    r"|below|above|short of|ahead|behind)\b",
    re.IGNORECASE,
)
_BEFORE = 28
_DIGITS = re.compile(r"\d[\d.,]*")
#: Digits that are one number in English and another in German, and what only English writes.
_DOTTED = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![\d.,])")
_TWO_WAYS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}\.\d{3}(?![.,]?\d)")
_ENGLISH = re.compile(r"\d,\d{3}(?!\d)|\d\.\d{1,2}(?!\d)|\d\.\d{4}")


def doubt_bounds(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Amounts that the source has only as the end of a range or as a bound; and the other way."""
    ours = find_numbers(alignment.claim, locale)
    if not ours.quantities:
        return
    known = find_numbers(alignment.premise, locale).quantities[:MAX_RIVALS]
    for quantity in ours.quantities:
        same = [
            other
            for other in known
            if other.values[0] == quantity.values[0] and _counts_alike(quantity, other)
        ]
        if not same or quantity.group == "number":
            continue
        if quantity.plain and not quantity.about:
            if all(_is_end(other, alignment.premise.text) for other in same):
                yield alignment.doubt("likely", "unconfirmed_number", quantity.span, same[0].span)
        elif _is_strict(quantity, alignment.claim.text) and all(
            _is_exact(other, alignment.premise.text) for other in same
        ):
            yield alignment.doubt("likely", "unconfirmed_number", quantity.span, same[0].span)


def _counts_alike(one: Quantity, other: Quantity) -> bool:
    """Whether both measure the same, or count things: kinds and sorts are one to a reader."""
    return one.group == other.group or (
        one.group.startswith("count:") and other.group.startswith("count:")
    )


def _is_end(quantity: Quantity, text: str) -> bool:
    """Whether an amount of the source is one end of a range, or what something stays below.

    "Rose from 10 to 20" states both.
    """
    before = text[max(0, quantity.span.start - _BEFORE) : quantity.span.start]
    if quantity.low is not None and quantity.high is not None:
        if quantity.low != quantity.high:
            return not _states_both(quantity, text)
        if _OPEN_AFTER.match(text, quantity.span.end):
            return True
    return quantity.low is None and _UP_TO.search(before) is not None and not _NOT.search(before)


def _states_both(quantity: Quantity, text: str) -> bool:
    start = quantity.span.start
    return re.search(r"\bfrom\b[^.;!?\n]{0,32}$", text[max(0, start - 48) : start]) is not None


def _is_strict(quantity: Quantity, text: str) -> bool:
    before = text[max(0, quantity.span.start - _BEFORE) : quantity.span.start]
    if quantity.group.startswith("unit:") and _OVER_TIME.search(before):
        return False
    found = _STRICTLY.search(before)
    return found is not None and not _NOT.search(before[: found.start()])


def _is_exact(quantity: Quantity, text: str) -> bool:
    start, end = quantity.span.start, quantity.span.end
    return (
        quantity.plain
        and not _MORE_AFTER.match(text, end, end + 24)
        and not _MORE_BEFORE.search(text[max(0, start - _BEFORE) : start])
    )


def doubt_notations(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """1.500 may be one and a half or fifteen hundred: likely where it is written otherwise."""
    claim, premise = alignment.claim, alignment.premise
    ours = [q for q in find_numbers(claim, locale).quantities if _DIGITS.search(q.text)]
    if _ENGLISH.search(premise.text):
        # There a comma parts the thousands: only a point in its place is another number.
        ours = [q for q in ours if _DOTTED.search(q.text)]
    if not ours:
        return
    known = find_numbers(premise, locale).quantities[:MAX_RIVALS]
    for quantity in ours:
        same = [other for other in known if set(other.values) & set(quantity.values)]
        written = [_DIGITS.findall(other.text) for other in same]
        digits = _DIGITS.findall(quantity.text)
        if not same or digits in written:
            continue
        if _TWO_WAYS.search(quantity.text) or all(_TWO_WAYS.search(q.text) for q in same):
            yield alignment.doubt("likely", "unconfirmed_number", quantity.span, same[0].span)


def doubt_changes(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely where an amount is a change in one text and its result in the other: by 8, to 8."""
    for quantity, same in _find_same(alignment, locale):
        ours = _preposition(quantity, alignment.claim.text)
        theirs = {_preposition(other, alignment.premise.text) for other in same}
        if ours and theirs == ({"to"} if ours == "by" else {"by"}):
            yield alignment.doubt("likely", "unconfirmed_number", quantity.span, same[0].span)


def _preposition(quantity: Quantity, text: str) -> str:
    before = text[max(0, quantity.span.start - _BEFORE) : quantity.span.start]
    return "by" if _BY.search(before) else "to" if _TO.search(before) else ""


def doubt_shares(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely where the claim leaves out what the amount is told by: 10 mg per kg, 40 euros less."""
    for quantity, same in _find_same(alignment, locale):
        ours, theirs = alignment.claim.text, alignment.premise.text
        for after in (_SHARE_AFTER, _LESS_AFTER):
            if (
                not after.match(ours, quantity.span.end)
                and not after.search(ours)
                and all(after.match(theirs, other.span.end) for other in same)
            ):
                yield alignment.doubt("likely", "unconfirmed_unit", quantity.span, same[0].span)
                break


def doubt_powers(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely where the source raises the claim's number, or puts a mark on it: 10² is not 10."""
    for quantity, same in _find_same(alignment, locale):
        text = alignment.premise.text
        if not _is_raised(quantity, alignment.claim.text) and all(
            _is_raised(other, text) for other in same
        ):
            yield alignment.doubt("likely", "unconfirmed_number", quantity.span, same[0].span)


def _is_raised(quantity: Quantity, text: str) -> bool:
    digits = _DIGITS.search(text, quantity.span.start, quantity.span.end)
    return digits is not None and _RAISED.match(text, digits.end()) is not None


def _find_same(alignment: Alignment, locale: Locale) -> Iterator[tuple[Quantity, list[Quantity]]]:
    """Each amount of the claim with the source's amounts of its value, if there are any."""
    ours = find_numbers(alignment.claim, locale).quantities
    known = find_numbers(alignment.premise, locale).quantities[:MAX_RIVALS] if ours else ()
    for quantity in ours:
        same = [other for other in known if other.values[0] == quantity.values[0]]
        if same:
            yield quantity, same


def doubt_rates(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely where the claim tells an amount by the day or the year, and the source by nothing."""
    known = find_numbers(alignment.premise, locale).quantities[:MAX_RIVALS]
    for quantity in find_numbers(alignment.claim, locale).quantities:
        if not quantity.rate or quantity.group == "number":
            continue
        same = [q for q in known if q.values[0] == quantity.values[0] and q.group == quantity.group]
        told = name_periods(alignment.premise.text)
        if same and quantity.rate not in told and not any(q.rate for q in same):
            yield alignment.doubt("likely", "unconfirmed_unit", quantity.span, same[0].span)
