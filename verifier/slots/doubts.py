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
from spanproof.verifier.slots.doubted_names import doubt_names
from spanproof.verifier.slots.doubted_numbers import doubt_numbers
from spanproof.verifier.slots.doubted_words import doubt_degrees, doubt_negations, doubt_opposites
from spanproof.verifier.slots.words import read_words

if TYPE_CHECKING:
    from spanproof.core.verdicts.policy import ReviewLevel
    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.language.lexicon import Locale

_PARTS = (doubt_numbers, doubt_negations, doubt_opposites, doubt_degrees, doubt_names)


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
