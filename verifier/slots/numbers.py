"""Amounts of a claim against those of its source: values, units, currencies, bounds, labels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from spanproof.verifier.language.kept import keep_last
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.language.protected import NUMERIC_KINDS
from spanproof.verifier.slots.amounts import read_values
from spanproof.verifier.slots.negations import is_negated_before
from spanproof.verifier.slots.quantities import Quantity, find_quantities
from spanproof.verifier.slots.tokens import read_tokens
from spanproof.verifier.slots.words import Likeness, count_beside, to_veto

if TYPE_CHECKING:
    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.words import VetoKind, Words

#: How far "about 1,500" may lie from the source's number.
_ABOUT_SHARE = Decimal("0.1")
#: Whole numbers may be rounded silently from here on, by at most this share of their amount.
_ROUNDED_FROM, _ROUNDED_SHARE = 1000, Decimal("0.05")
#: Units that convert by an average (a month of days) meet within this share.
_CONVERSION_SHARE = Decimal("0.03")
#: How like the places must be: for amounts of one kind, and where only the words around tell.
_SAME_KIND = (0.55, 1.0)
_OTHER_KIND = (0.7, 1.2)
#: The same for an ordinal: few are derived, so a likeness that is small will do.
_ORDINAL = (0.3, 0.45)
#: For one value with two units, or bounded from opposite sides.
_SAME_VALUE = (0.3, 0.5)
#: The same digits at another scale (873 million, 873 thousand): hardly by chance.
_SAME_DIGITS = (0.0, 0.2)
#: So many characters of digits and marks are not met twice by chance.
_MANY_DIGITS = 4
_DIGITS = re.compile(r"\d[\d.,]*\d")
_NO_MORE = re.compile(
    r"\b(?:not?|never|cannot|n['’]t)\s+(?:be\s+)?"
    r"(?:more than|over|above|exceed(?:s|ed|ing)?|greater than)\s*(?:the\s|a\s)?$",
    re.IGNORECASE,
)
_OPPOSITE = MappingProxyType({"lower": "upper", "upper": "lower"})
#: Amounts that no noun or unit distinguishes for sure.
_LOOSE = ("number", "count:")
#: What people mix up: a rate of 4 % that rises by 2 points rises by half.
_SHARES = frozenset({"percent", "unit:percentage point", "unit:per mille"})
#: Of more amounts than this the first are compared: a megabyte of text holds fewer.
MAX_RIVALS = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The amounts of one text, and every value that any number of it states."""

    quantities: tuple[Quantity, ...]
    stated: frozenset[Decimal]


def compare_numbers(claim: Words, premise: Words, locale: Locale) -> list[Veto]:
    """A veto for each amount that the source states otherwise in a like place."""
    ours = find_numbers(claim, locale)
    if not ours.quantities:
        return []
    theirs = find_numbers(premise, locale)
    vetoes = []
    for quantity in ours.quantities:
        # "Was not the first" agrees with "was the second": a negated number proves nothing.
        if is_negated_before(claim, quantity.span.start, locale):
            continue
        veto = _compare_quantity(quantity, ours, theirs, claim, premise)
        if veto is not None:
            vetoes.append(veto)
    return vetoes


@keep_last
def find_numbers(words: Words, locale: Locale) -> Numbers:
    """The amounts of a text."""
    tokens = read_tokens(words.text, locale)
    stated = {
        value
        for token in tokens
        if token.kind in NUMERIC_KINDS and token.kind != "date"
        for value in read_values(words.text, token, lexicon_of(locale))
    }
    return Numbers(
        quantities=find_quantities(words.text, tokens, locale=locale), stated=frozenset(stated)
    )


