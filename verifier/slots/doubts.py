"""Slots of a claim that its source does not confirm: reason enough for a person to look.

A veto needs both sides in like places. A doubt needs less: the source has another name, number,
word or polarity where the claim's should stand, or nothing of the kind. A ``likely`` doubt is
seldom wrong; a ``possible`` one is often only another wording, so that only a policy which sends
much to a person asks for it. A doubt can ask for review, never approve.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.verifier.slots.alignment import Alignment
from spanproof.verifier.slots.compare import MAX_SLOT_CHARACTERS
from spanproof.verifier.slots.dates import doubt_dates
from spanproof.verifier.slots.doubted_names import doubt_names
from spanproof.verifier.slots.doubted_words import doubt_degrees, doubt_negations, doubt_opposites
from spanproof.verifier.slots.measures.bounds import (
    doubt_bounds,
    doubt_changes,
    doubt_notations,
    doubt_powers,
    doubt_rates,
    doubt_shares,
)
from spanproof.verifier.slots.measures.owners import doubt_counted, doubt_owners
from spanproof.verifier.slots.numbers import MAX_RIVALS, agrees, find_numbers, is_comparable, is_one
from spanproof.verifier.slots.roles.directions import doubt_directions
from spanproof.verifier.slots.roles.mixed import doubt_holders, doubt_mixed
from spanproof.verifier.slots.roles.swaps import doubt_roles
from spanproof.verifier.slots.roles.voices import doubt_voices
from spanproof.verifier.slots.words import read_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.verdicts.policy import ReviewLevel
    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.alignment import Doubt
    from spanproof.verifier.slots.quantities import Quantity

_MEASURED = ("unit:", "currency:")
_POUNDS = {"currency:GBP", "unit:lb"}


def doubt_slots(
    hypothesis: str,
    premise: str,
    *,
    premise_start: int,
    level: ReviewLevel,
    locale: Locale = "en",
) -> tuple[Veto, ...]:
    """Every slot of the hypothesis that the premise leaves unconfirmed, up to a level.

    The source's side is the text in the slot's place, None if there is no such text.
    ``premise_start`` is the canonical offset of the premise. In the order of the claim; no two name
    the same words of it.
    """
    if len(hypothesis) > MAX_SLOT_CHARACTERS or not hypothesis or not premise:
        return ()
    claim, source = read_words(hypothesis, locale), read_words(premise, locale)
    if not claim.words or not source.words:
        return ()
    alignment = Alignment(claim, source)
    found: list[Veto] = []
    for part in _PARTS:
        for doubt in part(alignment, locale):
            if doubt.level == "possible" and level == "likely":
                continue
            if not any(doubt.veto.claim_span.overlaps(other.claim_span) for other in found):
                found.append(doubt.veto)
    return tuple(
        replace(veto, source_span=veto.source_span and veto.source_span.shift(premise_start))
        for veto in sorted(found, key=lambda veto: veto.claim_span)
    )


def doubt_numbers(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely if the source states another amount of the kind; possible if it states none."""
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


_PARTS = (
    doubt_numbers,
    doubt_bounds,
    doubt_notations,
    doubt_rates,
    doubt_changes,
    doubt_powers,
    doubt_shares,
    doubt_counted,
    doubt_owners,
    doubt_dates,
    doubt_negations,
    doubt_opposites,
    doubt_degrees,
    doubt_names,
    doubt_roles,
    doubt_voices,
    doubt_mixed,
    doubt_holders,
    doubt_directions,
)
