"""The whole claim against its parts: how much of it is supported, and whether they agree.

A claim that is ENTAILED as a whole while a part of it is not goes to a person. Parts that the model
calls entailed never lift a claim that is not; parts that two neighbouring sentences say in their
own words do, since the claim only joins them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.verdicts.status import SupportStatus
from spanproof.core.verdicts.verdict import SubClaim
from spanproof.verifier.support.agreed import says_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.verdicts.verdict import Support
    from spanproof.verifier.claims.subclaims import Part
    from spanproof.verifier.support.judge import SupportJudge
    from spanproof.verifier.support.premise import Premise

#: A part that is BORDERLINE leaves open whether it is supported: it does not gainsay the whole.
_GAINSAYS = frozenset({SupportStatus.CONTRADICTED, SupportStatus.NEUTRAL})
#: What a claim may be lifted from: nothing speaks against it, but no sentence says all of it.
_OPEN = frozenset({SupportStatus.NEUTRAL, SupportStatus.BORDERLINE})
_LACKING = frozenset({None, "band", "no_certificate", "claim_part_unsupported"})


def judge_parts(
    judge: SupportJudge, premise: Premise, parts: Sequence[Part], citation: int
) -> tuple[SubClaim, ...]:
    """Each part of a claim against the premise of the whole."""
    found = judge.judge_all(premise, [part.hypothesis for part in parts], citation=citation)
    return tuple(
        SubClaim(
            text=part.text,
            span=part.span,
            hypothesis=part.hypothesis,
            status=support.status,
            reason=support.reason,
            p_entailment=support.p_entailment,
            p_neutral=support.p_neutral,
            p_contradiction=support.p_contradiction,
            logits=support.logits,
            vetoes=support.vetoes,
        )
        for part, support in zip(parts, found, strict=True)
    )


def lift_joined(whole: Support, premise: Premise, subclaims: Sequence[SubClaim]) -> Support:
    """The support of a claim that joins what two neighbouring sentences say word for word."""
    if (
        whole.status in _OPEN
        and whole.reason in _LACKING
        and not whole.vetoes
        and subclaims
        and all(part.status is SupportStatus.ENTAILED for part in subclaims)
        and says_parts([part.hypothesis for part in subclaims], premise)
    ):
        return replace(whole, status=SupportStatus.ENTAILED, reason="verbatim")
    return whole


def combine_parts(whole: Support, subclaims: tuple[SubClaim, ...]) -> Support:
    """The support of the whole claim with its parts and its grade; partial is never ENTAILED."""
    statuses = {subclaim.status for subclaim in subclaims}
    if whole.status is SupportStatus.NOT_RUN:
        if whole.reason == "claim_too_long" and statuses == {SupportStatus.ENTAILED}:
            # The model has not read the claim whole: a person must see what its parts lose.
            return replace(
                whole,
                status=SupportStatus.BORDERLINE,
                reason="claim_in_parts",
                grade="partial",
                subclaims=subclaims,
            )
        return replace(whole, subclaims=subclaims)
    if whole.status is SupportStatus.ENTAILED:
        if statuses & _GAINSAYS:
            return _doubt(whole, "parts_disagree", subclaims)
        if SupportStatus.NOT_RUN in statuses:
            return _doubt(whole, "part_not_run", subclaims)
        return replace(whole, grade="full", subclaims=subclaims)
    partial = SupportStatus.ENTAILED in statuses
    return replace(whole, grade="partial" if partial else "none", subclaims=subclaims)


def _doubt(whole: Support, reason: str, subclaims: tuple[SubClaim, ...]) -> Support:
    return replace(
        whole,
        status=SupportStatus.BORDERLINE,
        reason=reason,
        grade="partial",
        subclaims=subclaims,
    )