def _compare_quantity(
    claimed: Quantity, ours: Numbers, theirs: Numbers, claim: Words, premise: Words
) -> Veto | None:
    same_value = [q for q in theirs.quantities if set(q.values) & set(claimed.values)]
    known = theirs.quantities
    if same_value:
        rival = _find_other_unit(claimed, known, same_value, claim, premise)
        rival = rival or _find_other_rate(claimed, same_value, claim, premise)
        if rival is not None:
            money = rival.group.startswith("currency:") and rival.group != claimed.group
            unit: VetoKind = "currency" if money else "unit"
            return to_veto(unit, claim, claimed.span, premise, rival.span)
        rival = _find_other_bound(claimed, same_value, claim, premise)
        return to_veto("number", claim, claimed.span, premise, rival.span) if rival else None
    if set(claimed.values) & theirs.stated or is_one(claimed) or claimed.open:
        return None
    if any(agrees(claimed, q) for q in known if is_comparable(claimed, q)):
        return None
    rival = _find_rival(claimed, ours, known, claim, premise)
    kind: VetoKind = "ordinal" if claimed.group.startswith("ordinal") else "number"
    return to_veto(kind, claim, claimed.span, premise, rival.span) if rival else None


def _find_rival(
    claimed: Quantity, ours: Numbers, known: tuple[Quantity, ...], claim: Words, premise: Words
) -> Quantity | None:
    """The amount of the premise that stands where the claim's should, if one does."""
    ordinal = claimed.group.startswith("ordinal")
    best: tuple[float, Quantity] | None = None
    for rival in known[:MAX_RIVALS]:
        if set(rival.values) & ours.stated or rival.group.startswith("ordinal") != ordinal:
            continue
        bounds = _needed_likeness(claimed, rival)
        if bounds is None:
            continue
        alike = Likeness.of(claim, claimed.span, premise, rival.span)
        enough = alike.place >= bounds[0] and alike.total >= bounds[1]
        if rival.group == "number" and bounds != _SAME_DIGITS:
            # Its unit is unknown, so the very next words must say it.
            enough = enough and count_beside(claim, claimed.span, premise, rival.span) > 0
        if enough and _may_fit(claimed, rival):
            return None
        if enough and (best is None or alike.total > best[0]):
            best = alike.total, rival
    return best and best[1]


def _needed_likeness(claimed: Quantity, rival: Quantity) -> tuple[float, float] | None:
    if claimed.group.startswith("ordinal"):
        return _ORDINAL
    digits = _DIGITS.search(claimed.text), _DIGITS.search(rival.text)
    if digits[0] and digits[1] and digits[0].group() == digits[1].group():
        return _SAME_DIGITS
    if claimed.group == rival.group or is_comparable(claimed, rival):
        return _SAME_KIND
    loose = claimed.group.startswith(_LOOSE) and rival.group.startswith(_LOOSE)
    return _OTHER_KIND if loose else None


def _find_other_unit(
    claimed: Quantity,
    known: tuple[Quantity, ...],
    same_value: list[Quantity],
    claim: Words,
    premise: Words,
) -> Quantity | None:
    """5 days against 5 weeks, $5 against €5: the number agrees, the unit does not."""
    if any(q.group == claimed.group for q in same_value):
        return None
    if any(agrees(claimed, q) for q in known if is_comparable(claimed, q)):
        return None
    bare = any(q.group == "number" for q in same_value)
    digits = _DIGITS.search(claimed.text)
    if digits is not None and len(digits.group()) >= _MANY_DIGITS and not bare:
        needed = _SAME_DIGITS
    else:
        needed = _SAME_KIND if bare else _SAME_VALUE
    for rival in same_value:
        money = claimed.group.startswith("currency:") and rival.group.startswith("currency:")
        measured = claimed.group.startswith("unit:") and rival.group.startswith("unit:")
        measured = measured or {claimed.group, rival.group} <= _SHARES
        alike = Likeness.of(claim, claimed.span, premise, rival.span)
        if (money or measured) and alike.place >= needed[0] and alike.total >= needed[1]:
            return rival
    return None


def _find_other_rate(
    claimed: Quantity, same_value: list[Quantity], claim: Words, premise: Words
) -> Quantity | None:
    """$20 a month against $20 a year: only if each place of the value has another period."""
    if not claimed.rate or any(q.rate in {"", claimed.rate} for q in same_value):
        return None
    for rival in same_value:
        alike = Likeness.of(claim, claimed.span, premise, rival.span)
        if alike.place >= _SAME_VALUE[0] and alike.total >= _SAME_VALUE[1]:
            return rival
    return None


