"""Amounts of a claim that its source does not state, and units in which it does not state them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.slots.numbers import MAX_RIVALS, agrees, find_numbers, is_comparable, is_one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.alignment import Alignment, Doubt
    from spanproof.verifier.slots.quantities import Quantity

_MEASURED = ("unit:", "currency:")
_POUNDS = {"currency:GBP", "unit:lb"}


def doubt_numbers(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely where the source states another amount of the kind; possible where it states none."""
    ours = find_numbers(alignment.claim, locale)
    if not ours.quantities:
        return
    theirs = find_numbers(alignment.premise, locale)
    known = theirs.quantities[:MAX_RIVALS]
    for quantity in ours.quantities:
        if is_one(quantity):
            continue
        alike = [other for other in known if is_comparable(quantity, other)]
        if any(agrees(quantity, other) for other in alike):
            continue
        same = [other for other in known if set(other.values) & set(quantity.values)]
        if same:
            rival = _find_other_measure(quantity, same)
            if rival is not None:
                yield alignment.doubt("likely", "unconfirmed_unit", quantity.span, rival.span)
        elif not set(quantity.values) & theirs.stated:
            # A number without a named thing beside it (p = 0.36) does not contradict another
            # number.
            if alike and quantity.group != "number":
                yield alignment.doubt("likely", "unconfirmed_number", quantity.span, alike[0].span)
            else:
                yield alignment.doubt("possible", "unconfirmed_number", quantity.span)


def _find_other_measure(quantity: Quantity, same: list[Quantity]) -> Quantity | None:
    """The same value of something else, if the source never gives it in the claim's unit.

    A number without a named measure ("18 or older") is not another measure, and neither is one that
    is equal only in its second reading; pounds are money or a weight.
    """
    if not quantity.group.startswith(_MEASURED):
        return None
    if any(other.group == quantity.group for other in same):
        return None
    return next(
        (
            other
            for other in same
            if other.values[0] == quantity.values[0]
            and other.group != "number"
            and not other.group.startswith("ordinal")
            and {quantity.group, other.group} != _POUNDS
        ),
        None,
    )
