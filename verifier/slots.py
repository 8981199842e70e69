"""Slots: numbers, units, dates and polarity of a claim against its source. A veto, never a pass.

Conservative by construction: a slot speaks only where both sides fill it and nothing reconciles
them. A number that the source states in any form, or that a range, a bound, rounding or a unit
conversion allows, is no veto; nor is one without a counterpart of its kind (the model decides).
"""

from __future__ import annotations

import re
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from core.verdict import Veto
from verifier.counterparts import PlacedNumber, place_numbers
from verifier.polarity import compare_polarity, content_stems, is_negated
from verifier.protected import NUMERIC_KINDS, find_protected
from verifier.quantities import CalendarDate, Quantity, find_dates, find_quantities

if TYPE_CHECKING:
    from verifier.lexicon import Locale

Slot = Quantity | CalendarDate | PlacedNumber
#: Beyond this a claim is no sentence; its slots are left to the model.
MAX_SLOT_CHARACTERS = 5_000
#: How far "about 1,500" may lie from the source's number.
_ABOUT_SHARE = Decimal("0.1")
#: Units that convert by an average (a month of days) meet within this share.
_CONVERSION_SHARE = Decimal("0.03")
#: Share of the claim's content words that the sentence of a conflicting number must hold.
_CONTEXT_SHARE = 0.2
#: The same for a number that both sides state, as a bound from opposite sides.
_BOUND_SHARE = 0.5
_OPPOSITE = MappingProxyType({"lower": "upper", "upper": "lower"})
_NO_MORE = re.compile(
    r"\b(?:not?|never|cannot|n['’]t)\s+(?:be\s+)?"
    r"(?:more than|over|above|exceed(?:s|ed|ing)?|greater than)\s*(?:the\s|a\s)?$",
    re.IGNORECASE,
)
#: Share that makes two sentences nearly the same, so that their numbers can be set side by side.
_SAME_SENTENCE = 0.6


def compare_slots(
    hypothesis: str, premise: str, *, premise_start: int, locale: Locale = "en"
) -> tuple[Veto, ...]:
    """Every slot in which the hypothesis conflicts with the premise, both sides with offsets.

    ``premise_start`` is the canonical offset of the premise: source spans are canonical.
    """
    if len(hypothesis) > MAX_SLOT_CHARACTERS:
        return ()
    vetoes: list[Veto] = []
    # "Was not the first" agrees with "was the second": a negated claim's numbers prove nothing.
    if not is_negated(hypothesis, locale=locale):
        vetoes = _compare_numbers(hypothesis, premise, locale)
    if not vetoes:
        vetoes.extend(compare_polarity(hypothesis, premise, locale=locale))
    return tuple(_shifted(veto, premise_start) for veto in vetoes)


def _compare_numbers(hypothesis: str, premise: str, locale: Locale) -> list[Veto]:
    ours = find_protected(hypothesis, locale=locale)
    if not any(token.kind in NUMERIC_KINDS for token in ours):
        return []
    theirs = find_protected(premise, locale=locale)
    context = _Context(hypothesis, premise)
    known = find_quantities(premise, theirs, locale=locale)
    vetoes = [
        veto
        for quantity in find_quantities(hypothesis, ours, locale=locale)
        if (veto := _compare_quantity(quantity, known, context)) is not None
    ]
    vetoed = {veto.claim_span for veto in vetoes}
    placed = _compare_places(
        place_numbers(hypothesis, ours), place_numbers(premise, theirs), context
    )
    vetoes.extend(veto for veto in placed if veto.claim_span not in vetoed)
    dates = find_dates(hypothesis, ours, locale=locale)
    vetoes.extend(_compare_dates(dates, find_dates(premise, theirs, locale=locale), context))
    return vetoes


class _Context:
    """How much of the claim stands in the sentence around a place of the premise."""

    def __init__(self, hypothesis: str, premise: str) -> None:
        self._wanted = content_stems(hypothesis)
        self.hypothesis = hypothesis
        self.premise = premise
        self._shares: dict[tuple[int, int], float] = {}

    def share(self, quantity: Slot) -> float:
        """Share of the claim's content words in the sentence that holds the quantity."""
        start = quantity.span.start
        before = [m.end() for m in _SENTENCE_END.finditer(self.premise, max(0, start - 600), start)]
        after = _SENTENCE_END.search(self.premise, quantity.span.end)
        bounds = (
            before[-1] if before else max(0, start - 600),
            after.end() if after else min(len(self.premise), start + 600),
        )
        if bounds not in self._shares:
            held = content_stems(self.premise[bounds[0] : bounds[1]])
            wanted = self._wanted
            self._shares[bounds] = len(wanted & held) / len(wanted) if wanted else 0.0
        return self._shares[bounds]


_SENTENCE_END = re.compile(r"[.!?]\s+|\n+")


def _compare_quantity(
    claimed: Quantity, known: tuple[Quantity, ...], context: _Context
) -> Veto | None:
    same_value = [q for q in known if set(q.values) & set(claimed.values)]
    if same_value:
        veto = _compare_units(claimed, known, same_value, context)
        return veto or _compare_bounds(claimed, same_value, context)
    if claimed.group in {"number", "ordinal:"} or _is_one(claimed):
        return None
    rivals = [q for q in known if q.group == claimed.group]
    if not rivals or any(_agrees(claimed, q) for q in known if _comparable(claimed, q)):
        return None
    nearest = max(rivals, key=lambda q: (context.share(q), -q.span.start))
    if context.share(nearest) < _CONTEXT_SHARE:
        return None
    kind = "ordinal" if claimed.group.startswith("ordinal") else "number"
    return _veto(kind, claimed, nearest)


