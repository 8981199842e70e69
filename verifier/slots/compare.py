"""Slots: numbers, dates, names, polarity and the like of a claim against its source.

Each part compares one sort of slot. All are conservative by construction: a slot counts only if
both sides fill it, in places whose words are alike, and nothing reconciles them. A veto can lower
the model's judgement, never raise it; details without a counterpart in the source are left to the
model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.verifier.slots.dates import compare_dates
from spanproof.verifier.slots.degrees import compare_duties, compare_modals, compare_quantifiers
from spanproof.verifier.slots.measures.multiples import compare_multiples, compare_times
from spanproof.verifier.slots.names import compare_names
from spanproof.verifier.slots.numbers import compare_numbers
from spanproof.verifier.slots.polarity import compare_antonyms, compare_negations
from spanproof.verifier.slots.roles.swaps import compare_roles
from spanproof.verifier.slots.words import read_words

if TYPE_CHECKING:
    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.language.lexicon import Locale

#: A longer claim is not a sentence; its slots are left to the model.
MAX_SLOT_CHARACTERS = 5_000
_COMPARISONS = (
    compare_numbers,
    compare_multiples,
    compare_times,
    compare_dates,
    compare_negations,
    compare_antonyms,
    compare_quantifiers,
    compare_modals,
    compare_duties,
    compare_names,
    compare_roles,
)


def compare_slots(
    hypothesis: str, premise: str, *, premise_start: int, locale: Locale = "en"
) -> tuple[Veto, ...]:
    """Every slot in which the hypothesis conflicts with the premise, both sides with offsets.

    ``premise_start`` is the canonical offset of the premise: source spans are canonical. Vetoes
    stand in the order of the claim; no two of them name the same words of it.
    """
    if len(hypothesis) > MAX_SLOT_CHARACTERS or not hypothesis or not premise:
        return ()
    claim, source = read_words(hypothesis, locale), read_words(premise, locale)
    found: list[Veto] = []
    for compare in _COMPARISONS:
        for veto in compare(claim, source, locale):
            if not any(veto.claim_span.overlaps(other.claim_span) for other in found):
                found.append(veto)
    return tuple(
        replace(veto, source_span=veto.source_span and veto.source_span.shift(premise_start))
        for veto in sorted(found, key=lambda veto: veto.claim_span)
    )