def _find_other_bound(
    claimed: Quantity, same_value: list[Quantity], claim: Words, premise: Words
) -> Quantity | None:
    """At least ten against at most ten: one number, and it bounds from opposite sides."""
    ours = _bounded_side(claimed, claim.text)
    rivals = [q for q in same_value if q.group in {claimed.group, "number"}]
    if ours is None or not rivals or len(rivals) < len(same_value):
        return None
    if {_bounded_side(q, premise.text) for q in rivals} != {_OPPOSITE[ours]}:
        return None
    for rival in rivals:
        alike = Likeness.of(claim, claimed.span, premise, rival.span)
        if alike.place >= _SAME_VALUE[0] and alike.total >= _SAME_VALUE[1]:
            return rival
    return None


def _bounded_side(quantity: Quantity, text: str) -> Literal["lower", "upper"] | None:
    """The side on which the words before a quantity bound it, if on one alone."""
    if (quantity.low is None) == (quantity.high is None) or quantity.about:
        return None
    before = text[max(0, quantity.span.start - 24) : quantity.span.start]
    if quantity.low is None or _NO_MORE.search(before):
        return "upper"
    return "lower"


def is_one(claimed: Quantity) -> bool:
    """Whether it is a "one" that counts nothing."""
    # "One of the reasons" counts nothing.
    return claimed.group.startswith(_LOOSE) and claimed.values[0] == 1


def is_comparable(claimed: Quantity, known: Quantity) -> bool:
    """Whether both count or measure the same kind of thing."""
    if claimed.group == known.group:
        return True
    ours, theirs = claimed.scaled, known.scaled
    return ours is not None and theirs is not None and ours[0] == theirs[0]


def agrees(claimed: Quantity, known: Quantity) -> bool:
    """Whether the source's amount admits the claim's: rounded, converted, a bound or a range."""
    if claimed.group != known.group:
        ours, theirs = claimed.scaled, known.scaled
        if ours is None or theirs is None or not _is_bounded_alike(claimed, known):
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


def _is_bounded_alike(one: Quantity, other: Quantity) -> bool:
    """Whether both state one amount, or both bound it from the same side."""
    if one.plain or other.plain:
        return one.plain and other.plain
    return (one.low, other.low) == (None, None) or (one.high, other.high) == (None, None)


def _may_fit(claimed: Quantity, rival: Quantity) -> bool:
    """Whether a bound or a rough amount of either side admits the other; units are not compared."""
    if claimed.plain and rival.plain:
        if claimed.about or rival.about:
            apart = abs(claimed.values[0] - rival.values[0])
            return apart <= _ABOUT_SHARE * abs(rival.values[0])
        return _rounds_to(rival.values[0], claimed.values[0]) and claimed.group == rival.group
    lows = [bound for bound in (claimed.low, rival.low) if bound is not None]
    highs = [bound for bound in (claimed.high, rival.high) if bound is not None]
    return not lows or not highs or max(lows) <= min(highs)


def _rounds_to(exact: Decimal, rounded: Decimal) -> bool:
    """Whether the claim says the source's number with fewer digits (86.4 as 86, 1,234 as 1,200).

    A whole number below a thousand is not rounded silently: 350 days are not 400.
    """
    if exact == rounded:
        return True
    whole = exact == exact.to_integral_value()
    if whole and abs(exact) < _ROUNDED_FROM:
        return False
    if abs(exact - rounded) > _ROUNDED_SHARE * abs(exact):
        return False
    step = _last_digit(rounded)
    return _last_digit(exact) < step <= abs(exact) and abs(exact - rounded) * 2 <= step


def _last_digit(value: Decimal) -> Decimal:
    """The value of one unit of the last digit that is not a trailing zero."""
    exponent = value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(0)