def _compare_units(
    claimed: Quantity, known: tuple[Quantity, ...], same_value: list[Quantity], context: _Context
) -> Veto | None:
    """5 days against 5 weeks, $5 against €5: the number agrees, what it measures does not."""
    if any(q.group in {claimed.group, "number"} for q in same_value):
        return None
    if any(_agrees(claimed, q) for q in known if _comparable(claimed, q)):
        return None
    for rival in same_value:
        money = claimed.group.startswith("currency:") and rival.group.startswith("currency:")
        ours, theirs = claimed.scaled, rival.scaled
        measured = ours is not None and theirs is not None and ours[0] == theirs[0]
        if (money or measured) and context.share(rival) >= _CONTEXT_SHARE:
            return _veto("currency" if money else "unit", claimed, rival)
    return None


def _compare_bounds(
    claimed: Quantity, same_value: list[Quantity], context: _Context
) -> Veto | None:
    """At least ten against at most ten: one number, and it bounds from opposite sides."""
    ours = _bounded_side(claimed, context.hypothesis)
    rivals = [q for q in same_value if q.group in {claimed.group, "number"}]
    if ours is None or not rivals or len(rivals) < len(same_value):
        return None
    theirs = {_bounded_side(q, context.premise) for q in rivals}
    nearest = max(rivals, key=lambda q: (context.share(q), -q.span.start))
    if theirs != {_OPPOSITE[ours]} or context.share(nearest) < _BOUND_SHARE:
        return None
    return _veto("number", claimed, nearest)


def _bounded_side(quantity: Quantity, text: str) -> Literal["lower", "upper"] | None:
    """The side on which the words before a quantity bound it, if on one alone."""
    if (quantity.low is None) == (quantity.high is None) or quantity.about:
        return None
    before = text[max(0, quantity.span.start - 24) : quantity.span.start]
    if quantity.low is None or _NO_MORE.search(before):
        return "upper"
    return "lower"


def _is_one(claimed: Quantity) -> bool:
    # "One of the reasons" counts nothing.
    return claimed.group.startswith("count:") and claimed.values[0] <= 1


def _comparable(claimed: Quantity, known: Quantity) -> bool:
    if claimed.group == known.group:
        return True
    ours, theirs = claimed.scaled, known.scaled
    return ours is not None and theirs is not None and ours[0] == theirs[0]


def _agrees(claimed: Quantity, known: Quantity) -> bool:
    if claimed.group != known.group:
        ours, theirs = claimed.scaled, known.scaled
        if ours is None or theirs is None or not claimed.plain or not known.plain:
            return False
        return abs(ours[1] - theirs[1]) <= _CONVERSION_SHARE * abs(theirs[1])
    if not claimed.plain or not known.plain:
        # Ranges and bounds that can both hold: whether one proves the other the model decides.
        lows = [bound for bound in (claimed.low, known.low) if bound is not None]
        highs = [bound for bound in (claimed.high, known.high) if bound is not None]
        return not lows or not highs or max(lows) <= min(highs)
    ours_value, theirs_value = claimed.values[0], known.values[0]
    if claimed.about or known.about:
        return abs(ours_value - theirs_value) <= _ABOUT_SHARE * abs(theirs_value)
    return _rounds_to(theirs_value, ours_value)


def _rounds_to(exact: Decimal, rounded: Decimal) -> bool:
    """Whether the claim says the source's number with fewer digits (86.4 as 86)."""
    if exact == rounded:
        return True
    step = _last_digit(rounded)
    return _last_digit(exact) < step <= abs(exact) and abs(exact - rounded) * 2 <= step


def _last_digit(value: Decimal) -> Decimal:
    """What one unit of the last digit that is not a trailing zero is worth."""
    exponent = value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(0)


def _compare_places(
    ours: tuple[PlacedNumber, ...], theirs: tuple[PlacedNumber, ...], context: _Context
) -> list[Veto]:
    """Numbers between the same two words of nearly the same sentence."""
    stated = {value for number in theirs for value in number.values}
    claimed = {value for number in ours for value in number.values}
    vetoes = []
    for number in ours:
        rivals = [
            other
            for other in theirs
            if (other.before, other.after) == (number.before, number.after)
            and not claimed & set(other.values)
            and not _rounds_to(other.values[0], number.values[0])
            and context.share(other) >= _SAME_SENTENCE
        ]
        if rivals and not stated & set(number.values):
            nearest = max(rivals, key=lambda other: (context.share(other), -other.span.start))
            vetoes.append(_veto("number", number, nearest))
    return vetoes


def _compare_dates(
    claimed: tuple[CalendarDate, ...], known: tuple[CalendarDate, ...], context: _Context
) -> list[Veto]:
    vetoes = []
    for date in claimed:
        if date.bound or not known or any(_same_date(date, other) for other in known):
            continue
        rivals = [other for other in known if other.conflicts(date)]
        if rivals:
            nearest = max(rivals, key=lambda other: (context.share(other), -other.span.start))
            vetoes.append(_veto("date", date, nearest))
    return vetoes


def _same_date(date: CalendarDate, other: CalendarDate) -> bool:
    if other.year is not None and other.until is not None and date.year is not None:
        return other.year <= date.year <= other.until
    return other.bound or not date.conflicts(other)


def _veto(kind: str, claimed: Slot, known: Slot) -> Veto:
    return Veto(
        kind=kind,
        claim=claimed.text,
        claim_span=claimed.span,
        source=known.text,
        source_span=known.span,
    )


def _shifted(veto: Veto, by: int) -> Veto:
    if veto.source_span is None:
        return veto
    return Veto(
        kind=veto.kind,
        claim=veto.claim,
        claim_span=veto.claim_span,
        source=veto.source,
        source_span=veto.source_span.shift(by),
    )
