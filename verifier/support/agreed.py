"""Doubts of a claim, and whether a sentence that its premise says in another form says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.readings import split_flat, write_alike, write_out
from spanproof.verifier.scope.doubts import doubt_scope
from spanproof.verifier.slots import compare_slots, doubt_slots
from spanproof.verifier.slots.agreement import (
    find_agreement,
    find_joined,
    find_said,
    says_exactly,
)

if TYPE_CHECKING:
    from spanproof.core.verdicts.policy import ReviewLevel
    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.slots.agreement import Agreement
    from spanproof.verifier.support.premise import Premise

#: Doubts that only miss a word, void where the source says the same in another one.
_WORDINGS = frozenset({"unconfirmed_antonym", "unconfirmed_modality", "unconfirmed_number"})


def find_doubts(hypothesis: str, premise: str, level: ReviewLevel) -> tuple[Veto, ...]:
    """What the premise leaves unconfirmed of a claim, up to a level."""
    slots = doubt_slots(hypothesis, premise, premise_start=0, level=level)
    found = slots + doubt_scope(hypothesis, premise, level=level)
    # "Free" says "at no charge": the words of a phrase that is accounted for are no slots.
    joined = find_joined(hypothesis, premise) if found else ()
    said = find_said(hypothesis, premise) if found else ()
    return tuple(
        doubt
        for doubt in found
        if not any(span.contains(doubt.claim_span) for span in joined)
        and not (doubt.kind in _WORDINGS and doubt.source is None and doubt.claim_span in said)
        # What is so can be so.
        and (doubt.kind, doubt.claim.lower(), doubt.source) != ("unconfirmed_modality", "can", None)
    )


def find_written_out(hypothesis: str, premise: Premise) -> Agreement | None:
    """How a sentence that the premise says in another form says the hypothesis; None if none does.

    It is compared as a premise of its own: nothing around it speaks against the claim.
    """
    claim = write_alike(hypothesis)
    for text in _list_written(hypothesis, premise):
        agreed = find_agreement(claim, text)
        if agreed is not None and not _differs(claim, text):
            return agreed
    return None


def says_whole(hypothesis: str, premise: Premise) -> bool:
    """Whether the premise has the hypothesis as a whole sentence, in its own words and order.

    Or says so in another form, if it is one sentence alone. What is said exactly no model can call
    contradicted.
    """
    text = premise.text
    if says_exactly(hypothesis, text) and not _differs(hypothesis, text):
        return True
    if len(split_flat(text)) > 1:
        return False
    claim = write_alike(hypothesis)
    return any(
        says_exactly(claim, written) and not _differs(claim, written)
        for written in _list_written(hypothesis, premise)
    )


def _list_written(hypothesis: str, premise: Premise) -> tuple[str, ...]:
    source = write_alike(premise.text)
    texts = write_out(source, write_alike(premise.lines))
    changed = (write_alike(hypothesis), source) != (hypothesis, premise.text)
    return (source, *texts) if changed else texts


def _differs(claim: str, text: str) -> bool:
    return bool(compare_slots(claim, text, premise_start=0) or find_doubts(claim, text, "possible"))
